/**
 * API keys by the SHA-256 hash of their secret. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import { newId } from "../../lib/new-id.ts";
import { type ApiKey, FULL_ACCESS } from "../port/api-keys.ts";
import { accessOf, type StoredAccess, storedAccess, storedHash, storedHashes } from "../records/key-access.ts";
import type { WriteHandlers } from "./writer-operations.ts";

interface KeyRow extends StoredAccess {
  id: string;
  account_id: string;
  name: string;
  last_four: string;
  created_at_ms: number;
  last_used_at_ms: number | null;
  revoked_at_ms: number | null;
  suspended: number;
  messages_sent: number;
  test: number;
}

const COLUMNS = `id, account_id, name, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, suspended, messages_sent,
  test, permissions, domains`;

const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  lastFour: row.last_four,
  createdAtMs: row.created_at_ms,
  lastUsedAtMs: row.last_used_at_ms,
  revokedAtMs: row.revoked_at_ms,
  suspended: row.suspended === 1,
  messagesSent: row.messages_sent,
  test: row.test === 1,
  ...accessOf(row),
});

type KeyWrites = Pick<WriteHandlers, "createKey" | "changeKey" | "touchKeys" | "revokeKey">;

export function prepareKeyWrites(db: Database): KeyWrites {
  const add = db.prepare(
    `INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, test, permissions, domains)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const countActive = db
    .prepare<[string], number>("SELECT count(*) FROM api_keys WHERE account_id = ? AND revoked_at_ms IS NULL")
    .pluck();
  const isDeleted = db.prepare("SELECT 1 FROM accounts WHERE id = ? AND deleted_at_ms IS NOT NULL");
  const touch = db.prepare("UPDATE api_keys SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?) WHERE id = ?");
  return {
    createKey(key) {
      if (isDeleted.get(key.accountId) !== undefined) return { value: "too_many" };
      if ((countActive.get(key.accountId) ?? 0) >= key.keysMax) return { value: "too_many" };
      const id = newId("key");
      const { accountId, name, lastFour, createdAtMs, test, access = FULL_ACCESS } = key;
      const { permissions, domains } = storedAccess(access);
      const hash = storedHash(key.hash, access);
      add.run(id, accountId, name, hash, lastFour, createdAtMs, test ? 1 : 0, permissions, domains);
      return { value: { id } };
    },
    changeKey: prepareChangeKey(db),
    touchKeys(uses) {
      for (const [keyId, atMs] of uses) touch.run(atMs, keyId);
      return { value: undefined };
    },
    revokeKey: prepareRevokeKey(db),
  };
}

function prepareRevokeKey(db: Database): KeyWrites["revokeKey"] {
  const revoke = db.prepare(
    `UPDATE api_keys SET revoked_at_ms = ?, suspended = 0
       WHERE id = ? AND account_id = ? AND (revoked_at_ms IS NULL OR suspended = 1)`,
  );
  const exists = db.prepare("SELECT 1 FROM api_keys WHERE id = ? AND account_id = ?");
  return ({ accountId, keyId, atMs }) => {
    if (revoke.run(atMs, keyId, accountId).changes === 1) return { value: "revoked" };
    return { value: exists.get(keyId, accountId) === undefined ? "not_found" : "already_revoked" };
  };
}

function prepareChangeKey(db: Database): KeyWrites["changeKey"] {
  const read = db.prepare<[string, string], StoredAccess & { hash: Buffer; revoked_at_ms: number | null }>(
    "SELECT hash, permissions, domains, revoked_at_ms FROM api_keys WHERE id = ? AND account_id = ?",
  );
  const change = db.prepare("UPDATE api_keys SET name = ?, hash = ?, permissions = ?, domains = ? WHERE id = ?");
  return ({ accountId, keyId, name, access }) => {
    const key = read.get(keyId, accountId);
    if (key === undefined) return { value: "not_found" };
    if (key.revoked_at_ms !== null) return { value: "revoked" };
    const hash = storedHash(storedHash(key.hash, accessOf(key)), access);
    const { permissions, domains } = storedAccess(access);
    change.run(name, hash, permissions, domains, keyId);
    return { value: "changed" };
  };
}

export function prepareKeyReads(db: Database) {
  const keys = db.prepare<[string], KeyRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE account_id = ? ORDER BY created_at_ms, id`,
  );
  const activeKey = db.prepare<[Uint8Array, Uint8Array], KeyRow & { hash: Buffer }>(
    `SELECT hash, ${COLUMNS} FROM api_keys WHERE hash IN (?, ?) AND revoked_at_ms IS NULL`,
  );
  return {
    keys: (accountId: string) => keys.all(accountId).map(toKey),
    activeKey(hash: Uint8Array): ApiKey | null {
      const row = activeKey.get(...storedHashes(hash));
      return row !== undefined && storedHash(hash, accessOf(row)).equals(row.hash) ? toKey(row) : null;
    },
  };
}
