/**
 * Authentication of an API request by its Authorization header.
 */
import { hashApiKey } from "../security/api-key-format.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import { Problem } from "./response/problems.ts";

const unauthorized = (detail: string): Problem =>
  new Problem("invalid_api_key", detail, { headers: { "WWW-Authenticate": "Bearer" } });

/**
 * Returns the active key that an Authorization header field holds (RFC 6750 §2.1). Throws the 401 problem, which does not
 * reveal whether a key ever existed.
 */
export async function authenticate(header: string, registry: Registry): Promise<ApiKey> {
  if (header === "") throw unauthorized("Send your API key as 'Authorization: Bearer svc_live_…'.");
  const credentials = /^Bearer +([^ ]+) *$/i.exec(header)?.[1];
  if (credentials === undefined) throw unauthorized("The Authorization header is not of the form 'Bearer svc_live_…'.");
  const hash = hashApiKey(credentials);
  const key = hash === null ? null : await registry.activeKey(hash);
  if (key === null) throw unauthorized("The API key is invalid or has been revoked. Create a new live key.");
  return key;
}
