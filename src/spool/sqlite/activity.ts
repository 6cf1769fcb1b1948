/**
 * Counts of what happened, by account and minute, and how long deliveries took: what charts are drawn from without
 * reading messages. Gathered in memory while a batch runs and written with it, one row for each account and table that
 * the batch concerns, so that a busy spool pays next to nothing. A recipient has one result at a time: one in doubt
 * or failed that is sent again is taken back from where it was counted.
 */
import type { Database } from "better-sqlite3";
import type { Result } from "../../message/outcome.ts";
import type { NewMessage } from "../port/mail.ts";
import type { DamageLog } from "./damage.ts";
import type { LeasedMessage } from "./leases.ts";

export const MINUTE_MS = 60_000;
/** Delivery times are kept in coarser slots: each has many rows. */
export const TIMES_SLOT_MS = 600_000;

/** Charts go back so far. */
const KEPT_MS = 35 * 86_400_000;
/** Old rows removed with each new minute: more than one can add, so they never pile up. */
const SWEEP_ROWS = 64;

/** Four buckets an octave: a bucket's middle is within a tenth of what it holds. */
export const bucketOf = (spanMs: number): number => Math.floor(4 * Math.log2(Math.max(1, spanMs)));
export const middleMs = (bucket: number): number => Math.round(2 ** ((bucket + 0.5) / 4));

const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS) * MINUTE_MS;

const COUNTS = ["messages", "recipients", "delivered", "failed", "unknown", "deferred"] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

const resultCount = (result: Result): keyof Counts => (result === "pending" ? "deferred" : result);

interface TakenBack {
  accountId: string;
  result: "failed" | "unknown";
  minuteMs: number;
  recipients: number;
}

export interface ActivityLog {
  accepted(message: NewMessage, suppressed: number): void;
  /** A recipient that was not final has come to this. */
  settled(message: LeasedMessage, atMs: number, result: Result): void;
  /** A recipient that the last run left marked has been settled. */
  recovered(accountId: string, recovered: { nowMs: number; result: "unknown" | "pending" }): void;
  /** To be called before recipients become pending again. */
  retrying(retried: { accountId: string; messageId: string; email?: string }): void;
  /** A recipient that failed at this moment is pending again. */
  retryingFailed(failed: { accountId: string; failedAtMs: number }): void;
  /** Writes what was gathered, inside the transaction. */
  write(): void;
  /** Forgets what was gathered: its batch was rolled back, or written. */
  clear(): void;
}

