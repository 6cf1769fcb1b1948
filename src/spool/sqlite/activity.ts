/**
 * Counts what happened, by account and minute, and how long deliveries took: charts are drawn from these counts without
 * reading messages. They are gathered in memory while a batch runs and written with it, one row per account and table, so
 * they cost a busy spool next to nothing. A recipient has one result at a time: when an unknown or failed one is retried,
 * it is subtracted from the minute in which it was counted.
 */
import type { Database } from "better-sqlite3";
import type { Result } from "../../message/outcome.ts";
import type { NewMessage } from "../port/mail.ts";
import type { DamageLog } from "./damage.ts";
import type { LeasedMessage } from "./leases.ts";

const MINUTE_MS = 60_000;
/** Delivery times are counted in longer intervals: each has many rows. */
const TIMES_INTERVAL_MS = 600_000;

/** How long counts are kept. */
const KEPT_MS = 35 * 86_400_000;
/** Old rows removed with each new minute. A minute adds fewer, so they do not pile up. */
const SWEEP_ROWS = 64;

/** The histogram bucket of a time span. With four buckets an octave, a bucket's middle is within a tenth of each value. */
const bucketOf = (spanMs: number): number => Math.floor(4 * Math.log2(Math.max(1, spanMs)));
export const middleMs = (bucket: number): number => Math.round(2 ** ((bucket + 0.5) / 4));

const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS) * MINUTE_MS;

const COUNTS = ["messages", "recipients", "delivered", "failed", "unknown", "deferred"] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

const countOf = (result: Result): keyof Counts => (result === "pending" ? "deferred" : result);

interface MinuteCounts {
  accountId: string;
  atMs: number;
  counts: Counts;
}

interface TimeCount {
  accountId: string;
  atMs: number;
  bucket: number;
  recipients: number;
}

/** Recipients to subtract from a minute. */
interface Subtraction {
  accountId: string;
  result: "failed" | "unknown";
  minuteMs: number;
  recipients: number;
}

/** If its tables are damaged, some counts are lost: no message waits for a chart. */
export class ActivityCounts {
  readonly #log: DamageLog;
  readonly #statements;
  readonly #minutes = new Map<string, MinuteCounts>();
  readonly #times = new Map<string, TimeCount>();
  readonly #sentByKey = new Map<string, number>();
  readonly #subtractions = new Map<string, Subtraction>();
  readonly #sweptAtMs = new Map<string, number>();

  constructor(db: Database, log: DamageLog) {
    this.#log = log;
    this.#statements = prepareStatements(db);
  }

  accepted(message: NewMessage, suppressed: number): void {
    const counts = this.#countsOf(message.accountId, message.createdAtMs);
    counts.messages += 1;
    counts.recipients += message.recipients.length;
    counts.failed += suppressed;
    this.#sentByKey.set(message.keyId, (this.#sentByKey.get(message.keyId) ?? 0) + 1);
  }

  /** Counts the result of a recipient that was not final before. */
  settled({ accountId, createdAtMs }: LeasedMessage, atMs: number, result: Result): void {
    this.#countsOf(accountId, atMs)[countOf(result)] += 1;
    if (result === "delivered") this.#addTime(accountId, atMs, atMs - createdAtMs);
  }

  /** Counts the result of a recipient that the last process left marked. */
  recovered(accountId: string, { nowMs, result }: { nowMs: number; result: "unknown" | "pending" }): void {
    this.#countsOf(accountId, nowMs)[countOf(result)] += 1;
  }

  /** Subtracts the message's unknown recipients. To be called before they become pending again. */
  retrying({ accountId, messageId, email }: { accountId: string; messageId: string; email?: string }): void {
    for (const row of this.#statements.unknown.all(messageId, accountId)) {
      if (email !== undefined && row.email !== email) continue;
      this.#subtract(accountId, "unknown", row.countedAtMs);
    }
  }

  /** Subtracts a recipient that failed at this moment and is pending again. */
  retryingFailed({ accountId, failedAtMs }: { accountId: string; failedAtMs: number }): void {
    this.#subtract(accountId, "failed", failedAtMs);
  }

  /** Writes the gathered counts, inside the transaction. */
  write(): void {
    this.#log.runOptional("the counts of activity", () => this.#writeMinutes(), undefined);
    this.#log.runOptional("the delivery times", () => this.#writeTimes(), undefined);
    this.#log.runOptional("the counts of API keys", () => this.#writeSent(), undefined);
  }

