/**
 * What can be attempted next at one endpoint: events that were not attempted yet, and retries that are due. Reads both from the
 * spool, a bounded number at a time, and keeps the order within an order key: a key is busy while an event of it is attempted,
 * and, after a failure or a retry, until the result is stored.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { OutboxEvent } from "../spool/port/events.ts";
import type { Endpoint, WebhookQueue } from "../spool/port/webhooks.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import { EventWindow } from "./event-window.ts";
import type { SettlementBatch } from "./settlement-batch.ts";

/** Events in one read. */
const READ_MAX = 16;
/** Events between the stored position and the last event read: so many may be sent again after a crash. */
const WINDOW_MAX = 64;
/** Order keys that wait for another attempt before no further event is taken. */
const RETRIES_MAX = 10_000;
/** Between reads that find nothing, however often new events of the account are announced. */
const READ_INTERVAL_MS = 20;
/** After an error of the spool. */
export const SPOOL_RETRY_MS = 1000;

export interface Work {
  event: OutboxEvent;
  /** Attempts made before. */
  attempts: number;
  /** Null for an event that was not attempted yet. */
  retry: { dueMs: number; isProbe: boolean } | null;
}

export interface SupplyParts {
  queue: Pick<WebhookQueue, "freshEvents" | "dueRetries">;
  clock: Clock;
  log: Logger;
  health: EndpointHealth;
  /** What is to be stored next; what the reads find goes here. */
  batch: () => SettlementBatch;
  /** What is being stored; null if nothing is. */
  settling: () => SettlementBatch | null;
  /** Called when a read has ended. */
  changed: () => void;
}

