/** Reports of feedback loops that are really signed, with keys of the tests. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { lines, report } from "../message/feedback/samples.ts";

export interface LoopKey {
  privateKey: KeyObject;
  /** The TXT record. */
  record: string;
}

export function loopKey(): LoopKey {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const p = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  return { privateKey, record: `v=DKIM1; k=rsa; p=${p}` };
}

/** As Validity signs: the header relaxed, the body as it is. */
const TAGS = "v=1; a=rsa-sha256; c=relaxed/simple; d=senderscore.net; s=test; h=from:to:subject";
export const KEY_NAME = "test._domainkey.senderscore.net";

export interface SigningOptions {
  key: LoopKey;
  /** All but bh and b. */
  tags?: string;
}

/** Signs a mail with simple or relaxed header, and the simple body (RFC 6376 §3.4). With `l=N` in the tags, of N octets. */
export function signedMail(mail: Buffer, { key, tags = TAGS }: SigningOptions): Buffer {
  const end = mail.indexOf("\r\n\r\n");
  const header = mail.toString("latin1", 0, end).split(/\r\n(?![ \t])/);
  const body = `${mail.toString("latin1", end + 4).replace(/(?:\r\n)+$/, "")}\r\n`;
  const length = /(?:^|;)\s*l=(\d+)/.exec(tags)?.[1];
  const bh = createHash("sha256")
    .update(Buffer.from(body, "latin1").subarray(0, length === undefined ? undefined : Number(length)))
    .digest("base64");
  const field = `DKIM-Signature: ${tags}; bh=${bh}; b=`;
  const names = /(?:^|;)\s*h=([^;]*)/.exec(tags)?.[1]?.split(":") ?? [];
  const signedFields = names.flatMap((name) => header.find((each) => each.toLowerCase().startsWith(`${name}:`)) ?? []);
  const canonical = [...signedFields.map((each) => `${relaxed(each)}\r\n`), relaxed(field)].join("");
  const b = sign("RSA-SHA256", Buffer.from(canonical, "latin1"), key.privateKey).toString("base64");
  return Buffer.concat([Buffer.from(`${field}${b}\r\n`), mail]);
}

function relaxed(field: string): string {
  const colon = field.indexOf(":");
  const value = field
    .slice(colon + 1)
    .replace(/\r\n/g, "")
    .replace(/[ \t]+/g, " ")
    .trim();
  return `${field.slice(0, colon).toLowerCase().trim()}:${value}`;
}

export interface LoopReport {
  from?: string;
  to: string;
  /** Original-Rcpt-To; none if null. */
  recipient: string | null;
  /** The header of the message that the report is about. */
  original: string[];
}

/** In the form that Validity's reports have. */
export const loopReport = ({
  from = "feedbackloop@yandexfbl.senderscore.net",
  to,
  recipient,
  original,
}: LoopReport): Buffer =>
  report([`From: Yandex FBL Service <${from}>`, `To: ${to}`, "Subject: Yandex Abuse Report"], "feedback-report", [
    ["text/plain", "This is an abuse report."],
    [
      "message/feedback-report",
      lines(
        "Feedback-Type: abuse",
        "User-Agent: ReturnPathFBL/2.0",
        "Version: 1",
        ...(recipient === null ? [] : [`Original-Rcpt-To: ${recipient}`]),
      ),
    ],
    ["message/rfc822", lines(...original, "", "Hi")],
  ]);
