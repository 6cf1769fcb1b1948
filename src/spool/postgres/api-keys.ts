/**
 * API keys by the SHA-256 hash of their secret. A key is read for every request, from the database: a key that one node has revoked
 * is inactive for all.
 */
import { newId } from "../../lib/new-id.ts";
import { type ApiKey, type ApiKeys, FULL_ACCESS, type KeyChange, type NewKey } from "../port/api-keys.ts";
import { accessOf, type StoredAccess, storedAccess, storedHash, storedHashes } from "../records/key-access.ts";
import { type KeyUse, KeyUses } from "../records/key-uses.ts";
import { isAccountDeleted, lockAccount } from "./accounts.ts";
import type { Database } from "./database.ts";
import { GatheredReads } from "./gathered-reads.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const COLUMNS = `id, account_id AS "accountId", name, last_four AS "lastFour", created_at_ms AS "createdAtMs",
  last_used_at_ms AS "lastUsedAtMs", revoked_at_ms AS "revokedAtMs", suspended, messages_sent AS "messagesSent", test,
  permissions, domains`;

type KeyRow = Omit<ApiKey, keyof StoredAccess> & StoredAccess;

const countActive = statement<{ count: number }>(
  "SELECT count(*) AS count FROM api_keys WHERE account_id = $1 AND revoked_at_ms IS NULL",
);
const add = statement<KeyRow>(
  `INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, test, permissions, domains)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     RETURNING ${COLUMNS}`,
);
const ofAccount = statement<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE account_id = $1 ORDER BY created_at_ms, id`);
const active = statement<KeyRow & { hash: Buffer }>(
  `SELECT hash, ${COLUMNS} FROM api_keys WHERE hash = ANY ($1::bytea[]) AND revoked_at_ms IS NULL`,
);
const revoke = statement(
  `UPDATE api_keys SET revoked_at_ms = $3, suspended = false
     WHERE account_id = $1 AND id = $2 AND (revoked_at_ms IS NULL OR suspended)`,
);
const toChange = statement<StoredAccess & { hash: Buffer; revokedAtMs: number | null }>(
  `SELECT hash, permissions, domains, revoked_at_ms AS "revokedAtMs" FROM api_keys WHERE account_id = $1 AND id = $2
     FOR NO KEY UPDATE`,
);
const change = statement("UPDATE api_keys SET name = $2, hash = $3, permissions = $4, domains = $5 WHERE id = $1");
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
      return (await database.run(ofAccount, [accountId])).rows.map(toKey);
    },
    changeKey: (changed) => database.transaction((session) => changeKey(session, changed)),
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
  const { accountId, name, lastFour, createdAtMs, test = false, access = FULL_ACCESS } = key;
  const { permissions, domains } = storedAccess(access);
  const { rows } = await session.run(add, [
    newId("key"),
    accountId,
    storedText(name),
    storedHash(key.hash, access),
    lastFour,
    createdAtMs,
    test,
    permissions,
    domains,
  ]);
  return toKey(rows[0] as KeyRow);
}

async function changeKey(
  session: Session,
  { accountId, keyId, name, access }: KeyChange,
): Promise<"changed" | "revoked" | "not_found"> {
  const id = storedText(keyId);
  const [key] = (await session.run(toChange, [accountId, id])).rows;
  if (key === undefined) return "not_found";
  if (key.revokedAtMs !== null) return "revoked";
  const hash = storedHash(storedHash(key.hash, accessOf(key)), access);
  const { permissions, domains } = storedAccess(access);
  await session.run(change, [id, storedText(name), hash, permissions, domains]);
  return "changed";
}

const toKey = (row: KeyRow): ApiKey => ({ ...row, ...accessOf(row) });

const nameOf = (hash: Buffer): string => hash.toString("latin1");

async function readActive(database: Database, hashes: Buffer[]): Promise<Map<string, ApiKey>> {
  const { rows } = await database.run(active, [hashes.flatMap(storedHashes)]);
  return new Map(rows.map(({ hash, ...row }) => [nameOf(storedHash(hash, accessOf(row))), toKey(row)]));
}

async function writeUses(database: Database, uses: KeyUse[]): Promise<void> {
  await database.run(touch, [uses.map(([keyId]) => keyId), uses.map(([, atMs]) => atMs)]);
}
