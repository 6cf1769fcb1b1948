/**
 * Gathers counts of what happened, by account and minute, and of how long deliveries took: charts are drawn from these counts
 * without reading messages. They are gathered in memory and written together, so they cost a busy spool next to nothing. A
 * recipient has one result at a time: when an unknown or failed one gets another, it is subtracted from the minute in which it was
 * counted. Recipients of test messages are not counted. How the counts are written is decided by each form of the spool.
 */

import { DAY_MS, MINUTE_MS } from "../../lib/units.ts";
import type { Result } from "../../message/result/outcome.ts";
import { deliveryBeginsMs } from "../../message/send-time.ts";
import type { NewMessage } from "../port/mail.ts";
import { bucketOf, COUNTS, type Counts, noCounts } from "./activity-sums.ts";

/** The fields of an accepted message that the counts use. */
/** What a delivery time is counted from. */
interface SettledMessage extends Pick<NewMessage, "accountId" | "createdAtMs"> {
  sendAtMs?: number | null | undefined;
}

export type AcceptedMessage = Pick<NewMessage, "accountId" | "keyId" | "createdAtMs" | "recipients" | "test">;

/** Delivery times are counted in longer intervals: each has many rows. */
const TIMES_INTERVAL_MS = 600_000;

/** How long counts are kept. */
export const COUNTS_KEPT_MS = 35 * DAY_MS;
/** Old rows of an account removed with each new minute. A minute adds fewer, so they do not pile up. */
export const COUNTS_SWEPT = 64;

/** The minute in which a moment is counted. */
const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS) * MINUTE_MS;

const countOf = (result: Result): keyof Counts => (result === "pending" ? "deferred" : result);

export interface MinuteCounts {
  accountId: string;
  atMs: number;
  counts: Counts;
}

/** Delivered recipients by the bucket of their delivery time. */
export interface TimeCount {
  accountId: string;
  atMs: number;
  bucket: number;
  recipients: number;
}

/** Recipients to subtract from a minute. */
export interface Subtraction {
  accountId: string;
  result: "failed" | "unknown";
  minuteMs: number;
  recipients: number;
}

/** A recipient that was counted and has another result now. */
export interface RetriedRecipient {
  accountId: string;
  result: Subtraction["result"];
  /** When it became `result`. */
  countedAtMs: number;
}

export class GatheredCounts {
  readonly #minutes = new Map<string, MinuteCounts>();
  readonly #times = new Map<string, TimeCount>();
  readonly #subtractions = new Map<string, Subtraction>();
  /** Accepted messages by key. */
  readonly sentByKey = new Map<string, number>();

  get minutes(): Iterable<MinuteCounts> {
    return this.#minutes.values();
  }

  get times(): Iterable<TimeCount> {
    return this.#times.values();
  }

  get subtractions(): Iterable<Subtraction> {
    return this.#subtractions.values();
  }

  get isEmpty(): boolean {
    return this.#minutes.size + this.#times.size + this.#subtractions.size + this.sentByKey.size === 0;
  }

  /** A test message counts only for its key. */
  accepted(message: AcceptedMessage, suppressed: number): void {
    this.#addSent(message.keyId, 1);
    if (message.test) return;
    const counts = this.#countsOf(message.accountId, message.createdAtMs);
    counts.messages += 1;
    counts.recipients += message.recipients.length;
    counts.failed += suppressed;
  }

  /** Counts the result of a recipient that was not final before. */
  settled(message: SettledMessage, atMs: number, result: Result): void {
    const { accountId } = message;
    this.#countsOf(accountId, atMs)[countOf(result)] += 1;
    if (result === "delivered") this.#addTime(accountId, atMs, atMs - Math.min(atMs, deliveryBeginsMs(message)));
  }

  /** Counts the result that a person decided on. It is no delivery time. */
  decided(accountId: string, atMs: number, result: Result): void {
    this.#countsOf(accountId, atMs)[countOf(result)] += 1;
  }

  /** Counts the result of a recipient that a process left marked. */
  recovered(accountId: string, { nowMs, result }: { nowMs: number; result: "unknown" | "pending" }): void {
    this.#countsOf(accountId, nowMs)[countOf(result)] += 1;
  }

  /** Subtracts a recipient from the minute in which its former result was counted. */
  retried({ accountId, result, countedAtMs }: RetriedRecipient): void {
    this.#addSubtraction({ accountId, result, minuteMs: minuteOf(countedAtMs), recipients: 1 });
  }

  /** Adds what another object has gathered. */
  add(other: GatheredCounts): void {
    for (const { accountId, atMs, counts } of other.minutes) {
      const own = this.#countsOf(accountId, atMs);
      for (const name of COUNTS) own[name] += counts[name];
    }
    for (const time of other.times) this.#addTimes(time);
    for (const subtraction of other.subtractions) this.#addSubtraction(subtraction);
    for (const [keyId, messages] of other.sentByKey) this.#addSent(keyId, messages);
  }

  clear(): void {
    this.#minutes.clear();
    this.#times.clear();
    this.#subtractions.clear();
    this.sentByKey.clear();
  }

  #countsOf(accountId: string, nowMs: number): Counts {
    const atMs = minuteOf(nowMs);
    const name = `${atMs} ${accountId}`;
    const known = this.#minutes.get(name);
    if (known !== undefined) return known.counts;
    const counts = noCounts();
    this.#minutes.set(name, { accountId, atMs, counts });
    return counts;
  }

  #addTime(accountId: string, deliveredAtMs: number, spanMs: number): void {
    const atMs = Math.floor(deliveredAtMs / TIMES_INTERVAL_MS) * TIMES_INTERVAL_MS;
    this.#addTimes({ accountId, atMs, bucket: bucketOf(spanMs), recipients: 1 });
  }

  #addTimes(time: TimeCount): void {
    const name = `${time.atMs} ${time.bucket} ${time.accountId}`;
    const known = this.#times.get(name);
    if (known !== undefined) known.recipients += time.recipients;
    else this.#times.set(name, { ...time });
  }

  #addSubtraction(subtraction: Subtraction): void {
    const name = `${subtraction.minuteMs} ${subtraction.result} ${subtraction.accountId}`;
    const known = this.#subtractions.get(name);
    if (known !== undefined) known.recipients += subtraction.recipients;
    else this.#subtractions.set(name, { ...subtraction });
  }

  #addSent(keyId: string, messages: number): void {
    this.sentByKey.set(keyId, (this.sentByKey.get(keyId) ?? 0) + messages);
  }
}
