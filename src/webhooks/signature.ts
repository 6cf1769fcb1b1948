/**
 * Signatures of the Standard Webhooks specification, version 1 (HMAC-SHA256), and the secrets that make them. Decides their
 * form only; the use cases store and rotate secrets.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const NEW_SECRET_BYTES = 32;
/** Bounds of the specification. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

export interface SignedContent {
  /** The webhook-id header. */
  id: string;
  /** The webhook-timestamp header: Unix seconds. */
  timestampS: number;
  body: string;
}

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(NEW_SECRET_BYTES).toString("base64");
}

/** Whether the text is `whsec_` and 24 to 64 bytes in base64 with padding. */
export function isSecret(text: string): boolean {
  return secretBytes(text) !== null;
}

/** The key of a secret. Throws if the text is not a secret; the error does not contain it. */
export function secretKey(secret: string): KeyObject {
  const bytes = secretBytes(secret);
  if (bytes === null) throw new Error("the signing secret is not whsec_ and 24 to 64 bytes in base64: rotate it");
  return createSecretKey(bytes);
}

/** The signature `v1,BASE64`. Throws if a text is given that is not a secret. */
export function sign(secret: string | KeyObject, { id, timestampS, body }: SignedContent): string {
  const key = typeof secret === "string" ? secretKey(secret) : secret;
  return `v1,${createHmac("sha256", key).update(`${id}.${timestampS}.${body}`).digest("base64")}`;
}

function secretBytes(text: string): Buffer | null {
  if (!text.startsWith(PREFIX)) return null;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, "base64");
  // Node's decoder skips what is not base64.
  if (bytes.toString("base64") !== encoded) return null;
  return bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX ? bytes : null;
}
