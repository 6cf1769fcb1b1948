/**
 * The format of an API key, and whether it is a live key or a test key. Only its SHA-256 hash is stored: a key has 256 random
 * bits, so a slow hash would only add cost to each request.
 */
import { hash, randomBytes } from "node:crypto";

const LIVE_PREFIX = "svc_live_";
const TEST_PREFIX = "svc_test_";
const SECRET_BYTES = 32;
const KEY_FORM = /^svc_(?:live|test)_[A-Za-z0-9_-]{43}$/;

const sha256 = (text: string): Buffer => hash("sha256", text, "buffer");

/** Generates a key. Returns the plaintext, which is shown once, and the values that are stored. */
export function newApiKey({ test = false } = {}): { key: string; hash: Buffer; lastFour: string } {
  const key = (test ? TEST_PREFIX : LIVE_PREFIX) + randomBytes(SECRET_BYTES).toString("base64url");
  return { key, hash: sha256(key), lastFour: key.slice(-4) };
}

/** The stored hash of a key; null for a text that is not in the format of a key. */
export function hashApiKey(text: string): Buffer | null {
  return KEY_FORM.test(text) ? sha256(text) : null;
}

/** Whether a text begins as a key does. */
export const beginsAsApiKey = (text: string): boolean => text.startsWith(LIVE_PREFIX) || text.startsWith(TEST_PREFIX);

/** Whether a key is a test key, by its text. */
export const isTestKey = (key: string): boolean => key.startsWith(TEST_PREFIX);
