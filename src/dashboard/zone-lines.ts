/**
 * Records as a zone file has them (RFC 1035 §5): TXT values in strings of at most 255 bytes, names with their final dot.
 */
import type { RecordToPublish } from "./parts.ts";

const STRING_BYTES_MAX = 255;
const TTL_S = 3600;

export function zoneLine({ name, type, value }: RecordToPublish): string {
  const data = type === "MX" ? `${value}.` : stringsOf(value).join(" ");
  return `${name}. ${TTL_S} IN ${type} ${data}`;
}

/** Values of ours are ASCII: a character is a byte. */
function stringsOf(value: string): string[] {
  const strings = value.match(new RegExp(`.{1,${STRING_BYTES_MAX}}`, "g")) ?? [""];
  return strings.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`);
}
