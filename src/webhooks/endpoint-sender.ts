/**
 * Sends the events of one endpoint: attempts what event-supply.ts has ready, decides what each response means, and stores the
 * results. Attempts at once and results not yet stored are bounded. After a crash some events are sent again, with the same
 * webhook-id.
 */
import { webhookBody } from "../app/webhooks/webhook-body.ts";
import { type Clock, SLEEP_MAX_MS } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Endpoint, WebhookQueue, WebhookResult } from "../spool/port/webhooks.ts";
import { EndpointHealth } from "./endpoint-health.ts";
import { EventSupply, SPOOL_RETRY_MS, type Work } from "./event-supply.ts";
import type { PostSlots } from "./post-slots.ts";
import type { Poster, PostResponse } from "./poster.ts";
import { nextWebhookAttemptMs } from "./retry-schedule.ts";
import { SettlementBatch } from "./settlement-batch.ts";

/** Results that wait for the disk before no further attempt begins: so many retries may be sent again after a crash. */
const UNSETTLED_MAX = 64;
/** Between settlements of fewer than RESULTS_AT_ONCE successes: under load, a settlement for each would cost as much as its post. */
const SETTLE_INTERVAL_MS = 20;
const RESULTS_AT_ONCE = 8;
/** A position that moved without a result is stored after this time: reading the same events again does no harm. */
const POSITION_DELAY_MS = 5000;

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
  /** Whether no other process may have sent the same events meanwhile. */
  mayStore: () => boolean;
  /** Called when the endpoint was disabled. */
  disabled: () => void;
}

export class EndpointSender {
  readonly #endpoint: Endpoint;
  readonly #parts: SenderParts;
  readonly #health: EndpointHealth;
  readonly #supply: EventSupply;
  #batch = new SettlementBatch();
  #storedPosition: number;
  /** By the monotonic clock. */
  #positionMovedAtMs: number | null = null;
  /** When the last settlement began. By the monotonic clock, as the next one. */
  #settledAtMs = Number.NEGATIVE_INFINITY;
  #settleFailedAtMs = Number.NEGATIVE_INFINITY;
  #posting = 0;
  #slotsRequested = 0;
  /** The batch that is being stored. */
  #settling: SettlementBatch | null = null;
  #isStopped = false;
  #isAbandoned = false;
  #cancelTimer: () => void = () => {};
  #drained: () => void = () => {};

