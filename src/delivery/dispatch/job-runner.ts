/**
 * The way of one claimed delivery job: prepare its recipient domain, enter the destination throttle, run the attempt, and
 * store the result, or release the job. dispatcher.ts decides which jobs are claimed, and when.
 */
import type { Clock } from "../../lib/clock.ts";
import { type Logger, withoutRedaction } from "../../lib/log.ts";
import type { Outcome } from "../../message/outcome.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { MessageDamaged, SpoolUnavailable } from "../../spool/port/errors.ts";
import type { DeliveryJob, Settlement } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { type DestinationThrottle, deferralText } from "../throttle/destination-throttle.ts";
import type { AttemptResult } from "./attempt.ts";
import { logAttempt } from "./attempt-log.ts";
import { outcomesNotTried } from "./attempt-record.ts";
import type { DomainTrafficCounts } from "./domain-traffic.ts";
import type { Preparation, PreparedDomain } from "./preparation.ts";
import { isPastDeadline, type RetryPolicy, settlementOf, settlementPastDeadline } from "./retry-decision.ts";
import type { Shutdown } from "./shutdown.ts";

export interface JobRunnerParts {
  spool: Pick<Spool, "settle" | "release">;
  preparation: Pick<Preparation, "prepare" | "keep">;
  /** A slot became free that waiting mail may use. */
  onSlotFree: () => void;
  /** Never rejects. */
  attempt: (job: DeliveryJob, prepared: PreparedDomain) => Promise<AttemptResult>;
  throttle: DestinationThrottle;
  traffic: Pick<DomainTrafficCounts, "begin">;
  shutdown: Shutdown;
  clock: Clock;
  log: Logger;
  random: () => number;
  policy: RetryPolicy;
}

/** Between tries to reach a spool that is unavailable. */
export const SPOOL_RETRY_MS = 1000;

export class JobRunner {
  readonly #parts: JobRunnerParts;
  readonly #attemptLog: Logger;

  constructor(parts: JobRunnerParts) {
    this.#parts = parts;
    this.#attemptLog = withoutRedaction(parts.log);
  }

  /** Resolves when the job is settled or released. */
  async run(job: DeliveryJob): Promise<void> {
    const { throttle, clock, shutdown } = this.#parts;
    if (this.#isPastDeadline(job)) return this.#expire(job);
    const endPreparation = throttle.trackPreparation(job.domain, clock.monotonicMs());
    const prepared = await this.#prepare(job.domain);
    endPreparation();
    if (prepared === null) return this.#release(job);
    // The look-ups may have outlasted the deadline.
    if (shutdown.hasBegun || this.#isPastDeadline(job)) {
      return this.#isPastDeadline(job) ? this.#expire(job) : this.#release(job);
    }
    return this.#attempt(job, prepared);
  }

  async #attempt(job: DeliveryJob, prepared: PreparedDomain): Promise<void> {
    const { throttle, traffic, clock, shutdown, preparation } = this.#parts;
    const permit = await throttle.enter(job, prepared.destination, () => clock.monotonicMs());
    const beganMs = clock.monotonicMs();
    if (permit.type === "full") {
      preparation.keep(job.domain, prepared);
      return this.#release(job, { destination: permit.destination });
    }
    if (permit.type === "deferred") {
      return this.#settleOutcomes(job, outcomesNotTried(job, deferralText(permit, clock)), beganMs);
    }
    const endTraffic = traffic.begin(job, job.recipients.length);
    const { outcomes, signal, trouble = null } = await this.#parts.attempt(job, prepared);
    // The sink inside the service is never overloaded: its refusals are scripted.
    const observed = isTestRoute(job.domain) ? "accepted" : signal;
    // An attempt that our own shutdown aborted says nothing about the destination.
    throttle.release(permit, shutdown.hasBegun ? "neutral" : observed, clock.monotonicMs(), trouble);
    // The next attempt need not wait until the result is stored.
    if (throttle.isConstrained(permit)) this.#parts.onSlotFree();
    await this.#settleDecided(job, outcomes, beganMs);
    endTraffic(outcomes.filter((outcome) => outcome?.type === "delivered").length);
    const undecided = job.recipients.filter((_, i) => outcomes[i] === null);
    if (undecided.length > 0) await this.#releaseUndecided({ ...job, recipients: undecided });
  }

