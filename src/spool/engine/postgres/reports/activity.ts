/**
 * Writes this node's counts of what happened, once a second: no message waits for a chart, and nodes seldom wait for each
 * other's rows. records/activity-counts.ts gathers them meanwhile; if the process dies, those of the last second are lost.
 *
 * The tables hold sums of what all nodes have added, in any order. So a recipient may be subtracted before the node that
 * counted it has written its count, and a sum may be negative for a moment; activity-report.ts reads it as 0.
 */
import { type Clock, systemClock } from "../../../../lib/clock.ts";
import type { Result } from "../../../../message/result/outcome.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { NewMessage } from "../../../port/mail.ts";
import {
  COUNTS_KEPT_MS,
  COUNTS_SWEPT,
  GatheredCounts,
  type RetriedRecipient,
} from "../../../records/activity-counts.ts";
import { COUNTS, type Counts, noCounts } from "../../../records/activity-sums.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";

const WRITE_EVERY_MS = 1000;

const addCounts = statement(
  `INSERT INTO activity AS a (account_id, minute_ms, ${COUNTS.join(", ")})
     SELECT * FROM unnest($1::text[], $2::bigint[], ${COUNTS.map((_, i) => `$${i + 3}::bigint[]`).join(", ")})
     ON CONFLICT (account_id, minute_ms) DO UPDATE SET ${COUNTS.map((name) => `${name} = a.${name} + excluded.${name}`).join(", ")}`,
);

const addTimes = statement(
  `INSERT INTO delivery_times AS t (account_id, slot_ms, bucket, recipients)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::bigint[])
     ON CONFLICT (account_id, slot_ms, bucket) DO UPDATE SET recipients = t.recipients + excluded.recipients`,
);

const addSent = statement(
  `WITH used AS MATERIALIZED (
     SELECT id, messages FROM api_keys JOIN unnest($1::text[], $2::bigint[]) AS sent (id, messages) USING (id)
       ORDER BY id FOR NO KEY UPDATE OF api_keys)
   UPDATE api_keys SET messages_sent = messages_sent + messages FROM used WHERE api_keys.id = used.id`,
);

