/**
 * Finds the messages of a day that retention must keep: those with a recipient that is not final, and those with an event since
 * the end of their retention period. A scan reads all events of the day in bounded steps, before any lock is taken. What has
 * changed since is found under the locks, only from indexes (`keptNow`).
 */

import { type Session, statement } from "../connection/statement.ts";
import { changedSince, type GreatestNumber, greatestNumbers, IN_DAY, numbersOfDay } from "./day-numbers.ts";

/** Events read in one step. */
const STEP_EVENTS = 20_000;

/** The most messages that are kept. Beyond that, the day waits until fewer must be kept. */
export const KEPT_MAX = 2000;

const findOpen = statement<{ seq: number }>(
  `(SELECT DISTINCT seq FROM work WHERE ${IN_DAY} ORDER BY seq LIMIT $3)
   UNION (SELECT DISTINCT seq FROM unknown_recipients WHERE ${IN_DAY} ORDER BY seq LIMIT $3)`,
);

interface Page {
  events: number;
  accepted: number;
  late: string[];
  lastSeq: number | null;
  lastNumber: number | null;
}

// The range begins with the last event's message, because the index is entered there.
const readPage = statement<Page>(
  `WITH page AS MATERIALIZED (
     SELECT seq, number, at_ms, type FROM events WHERE ${IN_DAY} AND (seq, number) > ($1, $3)
       ORDER BY seq, number LIMIT ${STEP_EVENTS}
   )
   SELECT count(*) AS events, count(*) FILTER (WHERE type = 'message.accepted') AS accepted,
          coalesce(array_agg(DISTINCT seq) FILTER (WHERE at_ms >= $4), '{}') AS late,
          (SELECT seq FROM page ORDER BY seq DESC LIMIT 1) AS "lastSeq",
          (SELECT number FROM page ORDER BY seq DESC, number DESC LIMIT 1) AS "lastNumber"
     FROM page`,
);

/** What a day must keep, under locks. */
export interface KeptNow {
  seqs: number[];
  /** The greatest event numbers of the day. */
  numbers: GreatestNumber[];
}

export class DayScan {
  readonly day: number;
  /** Events from this moment on keep their message. */
  readonly limitMs: number;
  readonly #kept = new Set<number>();
  #seen: GreatestNumber[] | null = null;
  #after: [seq: number, number: number];
  #messages = 0;
  #isComplete = false;

  constructor(day: number, limitMs: number) {
    this.day = day;
    this.limitMs = limitMs;
    this.#after = [numbersOfDay(day)[0], -1];
  }

  /** How many messages the day had when it was scanned. */
  get messages(): number {
    return this.#messages;
  }

  /** Reads on. `too_many`: more than KEPT_MAX messages must be kept; then the scan is over too. */
  async step(session: Session): Promise<"under_way" | "complete" | "too_many"> {
    if (this.#isComplete) return "complete";
    if (this.#seen === null) {
      this.#seen = await greatestNumbers(session, this.day);
      for (const seq of await this.#open(session)) this.#kept.add(seq);
    }
    const [seq, number] = this.#after;
    const [, end] = numbersOfDay(this.day);
    const { rows } = await session.run(readPage, [seq, end, number, this.limitMs]);
    const [{ events, accepted, late, lastSeq, lastNumber }] = rows as [Page];
    for (const each of late) this.#kept.add(Number(each));
    if (this.#kept.size > KEPT_MAX) return "too_many";
    this.#messages += accepted;
    if (events === STEP_EVENTS && lastSeq !== null && lastNumber !== null) {
      this.#after = [lastSeq, lastNumber];
      return "under_way";
    }
    this.#isComplete = true;
    return "complete";
  }

  /** After a complete scan, under locks against changes of the day's messages and events. */
  async keptNow(session: Session): Promise<KeptNow | "too_many"> {
    const numbers = await greatestNumbers(session, this.day);
    const changes = { seen: this.#seen ?? [], now: numbers, limit: KEPT_MAX + 1 };
    const changed = await changedSince(session, this.day, changes);
    const kept = new Set([...this.#kept, ...(await this.#open(session)), ...changed]);
    return kept.size > KEPT_MAX ? "too_many" : { seqs: [...kept].sort((a, b) => a - b), numbers };
  }

  /** Messages with a recipient that is not final, some of them if there are too many. */
  async #open(session: Session): Promise<number[]> {
    const { rows } = await session.run(findOpen, [...numbersOfDay(this.day), KEPT_MAX + 1]);
    return rows.map(({ seq }) => seq);
  }
}
