/** The content of a message, as it is composed of a send request. */
import { parseDraft } from "../../src/message/compose/draft.ts";

/** `parts`: fields of the send request besides from, to and subject. */
export function composedMessage(parts: Record<string, unknown>): Buffer {
  const body = { from: "a@sender.example", to: "b@b.example", subject: "s", ...parts };
  const options = { recipientsMax: 50, token: "token", dateMs: 0, boundary: "boundary" };
  const read = parseDraft(Buffer.from(JSON.stringify(body)), options);
  if (read.type === "invalid") throw new Error(JSON.stringify(read.error));
  return read.draft.content().bytes;
}

/** A multipart message of these parts: header fields and a body each, in lines. */
export function multipartMessage(...parts: string[][]): Buffer {
  const lines = parts.flatMap((part) => ["--b", ...part]);
  return Buffer.from(["Content-Type: multipart/mixed; boundary=b", "", ...lines, "--b--", ""].join("\r\n"));
}
