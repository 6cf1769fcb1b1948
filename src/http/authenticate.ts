/**
 * Authentication of an API request by its Authorization header.
 */
import { hashApiKey } from "../security/api-key.ts";
import type { ApiKey, Registry } from "../spool/port/accounts.ts";
import { Problem } from "./response/problems.ts";

const refused = (detail: string): Problem =>
  new Problem("invalid_api_key", detail, { headers: { "WWW-Authenticate": "Bearer" } });

/** The active key of an Authorization header (RFC 6750 §2.1). Throws the 401 problem; never says whether a key once existed. */
export async function authenticate(header: string, registry: Registry): Promise<ApiKey> {
  if (header === "") throw refused("Send your API key as 'Authorization: Bearer svc_live_…'.");
  const credentials = /^Bearer +([^ ]+) *$/i.exec(header)?.[1];
  if (credentials === undefined) throw refused("The Authorization header is not of the form 'Bearer svc_live_…'.");
  const hash = hashApiKey(credentials);
  const key = hash === null ? null : await registry.activeKey(hash);
  if (key === null) throw refused("The API key is invalid or has been revoked. Create a new live key.");
  return key;
}