  constructor(endpoint: Endpoint, parts: SenderParts) {
    this.#endpoint = endpoint;
    this.#parts = parts;
    this.#health = new EndpointHealth(endpoint.failingSinceMs);
    const { queue, clock, log } = parts;
    this.#supply = new EventSupply(endpoint, {
      queue,
      clock,
      log,
      health: this.#health,
      batch: () => this.#batch,
      settling: () => this.#settling,
      changed: () => this.#advance(),
    });
    this.#storedPosition = endpoint.position;
  }

  get version(): number {
    return this.#endpoint.version;
  }

  /** To be called at the start, and when the account has new events. */
  wake(): void {
    this.#supply.wake();
    this.#advance();
  }

  /** To be called when a person, or another process, may have made retries due. */
  wakeRetries(): void {
    this.#supply.wakeRetries();
    this.wake();
  }

  /** Begins no further attempt. Resolves when those under way have ended and are stored, or cannot be stored. */
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
      const isIdle = this.#posting === 0 && this.#settling === null;
      if (isIdle && (this.#batch.isEmpty || this.#settleWaitMs() > 0 || !this.#parts.mayStore())) this.#drained();
      return;
    }
    this.#supply.read();
    this.#requestSlots();
    this.#setTimer();
  }

  #requestSlots(): void {
    const { slots } = this.#parts;
    const unsettled = this.#batch.results.length + (this.#settling?.results.length ?? 0);
    const concurrentMax = unsettled < UNSETTLED_MAX ? this.#health.concurrentMax : 0;
    while (this.#posting + this.#slotsRequested < concurrentMax && this.#supply.available > this.#slotsRequested) {
      this.#slotsRequested += 1;
      slots.request(this.#endpoint.accountId, () => this.#useSlot());
    }
  }

  #useSlot(): void {
    this.#slotsRequested -= 1;
    const isAllowed = !this.#isStopped && this.#posting < this.#health.concurrentMax;
    const work = isAllowed ? this.#supply.take() : null;
    if (work === null) this.#parts.slots.release(this.#endpoint.accountId);
    else void this.#attempt(work);
  }

  async #attempt(work: Work): Promise<void> {
    const { poster, clock, slots, secrets } = this.#parts;
    const { event } = work;
    this.#posting += 1;
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
    const { number, id, type, messageId, orderKey } = event;
    const { status, error, response: text, durationMs } = response;
    const isSent = status !== null && status >= 200 && status < 300;
    const outcome = isSent ? this.#succeed() : this.#fail(work, response);
    const attempt = retry?.isProbe && !isSent ? Math.max(attempts, 1) : attempts + 1;
    this.#batch.results.push({
      event: { number, id, type, messageId, orderKey },
      attempt: { atMs, durationMs: Math.round(durationMs), attempt, status, error, response: text },
      outcome,
    });
    this.#supply.finish(work, isSent);
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
    const isDown = this.#health.isDown(nowMs);
    const nextAttemptAtMs = nextWebhookAttemptMs({ attempt: attempts + 1, nowMs, retryAfterMs, isDown, random });
    return nextAttemptAtMs === null ? { type: "given_up" } : { type: "deferred", nextAttemptAtMs };
  }

  #mustSettle(): boolean {
    if (this.#settling !== null || this.#settleWaitMs() > 0 || !this.#parts.mayStore()) return false;
    if (!this.#batch.isEmpty) return true;
    if (this.#supply.position === this.#storedPosition) return false;
    const monotonicMs = this.#parts.clock.monotonicMs();
    this.#positionMovedAtMs ??= monotonicMs;
    return this.#isStopped || monotonicMs - this.#positionMovedAtMs >= POSITION_DELAY_MS;
  }

  /** After an error of the spool, and between settlements of a few successes. */
  #settleWaitMs(): number {
    const { keys, results } = this.#batch;
    const isFew = results.length > 0 && results.length < RESULTS_AT_ONCE;
    const waitsForMore = isFew && keys.size === 0 && !this.#isStopped;
    const intervalEndMs = waitsForMore ? this.#settledAtMs + SETTLE_INTERVAL_MS : Number.NEGATIVE_INFINITY;
    return Math.max(this.#settleFailedAtMs + SPOOL_RETRY_MS, intervalEndMs) - this.#parts.clock.monotonicMs();
  }

  async #settle(): Promise<void> {
    const { queue, clock, log, disabled } = this.#parts;
    const { id: endpointId, version } = this.#endpoint;
    const batch = this.#batch;
    const { position } = this.#supply;
    this.#batch = new SettlementBatch();
    this.#settling = batch;
    this.#settledAtMs = clock.monotonicMs();
    try {
      await queue.settleWebhooks(batch.settlement({ endpointId, version, atMs: clock.now(), position }));
      this.#storedPosition = position;
      this.#positionMovedAtMs = null;
      this.#supply.committed(batch, position);
      if (batch.disable !== null) disabled();
    } catch (error) {
      log.warn({ err: error, endpointId }, "storing webhook results failed, retrying");
      batch.append(this.#batch);
      this.#batch = batch;
      this.#settleFailedAtMs = clock.monotonicMs();
      this.#supply.pause();
    }
    this.#settling = null;
    this.#advance();
  }

  /** Sets the timer for what becomes possible only by time. All else calls #advance when it happens. */
  #setTimer(): void {
    const { clock } = this.#parts;
    const waitsMs = [...this.#supply.waitsMs(), this.#settleWaitMs()];
    if (this.#positionMovedAtMs !== null) {
      waitsMs.push(this.#positionMovedAtMs + POSITION_DELAY_MS - clock.monotonicMs());
    }
    const delayMs = Math.min(SLEEP_MAX_MS, ...waitsMs.filter((ms) => ms > 0));
    this.#cancelTimer = clock.after(delayMs, () => this.#advance());
  }
}
