/** Finds the API key that a client presents, whichever way it comes in. */
import { boundedMap } from "../../lib/bounded-map.ts";
import { hashApiKey, isTestKey } from "../../security/api-key-format.ts";
import { type ApiKey, type ApiKeys, isActive } from "../../spool/port/api-keys.ts";

/** The hashes of keys that were active, by their text: a hash takes as long as all else that finds a key. */
const HASHES_MAX = 1000;
const hashes = boundedMap<Buffer>(HASHES_MAX);

/**
 * Returns the key with this text that is active at `nowMs`; null if there is none. A stored key that is not of the kind that its text says does not
 * count: what was created for tests must not send live messages. Rejects with SpoolUnavailable.
 */
export async function activeKeyOf(
  registry: Pick<ApiKeys, "activeKey">,
  text: string,
  nowMs: number,
): Promise<ApiKey | null> {
  const known = hashes.peek(text);
  const hash = known ?? hashApiKey(text);
  const key = hash === null ? null : await registry.activeKey(hash);
  if (hash === null || key === null || key.test !== isTestKey(text) || !isActive(key, nowMs)) return null;
  if (known === undefined) hashes.set(text, hash);
  return key;
}
