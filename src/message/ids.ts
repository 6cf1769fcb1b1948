/**
 * The form of message ids and tokens. Callers supply the randomness and the time.
 */

/** Returns `sizeBytes` random bytes, as node:crypto's randomBytes does. */
export type Random = (sizeBytes: number) => Buffer;

/** The characters of base64url in ASCII order: ids sort as their bytes do. */
const ALPHABET = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/** By 12 bits. */
const PAIRS = Array.from({ length: 64 * 64 }, (_, bits) => `${ALPHABET[bits >> 6]}${ALPHABET[bits & 63]}`);
const MESSAGE_ID = /^msg_[-0-9A-Z_a-z]{24}$/;
const TIME_BYTES = 6;
const RANDOM_BYTES = 12;

/** The bytes that a message id stands for. */
export const MESSAGE_ID_BYTES = TIME_BYTES + RANDOM_BYTES;

/**
 * Returns a new message's id: `msg_` and 24 URL-safe characters, opaque to clients. The first 6 of 18 bytes are the time:
 * messages of one moment are adjacent in the spool's index, and a commit touches few pages.
 */
export function messageId(nowMs: number, random: Random): string {
  const bytes = Buffer.alloc(MESSAGE_ID_BYTES);
  bytes.writeUIntBE(nowMs, 0, TIME_BYTES);
  random(RANDOM_BYTES).copy(bytes, TIME_BYTES);
  return messageIdOfBytes(bytes);
}

/** Returns the message id of MESSAGE_ID_BYTES bytes. */
export function messageIdOfBytes(bytes: Buffer): string {
  return `msg_${sortableText(bytes)}`;
}

/** Returns the bytes of a message id; null if the text has not the form of one. */
export function bytesOfMessageId(id: string): Buffer | null {
  if (!isMessageId(id)) return null;
  const bytes = Buffer.alloc(MESSAGE_ID_BYTES);
  for (let offset = 0; offset < MESSAGE_ID_BYTES; offset += 3) {
    const characters = id.slice("msg_".length + (offset / 3) * 4).slice(0, 4);
    bytes.writeUIntBE(
      [...characters].reduce((bits, each) => bits * 64 + ALPHABET.indexOf(each), 0),
      offset,
      3,
    );
  }
  return bytes;
}

const GENERATED = /^<([-0-9A-Z_a-z]{24})@[^<>@]+>$/;

/**
 * Returns the part before the @ of a new message's Message-ID: as unguessable as an id, and with the time, so that the message is
 * found by it without an index.
 */
export function messageIdToken(nowMs: number, random: Random): string {
  return messageId(nowMs, random).slice("msg_".length);
}

/**
 * Returns the time of acceptance that a Message-ID with angle brackets was made for; null if Postrider has not made it. Those of
 * older versions, and some of others, have a time that says nothing.
 */
export function momentOfMessageId(header: string): number | null {
  const [, token] = GENERATED.exec(header) ?? [];
  return token === undefined ? null : (bytesOfMessageId(`msg_${token}`)?.readUIntBE(0, TIME_BYTES) ?? null);
}

/** Whether the text has the form of a message id. The message need not exist. */
export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text);
}

/** Returns an unguessable URL-safe text of `sizeBytes` random bytes. */
export function randomToken(sizeBytes: number, random: Random): string {
  return random(sizeBytes).toString("base64url");
}

/** Base64 over the sorted alphabet. The length must be a multiple of 3 bytes. */
function sortableText(bytes: Buffer): string {
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += 3) {
    const bits = ((bytes[offset] ?? 0) << 16) | ((bytes[offset + 1] ?? 0) << 8) | (bytes[offset + 2] ?? 0);
    text += PAIRS[bits >> 12];
    text += PAIRS[bits & 0xfff];
  }
  return text;
}
