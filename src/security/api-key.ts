/**
 * API keys: how one is made, and how a request proves that it has one. Only the SHA-256 of a key is stored; a key has
 * 256 random bits, so a fast hash is enough and a slow one would only cost every request.
 */
import { hash, randomBytes } from "node:crypto";
import { Problem } from "../http/problems.ts";
import type { ApiKey, Registry } from "../spool/port/accounts.ts";

const PREFIX = "svc_live_";
const SECRET_BYTES = 32;
const KEY_FORM = /^svc_live_[A-Za-z0-9_-]{43}$/;

const sha256 = (text: string): Buffer => hash("sha256", text, "buffer");

/** A new key: the plaintext to show once, and what is stored of it. */
export function newApiKey(): { key: string; hash: Buffer; lastFour: string } {
  const key = PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
  return { key, hash: sha256(key), lastFour: key.slice(-4) };
}

const refused = (detail: string): Problem =>
  new Problem("invalid_api_key", detail, { headers: { "WWW-Authenticate": "Bearer" } });

/** The active key of an Authorization header (RFC 6750 §2.1). Throws the 401 problem; never says whether a key once existed. */
export async function authenticate(header: string, registry: Registry): Promise<ApiKey> {
  if (header === "") throw refused("Send your API key as 'Authorization: Bearer svc_live_…'.");
  const credentials = /^Bearer +([^ ]+) *$/i.exec(header)?.[1];
  if (credentials === undefined) throw refused("The Authorization header is not of the form 'Bearer svc_live_…'.");
  const key = KEY_FORM.test(credentials) ? await registry.activeKey(sha256(credentials)) : null;
  if (key === null) throw refused("The API key is invalid or has been revoked. Create a new live key.");
  return key;
}
