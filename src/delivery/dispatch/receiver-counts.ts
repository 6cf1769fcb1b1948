/**
 * Counts the results of attempts by receiver. Counts are written once a minute, off the path of messages; those of the last minute are
 * lost in a crash. It is only for reports: no decision of delivery depends on it.
 */

import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/units.ts";
import { deliveryBeginsMs } from "../../message/send-time.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { receiverOfReply } from "../../receivers/limits.ts";
import { isReceiver, keyOf, nameOf } from "../../receivers/names.ts";
import { profileOf, receiverLabel } from "../../receivers/receiver.ts";
import { type KeyValueStore, NODE_ENTRIES } from "../../spool/port/key-value.ts";
import type { DeliveryJob, Settlement } from "../../spool/port/mail.ts";
import {
  addReceivers,
  type CountsByInterval,
  type CountsByReceiver,
  DAYS_KEPT,
  DELIVERED_WITHIN_MS,
  encodeCounts,
  HOURS_KEPT,
  newCounts,
  parseCounts,
  type ReceiverCounts,
} from "../../spool/port/receiver-results.ts";

/** Receivers counted in one hour. Further ones are counted only if they have a profile: anybody can run hundreds of others. */
const RECEIVERS_MAX = 200;

/** Addresses with totals. */
const ADDRESSES_COUNTED = 1000;

export interface ReceiverCountsParts {
  spool: Pick<KeyValueStore, "readNodeValue" | "writeNodeValue">;
  clock: Clock;
  log: Pick<Logger, "warn">;
}

export class ReceiverResultCounts {
  readonly #parts: ReceiverCountsParts;
  #hours: CountsByInterval = new Map();
  #days: CountsByInterval = new Map();
  #hour = 0;
  #current: CountsByReceiver = new Map();
  readonly #totals: ReceiverTotals = new Map();
  readonly #addressTotals: AddressTotals = new Map();
  #hasChanged = false;
  #isStopped = false;
  #cancel: () => void = () => {};

  constructor(parts: ReceiverCountsParts) {
    this.#parts = parts;
  }

  /** Goes on with what this node has stored. */
  async start(): Promise<void> {
    const { spool } = this.#parts;
    this.#hours = parseCounts(await spool.readNodeValue(NODE_ENTRIES.receiverHours));
    this.#days = parseCounts(await spool.readNodeValue(NODE_ENTRIES.receiverDays));
    this.#schedule();
  }

  /** Counts the results of an attempt at a destination; null if none is known. */
  add(job: CountedJob, destination: string | null, settled: Settled): void {
    if (destination === null || isTestRoute(job.domain)) return;
    for (const settlement of settled.settlements) {
      const name = settlement.untried === true ? null : nameOfReceiver(destination, settlement);
      if (name === null) continue;
      this.#addTotal(name, settlement);
      const counts = this.#of(name, settled.atMs);
      if (counts === null) continue;
      this.#hasChanged = true;
      addResult(counts, settlement, {
        messageId: job.messageId,
        tookMs: Math.max(0, settled.atMs - deliveryBeginsMs(job)),
      });
    }
  }

  /** Counts a complaint about a message that the receiver had taken. */
  addComplaint(name: string, { messageId, atMs }: { messageId: string; atMs: number }): void {
    const counts = this.#of(name, atMs);
    if (counts === null) return;
    this.#hasChanged = true;
    counts.complaints += 1;
    counts.examples.complaint = messageId;
  }

  /** Writes what is left. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#write();
  }

  /** Those of this process since its start, by label (RECEIVER_LABELS). */
  get totals(): ReceiverTotals {
    return this.#totals;
  }

  /** The same by sending address, as far as operators have added some. */
  get addressTotals(): AddressTotals {
    return this.#addressTotals;
  }

