/** Fields of a received message's header, unfolded (RFC 5322) and decoded (RFC 2047). A field that cannot be decoded stays as it is. */
import { decodeWords } from "../../message/encoded-words.ts";

/** The header of a message without the empty line after it; everything if there is no such line. */
export function headerOf(content: Buffer): Buffer {
  const end = content.indexOf("\r\n\r\n");
  return content.subarray(0, end === -1 ? content.length : end);
}

/** The value of the first field of this name; null if there is none. */
export function headerField(content: Buffer, name: string): string | null {
  const unfolded = headerOf(content)
    .toString("utf8")
    .replace(/\r\n(?=[ \t])/g, "")
    .split("\r\n");
  const field = unfolded.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return field === undefined ? null : decodeWords(field.slice(name.length + 1).trim());
}