  async #settleDecided(job: DeliveryJob, outcomes: (Outcome | null)[], beganMs: number): Promise<void> {
    const decided = outcomes.filter((outcome) => outcome !== null);
    if (decided.length === 0) return;
    const recipients = job.recipients.filter((_, i) => outcomes[i] !== null);
    await this.#settleOutcomes({ ...job, recipients }, decided, beganMs);
  }

  /** Null when the service stops before the look-ups have ended. */
  #prepare(domain: string): Promise<PreparedDomain | null> {
    const { preparation, shutdown } = this.#parts;
    return new Promise((resolve, reject) => {
      const unregister = shutdown.register({ phase: "outside", recipients: 0, abort: () => resolve(null) });
      preparation.prepare(domain).then(resolve, reject).finally(unregister);
    });
  }

  #isPastDeadline(job: DeliveryJob): boolean {
    return isPastDeadline(job, this.#parts.clock.now());
  }

  async #settleOutcomes(job: DeliveryJob, outcomes: Outcome[], beganMs: number): Promise<void> {
    const { clock, random, policy } = this.#parts;
    const [atMs, endedMs] = [clock.now(), clock.monotonicMs()];
    // One draw for the whole job: recipients that could share a transaction stay together at the next attempt.
    const jitter = random();
    const settlements = job.recipients.map((recipient, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) throw new Error(`the attempt has no outcome for recipient ${recipient.position}`);
      return settlementOf(outcome, { job, recipient, atMs, jitter, policy });
    });
    logAttempt(this.#attemptLog, job, { settlements, durationMs: Math.round(endedMs - beganMs) });
    await this.#settle(job, atMs, settlements);
  }

  /** The sender's own deadline is over, so nothing is tried. */
  async #expire(job: DeliveryJob): Promise<void> {
    const settlements = job.recipients.map((recipient) => settlementPastDeadline(recipient));
    logAttempt(this.#attemptLog, job, { settlements, durationMs: 0 });
    await this.#settle(job, this.#parts.clock.now(), settlements);
  }

  /** Returns the job to the spool: its destination is full, or the service stops. */
  async #release({ messageId, recipients, lease }: DeliveryJob, full: { destination?: string } = {}): Promise<void> {
    const released = { messageId, positions: recipients.map((recipient) => recipient.position), lease, ...full };
    await this.#untilStored("job not released", () => this.#parts.spool.release(released));
  }

  /**
   * The spool has quarantined the message. Where the disk refused that, the job can be claimed again, so the lease ends after a
   * pause only. A lost lease is not affected.
   */
  async #releaseUndecided(job: DeliveryJob): Promise<void> {
    await new Promise<void>((resolve) => void this.#parts.clock.after(SPOOL_RETRY_MS, resolve));
    await this.#release(job);
  }

  /**
   * Stores a result, and tries again for as long as the spool is unavailable. Where the message's own rows are damaged, the spool
   * never takes it: the log line of the attempt is then the only record of the result.
   */
  async #settle({ messageId, lease }: DeliveryJob, atMs: number, settlements: Settlement[]): Promise<void> {
    const { spool, clock, log } = this.#parts;
    const store = () => spool.settle(messageId, atMs, followingClock(settlements, clock.now() - atMs), lease);
    try {
      const stored = await this.#untilStored("result not stored", store);
      if (stored === "lease_lost") log.warn({ messageId }, "result not stored: the lease was lost");
    } catch (error) {
      if (!(error instanceof MessageDamaged)) throw error;
      log.error({ messageId, error: error.message }, "result not stored: the message is damaged");
    }
  }

  async #untilStored<T>(event: string, store: () => Promise<T>): Promise<T> {
    const { clock, log } = this.#parts;
    for (let tries = 1; ; tries += 1) {
      try {
        return await store();
      } catch (error) {
        if (!(error instanceof SpoolUnavailable)) throw error;
        // Hundreds of jobs may wait for the same spool.
        log[tries === 1 ? "error" : "debug"]({ error: error.message }, `${event}, retrying: the spool is unavailable`);
        await new Promise<void>((resolve) => void clock.after(SPOOL_RETRY_MS, resolve));
      }
    }
  }
}

/**
 * The settlements with their next attempts moved back by as much as the clock was set back since (`stepMs` is negative then);
 * otherwise the next attempt would come that much too late.
 */
function followingClock(settlements: Settlement[], stepMs: number): Settlement[] {
  if (stepMs >= 0) return settlements;
  return settlements.map((settlement) => {
    const { nextAttemptAtMs } = settlement;
    return nextAttemptAtMs === null ? settlement : { ...settlement, nextAttemptAtMs: nextAttemptAtMs + stepMs };
  });
}
