/**
 * Decodes the start of a body in a Content-Transfer-Encoding (RFC 2045 §6). Reads only the encoded bytes that this needs.
 */

export interface Decoded {
  bytes: Buffer;
  /** Whether the body continues. */
  isTruncated: boolean;
}

/** Encoded bytes read for each decoded byte. A body with more line ends or blanks is truncated earlier. */
const ENCODED_BYTES_PER_DECODED = 4;

const [TAB, LF, CR, BLANK, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d];

/** Returns at most `bytesMax` decoded bytes. A body in an unknown encoding is returned as it is. */
export function decodeTransfer(body: Buffer, encoding: string, bytesMax: number): Decoded {
  if (encoding === "base64") return decodeBase64(body, bytesMax);
  if (encoding === "quoted-printable") return decodeQuotedPrintable(body, bytesMax);
  return { bytes: body.subarray(0, bytesMax), isTruncated: body.length > bytesMax };
}

/** Returns how many bytes a body decodes to. Counts those of base64 without decoding them. */
export function decodedSize(body: Buffer, encoding: string): number {
  if (encoding !== "base64") return decodeTransfer(body, encoding, body.length).bytes.length;
  let digits = 0;
  for (let at = 0; at < body.length && body[at] !== EQUALS; at += 1) {
    if ((body[at] as number) > BLANK) digits += 1;
  }
  return Math.floor((digits * 3) / 4);
}

function decodeBase64(body: Buffer, bytesMax: number): Decoded {
  const encoded = body.subarray(0, ENCODED_BYTES_PER_DECODED * bytesMax);
  const bytes = Buffer.from(encoded.toString("latin1"), "base64");
  return { bytes: bytes.subarray(0, bytesMax), isTruncated: bytes.length > bytesMax || encoded.length < body.length };
}

/** By byte; -1 for bytes that are not hexadecimal digits. */
const HEX_VALUES = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = String.fromCharCode(byte);
  return /[0-9a-f]/i.test(digit) ? Number.parseInt(digit, 16) : -1;
});

function decodeQuotedPrintable(body: Buffer, bytesMax: number): Decoded {
  const encoded = body.subarray(0, ENCODED_BYTES_PER_DECODED * bytesMax);
  const bytes = Buffer.allocUnsafe(Math.min(encoded.length, bytesMax));
  let at = 0;
  let length = 0;
  /** The length without trailing blanks of the current line. */
  let lineLength = 0;
  while (at < encoded.length && length < bytes.length) {
    const byte = encoded[at] as number;
    if (byte === EQUALS) {
      const [decoded, width] = escapeAt(encoded, at);
      if (decoded !== null) bytes[length++] = decoded;
      lineLength = length;
      at += width;
      continue;
    }
    if (byte === CR && encoded[at + 1] === LF) length = lineLength;
    bytes[length++] = byte;
    if (byte !== BLANK && byte !== TAB) lineLength = length;
    at += 1;
  }
  return { bytes: bytes.subarray(0, length), isTruncated: at < body.length };
}

/** Returns the byte that an escape stands for, null for a soft line break, and the escape's length. */
function escapeAt(encoded: Buffer, at: number): [byte: number | null, width: number] {
  const high = HEX_VALUES[encoded[at + 1] ?? 0] ?? -1;
  const low = HEX_VALUES[encoded[at + 2] ?? 0] ?? -1;
  if (high !== -1 && low !== -1) return [high * 16 + low, 3];
  let end = at + 1;
  while (encoded[end] === BLANK || encoded[end] === TAB) end += 1;
  if (encoded[end] === CR && encoded[end + 1] === LF) return [null, end + 2 - at];
  return [EQUALS, 1];
}
