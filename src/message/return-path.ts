/**
 * The envelope senders of a domain with a return path. Each recipient of a message has its own address at `bounces.<domain>`,
 * which names message and recipient (VERP), with a tag that only the holder of the key can make. What is sent to such an address
 * concerns that recipient; an address with any other tag is not ours. Case does not matter, since some servers change it.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { decodeBase32, encodeBase32 } from "./base32.ts";
import { bytesOfMessageId, MESSAGE_ID_BYTES, messageIdOfBytes } from "./ids.ts";

/** One recipient of a message that is sent from a domain. */
export interface ReturnPath {
  /** A message's id, as ids.ts has it. */
  messageId: string;
  /** The index of the recipient in the order sent, from 0 to 65535. */
  position: number;
  /** The sender domain, lower-case A-labels. */
  domain: string;
}

const POSITION_BYTES = 2;
const NAME_BYTES = MESSAGE_ID_BYTES + POSITION_BYTES;
/** Forging an address takes 2^63 attempts on average, each of them a RCPT command. */
const TAG_BYTES = 8;
const TAG_PURPOSE = "return-path\0";

const PREFIX = "b-";
/** `b-` and the base32 of 28 bytes: 47 octets, of the 64 that a local part may have (RFC 5321 §4.5.3.1.1). */
const LOCAL_LENGTH = PREFIX.length + Math.ceil(((NAME_BYTES + TAG_BYTES) * 8) / 5);
const ADDRESS_LENGTH_MAX = 254;
const BOUNCES = "bounces.";

/** The domain of the return path of a sender domain. */
export const bouncesDomain = (domain: string): string => BOUNCES + domain;

/** The sender domain that has this domain of a return path, in lower case; null if it has not the form of one. */
export function senderDomain(bouncesDomain: string): string | null {
  const name = bouncesDomain.toLowerCase();
  return name.startsWith(BOUNCES) && name.length > BOUNCES.length ? name.slice(BOUNCES.length) : null;
}

/** Whether the addresses of the domain's return path have a length that SMTP allows (RFC 5321 §4.5.3.1.3). */
export function fitsReturnPath(domain: string): boolean {
  return LOCAL_LENGTH + 1 + bouncesDomain(domain).length <= ADDRESS_LENGTH_MAX;
}

/** Returns the envelope sender for one recipient, in lower case. Throws if the position or the id is none. */
export function returnPathAddress({ messageId, position, domain }: ReturnPath, key: Buffer): string {
  const id = bytesOfMessageId(messageId);
  if (id === null) throw new RangeError(`not a message id: ${messageId}`);
  const name = Buffer.alloc(NAME_BYTES);
  id.copy(name);
  name.writeUInt16BE(position, MESSAGE_ID_BYTES);
  return `${PREFIX}${encodeBase32(Buffer.concat([name, tagOf(domain, name, key)]))}@${bouncesDomain(domain)}`;
}

/** Returns the recipient that an address stands for; null if the address is not ours, or is forged. */
export function readReturnPath(address: string, key: Buffer): ReturnPath | null {
  const at = address.lastIndexOf("@");
  const domain = senderDomain(address.slice(at + 1));
  if (at !== LOCAL_LENGTH || domain === null || !/^b-/i.test(address)) return null;
  const bytes = decodeBase32(address.slice(PREFIX.length, at));
  if (bytes === null) return null;
  const name = bytes.subarray(0, NAME_BYTES);
  if (!timingSafeEqual(bytes.subarray(NAME_BYTES), tagOf(domain, name, key))) return null;
  const messageId = messageIdOfBytes(name.subarray(0, MESSAGE_ID_BYTES));
  return { messageId, position: name.readUInt16BE(MESSAGE_ID_BYTES), domain };
}

/** The name has a fixed length, so that no other domain and name have the same input. */
function tagOf(domain: string, name: Buffer, key: Buffer): Buffer {
  return createHmac("sha256", key).update(TAG_PURPOSE).update(domain).update(name).digest().subarray(0, TAG_BYTES);
}
