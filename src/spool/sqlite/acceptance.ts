/**
 * Accepting: one message with its recipients, quota and idempotency record, inside the caller's transaction.
 */
import type { Database } from "better-sqlite3";
import type { Acceptance, NewMessage } from "../spool.ts";
import type { Lanes } from "./lanes.ts";
import type { Written } from "./writer.ts";

const DAY_MS = 86_400_000;
/** How long an idempotency record answers for its message. */
export const IDEMPOTENCY_KEPT_MS = DAY_MS;

/** Old idempotency records removed with each acceptance: more than one can add, so they never pile up. */
const SWEEP_ROWS = 4;

export function prepareAccept(db: Database, lanes: Lanes): (message: NewMessage) => Written<Acceptance> {
  const remembered = db.prepare<[string, string, number], { payload_hash: string; message_id: string }>(
    "SELECT payload_hash, message_id FROM idempotency WHERE account_id = ? AND key = ? AND created_at_ms > ?",
  );
  const remember = db.prepare(
    "INSERT OR REPLACE INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES (?, ?, ?, ?, ?)",
  );
  const sweep = db.prepare(
    `DELETE FROM idempotency WHERE (account_id, key) IN
       (SELECT account_id, key FROM idempotency WHERE created_at_ms <= ? ORDER BY created_at_ms LIMIT ${SWEEP_ROWS})`,
  );
  const used = db.prepare<[string, number], { used: number }>(
    "SELECT used FROM quota WHERE account_id = ? AND day = ?",
  );
  const count = db.prepare(
    `INSERT INTO quota (account_id, day, used) VALUES (?, ?, ?)
       ON CONFLICT (account_id, day) DO UPDATE SET used = used + excluded.used`,
  );
  const addMessage = db.prepare(
    `INSERT INTO messages (id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender,
       subject, message_id, size_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addContent = db.prepare("INSERT INTO contents (seq, content) VALUES (?, ?)");
  const addRecipient = db.prepare(
    `INSERT INTO recipients (seq, position, email, account_id, domain, state, next_attempt_at_ms, updated_at_ms)
       VALUES (?, ?, ?, ?, ?, 'pending', ?, ?)`,
  );

  function earlier(m: NewMessage): Acceptance | null {
    if (m.idempotency === null) return null;
    const record = remembered.get(m.accountId, m.idempotency.key, m.createdAtMs - IDEMPOTENCY_KEPT_MS);
    if (record === undefined) return null;
    if (record.payload_hash !== m.idempotency.payloadHash) return { type: "idempotency_key_reused" };
    return { type: "replayed", id: record.message_id };
  }

  function overQuota(m: NewMessage, day: number): boolean {
    if (m.quotaDaily === 0) return false;
    return (used.get(m.accountId, day)?.used ?? 0) + m.recipients.length > m.quotaDaily;
  }

  return (m) => {
    const replay = earlier(m);
    if (replay !== null) return { value: replay };
    const day = Math.floor(m.createdAtMs / DAY_MS);
    if (overQuota(m, day)) return { value: { type: "quota_exceeded" } };

    count.run(m.accountId, day, m.recipients.length);
    const { lastInsertRowid: seq } = addMessage.run(
      m.id,
      m.accountId,
      m.keyId,
      m.domainId,
      m.createdAtMs,
      m.createdAtMs,
      m.expiresAtMs,
      m.from,
      m.subject,
      m.messageId,
      m.content.length,
    );
    addContent.run(seq, m.content);
    m.recipients.forEach((r, position) => {
      addRecipient.run(seq, position, r.email, m.accountId, r.domain, m.createdAtMs, m.createdAtMs);
    });
    if (m.idempotency !== null) {
      sweep.run(m.createdAtMs - IDEMPOTENCY_KEPT_MS);
      remember.run(m.accountId, m.idempotency.key, m.idempotency.payloadHash, m.id, m.createdAtMs);
    }
    return {
      value: { type: "accepted", id: m.id },
      committed: () => {
        for (const r of m.recipients) lanes.due(m.accountId, r.domain, m.createdAtMs);
      },
    };
  };
}
