/**
 * The token of a status page's link: it names a recipient of a message, and only the holder of the key can make one. It tells nothing else
 * of either. What the page shows is read from the spool, so a link ends with the results of its message.
 *
 * The form: base64url of the bytes of the message's id, the position in two, and 16 of HMAC-SHA256.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { bytesOfMessageId, MESSAGE_ID_BYTES, messageIdOfBytes } from "./ids.ts";

export interface StatusTarget {
  messageId: string;
  /** The index of the recipient in the order sent, from 0 to 65535. */
  position: number;
}

const NAME_BYTES = MESSAGE_ID_BYTES + 2;
const MAC_BYTES = 16;
const TOKEN_BYTES = NAME_BYTES + MAC_BYTES;
/** A multiple of three bytes has one spelling in base64. */
const TOKEN = new RegExp(`^[\\w-]{${(TOKEN_BYTES / 3) * 4}}$`);

/** `key`: of the whole service, 32 bytes. The same arguments return the same token. Throws if the position or the id is none. */
export function statusToken({ messageId, position }: StatusTarget, key: Buffer): string {
  const id = bytesOfMessageId(messageId);
  if (id === null) throw new RangeError(`not a message id: ${messageId}`);
  const name = Buffer.alloc(NAME_BYTES);
  id.copy(name);
  name.writeUInt16BE(position, MESSAGE_ID_BYTES);
  return Buffer.concat([name, macOf(name, key)]).toString("base64url");
}

/** Returns what a token names; null if it was not made with this key, or was changed. */
export function readStatusToken(token: string, key: Buffer): StatusTarget | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  const name = bytes.subarray(0, NAME_BYTES);
  if (!timingSafeEqual(bytes.subarray(NAME_BYTES), macOf(name, key))) return null;
  const messageId = messageIdOfBytes(name.subarray(0, MESSAGE_ID_BYTES));
  return { messageId, position: name.readUInt16BE(MESSAGE_ID_BYTES) };
}

const macOf = (name: Buffer, key: Buffer): Buffer =>
  createHmac("sha256", key).update("status-page\0").update(name).digest().subarray(0, MAC_BYTES);
