/**
 * The way of one claimed delivery job: prepare its recipient domain, enter the destination throttle, run the attempt, and
 * store the result, or release the job. dispatcher.ts decides which jobs are claimed, and when.
 */
import { type Clock, rfc3339 } from "../../lib/clock.ts";
import { type Logger, withoutRedaction } from "../../lib/log.ts";
import { blockOf } from "../../message/result/closed-destination.ts";
import type { Outcome } from "../../message/result/outcome.ts";
import { isUnknownReason } from "../../message/result/reasons.ts";
import { isExpired } from "../../message/retry.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { MessageDamaged, SpoolUnavailable } from "../../spool/port/errors.ts";
import type { DeliveryJob, JobRecipient, Settlement } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { LimitsOfDestinations } from "../routing/connection-limits.ts";
import type { SendingSources } from "../routing/sending-sources.ts";
import { BRIEF_STEP_MS } from "../smtp/timeouts.ts";
import type { AttemptLanes, LanedAttempt } from "../throttle/attempt-lanes.ts";
import {
  type Deferral,
  type DestinationThrottle,
  deferralText,
  type Full,
  type Permit,
} from "../throttle/destination-throttle.ts";
import { type Pass, pauseText, type SenderPause, type SenderPauses } from "../throttle/sender-pauses.ts";
import type { SourceObstacle, SourceWindows } from "../throttle/source-windows.ts";
import { noSendingAddress, verdictOnClosedDestination, verdictOnPausedSender, warmingUp } from "../verdict.ts";
import type { AttemptResult } from "./attempt.ts";
import { logAttempt } from "./attempt-log.ts";
import { outcomesNotTried } from "./attempt-record.ts";
import type { AttemptConditions } from "./attempt-state.ts";
import type { DomainTrafficCounts } from "./domain-traffic.ts";
import type { KeyWatch } from "./key-watch.ts";
import type { Preparation, PreparedDomain } from "./preparation.ts";
import type { ReceiverResultCounts } from "./receiver-counts.ts";
import {
  isPastDeadline,
  type RetryPolicy,
  settlementOf,
  settlementOfHeld,
  settlementOfSuppressed,
  settlementPastDeadline,
} from "./retry-decision.ts";
import type { ScheduledSuppressions } from "./scheduled-suppressions.ts";
import type { Shutdown } from "./shutdown.ts";
import { withPause } from "./told-pause.ts";

export interface JobRunnerParts {
  spool: Pick<Spool, "settle" | "release">;
  preparation: Pick<Preparation, "shared" | "prepare" | "keep">;
  /** A slot became free that waiting mail may use. */
  onSlotFree: () => void;
  /** Never rejects. */
  attempt: (job: DeliveryJob, prepared: PreparedDomain, conditions: AttemptConditions) => Promise<AttemptResult>;
  throttle: DestinationThrottle;
  sources: Pick<SendingSources, "destinationFor" | "addressOf" | "hasPools">;
  windows: Pick<SourceWindows, "obstacle" | "began" | "ended">;
  keys: Pick<KeyWatch, "isHeld" | "admit" | "putBack" | "report">;
  senderPauses: SenderPauses;
  suppressions: Pick<ScheduledSuppressions, "of">;
  limits: Pick<LimitsOfDestinations, "of">;
  lanes: AttemptLanes;
  traffic: Pick<DomainTrafficCounts, "begin">;
  receiverCounts: Pick<ReceiverResultCounts, "add">;
  shutdown: Shutdown;
  clock: Clock;
  log: Logger;
  random: () => number;
  policy: RetryPolicy;
}

/** What a job has before its attempt begins. */
interface Entry {
  prepared: PreparedDomain;
  permit: Permit;
  pass: Extract<Pass, { type: "pass" }>;
  laned: LanedAttempt;
}

interface Attempted {
  /** When the attempt began. */
  beganMs: number;
  destination: string | null;
}

const NO_ADDRESS = "not tried: no running node has a sending address of the message's pool that is not paused";

/** A recipient that may have the message is left to UNKNOWN_POLICY: as held, it would lose that reason. */
const mayBeHeld = ({ recipients }: DeliveryJob): boolean => recipients.every(({ reason }) => !isUnknownReason(reason));

