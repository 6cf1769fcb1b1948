/**
 * The loop of delivery: claims due jobs within the limits and runs them side by side. job-runner.ts decides what happens to
 * one job.
 *
 * The loop runs when the spool reports due mail, when a job ends, and when a timer fires at the next due time. While mail waits
 * for a later time, the timer fires at least every SLEEP_MAX_MS all the same, because a timer follows neither a clock that is set
 * nor a host that sleeps. In accept-priority mode the loop checks every 50 ms whether it may claim again, and while the spool is
 * unavailable it retries every second. With no mail waiting it does not run at all.
 */
import { SLEEP_MAX_MS } from "../../lib/clock.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { AttemptLanes } from "../throttle/attempt-lanes.ts";
import { accountShares } from "../throttle/fair-share.ts";
import type { AcceptPriority } from "./accept-priority.ts";
import { ExpirySweep } from "./expiry-sweep.ts";
import { JobRunner, type JobRunnerParts, SPOOL_RETRY_MS } from "./job-runner.ts";
import type { RetryPolicy } from "./retry-decision.ts";

export interface DispatcherParts extends Omit<JobRunnerParts, "onSlotFree" | "lanes"> {
  spool: Spool;
  acceptPriority: AcceptPriority;
  policy: DeliveryPolicy;
}

export interface DeliveryPolicy extends RetryPolicy {
  /** Attempts at one time in the fair shares of all accounts. Those that wait for slow hosts come beside them. */
  attemptsMax: number;
}

/**
 * Attempts in accept-priority mode. Those that take longer than usual do not count: they wait for their hosts and use no CPU
 * time.
 */
const ATTEMPTS_IN_ACCEPT_PRIORITY = 2;
const USUAL_ATTEMPT_MS = 500;
const ACCEPT_PRIORITY_CHECK_MS = 50;

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #runner: JobRunner;
  /** The jobs under way, and when each began, by the monotonic clock. */
  readonly #jobs = new Map<Promise<void>, number>();
  readonly #lanes: AttemptLanes;
  readonly #expirySweep: ExpirySweep;
  #loop: Promise<void> | null = null;
  #isWakePending = false;
  #cancelTimer: () => void = () => {};

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#lanes = new AttemptLanes(parts.policy.attemptsMax);
    this.#runner = new JobRunner({ ...parts, lanes: this.#lanes, onSlotFree: () => this.wake() });
    this.#expirySweep = new ExpirySweep({ ...parts, run: (job) => this.#start(job) });
    parts.spool.onDue(() => this.wake());
  }

  /** How many jobs are under way. */
  get attempts(): number {
    return this.#jobs.size;
  }

  /** How many of them are in the fair shares of their accounts. */
  get attemptsInShares(): number {
    return this.#lanes.inShares;
  }

  /** Accounts that may begin no attempt now, because they have as many as one account may have. */
  get accountsAtShare(): string[] {
    const free = this.#parts.policy.attemptsMax - this.#lanes.inShares;
    const { accountAllowance } = accountShares(this.#lanes.sharesUsed, free);
    return Object.keys(accountAllowance).filter((accountId) => accountAllowance[accountId] === 0);
  }

  /** Claims due jobs now. */
  wake(): void {
    if (this.#loop !== null) this.#isWakePending = true;
    else this.#loop = this.#run();
  }

  /** Call once the shutdown has begun, when nothing new is claimed. Resolves when the jobs under way have ended and are stored. */
  async ended(): Promise<void> {
    this.#cancelTimer();
    // A claim under way may still return jobs, which are released.
    await Promise.all([this.#loop, this.#expirySweep.ended()]);
    while (this.#jobs.size > 0) await Promise.all(this.#jobs.keys());
  }

  async #run(): Promise<void> {
    do {
      this.#isWakePending = false;
      await this.#claimAll();
    } while (this.#isWakePending && !this.#parts.shutdown.hasBegun);
    this.#loop = null;
  }

  /** Claims until nothing is due or the limit is reached, then sets the timer for jobs that fall due later. */
  async #claimAll(): Promise<void> {
    const { clock, log, throttle, shutdown } = this.#parts;
    for (;;) {
      if (shutdown.hasBegun) return;
      const monotonicMs = clock.monotonicMs();
      const lanes = this.#lanes.limits(monotonicMs);
      // Attempts that begin to wait make room.
      if (lanes.limit === 0) return this.#sleepUntil(null, this.#lanes.nextChangeMs());
      const limit = Math.min(lanes.limit, this.#acceptPriorityLimit(monotonicMs));
      // The end of accept-priority mode wakes nothing.
      if (limit === 0) return this.#sleep(ACCEPT_PRIORITY_CHECK_MS);
      try {
        const { jobs, nextDueMs } = await this.#parts.spool.claim({
          ...lanes,
          ...throttle.allowances(monotonicMs),
          nowMs: clock.now(),
          limit,
        });
        for (const job of jobs) void this.#start(job);
        if (jobs.length === 0) return this.#sleepUntil(nextDueMs, this.#nextCapacityMs(monotonicMs));
      } catch (error) {
        if (!(error instanceof SpoolUnavailable)) throw error;
        log.warn({ error: error.message }, "claim failed, retrying: the spool is unavailable");
        return this.#sleep(SPOOL_RETRY_MS);
      }
    }
  }

  /** How many jobs more may begin: unlimited unless acceptance has priority. */
  #acceptPriorityLimit(nowMs: number): number {
    if (!this.#parts.acceptPriority.isActive) return Number.POSITIVE_INFINITY;
    let recent = 0;
    for (const beganMs of this.#jobs.values()) if (nowMs - beganMs < USUAL_ATTEMPT_MS) recent += 1;
    return Math.max(0, ATTEMPTS_IN_ACCEPT_PRIORITY - recent);
  }

  #nextCapacityMs(nowMs: number): number | null {
    const moments = [this.#parts.throttle.nextCapacityMs(nowMs), this.#lanes.nextChangeMs()];
    const known = moments.filter((ms) => ms !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** `dueMs` is a wall-clock time, `capacityMs` one of the monotonic clock; null for none. */
  #sleepUntil(dueMs: number | null, capacityMs: number | null): void {
    const { clock } = this.#parts;
    const delaysMs: number[] = [];
    if (dueMs !== null) delaysMs.push(Math.min(dueMs - clock.now(), SLEEP_MAX_MS));
    if (capacityMs !== null) delaysMs.push(capacityMs - clock.monotonicMs());
    if (delaysMs.length === 0) this.#cancelTimer();
    else this.#sleep(Math.min(...delaysMs));
  }

  #sleep(delayMs: number): void {
    this.#cancelTimer();
    if (this.#parts.shutdown.hasBegun) return;
    this.#cancelTimer = this.#parts.clock.after(delayMs, () => this.wake());
  }

  #start(job: DeliveryJob): Promise<void> {
    const running = this.#runner.run(job).then(() => {
      this.#jobs.delete(running);
      this.#expirySweep.watch();
      this.wake();
    });
    this.#jobs.set(running, this.#parts.clock.monotonicMs());
    return running;
  }
}
