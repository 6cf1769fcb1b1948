/** The Date field (RFC 5322 §3.6.1) as this service writes it: in UTC, and always with the same length. */
import { bodyStart } from "../content.ts";

export const dateField = (atMs: number): string => `Date: ${new Date(atMs).toUTCString().replace("GMT", "+0000")}`;

/**
 * Returns the content, of which the whole header must be there, with its Date field at another time. Returns the content itself if the field
 * has that time, or another form than this service's.
 */
export function withDate(content: Buffer, atMs: number): Buffer {
  const field = dateField(atMs);
  const before = content.subarray(0, bodyStart(content)).indexOf("\r\nDate: ");
  const at = before + 2;
  const isOwn = before >= 0 && content.toString("latin1", at + field.length, at + field.length + 2) === "\r\n";
  if (!isOwn || content.toString("latin1", at, at + field.length) === field) return content;
  const changed = Buffer.from(content);
  changed.write(field, at, "latin1");
  return changed;
}
