/**
 * API keys by the SHA-256 hash of their secret. A key is read for every request, from the database: a key that one node has revoked
 * is inactive for all.
 */
import { newId } from "../../lib/new-id.ts";
import type { ApiKey, ApiKeys, NewKey } from "../port/api-keys.ts";
import { type KeyUse, KeyUses } from "../records/key-uses.ts";
import { isAccountDeleted, lockAccount } from "./accounts.ts";
import type { Database } from "./database.ts";
import { GatheredReads } from "./gathered-reads.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const COLUMNS = `id, account_id AS "accountId", name, last_four AS "lastFour", created_at_ms AS "createdAtMs",
  last_used_at_ms AS "lastUsedAtMs", revoked_at_ms AS "revokedAtMs", suspended, messages_sent AS "messagesSent", test`;

const countActive = statement<{ count: number }>(
  "SELECT count(*) AS count FROM api_keys WHERE account_id = $1 AND revoked_at_ms IS NULL",
);
const add = statement<ApiKey>(
  `INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, test) VALUES ($1, $2, $3, $4, $5, $6, $7)
     RETURNING ${COLUMNS}`,
);
const ofAccount = statement<ApiKey>(`SELECT ${COLUMNS} FROM api_keys WHERE account_id = $1 ORDER BY created_at_ms, id`);
const active = statement<ApiKey & { hash: Buffer }>(
  `SELECT hash, ${COLUMNS} FROM api_keys WHERE hash = ANY ($1::bytea[]) AND revoked_at_ms IS NULL`,
);
const revoke = statement(
  `UPDATE api_keys SET revoked_at_ms = $3, suspended = false
     WHERE account_id = $1 AND id = $2 AND (revoked_at_ms IS NULL OR suspended)`,
);
const exists = statement("SELECT FROM api_keys WHERE account_id = $1 AND id = $2");

// In the order of the primary key: two nodes that write the same keys cannot wait for each other in a circle.
const touch = statement(
  `WITH later AS MATERIALIZED (
     SELECT id, at_ms FROM api_keys JOIN unnest($1::text[], $2::bigint[]) AS used (id, at_ms) USING (id)
       WHERE last_used_at_ms IS NULL OR last_used_at_ms < at_ms
       ORDER BY id FOR NO KEY UPDATE OF api_keys)
   UPDATE api_keys SET last_used_at_ms = at_ms FROM later WHERE api_keys.id = later.id`,
);

/** `writeKeyUses` writes the uses that wait; to be called before the database is closed. */
export function keyOperations(database: Database): ApiKeys & { writeKeyUses(): Promise<void> } {
  const reads = new GatheredReads({ nameOf, readAll: (hashes: Buffer[]) => readActive(database, hashes) });
  const uses = new KeyUses((last) => writeUses(database, last));
  return {
    createKey: (key) => database.transaction((session) => createKey(session, key)),
    async keys(accountId) {
      return (await database.run(ofAccount, [accountId])).rows;
    },
    activeKey: (hash) => reads.read(hash),
    touchKey: (keyId, atMs) => uses.add(keyId, atMs),
    writeKeyUses: () => uses.writeNow(),
    async revokeKey(accountId, keyId, atMs) {
      const id = storedText(keyId);
      if ((await database.run(revoke, [accountId, id, atMs])).count === 1) return "revoked";
      return (await database.run(exists, [accountId, id])).count === 1 ? "already_revoked" : "not_found";
    },
  };
}

async function createKey(session: Session, key: NewKey): Promise<ApiKey | "too_many"> {
  await lockAccount(session, key.accountId);
  if (await isAccountDeleted(session, key.accountId)) return "too_many";
  const [keys] = (await session.run(countActive, [key.accountId])).rows;
  if (keys !== undefined && keys.count >= key.keysMax) return "too_many";
  const { accountId, name, hash, lastFour, createdAtMs, test = false } = key;
  const { rows } = await session.run(add, [
    newId("key"),
    accountId,
    storedText(name),
    hash,
    lastFour,
    createdAtMs,
    test,
  ]);
  return rows[0] as ApiKey;
}

const nameOf = (hash: Buffer): string => hash.toString("latin1");

async function readActive(database: Database, hashes: Buffer[]): Promise<Map<string, ApiKey>> {
  const { rows } = await database.run(active, [hashes]);
  return new Map(rows.map(({ hash, ...key }) => [nameOf(hash), key]));
}

async function writeUses(database: Database, uses: KeyUse[]): Promise<void> {
  await database.run(touch, [uses.map(([keyId]) => keyId), uses.map(([, atMs]) => atMs)]);
}
