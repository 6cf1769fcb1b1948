/**
 * API keys by the SHA-256 hash of their secret. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import { newId } from "../../lib/new-id.ts";
import type { ApiKey } from "../port/api-keys.ts";
import type { WriteHandlers } from "./writer-operations.ts";

interface KeyRow {
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
  test`;

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
});

type KeyWrites = Pick<WriteHandlers, "createKey" | "touchKeys" | "revokeKey">;

export function prepareKeyWrites(db: Database): KeyWrites {
  const add = db.prepare(
    "INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, test) VALUES (?, ?, ?, ?, ?, ?, ?)",
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
      add.run(id, key.accountId, key.name, key.hash, key.lastFour, key.createdAtMs, key.test ? 1 : 0);
      return { value: { id } };
    },
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

export function prepareKeyReads(db: Database) {
  const keys = db.prepare<[string], KeyRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE account_id = ? ORDER BY created_at_ms, id`,
  );
  const activeKey = db.prepare<[Uint8Array], KeyRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE hash = ? AND revoked_at_ms IS NULL`,
  );
  return {
    keys: (accountId: string) => keys.all(accountId).map(toKey),
    activeKey(hash: Uint8Array): ApiKey | null {
      const row = activeKey.get(hash);
      return row === undefined ? null : toKey(row);
    },
  };
}
