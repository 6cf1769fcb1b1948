/**
 * API keys by the SHA-256 hash of their secret. A key is read for every request, from the database: a key that one process has revoked
 * is inactive for all.
 */
import { newId } from "../../../lib/new-id.ts";
import { bind, type Runner } from "../../engine/operations.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  type ApiKey,
  type ApiKeys,
  FULL_ACCESS,
  type KeyAccess,
  type KeyChange,
  type NewKey,
} from "../../port/api-keys.ts";
import { accessOf, type StoredAccess, storedAccess, storedHash, storedHashes } from "../../records/key-access.ts";
import { type KeyUse, KeyUses } from "../../records/key-uses.ts";
import { isAccountDeleted } from "./accounts.ts";

type KeyRow = Omit<ApiKey, keyof StoredAccess> & StoredAccess;

const COLUMNS = `id, account_id AS "accountId", name, last_four AS "lastFour", created_at_ms AS "createdAtMs",
  last_used_at_ms AS "lastUsedAtMs", revoked_at_ms AS "revokedAtMs", suspended, messages_sent AS "messagesSent", test,
  permissions, domains, networks, expires_at_ms AS "expiresAtMs"`;
const BOOLEANS = { booleans: ["suspended", "test"] };

const countActive = statement<{ count: number }>(
  `SELECT count(*) AS count FROM api_keys
     WHERE account_id = $1 AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $2)`,
);
const add = statement<KeyRow>(
  `INSERT INTO api_keys
     (id, account_id, name, hash, last_four, created_at_ms, test, permissions, domains, networks, expires_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${COLUMNS}`,
  BOOLEANS,
);
const ofAccount = statement<KeyRow>(
  `SELECT ${COLUMNS} FROM api_keys WHERE account_id = $1 ORDER BY created_at_ms, id`,
  BOOLEANS,
);
const revoke = statement(
  `UPDATE api_keys SET revoked_at_ms = $3, suspended = FALSE
     WHERE account_id = $1 AND id = $2 AND (revoked_at_ms IS NULL OR suspended)`,
);
const find = statement<StoredAccess & { hash: Buffer; revokedAtMs: number | null }>(
  `SELECT hash, permissions, domains, networks, expires_at_ms AS "expiresAtMs", revoked_at_ms AS "revokedAtMs"
     FROM api_keys WHERE account_id = $1 AND id = $2`,
);
const change = statement(
  `UPDATE api_keys SET name = $2, hash = $3, permissions = $4, domains = $5, networks = $6, expires_at_ms = $7
     WHERE id = $1`,
);
const exists = statement("SELECT 1 FROM api_keys WHERE account_id = $1 AND id = $2");

/** Finds as many active keys, each by the two forms in which its hash may be stored. */
const activeOf = (keys: number) => ({
  keys,
  query: statement<KeyRow & { hash: Buffer }>(
    `SELECT hash, ${COLUMNS} FROM api_keys
       WHERE revoked_at_ms IS NULL AND hash IN (${Array.from({ length: 2 * keys }, (_, i) => `$${i + 1}`).join(", ")})`,
    BOOLEANS,
  ),
});
const [ONE, MANY] = [activeOf(1), activeOf(50)];

// Of a JSON object of times by ids. PostgreSQL locks the rows in the order of their ids: two nodes that write the same keys cannot wait
// for each other in a circle. SQLite has one writer.
const touch = statement(
  `UPDATE api_keys SET last_used_at_ms = used.value FROM json_each($1) AS used
     WHERE api_keys.id = used.key AND (last_used_at_ms IS NULL OR last_used_at_ms < used.value)`,
  {
    postgres: `WITH later AS MATERIALIZED (
      SELECT api_keys.id, CAST(used.value AS bigint) AS at_ms FROM api_keys JOIN json_each_text($1) AS used ON api_keys.id = used.key
        WHERE last_used_at_ms IS NULL OR last_used_at_ms < CAST(used.value AS bigint)
        ORDER BY api_keys.id FOR NO KEY UPDATE OF api_keys)
      UPDATE api_keys SET last_used_at_ms = at_ms FROM later WHERE api_keys.id = later.id`,
  },
);

