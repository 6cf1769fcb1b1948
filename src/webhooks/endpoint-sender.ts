/**
 * Sends the events of one endpoint. Events of one order key are sent one after another, and an event that failed keeps only the
 * later ones of its order key waiting. Attempts at once, events in memory and results not yet stored are bounded. The spool
 * stores what was sent; after a crash some events are sent again, with the same webhook-id.
 */
import { setImmediate as nextIteration } from "node:timers/promises";
import { webhookBody } from "../app/webhook-body.ts";
import { type Clock, SLEEP_MAX_MS } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { OutboxEvent } from "../spool/port/events.ts";
import type { Endpoint, WebhookQueue, WebhookResult } from "../spool/port/webhooks.ts";
import { EndpointHealth } from "./endpoint-health.ts";
import { EventWindow } from "./event-window.ts";
import type { PostSlots } from "./post-slots.ts";
import type { Poster, PostResponse } from "./poster.ts";
import { nextWebhookAttemptMs } from "./retry-schedule.ts";
import { SettlementBatch } from "./settlement-batch.ts";

/** Events in one read. */
const READ_MAX = 16;
/** Events between the stored position and the last event read: so many may be sent again after a crash. */
const WINDOW_MAX = 64;
/** Results that wait for the disk before no further attempt begins: so many retries may be sent again after a crash. */
const UNSETTLED_MAX = 64;
/** Order keys that wait for another attempt before no further event is taken. */
const RETRIES_MAX = 10_000;
/** Between reads that find nothing, however often new events of the account are announced. */
const READ_INTERVAL_MS = 20;
/** A position that moved without a result is stored after this time: reading the same events again does no harm. */
const POSITION_DELAY_MS = 5000;
/** After an error of the spool. */
const SPOOL_RETRY_MS = 1000;

export interface SenderParts {
  queue: WebhookQueue;
  poster: Pick<Poster, "post">;
  slots: PostSlots;
  clock: Clock;
  log: Logger;
  /** Uniform in [0, 1). */
  random: () => number;
  /** The endpoint's secrets that are valid now. */
  secrets: (nowMs: number) => string[];
  /** Counts an attempt. */
  attempted: (result: WebhookResult["outcome"]["type"]) => void;
  /** Called when the endpoint was disabled. */
  disabled: () => void;
}

interface Work {
  event: OutboxEvent;
  /** Attempts made before. */
  attempts: number;
  /** Null for an event that was not attempted yet. */
  retry: { dueMs: number; isProbe: boolean } | null;
}

export class EndpointSender {
  readonly #endpoint: Endpoint;
  readonly #parts: SenderParts;
  readonly #health: EndpointHealth;
  readonly #window: EventWindow;
  /** Order keys with an attempt under way, or about to begin. */
  readonly #busy = new Set<number>();
  #retries: Work[] = [];
  #retriesCount = 0;
  /** When to read retries; null if none waits. */
  #nextRetryMs: number | null = Number.NEGATIVE_INFINITY;
  /** The last read left out due retries whose order keys were busy. */
  #hasSkippedRetries = false;
  #batch = new SettlementBatch();
  /** The batch that is being stored. */
  #settling: SettlementBatch | null = null;
  #storedPosition: number;
  /** Raised with each commit that changes retries: a read from before it is outdated. */
  #commits = 0;
  #posting = 0;
  #slotsRequested = 0;
  #takesRetry = false;
  #hasFresh = true;
  #isReadingFresh = false;
  #isReadingRetries = false;
  #isWaitingForSpool = false;
  #isStopped = false;
  #isAbandoned = false;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #positionMovedAtMs: number | null = null;
  #cancelTimer: () => void = () => {};
  #drained: () => void = () => {};

  constructor(endpoint: Endpoint, parts: SenderParts) {
    this.#endpoint = endpoint;
    this.#parts = parts;
    this.#health = new EndpointHealth(endpoint.failingSinceMs);
    this.#window = new EventWindow(endpoint.position);
    this.#storedPosition = endpoint.position;
  }

  get version(): number {
    return this.#endpoint.version;
  }

