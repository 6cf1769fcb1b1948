/**
 * The token of an unsubscribe link: it names a recipient of a message, and only the holder of the key can make one. It stays valid
 * after the message is deleted, so it has all that is needed to suppress the address.
 *
 * The form: base64url of the JSON array [account id, message id, position, email], to which a test message adds "test", a dot, and
 * base64url of 16 bytes of HMAC-SHA256.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export interface UnsubscribeTarget {
  accountId: string;
  messageId: string;
  /** As RecipientReport's. */
  position: number;
  /** As RecipientReport's. */
  email: string;
  /** The message is a test: the link suppresses nothing, since whoever has a test key can read it at the sink. */
  test?: true;
}

const MAC_BYTES = 16;
const TEST = "test";
/** Longer than any token: an address has at most 254 octets. */
const TOKEN_LENGTH_MAX = 2000;
const TOKEN = /^([\w-]+)\.([\w-]{22})$/;

/** `key`: of the whole service, 32 bytes. The same arguments return the same token. */
export function unsubscribeToken(target: UnsubscribeTarget, key: Buffer): string {
  const { accountId, messageId, position, email, test = false } = target;
  const named = [accountId, messageId, position, email, ...(test ? [TEST] : [])];
  const payload = Buffer.from(JSON.stringify(named)).toString("base64url");
  return `${payload}.${macOf(payload, key).toString("base64url")}`;
}

/** Returns what a token names; null if it was not made with this key, or was changed. */
export function readUnsubscribeToken(token: string, key: Buffer): UnsubscribeTarget | null {
  if (token.length > TOKEN_LENGTH_MAX) return null;
  const [, payload = "", mac = ""] = TOKEN.exec(token) ?? [];
  const given = Buffer.from(mac, "base64url");
  // Base64 has several spellings of the same bytes: only the one that was made is valid.
  if (given.length !== MAC_BYTES || given.toString("base64url") !== mac) return null;
  if (!timingSafeEqual(given, macOf(payload, key))) return null;
  const [accountId, messageId, position, email, test] = JSON.parse(Buffer.from(payload, "base64url").toString());
  return { accountId, messageId, position, email, ...(test === TEST ? { test: true } : {}) };
}

const macOf = (payload: string, key: Buffer): Buffer =>
  createHmac("sha256", key).update(`unsubscribe\0${payload}`).digest().subarray(0, MAC_BYTES);