const keyOf = (row: KeyRow): ApiKey => ({ ...row, ...accessOf(row) });

/** The name of a hash in the maps of activeKeys. */
export const hashName = (hash: Buffer): string => hash.toString("latin1");

export const apiKeyOperations = {
  reads: {
    keys: async (session: Session, accountId: string) => (await session.run(ofAccount, [accountId])).rows.map(keyOf),
    activeKey: async (session: Session, hash: Buffer): Promise<ApiKey | null> =>
      (await activeKeys(session, [hash])).get(hashName(hash)) ?? null,
    activeKeys,
  },
  writes: {
    createKey,
    changeKey,
    async touchKeys(session: Session, uses: readonly KeyUse[]): Promise<void> {
      await session.run(touch, [JSON.stringify(Object.fromEntries(uses))]);
    },
    async revokeKey(session: Session, accountId: string, keyId: string, atMs: number) {
      if ((await session.run(revoke, [accountId, keyId, atMs])).count === 1) return "revoked";
      return (await session.run(exists, [accountId, keyId])).count === 1 ? "already_revoked" : "not_found";
    },
  },
};

/** The port of API keys. `writeKeyUses` writes the uses that wait; to be called before the spool is closed. */
export function apiKeysOf(
  runner: Runner,
  activeKey: ApiKeys["activeKey"],
): ApiKeys & { writeKeyUses(): Promise<void> } {
  const { touchKeys, keys, createKey, changeKey, revokeKey } = bind(apiKeyOperations, runner);
  const uses = new KeyUses(touchKeys);
  return {
    activeKey,
    keys,
    createKey,
    changeKey,
    revokeKey,
    touchKey: (keyId, atMs) => uses.add(keyId, atMs),
    writeKeyUses: () => uses.writeNow(),
  };
}

/** The active keys with these hashes. */
async function activeKeys(session: Session, hashes: readonly Buffer[]): Promise<Map<string, ApiKey>> {
  const { keys, query } = hashes.length === 1 ? ONE : MANY;
  const found = new Map<string, ApiKey>();
  for (let from = 0; from < hashes.length; from += keys) {
    const stored: (Buffer | null)[] = hashes.slice(from, from + keys).flatMap(storedHashes);
    while (stored.length < 2 * keys) stored.push(null);
    for (const { hash, ...row } of (await session.run(query, stored)).rows) {
      found.set(hashName(storedHash(hash, accessOf(row))), keyOf(row));
    }
  }
  return found;
}

async function createKey(session: Session, key: NewKey): Promise<ApiKey | "too_many"> {
  const { accountId, name, hash, lastFour, createdAtMs, keysMax, test = false, access = FULL_ACCESS } = key;
  await session.lock("accounts", accountId);
  if (await isAccountDeleted(session, accountId)) return "too_many";
  const active = await first(session, countActive, [accountId, createdAtMs]);
  if (active !== null && active.count >= keysMax) return "too_many";
  const shown = [newId("key"), accountId, name, storedHash(hash, access), lastFour, createdAtMs, test];
  const { rows } = await session.run(add, [...shown, ...accessColumns(access)]);
  return keyOf(rows[0] as KeyRow);
}

async function changeKey(
  session: Session,
  { accountId, keyId, name, access }: KeyChange,
): Promise<"changed" | "revoked" | "not_found"> {
  // The form of the stored hash depends on the access, which another node may change.
  await session.lock("api_keys", keyId);
  const key = await first(session, find, [accountId, keyId]);
  if (key === null) return "not_found";
  if (key.revokedAtMs !== null) return "revoked";
  const hash = storedHash(storedHash(key.hash, accessOf(key)), access);
  await session.run(change, [keyId, name, hash, ...accessColumns(access)]);
  return "changed";
}

function accessColumns(access: KeyAccess): (string | number | null)[] {
  const { permissions, domains, networks, expiresAtMs } = storedAccess(access);
  return [permissions, domains, networks, expiresAtMs];
}