  /** To be called at the start, and when the account has new events. */
  wake(): void {
    this.#hasFresh = true;
    this.#advance();
  }

  /** To be called when a person, or another process, may have made retries due. */
  wakeRetries(): void {
    this.#nextRetryMs = Number.NEGATIVE_INFINITY;
    this.wake();
  }

  /** Begins no further attempt. Resolves when those under way have ended and are stored. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.#advance();
    });
  }

  /** Ignores the responses that are still missing: those attempts are made again after the next start. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Starts whatever can be started now. Called after each change. */
  #advance(): void {
    this.#cancelTimer();
    if (this.#mustSettle()) void this.#settle();
    if (this.#isStopped) {
      if (this.#posting === 0 && this.#settling === null && this.#batch.isEmpty) this.#drained();
      if (this.#isWaitingForSpool) this.#drained();
      return;
    }
    if (this.#mayReadRetries()) void this.#readRetries();
    if (this.#mayReadFresh()) void this.#readFresh();
    this.#requestSlots();
    this.#setTimer();
  }

  #requestSlots(): void {
    const { slots } = this.#parts;
    const unsettled = this.#batch.results.length + (this.#settling?.results.length ?? 0);
    const concurrentMax = unsettled < UNSETTLED_MAX ? this.#health.concurrentMax : 0;
    while (this.#posting + this.#slotsRequested < concurrentMax && this.#workCount() > this.#slotsRequested) {
      this.#slotsRequested += 1;
      slots.request(this.#endpoint.accountId, () => this.#useSlot());
    }
  }

  /** At least the number of attempts that can begin now; 0 if there is none. */
  #workCount(): number {
    return this.#retries.length + (this.#hasReadyEvent() ? this.#window.size : 0);
  }

  #hasReadyEvent(): boolean {
    if (this.#health.probeWaitMs(this.#parts.clock.monotonicMs()) > 0) return false;
    return this.#window.hasNext((key) => this.#isBusy(key));
  }

  #useSlot(): void {
    this.#slotsRequested -= 1;
    const work = this.#isStopped || this.#posting >= this.#health.concurrentMax ? null : this.#takeWork();
    if (work === null) this.#parts.slots.release(this.#endpoint.accountId);
    else void this.#attempt(work);
  }

  /** Alternates between retries and events that were not attempted yet. */
  #takeWork(): Work | null {
    this.#takesRetry = !this.#takesRetry;
    return this.#takesRetry ? (this.#takeRetry() ?? this.#takeFresh()) : (this.#takeFresh() ?? this.#takeRetry());
  }

  #takeRetry(): Work | null {
    return this.#retries.shift() ?? null;
  }

  #takeFresh(): Work | null {
    if (!this.#hasReadyEvent()) return null;
    const event = this.#window.take((key) => this.#isBusy(key));
    if (event === null) return null;
    this.#health.probing(this.#parts.clock.monotonicMs());
    return { event, attempts: 0, retry: null };
  }