/** Where its tables are damaged, what cannot be written is not counted: no message waits for a chart. */
export function prepareActivity(db: Database, log: DamageLog): ActivityLog {
  const sums = COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ");
  const count = db.prepare(
    `INSERT INTO activity (account_id, minute_ms, ${COUNTS.join(", ")}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (account_id, minute_ms) DO UPDATE SET ${sums}`,
  );
  const time = db.prepare(
    `INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES (?, ?, ?, ?)
       ON CONFLICT (account_id, slot_ms, bucket) DO UPDATE SET recipients = recipients + excluded.recipients`,
  );
  // Settled last when it came into doubt, so counted in that minute.
  const inDoubt = db.prepare<[string, string], { email: string; countedAtMs: number }>(
    `SELECT email, updated_at_ms AS countedAtMs FROM recipients
       WHERE seq = (SELECT seq FROM messages WHERE id = ? AND account_id = ?) AND state = 'unknown'`,
  );
  const takeBack = {
    unknown: db.prepare("UPDATE activity SET unknown = max(0, unknown - ?) WHERE account_id = ? AND minute_ms = ?"),
    failed: db.prepare("UPDATE activity SET failed = max(0, failed - ?) WHERE account_id = ? AND minute_ms = ?"),
  };
  const countSent = db.prepare("UPDATE api_keys SET messages_sent = messages_sent + ? WHERE id = ?");
  const sweeps = ["activity", "delivery_times"].map((table) => {
    const at = table === "activity" ? "minute_ms" : "slot_ms";
    return db.prepare(
      `DELETE FROM ${table} WHERE account_id = @accountId AND ${at} < @beforeMs AND ${at} <
         (SELECT ${at} FROM ${table} WHERE account_id = @accountId ORDER BY ${at} LIMIT 1 OFFSET ${SWEEP_ROWS})`,
    );
  });
  const minutes = new Map<string, { accountId: string; atMs: number; counts: Counts }>();
  const times = new Map<string, { accountId: string; atMs: number; bucket: number; recipients: number }>();
  const sent = new Map<string, number>();
  const takenBack = new Map<string, TakenBack>();
  const sweptAt = new Map<string, number>();

  function countsOf(accountId: string, nowMs: number): Counts {
    const atMs = minuteOf(nowMs);
    const name = `${atMs} ${accountId}`;
    const known = minutes.get(name);
    if (known !== undefined) return known.counts;
    const counts = { messages: 0, recipients: 0, delivered: 0, failed: 0, unknown: 0, deferred: 0 };
    minutes.set(name, { accountId, atMs, counts });
    return counts;
  }

  function takenFrom(accountId: string, result: TakenBack["result"], countedAtMs: number): void {
    const minuteMs = minuteOf(countedAtMs);
    const name = `${minuteMs} ${result} ${accountId}`;
    const known = takenBack.get(name);
    if (known !== undefined) known.recipients += 1;
    else takenBack.set(name, { accountId, result, minuteMs, recipients: 1 });
  }

  function countTime(accountId: string, atMs: number, spanMs: number): void {
    const slotMs = Math.floor(atMs / TIMES_SLOT_MS) * TIMES_SLOT_MS;
    const bucket = bucketOf(spanMs);
    const name = `${slotMs} ${bucket} ${accountId}`;
    const known = times.get(name);
    if (known !== undefined) known.recipients += 1;
    else times.set(name, { accountId, atMs: slotMs, bucket, recipients: 1 });
  }

  function sweep(accountId: string, atMs: number): void {
    if (sweptAt.get(accountId) === atMs) return;
    sweptAt.set(accountId, atMs);
    for (const statement of sweeps) statement.run({ accountId, beforeMs: atMs - KEPT_MS });
  }

  function writeMinutes(): void {
    for (const { accountId, atMs, counts } of minutes.values()) {
      count.run(accountId, atMs, ...COUNTS.map((name) => counts[name]));
      sweep(accountId, atMs);
    }
    for (const { accountId, result, minuteMs, recipients } of takenBack.values()) {
      takeBack[result].run(recipients, accountId, minuteMs);
    }
  }

  function writeTimes(): void {
    for (const t of times.values()) time.run(t.accountId, t.atMs, t.bucket, t.recipients);
  }

  function writeSent(): void {
    for (const [keyId, messages] of sent) countSent.run(messages, keyId);
  }

  return {
    accepted(message, suppressed) {
      const counts = countsOf(message.accountId, message.createdAtMs);
      counts.messages += 1;
      counts.recipients += message.recipients.length;
      counts.failed += suppressed;
      sent.set(message.keyId, (sent.get(message.keyId) ?? 0) + 1);
    },
    settled({ accountId, createdAtMs }, atMs, result) {
      countsOf(accountId, atMs)[resultCount(result)] += 1;
      if (result === "delivered") countTime(accountId, atMs, atMs - createdAtMs);
    },
    recovered(accountId, { nowMs, result }) {
      countsOf(accountId, nowMs)[resultCount(result)] += 1;
    },
    retrying({ accountId, messageId, email }) {
      for (const row of inDoubt.all(messageId, accountId)) {
        if (email !== undefined && row.email !== email) continue;
        takenFrom(accountId, "unknown", row.countedAtMs);
      }
    },
    retryingFailed: ({ accountId, failedAtMs }) => takenFrom(accountId, "failed", failedAtMs),
    write() {
      log.passing("the counts of activity", writeMinutes, undefined);
      log.passing("the delivery times", writeTimes, undefined);
      log.passing("the counts of API keys", writeSent, undefined);
    },
    clear() {
      minutes.clear();
      times.clear();
      sent.clear();
      takenBack.clear();
    },
  };
}
