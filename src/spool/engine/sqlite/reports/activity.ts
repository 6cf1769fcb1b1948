/**
 * Writes the counts of what happened with the batch that made them true, one row per account and table.
 * records/activity-counts.ts gathers them meanwhile.
 */
import type { Database } from "better-sqlite3";
import type { Result } from "../../../../message/result/outcome.ts";
import {
  type AcceptedMessage,
  COUNTS_KEPT_MS,
  COUNTS_SWEPT,
  GatheredCounts,
  type RetriedRecipient,
} from "../../../records/activity-counts.ts";
import { COUNTS } from "../../../records/activity-sums.ts";
import type { DamageLog } from "../files/damage.ts";
import type { LeasedMessage } from "../mail/leases.ts";

/** If its tables are damaged, some counts are lost: no message waits for a chart. */
export class ActivityCounts {
  readonly #log: DamageLog;
  readonly #statements;
  readonly #gathered = new GatheredCounts();
  readonly #sweptAtMs = new Map<string, number>();

  constructor(db: Database, log: DamageLog) {
    this.#log = log;
    this.#statements = prepareStatements(db);
  }

  accepted(message: AcceptedMessage, suppressed: number): void {
    this.#gathered.accepted(message, suppressed);
  }

  /** Counts the result of a recipient that was not final before. */
  settled(message: Omit<LeasedMessage, "seq">, atMs: number, result: Result): void {
    this.#gathered.settled(message, atMs, result);
  }

  /** Counts the result that a person decided on, for a recipient that was not final before. */
  decided(accountId: string, atMs: number, result: Result): void {
    this.#gathered.decided(accountId, atMs, result);
  }

  /** Counts the result of a recipient whose lease expired after its mark. */
  recovered(accountId: string, { nowMs, result }: { nowMs: number; result: "unknown" | "pending" }): void {
    this.#gathered.recovered(accountId, { nowMs, result });
  }

  /** Subtracts a recipient that has another result now. */
  retried(recipient: RetriedRecipient): void {
    this.#gathered.retried(recipient);
  }

  /** Writes the gathered counts, inside the transaction. */
  write(): void {
    this.#log.runOptional("the counts of activity", () => this.#writeMinutes(), undefined);
    this.#log.runOptional("the delivery times", () => this.#writeTimes(), undefined);
    this.#log.runOptional("the counts of API keys", () => this.#writeSent(), undefined);
  }

  /** Forgets the gathered counts, after their batch was committed or rolled back. */
  clear(): void {
    this.#gathered.clear();
  }

  #writeMinutes(): void {
    for (const { accountId, atMs, counts } of this.#gathered.minutes) {
      this.#statements.count.run(accountId, atMs, ...COUNTS.map((name) => counts[name]));
      this.#sweep(accountId, atMs);
    }
    for (const { accountId, result, minuteMs, recipients } of this.#gathered.subtractions) {
      this.#statements.subtract[result].run(recipients, accountId, minuteMs);
    }
  }

  #sweep(accountId: string, atMs: number): void {
    if (this.#sweptAtMs.get(accountId) === atMs) return;
    this.#sweptAtMs.set(accountId, atMs);
    for (const sweep of this.#statements.sweeps) sweep.run({ accountId, beforeMs: atMs - COUNTS_KEPT_MS });
  }

  #writeTimes(): void {
    for (const t of this.#gathered.times) this.#statements.time.run(t.accountId, t.atMs, t.bucket, t.recipients);
  }

  #writeSent(): void {
    for (const [keyId, messages] of this.#gathered.sentByKey) this.#statements.sent.run(messages, keyId);
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
       (SELECT ${time} FROM ${table} WHERE account_id = @accountId ORDER BY ${time} LIMIT 1 OFFSET ${COUNTS_SWEPT})`,
  );
}
