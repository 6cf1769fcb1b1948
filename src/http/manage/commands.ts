/** Runs a command of the command line in the service, for a command line elsewhere. */

import { Problem } from "../response/problems.ts";
import { invalidBody } from "./body.ts";
import type { ManageRequest, Operation } from "./operation.ts";
import { Streamed } from "./streamed.ts";

/** Octets of the first line of the body, which has the words of the command. */
const FIRST_LINE_BYTES_MAX = 256 * 1024;
const ARGUMENTS_MAX = 1000;
const LINE_FEED = 10;

const NDJSON = "application/x-ndjson";

async function run(request: ManageRequest): Promise<Streamed> {
  const { parts, key, isOperator, by, account, requestId } = request;
  const { first, rest } = await splitOf(request.stream);
  const { arguments: words, confirmed = false } = readFirst(first);
  return new Streamed(
    NDJSON,
    parts.runCommand({
      arguments: words,
      confirmed,
      input: rest,
      key,
      isOperator,
      by,
      account,
      requestId,
      changes: parts,
      ends: parts.ends,
    }),
  );
}

interface First {
  arguments: string[];
  confirmed?: boolean;
}

/** Throws the 400 problem. */
function readFirst(line: Buffer): First {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch {
    throw new Problem("invalid_json", "The first line of the body is not valid JSON in UTF-8.");
  }
  const { arguments: words, confirmed } = (body ?? {}) as Partial<First>;
  const isList =
    Array.isArray(words) && words.length <= ARGUMENTS_MAX && words.every((word) => typeof word === "string");
  if (!isList) throw invalidBody([{ field: "arguments", detail: "This must be a list of strings." }]);
  return { arguments: words, confirmed: confirmed === true };
}

/** The first line of a body, and what follows it. Throws the 413 problem for a long one. */
async function splitOf(stream: AsyncIterable<Uint8Array>): Promise<{ first: Buffer; rest: AsyncIterable<Uint8Array> }> {
  const chunks = stream[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await chunks.next();
    const end = done ? -1 : value.indexOf(LINE_FEED);
    const part = done ? new Uint8Array() : end === -1 ? value : value.subarray(0, end);
    read.push(part);
    sizeBytes += part.length;
    if (sizeBytes > FIRST_LINE_BYTES_MAX) throw new Problem("body_too_large", "The words of the command are too long.");
    if (!done && end === -1) continue;
    const left = done ? new Uint8Array() : value.subarray(end + 1);
    return { first: Buffer.concat(read), rest: behind(left, done === true ? null : chunks) };
  }
}

async function* behind(left: Uint8Array, chunks: AsyncIterator<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  if (left.length > 0) yield left;
  if (chunks === null) return;
  for (;;) {
    const { done, value } = await chunks.next();
    if (done) return;
    yield value;
  }
}

export const COMMAND_OPERATIONS: readonly Operation[] = [
  {
    id: "runCommand",
    permission: "manage",
    tag: "account",
    method: "POST",
    path: "/commands",
    summary: "Run a command of the command line",
    description:
      'The command line uses it where it does not run on the host. The first line of the body is `{"arguments":[…]}`, with `"confirmed":true` once the user has confirmed what the command asks; what follows is the command\'s input. The response has a JSON object a line: `part` and `out` for its output, `working` while there is none, and at the end `result`, `confirm` or `refused`. A command on the installation needs a key with the permission `operate`.',
    accepts: ["application/octet-stream"],
    bodyExample: '{"arguments":["domains","list"]}\n',
    status: 200,
    streams: [{ type: NDJSON, example: '{"type":"result","result":{"json":[],"text":"No domains."},"notes":[]}\n' }],
    run,
  },
];