  async #attempt(work: Work): Promise<void> {
    const { poster, clock, slots, secrets } = this.#parts;
    const { event } = work;
    this.#posting += 1;
    this.#busy.add(event.orderKey);
    const atMs = clock.now();
    const request = { url: this.#endpoint.url, id: event.id, atMs, body: webhookBody(event), secrets: secrets(atMs) };
    const response = await poster.post(request);
    if (this.#isAbandoned) return;
    this.#posting -= 1;
    slots.release(this.#endpoint.accountId);
    this.#record(work, { atMs, response });
    this.#advance();
  }

  #record(work: Work, { atMs, response }: { atMs: number; response: PostResponse }): void {
    const { event, retry, attempts } = work;
    const { status, error, response: text, durationMs } = response;
    const isSent = status !== null && status >= 200 && status < 300;
    const outcome = isSent ? this.#succeed() : this.#fail(work, response);
    const attempt = retry?.isProbe && !isSent ? Math.max(attempts, 1) : attempts + 1;
    this.#batch.results.push({
      event,
      attempt: { atMs, durationMs: Math.round(durationMs), attempt, status, error, response: text },
      outcome,
    });
    this.#busy.delete(event.orderKey);
    if (retry === null) this.#window.finish(event.number);
    if (retry !== null || !isSent) this.#holdKey(event.orderKey);
    this.#parts.attempted(outcome.type);
    if (isSent) return;
    const { id: endpointId } = this.#endpoint;
    this.#parts.log.info({ endpointId, eventId: event.id, attempt, status, error, ...outcome }, "webhook failed");
  }

  #succeed(): WebhookResult["outcome"] {
    if (this.#health.succeeded()) this.#batch.isRecovered = true;
    return { type: "sent" };
  }

  #fail({ attempts, retry }: Work, { status, retryAfterMs }: PostResponse): WebhookResult["outcome"] {
    const { clock, random } = this.#parts;
    const nowMs = clock.now();
    this.#batch.disable ??= this.#health.failed(status, nowMs);
    if (this.#batch.disable !== null) this.#isStopped = true;
    // A probe does not use up an attempt.
    if (retry?.isProbe) return { type: "deferred", nextAttemptAtMs: retry.dueMs };
    const nextAttemptAtMs = nextWebhookAttemptMs({ attempt: attempts + 1, nowMs, retryAfterMs, random });
    return nextAttemptAtMs === null ? { type: "given_up" } : { type: "deferred", nextAttemptAtMs };
  }

  /** Keeps the order key busy until the commit; what waits for it in memory then waits in the spool. */
  #holdKey(orderKey: number): void {
    this.#batch.keys.add(orderKey);
    this.#batch.addBlocked(this.#window.block(orderKey));
  }

  #isHeld(orderKey: number): boolean {
    return this.#batch.keys.has(orderKey) || (this.#settling?.keys.has(orderKey) ?? false);
  }

  #isBusy(orderKey: number): boolean {
    return this.#busy.has(orderKey) || this.#isHeld(orderKey);
  }

  #mustSettle(): boolean {
    if (this.#settling !== null || this.#isWaitingForSpool) return false;
    if (!this.#batch.isEmpty) return true;
    if (this.#window.position === this.#storedPosition) return false;
    const monotonicMs = this.#parts.clock.monotonicMs();
    this.#positionMovedAtMs ??= monotonicMs;
    return this.#isStopped || monotonicMs - this.#positionMovedAtMs >= POSITION_DELAY_MS;
  }

  async #settle(): Promise<void> {
    const { queue, clock, log, disabled } = this.#parts;
    const { id: endpointId, version } = this.#endpoint;
    const batch = this.#batch;
    const { position } = this.#window;
    this.#batch = new SettlementBatch();
    this.#settling = batch;
    try {
      await queue.settleWebhooks(batch.settlement({ endpointId, version, atMs: clock.now(), position }));
      this.#settled(batch, position);
      if (batch.disable !== null) disabled();
    } catch (error) {
      log.warn({ err: error, endpointId }, "storing webhook results failed, retrying");
      batch.append(this.#batch);
      this.#batch = batch;
      this.#waitForSpool();
    }
    this.#settling = null;
    this.#advance();
  }

  #settled(batch: SettlementBatch, position: number): void {
    this.#storedPosition = position;
    this.#window.stored(position);
    this.#positionMovedAtMs = null;
    if (batch.keys.size === 0 && !batch.isRecovered && !this.#hasSkippedRetries) return;
    this.#commits += 1;
    this.#nextRetryMs = Number.NEGATIVE_INFINITY;
  }

  #mayReadRetries(): boolean {
    if (this.#isReadingRetries || this.#isWaitingForSpool || this.#retries.length > 0) return false;
    if (this.#isFull() && this.#health.probeWaitMs(this.#parts.clock.monotonicMs()) === 0) return true;
    return this.#nextRetryMs !== null && this.#nextRetryMs <= this.#parts.clock.now();
  }

  #isFull(): boolean {
    return this.#retriesCount >= RETRIES_MAX && this.#health.isFailing;
  }

  async #readRetries(): Promise<void> {
    const { queue, clock } = this.#parts;
    this.#isReadingRetries = true;
    await this.#read(async () => {
      const isProbe = this.#isFull() && this.#health.probeWaitMs(clock.monotonicMs()) === 0;
      const commits = this.#commits;
      const nowMs = clock.now();
      const limit = isProbe ? 1 : READ_MAX;
      const due = await queue.dueRetries(this.#endpoint.id, isProbe ? Number.MAX_SAFE_INTEGER : nowMs, limit);
      if (commits !== this.#commits) return;
      if (isProbe) this.#health.probing(clock.monotonicMs());
      this.#retriesCount = due.count;
      const gone = due.gone.filter((key) => !this.#isBusy(key));
      const ready = due.retries.filter(({ event }) => !this.#isBusy(event.orderKey));
      this.#hasSkippedRetries = ready.length < due.retries.length;
      // The spool returns the same order keys until they are settled.
      this.#nextRetryMs = ready.length === 0 && due.retries.length + due.gone.length > 0 ? null : due.nextDueMs;
      this.#batch.addGone(gone);
      this.#retries = ready.map(({ event, attempts, dueMs }) => ({ event, attempts, retry: { dueMs, isProbe } }));
      for (const { event } of ready) this.#busy.add(event.orderKey);
    });
    this.#isReadingRetries = false;
    this.#advance();
  }

  #mayReadFresh(): boolean {
    if (this.#isReadingFresh || this.#isWaitingForSpool || !this.#hasFresh) return false;
    if (this.#window.size > WINDOW_MAX - READ_MAX || this.#retriesCount >= RETRIES_MAX) return false;
    const { clock } = this.#parts;
    const monotonicMs = clock.monotonicMs();
    return this.#readAtMs + READ_INTERVAL_MS <= monotonicMs && this.#health.probeWaitMs(monotonicMs) === 0;
  }

  async #readFresh(): Promise<void> {
    const { queue, clock } = this.#parts;
    this.#isReadingFresh = true;
    this.#hasFresh = false;
    await this.#read(async () => {
      const commits = this.#commits;
      const page = await queue.freshEvents(this.#endpoint, this.#window.throughNumber, READ_MAX);
      if (commits !== this.#commits || !page.isEnd) this.#hasFresh = true;
      else this.#readAtMs = clock.monotonicMs();
      if (commits === this.#commits) this.#batch.addBlocked(this.#window.add(page, (key) => this.#isHeld(key)));
    });
    this.#isReadingFresh = false;
    this.#advance();
  }

  /** Runs a read of the spool; after an error it is repeated later. */
  async #read(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      this.#parts.log.warn({ err: error, endpointId: this.#endpoint.id }, "reading webhook events failed, retrying");
      this.#hasFresh = true;
      this.#nextRetryMs = Number.NEGATIVE_INFINITY;
      this.#waitForSpool();
    }
    // A read of the spool resolves in the same iteration of the event loop, and a page may have nothing to send.
    await nextIteration();
  }

  #waitForSpool(): void {
    if (this.#isWaitingForSpool) return;
    this.#isWaitingForSpool = true;
    this.#parts.clock.after(SPOOL_RETRY_MS, () => {
      this.#isWaitingForSpool = false;
      this.#advance();
    });
  }

  /** Sets the timer for what becomes possible by time alone. */
  #setTimer(): void {
    const { clock } = this.#parts;
    const monotonicMs = clock.monotonicMs();
    const waitsMs = [this.#health.probeWaitMs(monotonicMs)];
    if (this.#nextRetryMs !== null) waitsMs.push(this.#nextRetryMs - clock.now());
    if (this.#hasFresh) waitsMs.push(this.#readAtMs + READ_INTERVAL_MS - monotonicMs);
    if (this.#positionMovedAtMs !== null) waitsMs.push(this.#positionMovedAtMs + POSITION_DELAY_MS - monotonicMs);
    // What is possible already waits for something else, which calls #advance.
    const delayMs = Math.min(SLEEP_MAX_MS, ...waitsMs.filter((ms) => ms > 0));
    this.#cancelTimer = clock.after(delayMs, () => this.#advance());
  }
}
