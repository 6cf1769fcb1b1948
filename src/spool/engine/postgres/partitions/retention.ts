/**
 * Retention: decides which days of acceptance are dropped, and which are deleted row by row. A pass sweeps what belongs to no
 * message, deletes old reports of receivers, then goes over the contents, then over whole messages. A day is dropped once it ended before the limit and few of its
 * messages must be kept; a day with many of those waits for some days, and is then deleted row by row. So contents and messages
 * are deleted up to a day after the end of their retention period, and in part a few days later.
 *
 * One node of the cluster runs the passes. Two that do it at the same time do no harm.
 */

import type { Clock } from "../../../../lib/clock.ts";
import { HOUR_MS } from "../../../../lib/units.ts";
import type { RetentionResult, RetentionStep } from "../../../port/operations.ts";
import { RETENTION_OPERATIONS } from "../../../store/operations.ts";
import { bind } from "../../operations.ts";
import type { Database } from "../connection/database.ts";
import { isLockTimeout } from "../connection/database-error.ts";
import { LockPatience } from "../connection/lock-patience.ts";
import { postgresRunner } from "../connection/postgres-runner.ts";
import { statement } from "../connection/statement.ts";
import { dayOfNumber, firstNumberAt, firstNumberOfDay } from "../mail/message-number.ts";
import { type DayResult, dropContents, dropDay } from "./day-drop.ts";
import { DayScan } from "./day-scan.ts";
import { deleteContentRows, deleteMessageRows } from "./row-retention.ts";
import { STAGED_MAX_MS, Sweeps } from "./sweeps.ts";

/** A day with too many messages to keep is scanned again once the limit has moved so far. */
const SCAN_AGAIN_MS = 6 * HOUR_MS;

/** A day that could not be dropped for so long is deleted row by row. */
const ROWS_AFTER_DAYS = 3;

const findDays = {
  contents: statement<{ day: number }>(
    "SELECT day FROM partitions WHERE NOT dropped AND NOT contents_dropped AND day < $1 ORDER BY day",
  ),
  messages: statement<{ day: number }>("SELECT day FROM partitions WHERE NOT dropped AND day < $1 ORDER BY day"),
};

/** What is deleted. */
type Kind = "contents" | "messages";

interface Progress {
  deleted: number;
  isMore: boolean;
}

/** The deletion of contents, or of whole messages. */
class Deletion {
  readonly #database: Database;
  readonly #kind: Kind;
  readonly #locks: LockPatience;
  #scan: DayScan | null = null;
  /** The limit at which a day had too many messages to keep. */
  readonly #postponed = new Map<number, number>();
  /** Where the walk over the rows continues. */
  #rowsFrom = Number.MIN_SAFE_INTEGER;

  constructor(database: Database, kind: Kind, locks: LockPatience) {
    this.#database = database;
    this.#kind = kind;
    this.#locks = locks;
  }

