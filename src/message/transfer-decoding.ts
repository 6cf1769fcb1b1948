/**
 * Content-Transfer-Encodings (RFC 2045 §6) read back, the beginning alone: no more is read than what that takes.
 */

export interface Decoded {
  bytes: Buffer;
  /** Whether there is more than these. */
  isCut: boolean;
}

/** Encoded bytes looked at for each decoded one; what has more line ends or blanks is cut sooner. */
const ENCODED_FOR_ONE = 4;

/** At most `bytesMax` decoded bytes. An unknown encoding is read as none. */
export function decodeTransfer(body: Buffer, encoding: string, bytesMax: number): Decoded {
  if (encoding === "base64") return decodeBase64(body, bytesMax);
  if (encoding === "quoted-printable") return decodeQuotedPrintable(body, bytesMax);
  return { bytes: body.subarray(0, bytesMax), isCut: body.length > bytesMax };
}

function decodeBase64(body: Buffer, bytesMax: number): Decoded {
  const encoded = body.subarray(0, ENCODED_FOR_ONE * bytesMax);
  const bytes = Buffer.from(encoded.toString("latin1"), "base64");
  return { bytes: bytes.subarray(0, bytesMax), isCut: bytes.length > bytesMax || encoded.length < body.length };
}

const [TAB, LF, CR, BLANK, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d];

/** By byte; -1 for what is no hexadecimal digit. */
const HEX_VALUES = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = String.fromCharCode(byte);
  return /[0-9a-f]/i.test(digit) ? Number.parseInt(digit, 16) : -1;
});

function decodeQuotedPrintable(body: Buffer, bytesMax: number): Decoded {
  const encoded = body.subarray(0, ENCODED_FOR_ONE * bytesMax);
  const bytes = Buffer.allocUnsafe(Math.min(encoded.length, bytesMax));
  let at = 0;
  let length = 0;
  /** The length without the trailing blanks of the line so far. */
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
  return { bytes: bytes.subarray(0, length), isCut: at < body.length };
}

/** What an equals sign stands for, null for nothing, and how many bytes say so. */
function escapeAt(encoded: Buffer, at: number): [byte: number | null, width: number] {
  const high = HEX_VALUES[encoded[at + 1] ?? 0] ?? -1;
  const low = HEX_VALUES[encoded[at + 2] ?? 0] ?? -1;
  if (high !== -1 && low !== -1) return [high * 16 + low, 3];
  let end = at + 1;
  while (encoded[end] === BLANK || encoded[end] === TAB) end += 1;
  if (encoded[end] === CR && encoded[end + 1] === LF) return [null, end + 2 - at];
  return [EQUALS, 1];
}