export class EventSupply {
  readonly #endpoint: Endpoint;
  readonly #parts: SupplyParts;
  readonly #window: EventWindow;
  /** Order keys with an attempt under way, or about to begin. */
  readonly #busy = new Set<number>();
  #retries: Work[] = [];
  #retriesCount = 0;
  /** When to read retries; null if none waits. */
  #nextRetryMs: number | null = Number.NEGATIVE_INFINITY;
  /** The last read of retries left out those that are busy. */
  #hasSkippedRetries = false;
  /** Raised with each commit that changes retries: a read from before it is outdated. */
  #commits = 0;
  #hasFresh = true;
  #isReadingFresh = false;
  #isReadingRetries = false;
  #takesRetry = false;
  /** By the monotonic clock. */
  #readAtMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(endpoint: Endpoint, parts: SupplyParts) {
    this.#endpoint = endpoint;
    this.#parts = parts;
    this.#window = new EventWindow(endpoint.position);
  }

  /** All events through this number are done. */
  get position(): number {
    return this.#window.position;
  }

  /** The account may have new events. */
  wake(): void {
    this.#hasFresh = true;
  }

  /** Retries may be due that were not. */
  wakeRetries(): void {
    this.#nextRetryMs = Number.NEGATIVE_INFINITY;
  }

  /** Starts the reads that are useful and allowed now. */
  read(): void {
    if (this.#mayReadRetries()) void this.#readRetries();
    if (this.#mayReadFresh()) void this.#readFresh();
  }

  /** Milliseconds until reads or attempts become possible only by time; those below 1 are possible already. */
  waitsMs(): number[] {
    const { clock, health } = this.#parts;
    const monotonicMs = clock.monotonicMs();
    const waits = [health.probeWaitMs(monotonicMs), this.#pausedUntilMs - monotonicMs];
    if (this.#nextRetryMs !== null) waits.push(this.#nextRetryMs - clock.now());
    if (this.#hasFresh) waits.push(this.#readAtMs + READ_INTERVAL_MS - monotonicMs);
    return waits;
  }

  /** At least the number of attempts that can begin now; 0 if there is none. */
  get available(): number {
    return this.#retries.length + (this.#hasReadyEvent() ? this.#window.size : 0);
  }

  /** Returns what to attempt next, in turns a retry and a new event; null if there is nothing. */
  take(): Work | null {
    this.#takesRetry = !this.#takesRetry;
    return this.#takesRetry ? (this.#takeRetry() ?? this.#takeFresh()) : (this.#takeFresh() ?? this.#takeRetry());
  }

  /** To be called with the result of each attempt, which is in the batch. */
  finish({ event, retry }: Work, isSent: boolean): void {
    const { number, orderKey } = event;
    this.#busy.delete(orderKey);
    if (retry === null) this.#window.finish(number);
    if (retry === null && isSent) return;
    // Until the commit, reads do not show what waits for this key. What waits in memory will wait in the spool.
    const batch = this.#parts.batch();
    batch.keys.add(orderKey);
    batch.addBlocked(this.#window.block(orderKey));
  }

  /** To be called when a batch and the position are stored. */
  committed({ keys, isRecovered }: SettlementBatch, position: number): void {
    this.#window.stored(position);
    if (keys.size === 0 && !isRecovered && !this.#hasSkippedRetries) return;
    this.#commits += 1;
    this.wakeRetries();
  }

  /** Postpones the next reads: the spool has failed. */
  pause(): void {
    this.#pausedUntilMs = this.#parts.clock.monotonicMs() + SPOOL_RETRY_MS;
  }

  #takeRetry(): Work | null {
    return this.#retries.shift() ?? null;
  }

  #takeFresh(): Work | null {
    if (!this.#hasReadyEvent()) return null;
    const event = this.#window.take((key) => this.#isBusy(key));
    if (event === null) return null;
    this.#busy.add(event.orderKey);
    this.#parts.health.probing(this.#parts.clock.monotonicMs());
    return { event, attempts: 0, retry: null };
  }

  #hasReadyEvent(): boolean {
    return this.#mayProbe() && this.#window.hasNext((key) => this.#isBusy(key));
  }

  #isBusy(orderKey: number): boolean {
    return this.#busy.has(orderKey) || this.#isHeld(orderKey);
  }

  /** Whether something of the order key is not stored yet. */
  #isHeld(orderKey: number): boolean {
    const { batch, settling } = this.#parts;
    return batch().keys.has(orderKey) || (settling()?.keys.has(orderKey) ?? false);
  }

  #mayProbe(): boolean {
    return this.#parts.health.probeWaitMs(this.#parts.clock.monotonicMs()) === 0;
  }

  #isPaused(): boolean {
    return this.#parts.clock.monotonicMs() < this.#pausedUntilMs;
  }

  #mayReadRetries(): boolean {
    if (this.#isReadingRetries || this.#isPaused() || this.#retries.length > 0) return false;
    return this.#isProbeOfRetries() || (this.#nextRetryMs !== null && this.#nextRetryMs <= this.#parts.clock.now());
  }

  /** A failing endpoint with too many retries takes no new event, so one of the retries is the probe. */
  #isProbeOfRetries(): boolean {
    return this.#retriesCount >= RETRIES_MAX && this.#parts.health.isFailing && this.#mayProbe();
  }

  async #readRetries(): Promise<void> {
    const { queue, clock, health, batch } = this.#parts;
    this.#isReadingRetries = true;
    await this.#unlessFailing(async () => {
      const isProbe = this.#isProbeOfRetries();
      const commits = this.#commits;
      const [untilMs, limit] = isProbe ? [Number.MAX_SAFE_INTEGER, 1] : [clock.now(), READ_MAX];
      const due = await queue.dueRetries(this.#endpoint.id, untilMs, limit);
      if (commits !== this.#commits) return;
      if (isProbe) health.probing(clock.monotonicMs());
      this.#retriesCount = due.count;
      const ready = due.retries.filter(({ event }) => !this.#isBusy(event.orderKey));
      batch().addGone(due.gone.filter((key) => !this.#isBusy(key)));
      this.#hasSkippedRetries = ready.length < due.retries.length;
      // Until the next commit, a read finds the same ones.
      const isWaiting = ready.length === 0 && due.retries.length + due.gone.length > 0;
      this.#nextRetryMs = isWaiting ? null : due.nextDueMs;
      for (const { event } of ready) this.#busy.add(event.orderKey);
      this.#retries = ready.map(({ event, attempts, dueMs }) => ({ event, attempts, retry: { dueMs, isProbe } }));
    });
    this.#isReadingRetries = false;
    this.#parts.changed();
  }

  #mayReadFresh(): boolean {
    if (this.#isReadingFresh || this.#isPaused() || !this.#hasFresh) return false;
    if (this.#window.size > WINDOW_MAX - READ_MAX || this.#retriesCount >= RETRIES_MAX) return false;
    return this.#readAtMs + READ_INTERVAL_MS <= this.#parts.clock.monotonicMs() && this.#mayProbe();
  }

  async #readFresh(): Promise<void> {
    const { queue, clock, batch } = this.#parts;
    this.#isReadingFresh = true;
    this.#hasFresh = false;
    await this.#unlessFailing(async () => {
      const commits = this.#commits;
      const page = await queue.freshEvents(this.#endpoint, this.#window.throughNumber, READ_MAX);
      const isOutdated = commits !== this.#commits;
      if (isOutdated || !page.isEnd) this.#hasFresh = true;
      else this.#readAtMs = clock.monotonicMs();
      if (!isOutdated) batch().addBlocked(this.#window.add(page, (key) => this.#isHeld(key)));
    });
    this.#isReadingFresh = false;
    this.#parts.changed();
  }

  /** Runs a read of the spool; after an error it is repeated later. */
  async #unlessFailing(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      this.#parts.log.warn({ err: error, endpointId: this.#endpoint.id }, "reading webhook events failed, retrying");
      this.wake();
      this.wakeRetries();
      this.pause();
    }
    // A read may resolve within the iteration of the event loop, and many in a row may find nothing to send.
    await new Promise(setImmediate);
  }
}