/** Nodes that sweep at the same time skip each other's rows. */
const sweeping = (table: "activity" | "delivery_times", time: "minute_ms" | "slot_ms") =>
  statement(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY (
       SELECT old.place FROM unnest($1::text[]) AS swept (id), LATERAL (
         SELECT ctid AS place FROM ${table} WHERE account_id = swept.id AND ${time} < $2 ORDER BY ${time}
           LIMIT ${COUNTS_SWEPT} FOR UPDATE SKIP LOCKED
       ) AS old))`,
  );

const sweeps = [sweeping("activity", "minute_ms"), sweeping("delivery_times", "slot_ms")];

interface MinuteRow {
  accountId: string;
  atMs: number;
  counts: Counts;
}

/** Every method that counts is to be called after the commit that made it true. */
export class ActivityCounts {
  readonly #database: Pick<Database, "run" | "transaction">;
  readonly #clock: Clock;
  #gathered = new GatheredCounts();
  /** The minute in which each account was swept last. */
  readonly #sweptAtMs = new Map<string, number>();
  #cancel: (() => void) | null = null;
  /** Settles with the last write. */
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Pick<Database, "run" | "transaction">, clock: Clock = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  accepted(message: NewMessage, suppressed: number): void {
    this.#gathered.accepted(message, suppressed);
    this.#writeLater();
  }

  /** Counts the result of a recipient that was not final before. */
  settled(message: Pick<NewMessage, "accountId" | "createdAtMs" | "sendAtMs">, atMs: number, result: Result): void {
    this.#gathered.settled(message, atMs, result);
    this.#writeLater();
  }

  /** Counts the result that a person decided on, for a recipient that was not final before. */
  decided(accountId: string, atMs: number, result: Result): void {
    this.#gathered.decided(accountId, atMs, result);
    this.#writeLater();
  }

  /** Counts the result of a recipient that an ended node left marked. */
  recovered(accountId: string, recovered: { nowMs: number; result: "unknown" | "pending" }): void {
    this.#gathered.recovered(accountId, recovered);
    this.#writeLater();
  }

  /** Subtracts a recipient that has another result now from the minute in which its former result was counted. */
  retried(recipient: RetriedRecipient): void {
    this.#gathered.retried(recipient);
    this.#writeLater();
  }

  /** Writes everything counted so far. Counts that cannot be written are kept for the next write. */
  write(): Promise<void> {
    const writing = this.#writing.catch(() => {}).then(() => this.#write());
    this.#writing = writing;
    return writing;
  }

  /** Writes what is left. Nothing may be counted from then on. */
  close(): Promise<void> {
    this.#cancel?.();
    return this.write();
  }

  #writeLater(): void {
    this.#cancel ??= this.#clock.after(WRITE_EVERY_MS, () => {
      this.#cancel = null;
      this.write().catch((error: unknown) => {
        if (!(error instanceof SpoolUnavailable)) throw error;
        this.#writeLater();
      });
    });
  }

  async #write(): Promise<void> {
    const gathered = this.#gathered;
    if (gathered.isEmpty) return;
    this.#gathered = new GatheredCounts();
    const minutes = minutesOf(gathered);
    try {
      await this.#database.transaction((session) => writeCounts(session, minutes, gathered));
    } catch (error) {
      gathered.add(this.#gathered);
      this.#gathered = gathered;
      throw error;
    }
    await this.#sweep(minutes);
  }

  /** Removes old rows of the accounts that begin a new minute. */
  async #sweep(minutes: readonly MinuteRow[]): Promise<void> {
    const begun = minutes.filter(
      ({ accountId, atMs }) => atMs > (this.#sweptAtMs.get(accountId) ?? Number.NEGATIVE_INFINITY),
    );
    for (const { accountId, atMs } of begun) this.#sweptAtMs.set(accountId, atMs);
    const accounts = [...new Set(begun.map(({ accountId }) => accountId))];
    const newestMs = begun.reduce((newest, { atMs }) => Math.max(newest, atMs), Number.NEGATIVE_INFINITY);
    if (accounts.length === 0) return;
    for (const sweep of sweeps) await this.#database.run(sweep, [accounts, newestMs - COUNTS_KEPT_MS]);
  }
}

/** In the order of their keys, so that no two nodes wait for each other's rows in a circle. */
async function writeCounts(session: Session, minutes: readonly MinuteRow[], gathered: GatheredCounts): Promise<void> {
  if (minutes.length > 0) {
    const columns = COUNTS.map((name) => minutes.map(({ counts }) => counts[name]));
    const keys = [minutes.map(({ accountId }) => accountId), minutes.map(({ atMs }) => atMs)];
    await session.run(addCounts, [...keys, ...columns]);
  }
  const times = [...gathered.times].sort(
    (a, b) => byName(a.accountId, b.accountId) || a.atMs - b.atMs || a.bucket - b.bucket,
  );
  if (times.length > 0) {
    await session.run(addTimes, [
      times.map(({ accountId }) => accountId),
      times.map(({ atMs }) => atMs),
      times.map(({ bucket }) => bucket),
      times.map(({ recipients }) => recipients),
    ]);
  }
  const { sentByKey } = gathered;
  if (sentByKey.size > 0) await session.run(addSent, [[...sentByKey.keys()], [...sentByKey.values()]]);
}

/** What to add to each minute, which is less than nothing where recipients are subtracted. */
function minutesOf({ minutes, subtractions }: GatheredCounts): MinuteRow[] {
  const rows = new Map<string, MinuteRow>();
  const rowOf = (accountId: string, atMs: number): MinuteRow => {
    const name = `${atMs} ${accountId}`;
    const row = rows.get(name) ?? { accountId, atMs, counts: noCounts() };
    rows.set(name, row);
    return row;
  };
  for (const { accountId, atMs, counts } of minutes) Object.assign(rowOf(accountId, atMs).counts, counts);
  for (const { accountId, minuteMs, result, recipients } of subtractions) {
    rowOf(accountId, minuteMs).counts[result] -= recipients;
  }
  return [...rows.values()].sort((a, b) => byName(a.accountId, b.accountId) || a.atMs - b.atMs);
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
