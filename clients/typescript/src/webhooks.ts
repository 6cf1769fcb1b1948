/** Verifies webhooks: the signatures of Standard Webhooks, version 1 (HMAC-SHA256). */
import type { Webhook } from "./generated/types.js";

const TOLERANCE_S = 300;
const PREFIX = "whsec_";
const VERSION = "v1,";
const SIGNATURES_MAX = 16;

export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookRequest {
  /** The body as it arrived. JSON that was parsed and written again has other bytes. */
  body: string | Uint8Array | ArrayBuffer;
  /** `Headers`, or an object such as Node's `request.headers`. */
  headers: WebhookHeaders;
  /** The secret of the endpoint, `whsec_…`; during a rotation perhaps two. */
  secret: string | readonly string[];
  /** Seconds that the timestamp may be off, 300 by default. */
  toleranceS?: number | undefined;
  /** The present time, for tests. */
  nowMs?: number | undefined;
}

export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** Resolves with the webhook. Rejects with a WebhookVerificationError if no signature is right or the timestamp is off. */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceS = TOLERANCE_S,
  nowMs = Date.now(),
}: WebhookRequest): Promise<Webhook> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = signaturesIn(headerOf(headers, "webhook-signature"));
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError("webhook-timestamp is not a number of seconds.");
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceS)
    throw new WebhookVerificationError(`webhook-timestamp is more than ${toleranceS} seconds off.`);
  const bytes = bytesOf(body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const keys = await Promise.all([secret].flat().map(importKey));
  if (keys.length === 0) throw new TypeError("secret must have at least one secret");
  // verify() compares in constant time.
  for (const key of keys)
    for (const signature of signatures)
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return parse(bytes);
  throw new WebhookVerificationError("No signature is right: the secret is another one, or the body was changed.");
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === "function" ? headers.get(name) : valueIn(headers, name);
  if (typeof value !== "string" || value === "")
    throw new WebhookVerificationError(`The header field ${name} is missing.`);
  return value;
}

function valueIn(headers: WebhookHeaders, name: string): unknown {
  const values = Object.entries(headers).filter(([each]) => each.toLowerCase() === name);
  const [value] = values.flatMap(([, value]) => value);
  return value;
}

/** Those of version 1 that are base64. Others are left out. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(" ")
    .slice(0, SIGNATURES_MAX)
    .filter((each) => each.startsWith(VERSION))
    .map((each) => decode(each.slice(VERSION.length)))
    .filter((bytes) => bytes !== null);
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(PREFIX) ? decode(secret.slice(PREFIX.length)) : null;
  // The error does not contain the secret.
  if (bytes === null || bytes.length === 0) throw new TypeError("secret must be whsec_ and base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function bytesOf(body: WebhookRequest["body"]): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

function parse(bytes: Uint8Array): Webhook {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Webhook;
  } catch {
    throw new WebhookVerificationError("The body is not JSON.");
  }
}
