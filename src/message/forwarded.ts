/** A message of any form as the attachment of another one (RFC 2046 §5.2.1). */
import { isAscii } from "node:buffer";
import type { Attachment } from "./attachment.ts";
import { decodeWords } from "./encoded-words.ts";
import { headerText } from "./incoming-header.ts";
import { MESSAGE_TYPE } from "./mime.ts";
import { SUBJECT_LENGTH_MAX } from "./send-request-schema.ts";
import { toSevenBit } from "./seven-bit.ts";

const FILENAME = "original.eml";
/** Octets of a line without its CRLF (RFC 5322 §2.1.1). */
const LONG_LINE = /[^\r\n]{999}/;

/** As a message where it can be in 7 bits, so that readers show it; else as a file that contains it octet for octet. */
export function attachedMessage(original: Buffer): Attachment {
  const message = toSevenBit(withCrlf(original));
  if (message === null || !isAscii(message) || message.includes(0) || LONG_LINE.test(message.toString("latin1"))) {
    return { filename: FILENAME, contentType: "application/octet-stream", contentId: null, content: original };
  }
  return { filename: FILENAME, contentType: MESSAGE_TYPE, contentId: null, content: message };
}

/** The subject of the message that forwards an original: its own with `Fwd:`, or that alone. */
export function forwardedSubject(original: Buffer): string {
  const [, value = ""] = /^subject[ \t]*:(.*(?:\r?\n[ \t].*)*)/im.exec(headerText(original)) ?? [];
  const unfolded = Buffer.from(value.replace(/\r?\n/g, ""), "latin1").toString();
  const subject = decodeWords(unfolded)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  return `Fwd: ${subject}`.trim().slice(0, SUBJECT_LENGTH_MAX).toWellFormed();
}

/** Each CR or LF alone ends a line too. */
function withCrlf(octets: Buffer): Buffer {
  return Buffer.from(octets.toString("latin1").replace(/\r\n?|\n/g, "\r\n"), "latin1");
}