  #addTotal(name: string, { result, smtp }: Settlement): void {
    const label = receiverLabel(keyOf(name));
    addOne(this.#totals, label, result);
    if (smtp?.source === undefined) return;
    const known = this.#addressTotals.get(smtp.source);
    // Those that were removed are not forgotten, so there is a bound.
    if (known === undefined && this.#addressTotals.size >= ADDRESSES_COUNTED) return;
    const totals = known ?? new Map();
    this.#addressTotals.set(smtp.source, totals);
    addOne(totals, label, result);
  }

  #of(name: string, atMs: number): ReceiverCounts | null {
    const hour = Math.floor(atMs / HOUR_MS);
    if (hour !== this.#hour) this.#begin(hour);
    const known = this.#current.get(name);
    if (known !== undefined) return known;
    if (this.#current.size >= RECEIVERS_MAX && profileOf(keyOf(name)) === null) return null;
    const counts = newCounts();
    this.#current.set(name, counts);
    return counts;
  }

  #begin(hour: number): void {
    this.#hour = hour;
    this.#current = this.#hours.get(hour) ?? new Map();
    this.#hours.set(hour, this.#current);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.clock.after(MINUTE_MS, () => void this.#write().then(() => this.#schedule()));
  }

  async #write(): Promise<void> {
    const { spool, log } = this.#parts;
    const haveDaysChanged = this.#foldOldHours();
    if (!this.#hasChanged && !haveDaysChanged) return;
    this.#hasChanged = false;
    try {
      // In this order, because after a crash between them an hour in both would count twice.
      await spool.writeNodeValue(NODE_ENTRIES.receiverHours, encodeCounts(this.#hours));
      if (haveDaysChanged) await spool.writeNodeValue(NODE_ENTRIES.receiverDays, encodeCounts(this.#days));
    } catch (error) {
      this.#hasChanged = true;
      log.warn({ error: errorText(error) }, "counts of receivers not stored");
    }
  }

  /** Adds hours that are over a day ago to their days, and removes old days. Returns whether there were any of them. */
  #foldOldHours(): boolean {
    const nowMs = this.#parts.clock.now();
    const old = [...this.#hours.keys()].filter((hour) => hour <= Math.floor(nowMs / HOUR_MS) - HOURS_KEPT);
    for (const hour of old) {
      const day = Math.floor((hour * HOUR_MS) / DAY_MS);
      const counts = this.#days.get(day) ?? new Map();
      addReceivers(counts, this.#hours.get(hour) ?? new Map());
      this.#days.set(day, counts);
      this.#hours.delete(hour);
    }
    const expired = [...this.#days.keys()].filter((day) => day <= Math.floor(nowMs / DAY_MS) - DAYS_KEPT);
    for (const day of expired) this.#days.delete(day);
    return old.length + expired.length > 0;
  }
}

type CountedResult = "delivered" | "deferred" | "failed" | "unknown";

const countedResult = (result: Settlement["result"]): CountedResult => (result === "pending" ? "deferred" : result);

export type ReceiverTotals = Map<string, Record<CountedResult, number>>;

/** By address. */
export type AddressTotals = Map<string, ReceiverTotals>;

function addOne(totals: ReceiverTotals, label: string, result: Settlement["result"]): void {
  const counts = totals.get(label) ?? noTotals();
  counts[countedResult(result)] += 1;
  totals.set(label, counts);
}

export const noTotals = (): Record<CountedResult, number> => ({ delivered: 0, deferred: 0, failed: 0, unknown: 0 });

/** Null if it is not known. */
function nameOfReceiver(destination: string, { smtp }: Settlement): string | null {
  const isOne = isReceiver(destination) && !destination.includes("+");
  return isOne ? nameOf(destination) : receiverOfReply(smtp);
}

export type CountedJob = Pick<DeliveryJob, "domain" | "createdAtMs" | "sendAtMs" | "messageId">;

export interface Settled {
  settlements: readonly Settlement[];
  atMs: number;
}

function addResult(
  counts: ReceiverCounts,
  { outcome, result, category, tries }: Settlement,
  { messageId, tookMs }: { messageId: string; tookMs: number },
): void {
  counts[countedResult(result)] += 1;
  if (category !== null) {
    counts.categories[category] = (counts.categories[category] ?? 0) + 1;
    counts.examples[category] = messageId;
  }
  if (outcome !== "delivered") return;
  if (tries.at(-1)?.tls === null) {
    counts.withoutTls += 1;
    counts.examples.without_tls = messageId;
  }
  const within = DELIVERED_WITHIN_MS.findIndex((ms) => tookMs <= ms);
  if (within !== -1) counts.within[within] = (counts.within[within] ?? 0) + 1;
}
