/** Creating an API key: the key is returned once, and only its hash is stored. */
import { newApiKey } from "../../security/api-key-format.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { KeyAccess } from "../../spool/port/api-keys.ts";

export interface KeyRequest {
  accountId: string;
  name: string;
  nowMs: number;
  /** Active keys that the account may have. */
  keysMax: number;
  /** Whether it is a test key: nothing that it sends leaves this server. */
  test: boolean;
  /** As validateAccess returns it; FULL_ACCESS if absent. */
  access?: KeyAccess;
}

export type KeyCreation = { type: "created"; id: string; key: string } | { type: "too_many" };

/** Creates a key. Its name must be a valid display name. */
export async function createApiKey(
  registry: Pick<Registry, "createKey">,
  { nowMs, ...request }: KeyRequest,
): Promise<KeyCreation> {
  const { key, hash, lastFour } = newApiKey(request);
  const created = await registry.createKey({ ...request, hash, lastFour, createdAtMs: nowMs });
  return created === "too_many" ? { type: "too_many" } : { type: "created", id: created.id, key };
}
