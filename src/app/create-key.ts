/** Creating an API key: the key is returned once, and only its hash is stored. */
import { newApiKey } from "../security/api-key-format.ts";
import type { Registry } from "../spool/port/accounts.ts";

export interface KeyRequest {
  accountId: string;
  name: string;
  nowMs: number;
  /** Active keys that the account may have. */
  keysMax: number;
  /** Whether it is a test key: nothing that it sends leaves the host. */
  test: boolean;
}

export type KeyCreation = { type: "created"; id: string; key: string } | { type: "too_many" };

/** Creates a key. Its name must be a valid display name. */
export async function createApiKey(
  registry: Pick<Registry, "createKey">,
  { accountId, name, nowMs, keysMax, test }: KeyRequest,
): Promise<KeyCreation> {
  const { key, hash, lastFour } = newApiKey({ test });
  const created = await registry.createKey({ accountId, name, hash, lastFour, createdAtMs: nowMs, keysMax, test });
  return created === "too_many" ? { type: "too_many" } : { type: "created", id: created.id, key };
}
