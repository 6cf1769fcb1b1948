/**
 * Finds out how an XML document is encoded (XML 1.0, appendix F): by its byte order mark, by the zero octets of UTF-16, by its
 * declaration, and by what the message says of the part, in this order.
 */
import { UnreadableReport } from "./unreadable-report.ts";

/** A declaration is at the beginning, and has less. */
const DECLARATION_BYTES = 200;
const DECLARED = /^\s*<\?xml\s[^>]{0,150}?encoding\s{0,10}=\s{0,10}["']([\w.:-]{1,40})["']/;

/**
 * Returns a decoder for a document that begins with these octets. Octets that are not in the encoding become U+FFFD: one of them in
 * a name of the sender must not hide the report. Throws UnreadableReport for an encoding that is not known.
 */
export function xmlDecoder(start: Buffer, partCharset: string | null): TextDecoder {
  try {
    return new TextDecoder(encodingOf(start, partCharset));
  } catch {
    throw new UnreadableReport("unknown_encoding");
  }
}

function encodingOf(start: Buffer, partCharset: string | null): string {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  if (start[0] === 0xfe && start[1] === 0xff) return "utf-16be";
  if (start[0] === 0xef && start[1] === 0xbb) return "utf-8";
  if (start[0] !== 0 && start[1] === 0) return "utf-16le";
  if (start[0] === 0 && start[1] !== 0) return "utf-16be";
  const declared = DECLARED.exec(start.toString("latin1", 0, DECLARATION_BYTES))?.[1] ?? partCharset ?? "utf-8";
  // Text of .NET declares how it was in memory, and is sent in octets.
  return /^(?:utf-?16|ucs-?2|iso-10646-ucs-2|us-ascii$)/i.test(declared) ? "utf-8" : declared;
}
