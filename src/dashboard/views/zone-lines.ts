/**
 * Formats records as lines of a zone file (RFC 1035 §5): TXT values in strings of at most 255 bytes, names with a final dot.
 */
import type { RecordToPublish } from "../../domains/records.ts";

const STRING_BYTES_MAX = 255;
const TTL_S = 3600;

export function zoneLine({ name, type, value }: RecordToPublish): string {
  const data = type === "MX" ? `${value}.` : stringsOf(value).join(" ");
  return `${name}. ${TTL_S} IN ${type} ${data}`;
}

/** Published values can hold any byte: bytes that are not printable ASCII become \DDD (§5.1). */
function stringsOf(value: string): string[] {
  const bytes = [...Buffer.from(value)];
  const strings: string[] = [];
  for (let start = 0; start < bytes.length; start += STRING_BYTES_MAX) {
    strings.push(
      `"${bytes
        .slice(start, start + STRING_BYTES_MAX)
        .map(escaped)
        .join("")}"`,
    );
  }
  return strings.length === 0 ? ['""'] : strings;
}

function escaped(byte: number): string {
  if (byte < 0x20 || byte > 0x7e) return `\\${String(byte).padStart(3, "0")}`;
  const character = String.fromCharCode(byte);
  return character === '"' || character === "\\" ? `\\${character}` : character;
}
