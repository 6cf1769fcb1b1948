/** Fields of a received message's header, unfolded (RFC 5322) and decoded (RFC 2047). A field that cannot be decoded stays as it is. */
import { decodeWords } from "../../message/encoded-words.ts";

/** The value of the first field of this name; null if there is none. */
export function headerField(content: Buffer, name: string): string | null {
  const end = content.indexOf("\r\n\r\n");
  const header = content.subarray(0, end === -1 ? content.length : end).toString("utf8");
  const unfolded = header.replace(/\r\n(?=[ \t])/g, "").split("\r\n");
  const field = unfolded.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return field === undefined ? null : decodeWords(field.slice(name.length + 1).trim());
}
