/**
 * The header of an accepted message for a mail host without SMTPUTF8 (RFC 6531), and a recipient whose own address needs none. Addresses
 * that have no form in ASCII are shown as text, as RFC 6857 has it for mailbox clients. From is the exception: without the sender's
 * address, a message would fail DMARC.
 */
import { isAscii } from "../address.ts";
import { bodyStart, HEADER_OCTETS_MAX } from "../content.ts";
import { downgradedField } from "./ascii-field.ts";
import { hasLongLine } from "./folding.ts";
import { headerFields } from "./header-fields.ts";

/** Returns the content, of which the whole header must be there, with a header in ASCII; null if it has none. */
export function withAsciiHeader(content: Buffer): Buffer | null {
  const start = bodyStart(content);
  const header = headerFields(content.subarray(0, start), HEADER_OCTETS_MAX);
  if (header.type === "invalid") return null;
  const written = header.fields.map(downgradedField).join("");
  if (!isAscii(written) || hasLongLine(written)) return null;
  return Buffer.concat([Buffer.from(`${written}\r\n`, "latin1"), content.subarray(start)]);
}
