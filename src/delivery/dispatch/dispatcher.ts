/**
 * The loop of the MTA core: claims due work, runs attempts side by side within bounds, and settles what they come to.
 * Acceptance, settlement and the next due time wake it; while mail waits it looks once a minute all the same.
 */
import { type Clock, SLEEP_MAX_MS } from "../../lib/clock.ts";
import { type Logger, withoutRedaction } from "../../lib/log.ts";
import type { Outcome } from "../../message/outcome.ts";
import { MessageDamaged, SpoolUnavailable } from "../../spool/port/errors.ts";
import type { DeliveryJob, Settlement } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { type DestinationThrottle, putOffWords } from "../throttle/destination-throttle.ts";
import { accountShares } from "../throttle/fair-share.ts";
import type { AcceptPriority } from "./accept-priority.ts";
import type { Attempted } from "./attempt.ts";
import { notTried } from "./attempt-record.ts";
import type { Preparation, Prepared } from "./preparation.ts";
import { isLate, type RetryPolicy, settlementOf, settlementWhenLate } from "./retry-decision.ts";
import type { Shutdown } from "./shutdown.ts";

export interface DispatcherParts {
  spool: Spool;
  preparation: Pick<Preparation, "of" | "keep">;
  /** Rejects with MessageDamaged alone. */
  attempt: (job: DeliveryJob, prepared: Prepared) => Promise<Attempted>;
  throttle: DestinationThrottle;
  acceptPriority: AcceptPriority;
  shutdown: Shutdown;
  clock: Clock;
  log: Logger;
  random: () => number;
  policy: DeliveryPolicy;
}

export interface DeliveryPolicy extends RetryPolicy {
  /** Attempts at one time. */
  attemptsMax: number;
}

/** In a burst. Those that take longer than usual do not count: they wait for their hosts and keep no other from its turn. */
const ATTEMPTS_IN_BURST = 2;
const USUAL_MS = 500;
const BURST_LOOK_MS = 50;

/** Between tries to reach a spool that does not answer. */
const SPOOL_RETRY_MS = 1000;