  /** Runs one step of dropping days that ended before the limit. */
  async dropDays(limitMs: number): Promise<Progress> {
    this.#scan ??= await this.#nextScan(limitMs);
    const scan = this.#scan;
    if (scan === null) return { deleted: 0, isMore: false };
    const scanned = await scan.step(this.#database);
    if (scanned === "under_way") return { deleted: 0, isMore: true };
    if (scanned === "complete" && !this.#locks.isDue) return { deleted: 0, isMore: false };
    const result = scanned === "complete" ? await this.#drop(scan) : ({ type: "too_many" } as const);
    // The scan is kept for the next try.
    if (result === "locked") return { deleted: 0, isMore: false };
    this.#scan = null;
    if (result.type === "too_many") this.#postponed.set(scan.day, scan.limitMs);
    else this.#postponed.delete(scan.day);
    return { deleted: result.type === "deleted" ? result.messages : 0, isMore: true };
  }

  /** Runs one step of the walk over the rows of days that are not dropped as a whole, or were before. */
  async deleteRows(limitMs: number, limit: number): Promise<Progress> {
    const endDay = dayOf(limitMs);
    const { rows } = await this.#database.run(findDays[this.#kind], [endDay]);
    const waiting = rows.map(({ day }) => day).filter((day) => day >= endDay - ROWS_AFTER_DAYS);
    const range = rangeFrom(this.#rowsFrom, endDay, waiting);
    if (range === null) {
      this.#rowsFrom = Number.MIN_SAFE_INTEGER;
      return { deleted: 0, isMore: false };
    }
    const step = { ...range, limit, limitMs };
    const deleteStep = this.#kind === "contents" ? deleteContentRows : deleteMessageRows;
    const { deleted, next } = await this.#database.transaction((session) => deleteStep(session, step));
    this.#rowsFrom = next ?? range.to;
    return { deleted, isMore: true };
  }

  async #nextScan(limitMs: number): Promise<DayScan | null> {
    const { rows } = await this.#database.run(findDays[this.#kind], [dayOf(limitMs)]);
    const next = rows.find(
      ({ day }) => limitMs - (this.#postponed.get(day) ?? Number.NEGATIVE_INFINITY) >= SCAN_AGAIN_MS,
    );
    return next === undefined ? null : new DayScan(next.day, limitMs);
  }

  async #drop(scan: DayScan): Promise<DayResult | "locked"> {
    const drop = this.#kind === "contents" ? dropContents : dropDay;
    try {
      const result = await drop(this.#database, scan, this.#locks.waitMs);
      this.#locks.succeeded();
      return result;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      this.#locks.failed();
      return "locked";
    }
  }
}

type Phase = (step: RetentionStep) => Promise<{ contents?: number; messages?: number; isMore: boolean }>;

export class Retention {
  readonly #phases: readonly Phase[];
  #phase = 0;

  constructor(database: Database, clock: Pick<Clock, "monotonicMs">) {
    const sweeps = new Sweeps(database);
    const { deleteEndedSuppressions, deleteOldReports } = bind(RETENTION_OPERATIONS, postgresRunner(database));
    const locks = new LockPatience(() => clock.monotonicMs());
    const contents = new Deletion(database, "contents", locks);
    const messages = new Deletion(database, "messages", locks);
    const ofContents = ({ deleted, isMore }: Progress) => ({ contents: deleted, isMore });
    const ofMessages = ({ deleted, isMore }: Progress) => ({ messages: deleted, isMore });
    this.#phases = [
      async ({ nowMs }) => ({ isMore: await sweeps.step(nowMs) }),
      async ({ nowMs }) => ({ isMore: await deleteEndedSuppressions(nowMs) }),
      async ({ resultsBeforeMs }) => ({ isMore: await deleteOldReports(resultsBeforeMs) }),
      async (step) => ofContents(await contents.dropDays(contentsLimitMs(step))),
      async (step) => ofContents(await contents.deleteRows(contentsLimitMs(step), step.limit)),
      async (step) => ofMessages(await messages.dropDays(step.resultsBeforeMs)),
      async (step) => ofMessages(await messages.deleteRows(step.resultsBeforeMs, step.limit)),
    ];
  }

  /** Runs one step of the pass under way. Phases without work to do cost no step of their own. */
  async applyRetention(step: RetentionStep): Promise<RetentionResult> {
    for (; this.#phase < this.#phases.length; this.#phase += 1) {
      const { contents = 0, messages = 0, isMore } = await (this.#phases[this.#phase] as Phase)(step);
      if (isMore) return { contents, messages, isMore };
    }
    this.#phase = 0;
    return { contents: 0, messages: 0, isMore: false };
  }
}

/** Parts may be stored whose message is not accepted yet. */
const contentsLimitMs = ({ contentsBeforeMs, nowMs }: RetentionStep): number =>
  Math.min(contentsBeforeMs, nowMs - STAGED_MAX_MS);

const dayOf = (timeMs: number): number => dayOfNumber(firstNumberAt(timeMs));

/** The next numbers from `from` on, before the day `endDay` and outside of the waiting days; null if there are none. */
function rangeFrom(from: number, endDay: number, waiting: readonly number[]): { from: number; to: number } | null {
  let [start, to] = [from, firstNumberOfDay(endDay)];
  for (const day of waiting) {
    if (start < firstNumberOfDay(day)) {
      to = firstNumberOfDay(day);
      break;
    }
    start = Math.max(start, firstNumberOfDay(day + 1));
  }
  return start < to ? { from: start, to } : null;
}
