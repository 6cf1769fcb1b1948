/** Base32 (RFC 4648 §6) in lower case and without padding, for names whose case others may change. */

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const BITS = 5;

export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= BITS; count -= BITS) text += ALPHABET[(bits >> (count - BITS)) & 31];
    bits &= (1 << count) - 1;
  }
  return count === 0 ? text : text + ALPHABET[bits << (BITS - count)];
}

/** Returns the bytes of a text in either case; null unless it is what `encodeBase32` returns for them. */
export function decodeBase32(text: string): Buffer | null {
  const bytes = Buffer.alloc(Math.floor((text.length * BITS) / 8));
  let at = 0;
  let bits = 0;
  let count = 0;
  for (const character of text) {
    // Not toLowerCase: it turns the Kelvin sign into a "k".
    const value = ALPHABET.indexOf(character >= "A" && character <= "Z" ? character.toLowerCase() : character);
    if (value === -1) return null;
    bits = (bits << BITS) | value;
    count += BITS;
    if (count < 8) continue;
    count -= 8;
    bytes[at] = bits >> count;
    at += 1;
    bits &= (1 << count) - 1;
  }
  return count < BITS && bits === 0 ? bytes : null;
}