export class Dispatcher {
  #parts: DispatcherParts;
  #lines: Logger;
  /** Those under way, and when they began, by the monotonic clock. */
  #attempts = new Map<Promise<void>, number>();
  /** How many of them each account has. */
  #held = new Map<string, number>();
  #pumping: Promise<void> | null = null;
  #wokenMeanwhile = false;
  #cancelTimer: () => void = () => {};

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#lines = withoutRedaction(parts.log);
    parts.spool.onDue(() => this.wake());
  }

  /** How many are under way. */
  get attempts(): number {
    return this.#attempts.size;
  }

  /** Looks for due work now. */
  wake(): void {
    if (this.#pumping !== null) this.#wokenMeanwhile = true;
    else this.#pumping = this.#pump();
  }

  /** Takes no more work once the shutdown has begun. Resolves when the attempts under way have ended and are stored. */
  async ended(): Promise<void> {
    this.#cancelTimer();
    // A claim that is under way may still bring works, which are given back.
    await this.#pumping;
    while (this.#attempts.size > 0) await Promise.all(this.#attempts.keys());
  }

  async #pump(): Promise<void> {
    do {
      this.#wokenMeanwhile = false;
      await this.#claimAll();
    } while (this.#wokenMeanwhile && !this.#parts.shutdown.begun);
    this.#pumping = null;
  }

  /** Claims until nothing is due or no room is left, then sets the timer for what falls due later. */
  async #claimAll(): Promise<void> {
    const { spool, clock, log, policy, throttle } = this.#parts;
    for (;;) {
      const room = policy.attemptsMax - this.#attempts.size;
      if (room <= 0 || this.#parts.shutdown.begun) return;
      const [nowMs, monotonicMs] = [clock.now(), clock.monotonicMs()];
      const limit = Math.min(room, this.#roomInBurst(monotonicMs));
      // Nothing else may come to wake it.
      if (limit === 0) return this.#sleep(BURST_LOOK_MS);
      try {
        const shares = accountShares(this.#held, room);
        const { jobs, nextDueMs } = await spool.claim({
          nowMs,
          limit,
          ...throttle.allowances(monotonicMs),
          ...shares,
        });
        for (const job of jobs) this.#begin(job);
        if (jobs.length === 0) return this.#sleepUntil(nextDueMs, throttle.nextRoomMs(monotonicMs));
      } catch (error) {
        if (!(error instanceof SpoolUnavailable)) throw error;
        log.warn({ error: error.message }, "the spool cannot be read; trying again");
        return this.#sleep(SPOOL_RETRY_MS);
      }
    }
  }

  /** How many attempts more may begin now for the sake of sends. */
  #roomInBurst(nowMs: number): number {
    if (!this.#parts.acceptPriority.isOn) return Number.POSITIVE_INFINITY;
    let recent = 0;
    for (const beganMs of this.#attempts.values()) if (nowMs - beganMs < USUAL_MS) recent += 1;
    return Math.max(0, ATTEMPTS_IN_BURST - recent);
  }

  /** `dueMs` is a stored time, `roomMs` one of the monotonic clock; null for none. */
  #sleepUntil(dueMs: number | null, roomMs: number | null = null): void {
    const { clock } = this.#parts;
    const delays: number[] = [];
    if (dueMs !== null) delays.push(Math.min(dueMs - clock.now(), SLEEP_MAX_MS));
    if (roomMs !== null) delays.push(roomMs - clock.monotonicMs());
    if (delays.length === 0) this.#cancelTimer();
    else this.#sleep(Math.min(...delays));
  }

  #sleep(delayMs: number): void {
    this.#cancelTimer();
    if (this.#parts.shutdown.begun) return;
    this.#cancelTimer = this.#parts.clock.after(delayMs, () => this.wake());
  }

  #begin(job: DeliveryJob): void {
    this.#hold(job.accountId, 1);
    const attempt = this.#run(job).then(() => {
      this.#attempts.delete(attempt);
      this.#hold(job.accountId, -1);
      this.wake();
    });
    this.#attempts.set(attempt, this.#parts.clock.monotonicMs());
  }

  #hold(accountId: string, change: 1 | -1): void {
    const held = (this.#held.get(accountId) ?? 0) + change;
    if (held === 0) this.#held.delete(accountId);
    else this.#held.set(accountId, held);
  }

  async #run(job: DeliveryJob): Promise<void> {
    const { throttle, clock, shutdown, preparation } = this.#parts;
    if (this.#isLate(job)) return this.#expire(job);
    const isPrepared = throttle.prepare(job.domain, clock.monotonicMs());
    const prepared = await this.#prepare(job.domain);
    isPrepared();
    if (prepared === null) return this.#giveBack(job);
    // The look-ups may have taken as long as there was.
    if (shutdown.begun || this.#isLate(job)) {
      return this.#isLate(job) ? this.#expire(job) : this.#giveBack(job);
    }
    const pass = throttle.enter(job.domain, prepared.destination, clock.monotonicMs());
    if (pass.type === "full") {
      preparation.keep(job.domain, prepared);
      return this.#giveBack(job, { destination: pass.destination });
    }
    const beganMs = clock.monotonicMs();
    if (pass.type === "put_off") return this.#conclude(job, notTried(job, putOffWords(pass, clock)), beganMs);
    const attempted = await this.#parts.attempt(job, prepared).catch(unlessMessageDamaged);
    if (attempted === null) {
      throttle.leave(pass, "neutral", clock.monotonicMs());
      return this.#giveBackDamaged(job);
    }
    const { outcomes, signal } = attempted;
    // What our own stop cut says nothing of the destination.
    throttle.leave(pass, shutdown.begun ? "neutral" : signal, clock.monotonicMs());
    await this.#conclude(job, outcomes, beganMs);
  }

  async #conclude(job: DeliveryJob, outcomes: Outcome[], beganMs: number): Promise<void> {
    const { clock } = this.#parts;
    const [atMs, endedMs] = [clock.now(), clock.monotonicMs()];
    // One draw for the whole work: recipients that could share a transaction stay together at the next attempt.
    const lot = this.#parts.random();
    const settlements = job.recipients.map((recipient, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) throw new Error(`an attempt left recipient ${recipient.position} without an outcome`);
      return settlementOf(outcome, { job, recipient, atMs, lot, policy: this.#parts.policy });
    });
    this.#tell(job, settlements, Math.round(endedMs - beganMs));
    await this.#settle(job.messageId, atMs, settlements);
  }

  /** Null when the service stops before the look-ups have ended. */
  #prepare(domain: string): Promise<Prepared | null> {
    const { preparation, shutdown } = this.#parts;
    return new Promise((resolve, reject) => {
      const leave = shutdown.enter({ step: "outside", recipients: 0, cut: () => resolve(null) });
      preparation.of(domain).then(resolve, reject).finally(leave);
    });
  }

  #isLate(job: DeliveryJob): boolean {
    return isLate(job, this.#parts.clock.now());
  }

  /** The sender's own limit is over: nobody wants the message any more, so nothing is tried. */
  async #expire(job: DeliveryJob): Promise<void> {
    const settlements = job.recipients.map((recipient) => settlementWhenLate(recipient));
    this.#tell(job, settlements, 0);
    await this.#settle(job.messageId, this.#parts.clock.now(), settlements);
  }

  /** The destination turned out to be full, or there is no time left: the work waits in the spool, not here. */
  async #giveBack({ messageId, recipients }: DeliveryJob, full: { destination?: string } = {}): Promise<void> {
    const ref = { messageId, positions: recipients.map((recipient) => recipient.position), ...full };
    await this.#untilStored("work cannot be given back", () => this.#parts.spool.release(ref));
  }

  /** The spool has quarantined it. A disk that refused that lets it be claimed again, so not at once. */
  async #giveBackDamaged(job: DeliveryJob): Promise<void> {
    await new Promise<void>((resolve) => void this.#parts.clock.after(SPOOL_RETRY_MS, resolve));
    return this.#giveBack(job);
  }

  /**
   * What happened has happened: it is offered to the spool until the spool takes it. Where the message's own rows are
   * damaged, it never does: the log line of the attempt is then the only record of the result.
   */
  async #settle(messageId: string, atMs: number, settlements: Settlement[]): Promise<void> {
    const { spool, clock, log } = this.#parts;
    // Set back before the spool takes it, the clock would be long in coming to the next attempt.
    const told = (): Settlement[] => broughtForward(settlements, clock.now() - atMs);
    try {
      await this.#untilStored("a result cannot be stored", () => spool.settle(messageId, atMs, told()));
    } catch (error) {
      if (!(error instanceof MessageDamaged)) throw error;
      log.error({ messageId, error: error.message }, "result not stored: the message is damaged");
    }
  }

  async #untilStored(trouble: string, store: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#parts;
    for (;;) {
      try {
        return await store();
      } catch (error) {
        if (!(error instanceof SpoolUnavailable)) throw error;
        log.error({ error: error.message }, `${trouble}; trying again`);
        await new Promise<void>((resolve) => void clock.after(SPOOL_RETRY_MS, resolve));
      }
    }
  }

  /** A line for each recipient: with the message's id it goes on where the request's line ended. */
  #tell(job: DeliveryJob, settlements: Settlement[], durationMs: number): void {
    for (const [index, s] of settlements.entries()) {
      const last = s.tries.at(-1);
      this.#lines.info(
        {
          messageId: job.messageId,
          recipient: s.position,
          domain: job.domain,
          attempt: s.untried ? undefined : (job.recipients[index]?.attempts ?? 0) + 1,
          durationMs,
          outcome: s.outcome,
          result: s.result,
          reason: s.reason ?? undefined,
          category: s.category ?? undefined,
          mx: last?.mx,
          ip: last?.ip ?? undefined,
          tls: last?.tls?.protocol,
          stage: last?.stage,
          code: last?.reply?.code,
          enhancedCode: last?.reply?.enhanced_code ?? undefined,
          error: last?.error ?? undefined,
        },
        "attempt",
      );
    }
  }
}

/** `stepMs` is negative where the clock was set back. */
function broughtForward(settlements: Settlement[], stepMs: number): Settlement[] {
  if (stepMs >= 0) return settlements;
  return settlements.map((settlement) => {
    const { nextAttemptAtMs } = settlement;
    return nextAttemptAtMs === null ? settlement : { ...settlement, nextAttemptAtMs: nextAttemptAtMs + stepMs };
  });
}

function unlessMessageDamaged(error: unknown): null {
  if (error instanceof MessageDamaged) return null;
  throw error;
}
