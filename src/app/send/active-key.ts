/** Finds the API key that a client presents, whichever way it comes in. */
import { hashApiKey, isTestKey } from "../../security/api-key-format.ts";
import type { ApiKey, ApiKeys } from "../../spool/port/api-keys.ts";

/**
 * Returns the active key with this text; null if there is none. A stored key that is not of the kind that its text says does not
 * count: what was created for tests must not send live messages. Rejects with SpoolUnavailable.
 */
export async function activeKeyOf(registry: Pick<ApiKeys, "activeKey">, text: string): Promise<ApiKey | null> {
  const hash = hashApiKey(text);
  const key = hash === null ? null : await registry.activeKey(hash);
  return key === null || key.test !== isTestKey(text) ? null : key;
}
