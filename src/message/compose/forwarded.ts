/** A message of any form as the attachment of another one (RFC 2046 §5.2.1). */
import { isAscii } from "node:buffer";
import { decodeWords } from "../encoded-words.ts";
import { headerText } from "../header/incoming-header.ts";
import type { Attachment } from "../send-request/attachment.ts";
import { SUBJECT_LENGTH_MAX } from "../send-request/send-request-schema.ts";
import { MESSAGE_TYPE } from "./mime.ts";
import { toSevenBit } from "./seven-bit.ts";

const FILENAME = "original.eml";
/** Octets of a line without its CRLF (RFC 5322 §2.1.1). */
const LINE_OCTETS_MAX = 998;
/** Of a subject before its encoded words are decoded; more of it is not shown. */
const SUBJECT_OCTETS_MAX = 16 * 1024;
const [LF, CR] = [0x0a, 0x0d];

/** What the message that forwards an original contains of it. */
export interface ForwardedOriginal {
  subject: string;
  attachment: Attachment;
}

/** Takes tens of milliseconds for a mebibyte, so not for the thread that serves HTTP. */
export const forwardedOriginal = (original: Buffer): ForwardedOriginal => ({
  subject: forwardedSubject(original),
  attachment: attachedMessage(original),
});

/** As a message where it can be in 7 bits, so that readers show it; else as a file that contains it octet for octet. */
export function attachedMessage(original: Buffer): Attachment {
  const message = toSevenBit(withCrlf(original));
  if (message === null || !isAscii(message) || message.includes(0) || hasLongLine(message)) {
    return { filename: FILENAME, contentType: "application/octet-stream", contentId: null, content: original };
  }
  return { filename: FILENAME, contentType: MESSAGE_TYPE, contentId: null, content: message };
}

/** The subject of the message that forwards an original: its own with `Fwd:`, or only that. */
export function forwardedSubject(original: Buffer): string {
  const [, value = ""] = /^subject[ \t]*:(.*(?:\r?\n[ \t].*)*)/im.exec(headerText(original)) ?? [];
  const unfolded = Buffer.from(value.slice(0, SUBJECT_OCTETS_MAX).replace(/\r?\n/g, ""), "latin1").toString();
  const subject = decodeWords(unfolded)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  return `Fwd: ${subject}`.trim().slice(0, SUBJECT_LENGTH_MAX).toWellFormed();
}

/** Of a message with CRLF line ends only. Steps from each line end to the last one that is near enough, so it reads no octet often. */
function hasLongLine(message: Buffer): boolean {
  let start = 0;
  while (message.length - start > LINE_OCTETS_MAX) {
    const end = message.lastIndexOf(LF, start + LINE_OCTETS_MAX + 1);
    if (end < start) return true;
    start = end + 1;
  }
  return false;
}

/** Each bare CR or LF ends a line too. By octet: an expression takes 0.1 s for a mebibyte of empty lines. */
function withCrlf(octets: Buffer): Buffer {
  const target = Buffer.allocUnsafe(2 * octets.length);
  let length = 0;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    if (octet !== CR && octet !== LF) {
      target[length++] = octet;
      continue;
    }
    if (octet === CR && octets[at + 1] === LF) at += 1;
    target[length++] = CR;
    target[length++] = LF;
  }
  return target.subarray(0, length);
}
