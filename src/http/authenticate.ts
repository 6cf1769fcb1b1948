/**
 * Authentication of an API request by its Authorization header.
 */
import { activeKeyOf } from "../app/send/active-key.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import { unauthorized } from "./response/problems.ts";

/**
 * Returns the active key that an Authorization header field holds (RFC 6750 §2.1). Throws the 401 problem, which does not
 * reveal whether a key ever existed.
 */
export async function authenticate(header: string, registry: Registry, nowMs: number): Promise<ApiKey> {
  if (header === "") throw unauthorized("Send your API key as 'Authorization: Bearer svc_live_…'.");
  const credentials = /^Bearer +([^ ]+) *$/i.exec(header)?.[1];
  if (credentials === undefined) throw unauthorized("The Authorization header is not of the form 'Bearer svc_live_…'.");
  const key = await activeKeyOf(registry, credentials, nowMs);
  if (key === null) throw unauthorized("The API key is invalid, has expired or has been revoked. Create a new one.");
  return key;
}
