/**
 * How many lists, objects and entries a JSON text has, before it is parsed: 10 MB of brackets take the parser two seconds, in
 * which nobody else is served. Whether the text is JSON at all is the parser's to say.
 */

/** Far more than the largest valid request has. */
export const JSON_PARTS_MAX = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether there are more than JSON_PARTS_MAX. A shorter text is not even looked at. */
export function hasTooManyParts(json: Buffer): boolean {
  if (json.length <= JSON_PARTS_MAX) return false;
  let parts = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (beginsPart(byte) && ++parts > JSON_PARTS_MAX) return true;
  }
  return false;
}

/** `[`, `{` or `,`. */
const beginsPart = (byte: number | undefined): boolean => byte === 0x5b || byte === 0x7b || byte === 0x2c;

/** Where its closing quote stands. Byte by byte: a look for each quote takes longer where most are escaped. */
function endOfString(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