/** The host that has accepted the message for a recipient, or may have; null if it is not known. */
const acceptingHost = (outcome: Outcome | null): (string | null)[] =>
  outcome?.type === "delivered" || outcome?.type === "unknown" ? [outcome.smtp?.mx ?? null] : [];

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
    const { lanes, clock } = this.#parts;
    const laned = lanes.begin(job, clock.monotonicMs());
    await this.#begin(job, laned);
    lanes.end(laned);
  }

  async #begin(job: DeliveryJob, laned: LanedAttempt): Promise<void> {
    if (this.#isPastDeadline(job)) return this.#expire(job);
    if (this.#parts.keys.isHeld(job) && mayBeHeld(job)) return this.#settleHeld(job);
    const left = job.sendAtMs === undefined ? job : await this.#settleSuppressed(job);
    return left === null ? undefined : this.#prepareAndAttempt(left, laned);
  }

  async #prepareAndAttempt(job: DeliveryJob, laned: LanedAttempt): Promise<void> {
    const { preparation, clock, shutdown, lanes } = this.#parts;
    const prepared = preparation.shared(job.domain) ?? (await this.#prepare(job, isBriefFor(laned, job)));
    if (prepared === null) return this.#release(job);
    // The look-ups may have outlasted the deadline.
    if (shutdown.hasBegun || this.#isPastDeadline(job)) {
      return this.#isPastDeadline(job) ? this.#expire(job) : this.#release(job);
    }
    if (prepared.destination !== null) lanes.route(laned, prepared.destination, clock.monotonicMs());
    return this.#attempt(job, prepared, laned);
  }

  async #attempt(job: DeliveryJob, prepared: PreparedDomain, laned: LanedAttempt): Promise<void> {
    const { throttle, clock, preparation, senderPauses, sources, windows, keys } = this.#parts;
    // Mail that is deferred below counts too: it comes again as a later attempt.
    const isCounted = mayBeHeld(job);
    if (isCounted && !keys.admit(job)) return this.#settleHeld(job);
    const pass = senderPauses.enter(job, prepared.destination);
    if (pass.type === "paused") return this.#settlePaused(job, pass.pause);
    const destination = prepared.destination && sources.destinationFor(job, prepared.destination);
    const obstacle = destination === null ? null : windows.obstacle(destination);
    if (obstacle !== null) {
      senderPauses.withdraw(job, pass);
      return this.#settleObstacle(job, obstacle);
    }
    const entered = await throttle.enter(job, destination, () => clock.monotonicMs());
    const permit = entered.type === "full" ? this.#unlessExpired(job, entered) : entered;
    // The wait for a slot, or for a share of a warm-up's day, may have outlasted the deadline.
    const isLate = this.#isPastDeadline(job);
    if (permit.type === "permit" && !isLate && !this.#hasLostAddress(permit))
      return this.#run(job, { prepared, permit, pass, laned });
    senderPauses.withdraw(job, pass);
    if (isCounted && (isLate || permit.type !== "deferred")) keys.putBack(job);
    if (permit.type === "permit") throttle.release(permit, "neutral", clock.monotonicMs());
    if (isLate) return this.#expire(job);
    if (permit.type === "permit") return this.#release(job);
    if (permit.type === "full") {
      preparation.keep(job.domain, prepared);
      return this.#release(job, {
        destination: permit.destination,
        ...(sources.hasPools ? { isOneOfSeveral: true } : {}),
      });
    }
    const verdict = verdictOnClosedDestination(blockOf(permit.closed));
    await this.#settleOutcomes(job, outcomesNotTried(job, verdict, deferralText(permit, clock)));
  }

  /** Settles the recipients of a scheduled message whose addresses are suppressed by now. Returns the job of the others; null if none is left. */
  async #settleSuppressed(job: DeliveryJob): Promise<DeliveryJob | null> {
    const { suppressions, clock } = this.#parts;
    const atMs = clock.now();
    const suppressed = await this.#untilStored("suppressions not read", () => suppressions.of(job, atMs));
    if (suppressed.size === 0) return job;
    const settlements: Settlement[] = [];
    const recipients: JobRecipient[] = [];
    for (const recipient of job.recipients) {
      const suppression = suppressed.get(recipient.position);
      if (suppression === undefined) recipients.push(recipient);
      else settlements.push(settlementOfSuppressed(recipient, suppression));
    }
    const isSuppressed = ({ position }: JobRecipient): boolean => suppressed.has(position);
    logAttempt(
      this.#attemptLog,
      { ...job, recipients: job.recipients.filter(isSuppressed) },
      { settlements, durationMs: 0 },
    );
    await this.#settle(job, atMs, settlements);
    return recipients.length === 0 ? null : { ...job, recipients };
  }

  /** Mail of a key that is held waits until a person releases it, however old it is. */
  async #settleHeld(job: DeliveryJob): Promise<void> {
    const atMs = this.#parts.clock.now();
    const settlements = job.recipients.map((recipient) => settlementOfHeld(recipient, job, atMs));
    logAttempt(this.#attemptLog, job, { settlements, durationMs: 0 });
    await this.#settle(job, atMs, settlements);
  }

  async #settleObstacle(job: DeliveryJob, obstacle: SourceObstacle): Promise<void> {
    if (obstacle.type === "no_address")
      return this.#settleOutcomes(job, outcomesNotTried(job, noSendingAddress, NO_ADDRESS));
    const text = `not tried: the sending addresses are warmed up, and today's messages for the receiver are sent; the next day begins at ${rfc3339(obstacle.untilMs)}`;
    await this.#settleOutcomes(job, outcomesNotTried(job, warmingUp, text), { notBeforeMs: obstacle.untilMs });
  }

  /** Whether the sending address was paused or removed while the job waited for a slot: nothing may leave from another one instead. */
  #hasLostAddress({ slot }: Permit): boolean {
    return slot?.window !== undefined && this.#parts.sources.addressOf(slot.window) === null;
  }

  /** Mail that has reached its maximum age does not wait for a closed destination: it fails by being deferred. */
  #unlessExpired(job: DeliveryJob, full: Full): Full | Deferral {
    const { throttle, clock } = this.#parts;
    if (!isExpired(clock.now(), job.expiresAtMs)) return full;
    return throttle.deferralAt(full.destination, clock.monotonicMs()) ?? full;
  }

  /** Defers mail that waits for the probe of its sending domain, until then at least. */
  async #settlePaused(job: DeliveryJob, pause: SenderPause): Promise<void> {
    const { clock } = this.#parts;
    const outcomes = outcomesNotTried(job, verdictOnPausedSender(pause.category), pauseText(pause, clock));
    const waitMs = pause.probeAtMs === null ? 0 : pause.probeAtMs - clock.monotonicMs();
    await this.#settleOutcomes(job, outcomes, { notBeforeMs: Math.ceil(clock.now() + waitMs) });
  }

  async #run(job: DeliveryJob, { prepared, permit, pass, laned }: Entry): Promise<void> {
    const { throttle, lanes, traffic, clock, shutdown, senderPauses, sources, windows } = this.#parts;
    const beganMs = clock.monotonicMs();
    const endTraffic = traffic.begin(job, job.recipients.length);
    const onDot = (): void => {
      if (lanes.sentDot(laned)) this.#parts.onSlotFree();
    };
    const window = permit.slot?.window;
    const address = sources.addressOf(window);
    const source = window === undefined || address === null ? {} : { source: { address, window } };
    const further = job.recipients.length - 1;
    if (window !== undefined) windows.began(window, further);
    const attempt = this.#parts.attempt(job, prepared, { isBrief: isBriefFor(laned, job), ...source, onDot });
    const { outcomes, signal, trouble = null, senderRefusal = null } = await attempt;
    // The sink inside the service is never overloaded: its refusals are scripted.
    const observed = isTestRoute(job.domain) ? "accepted" : signal;
    const { destination } = prepared;
    const met =
      trouble === null || destination === null ? trouble : withPause(trouble, destination, this.#parts.limits);
    // An attempt that our own shutdown aborted says nothing about the destination.
    if (window !== undefined) windows.ended(window, { further, hosts: outcomes.flatMap(acceptingHost) });
    throttle.release(permit, shutdown.hasBegun ? "neutral" : observed, clock.monotonicMs(), met);
    lanes.answer(laned, observed, clock.monotonicMs());
    const isAccepted = signal === "accepted" || signal === "strained";
    senderPauses.report(job, pass, { refusal: senderRefusal, isAccepted });
    // The next attempt need not wait until the result is stored.
    if (throttle.isConstrained(permit)) this.#parts.onSlotFree();
    await this.#settleDecided(job, outcomes, { beganMs, destination });
    endTraffic(outcomes.filter((outcome) => outcome?.type === "delivered").length);
    const undecided = job.recipients.filter((_, i) => outcomes[i] === null);
    if (undecided.length > 0) await this.#releaseUndecided({ ...job, recipients: undecided });
  }

  async #settleDecided(job: DeliveryJob, outcomes: (Outcome | null)[], attempted: Attempted): Promise<void> {
    const decided = outcomes.filter((outcome) => outcome !== null);
    if (decided.length === 0) return;
    const recipients = job.recipients.filter((_, i) => outcomes[i] !== null);
    await this.#settleOutcomes({ ...job, recipients }, decided, attempted);
  }

  /** Null when the service stops before the look-ups have ended. */
  async #prepare(job: DeliveryJob, isBrief: boolean): Promise<PreparedDomain | null> {
    const { throttle, clock } = this.#parts;
    const end = throttle.trackPreparation(job.domain, clock.monotonicMs());
    const prepared = await this.#prepareUnlessStopped(job, isBrief);
    end();
    return prepared;
  }

  #prepareUnlessStopped({ domain, deadlineMs }: DeliveryJob, isBrief: boolean): Promise<PreparedDomain | null> {
    const { preparation, shutdown, clock } = this.#parts;
    // The look-ups take half of it.
    const briefMs = isBrief ? 2 * BRIEF_STEP_MS : Number.POSITIVE_INFINITY;
    const untilMs = Math.min(briefMs, (deadlineMs ?? Number.POSITIVE_INFINITY) - clock.now());
    const leftMs = untilMs === Number.POSITIVE_INFINITY ? undefined : untilMs;
    return new Promise((resolve, reject) => {
      const unregister = shutdown.register({ phase: "outside", recipients: 0, abort: () => resolve(null) });
      preparation.prepare(domain, leftMs).then(resolve, reject).finally(unregister);
    });
  }

  #isPastDeadline(job: DeliveryJob): boolean {
    return isPastDeadline(job, this.#parts.clock.now());
  }

  /** `attempted` is absent without an attempt; a deferred recipient is not due before `notBeforeMs`. */
  async #settleOutcomes(
    job: DeliveryJob,
    outcomes: Outcome[],
    { beganMs, destination = null, notBeforeMs = 0 }: Partial<Attempted> & { notBeforeMs?: number } = {},
  ): Promise<void> {
    const { clock, random, policy, receiverCounts, keys } = this.#parts;
    const [atMs, endedMs] = [clock.now(), clock.monotonicMs()];
    // One draw for the whole job: recipients that could share a transaction stay together at the next attempt.
    const jitter = random();
    const settlements = job.recipients.map((recipient, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) throw new Error(`the attempt has no outcome for recipient ${recipient.position}`);
      return settlementOf(outcome, { job, recipient, atMs, jitter, policy, notBeforeMs });
    });
    logAttempt(this.#attemptLog, job, { settlements, durationMs: Math.round(endedMs - (beganMs ?? endedMs)) });
    receiverCounts.add(job, destination, { settlements, atMs });
    keys.report(job, destination, settlements);
    await this.#settle(job, atMs, settlements);
  }

  /** The sender's own deadline is over, so nothing is tried. */
  async #expire(job: DeliveryJob): Promise<void> {
    const settlements = job.recipients.map((recipient) => settlementPastDeadline(recipient));
    logAttempt(this.#attemptLog, job, { settlements, durationMs: 0 });
    await this.#settle(job, this.#parts.clock.now(), settlements);
  }

  /** Returns the job to the spool: its destination is full, or the service stops. */
  async #release(
    { messageId, recipients, lease }: DeliveryJob,
    full: { destination?: string; isOneOfSeveral?: boolean } = {},
  ): Promise<void> {
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

/** Whether the attempt is brief: a first one, where many others of its account wait. */
const isBriefFor = (laned: LanedAttempt, { recipients }: DeliveryJob): boolean =>
  laned.isBrief && recipients.every(({ attempts }) => attempts === 0);

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
