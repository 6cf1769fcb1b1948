/**
 * The loop of the MTA core: claims due work, runs attempts side by side within bounds, and settles what they come to.
 * It never polls: acceptance, settlement and the next due time wake it.
 */
import type { Clock } from "../clock.ts";
import { frequentLines, type Logger } from "../log.ts";
import type { Outcome } from "../message/outcome.ts";
import { type Settlement, type Spool, SpoolUnavailable, type Work } from "../spool/spool.ts";
import type { Attempted } from "./attempt.ts";
import { notTried } from "./attempt-record.ts";
import type { Burst } from "./burst.ts";
import type { Gate } from "./gate.ts";
import { type RetryPolicy, settlementOf, settlementWhenLate } from "./settlement.ts";
import { accountShares } from "./shares.ts";

export interface CourierParts {
  spool: Spool;
  /** Never rejects. */
  attempt: (work: Work) => Promise<Attempted>;
  gate: Gate;
  burst: Burst;
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

export class Courier {
  #parts: CourierParts;
  #lines: Logger;
  /** Those under way, and when they began. */
  #attempts = new Map<Promise<void>, number>();
  /** How many of them each account has. */
  #held = new Map<string, number>();
  #pumping: Promise<void> | null = null;
  #wokenMeanwhile = false;
  #cancelTimer: () => void = () => {};
  #stopped = false;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#lines = frequentLines(parts.log);
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

  /** Takes no new work; resolves when the attempts under way have ended, or after `limitMs`. Returns how many had not. */
  async stop(limitMs: number): Promise<number> {
    this.#stopped = true;
    this.#cancelTimer();
    await Promise.race([this.#ended(), new Promise<void>((resolve) => void this.#parts.clock.after(limitMs, resolve))]);
    return this.#attempts.size;
  }

  /** A claim that is under way may still bring works, which are given back. */
  async #ended(): Promise<void> {
    await this.#pumping;
    while (this.#attempts.size > 0) await Promise.all(this.#attempts.keys());
  }

  async #pump(): Promise<void> {
    do {
      this.#wokenMeanwhile = false;
      await this.#claimAll();
    } while (this.#wokenMeanwhile && !this.#stopped);
    this.#pumping = null;
  }

  /** Claims until nothing is due or no room is left, then sets the timer for what falls due later. */
  async #claimAll(): Promise<void> {
    const { spool, clock, log, policy, gate } = this.#parts;
    for (;;) {
      const room = policy.attemptsMax - this.#attempts.size;
      if (room <= 0 || this.#stopped) return;
      const nowMs = clock.now();
      const limit = Math.min(room, this.#roomInBurst(nowMs));
      // Nothing else may come to wake it.
      if (limit === 0) return this.#sleepUntil(nowMs + BURST_LOOK_MS);
      try {
        const shares = accountShares(this.#held, room);
        const { works, nextDueMs } = await spool.claim({ nowMs, limit, ...gate.allowances(nowMs), ...shares });
        for (const work of works) this.#begin(work);
        if (works.length === 0) return this.#sleepUntil(earlierOf(nextDueMs, gate.nextProbeMs(nowMs)));
      } catch (error) {
        if (!(error instanceof SpoolUnavailable)) throw error;
        log.warn({ error: error.message }, "the spool cannot be read; trying again");
        return this.#sleepUntil(clock.now() + SPOOL_RETRY_MS);
      }
    }
  }

  /** How many attempts more may begin now for the sake of sends. */
  #roomInBurst(nowMs: number): number {
    if (!this.#parts.burst.isOn) return Number.POSITIVE_INFINITY;
    let recent = 0;
    for (const beganMs of this.#attempts.values()) if (nowMs - beganMs < USUAL_MS) recent += 1;
    return Math.max(0, ATTEMPTS_IN_BURST - recent);
  }

  #sleepUntil(dueMs: number | null): void {
    this.#cancelTimer();
    if (dueMs === null || this.#stopped) return;
    this.#cancelTimer = this.#parts.clock.after(dueMs - this.#parts.clock.now(), () => this.wake());
  }

  #begin(work: Work): void {
    this.#hold(work.accountId, 1);
    const attempt = this.#run(work).then(() => {
      this.#attempts.delete(attempt);
      this.#hold(work.accountId, -1);
      this.wake();
    });
    this.#attempts.set(attempt, this.#parts.clock.now());
  }

  #hold(accountId: string, change: 1 | -1): void {
    const held = (this.#held.get(accountId) ?? 0) + change;
    if (held === 0) this.#held.delete(accountId);
    else this.#held.set(accountId, held);
  }

  async #run(work: Work): Promise<void> {
    const { gate, clock } = this.#parts;
    if (work.deadlineMs !== undefined && clock.now() >= work.deadlineMs) return this.#expire(work, clock.now());
    const pass = await gate.enter(work.domain, clock.now());
    if (pass.type === "full") return this.#giveBack(work, { destination: pass.destination });
    if (this.#stopped) {
      if (pass.type === "pass") gate.leave(pass, "neutral", clock.now());
      return this.#giveBack(work);
    }
    const beganMs = clock.now();
    if (pass.type === "put_off") return this.#conclude(work, notTried(work, pass.error), beganMs);
    const { outcomes, signal } = await this.#parts.attempt(work);
    gate.leave(pass, signal, clock.now());
    await this.#conclude(work, outcomes, beganMs);
  }

  async #conclude(work: Work, outcomes: Outcome[], beganMs: number): Promise<void> {
    const atMs = this.#parts.clock.now();
    // One draw for the whole work: recipients that could share a transaction stay together at the next attempt.
    const lot = this.#parts.random();
    const settlements = work.recipients.map((recipient, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) throw new Error(`an attempt left recipient ${recipient.position} without an outcome`);
      return settlementOf(outcome, { work, recipient, atMs, lot, policy: this.#parts.policy });
    });
    this.#tell(work, settlements, atMs - beganMs);
    await this.#settle(work.messageId, atMs, settlements);
  }

  /** The sender's own limit is over: nobody wants the message any more, so nothing is tried. */
  async #expire(work: Work, atMs: number): Promise<void> {
    const settlements = work.recipients.map((recipient) => settlementWhenLate(recipient));
    this.#tell(work, settlements, 0);
    await this.#settle(work.messageId, atMs, settlements);
  }

  /** The destination turned out to be full, or there is no time left: the work waits in the spool, not here. */
  async #giveBack({ messageId, recipients }: Work, full: { destination?: string } = {}): Promise<void> {
    const ref = { messageId, positions: recipients.map((recipient) => recipient.position), ...full };
    await this.#untilStored("work cannot be given back", () => this.#parts.spool.release(ref));
  }

  /** What happened has happened: it is offered to the spool until the spool takes it. */
  #settle(messageId: string, atMs: number, settlements: Settlement[]): Promise<void> {
    const settle = (): Promise<void> => this.#parts.spool.settle(messageId, atMs, settlements);
    return this.#untilStored("a result cannot be stored", settle);
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
  #tell(work: Work, settlements: Settlement[], durationMs: number): void {
    for (const [index, s] of settlements.entries()) {
      const last = s.tries.at(-1);
      this.#lines.info(
        {
          messageId: work.messageId,
          recipient: s.position,
          domain: work.domain,
          attempt: s.untried ? undefined : (work.recipients[index]?.attempts ?? 0) + 1,
          durationMs,
          outcome: s.outcome,
          result: s.result,
          reason: s.reason ?? undefined,
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

function earlierOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