  /** Forgets the gathered counts, after their batch was committed or rolled back. */
  clear(): void {
    this.#minutes.clear();
    this.#times.clear();
    this.#sentByKey.clear();
    this.#subtractions.clear();
  }

  #countsOf(accountId: string, nowMs: number): Counts {
    const atMs = minuteOf(nowMs);
    const name = `${atMs} ${accountId}`;
    const known = this.#minutes.get(name);
    if (known !== undefined) return known.counts;
    const counts = { messages: 0, recipients: 0, delivered: 0, failed: 0, unknown: 0, deferred: 0 };
    this.#minutes.set(name, { accountId, atMs, counts });
    return counts;
  }

  #subtract(accountId: string, result: Subtraction["result"], countedAtMs: number): void {
    const minuteMs = minuteOf(countedAtMs);
    const name = `${minuteMs} ${result} ${accountId}`;
    const known = this.#subtractions.get(name);
    if (known !== undefined) known.recipients += 1;
    else this.#subtractions.set(name, { accountId, result, minuteMs, recipients: 1 });
  }

  #addTime(accountId: string, deliveredAtMs: number, spanMs: number): void {
    const atMs = Math.floor(deliveredAtMs / TIMES_INTERVAL_MS) * TIMES_INTERVAL_MS;
    const bucket = bucketOf(spanMs);
    const name = `${atMs} ${bucket} ${accountId}`;
    const known = this.#times.get(name);
    if (known !== undefined) known.recipients += 1;
    else this.#times.set(name, { accountId, atMs, bucket, recipients: 1 });
  }

  #writeMinutes(): void {
    for (const { accountId, atMs, counts } of this.#minutes.values()) {
      this.#statements.count.run(accountId, atMs, ...COUNTS.map((name) => counts[name]));
      this.#sweep(accountId, atMs);
    }
    for (const { accountId, result, minuteMs, recipients } of this.#subtractions.values()) {
      this.#statements.subtract[result].run(recipients, accountId, minuteMs);
    }
  }

  #sweep(accountId: string, atMs: number): void {
    if (this.#sweptAtMs.get(accountId) === atMs) return;
    this.#sweptAtMs.set(accountId, atMs);
    for (const sweep of this.#statements.sweeps) sweep.run({ accountId, beforeMs: atMs - KEPT_MS });
  }

  #writeTimes(): void {
    for (const t of this.#times.values()) this.#statements.time.run(t.accountId, t.atMs, t.bucket, t.recipients);
  }

  #writeSent(): void {
    for (const [keyId, messages] of this.#sentByKey) this.#statements.sent.run(messages, keyId);
  }
}

function prepareStatements(db: Database) {
  const sums = COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ");
  return {
    count: db.prepare(
      `INSERT INTO activity (account_id, minute_ms, ${COUNTS.join(", ")}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (account_id, minute_ms) DO UPDATE SET ${sums}`,
    ),
    time: db.prepare(
      `INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES (?, ?, ?, ?)
         ON CONFLICT (account_id, slot_ms, bucket) DO UPDATE SET recipients = recipients + excluded.recipients`,
    ),
    // The last settlement made it unknown, so it is counted in that minute.
    unknown: db.prepare<[string, string], { email: string; countedAtMs: number }>(
      `SELECT email, updated_at_ms AS countedAtMs FROM recipients
         WHERE seq = (SELECT seq FROM messages WHERE id = ? AND account_id = ?) AND state = 'unknown'`,
    ),
    subtract: {
      unknown: db.prepare("UPDATE activity SET unknown = max(0, unknown - ?) WHERE account_id = ? AND minute_ms = ?"),
      failed: db.prepare("UPDATE activity SET failed = max(0, failed - ?) WHERE account_id = ? AND minute_ms = ?"),
    },
    sent: db.prepare("UPDATE api_keys SET messages_sent = messages_sent + ? WHERE id = ?"),
    sweeps: [prepareSweep(db, "activity", "minute_ms"), prepareSweep(db, "delivery_times", "slot_ms")],
  };
}

function prepareSweep(db: Database, table: string, time: string) {
  return db.prepare(
    `DELETE FROM ${table} WHERE account_id = @accountId AND ${time} < @beforeMs AND ${time} <
       (SELECT ${time} FROM ${table} WHERE account_id = @accountId ORDER BY ${time} LIMIT 1 OFFSET ${SWEEP_ROWS})`,
  );
}
