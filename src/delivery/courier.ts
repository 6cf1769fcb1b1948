/**
 * The loop of the MTA core: claims due work, runs attempts side by side within bounds, and settles what they come to.
 * It never polls: acceptance, settlement and the next due time wake it.
 */
import type { Clock } from "../clock.ts";
import type { Logger } from "../log.ts";
import type { Outcome } from "../message/outcome.ts";
import { isExpired, nextAttemptAtMs } from "../message/retry.ts";
import { type Settlement, type Spool, SpoolUnavailable, type Work, type WorkRecipient } from "../spool/spool.ts";

export interface CourierParts {
  spool: Spool;
  /** One attempt: an outcome for each recipient of the work, in its order. Never rejects. */
  attempt: (work: Work) => Promise<Outcome[]>;
  clock: Clock;
  log: Logger;
  random: () => number;
  policy: DeliveryPolicy;
}

export interface DeliveryPolicy {
  /** Gaps between attempts, milliseconds. */
  retrySchedule: number[];
  unknownPolicy: "hold" | "retry";
  /** Attempts at one time, in all and for one recipient domain. */
  attemptsMax: number;
  attemptsPerDomain: number;
}

/** Between tries to reach a spool that does not answer. */
const SPOOL_RETRY_MS = 1000;

export class Courier {
  #parts: CourierParts;
  #busy = new Map<string, number>();
  #attempts = new Set<Promise<void>>();
  #pumping = false;
  #wokenMeanwhile = false;
  #cancelTimer: () => void = () => {};
  #stopped = false;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    parts.spool.onDue(() => this.wake());
  }

  /** Looks for due work now. */
  wake(): void {
    if (this.#pumping) this.#wokenMeanwhile = true;
    else void this.#pump();
  }

  /** Takes no new work; resolves when the attempts under way have ended, or after `limitMs`. Returns how many had not. */
  async stop(limitMs: number): Promise<number> {
    this.#stopped = true;
    this.#cancelTimer();
    const ended = Promise.all(this.#attempts);
    await Promise.race([ended, new Promise<void>((resolve) => void this.#parts.clock.after(limitMs, resolve))]);
    return this.#attempts.size;
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    do {
      this.#wokenMeanwhile = false;
      await this.#claimAll();
    } while (this.#wokenMeanwhile && !this.#stopped);
    this.#pumping = false;
  }

  /** Claims until nothing is due or no room is left, then sets the timer for what falls due later. */
  async #claimAll(): Promise<void> {
    const { spool, clock, log, policy } = this.#parts;
    for (;;) {
      const room = policy.attemptsMax - this.#attempts.size;
      if (room === 0 || this.#stopped) return;
      try {
        const { attemptsPerDomain: perDomain } = policy;
        const nowMs = clock.now();
        const { works, nextDueMs } = await spool.claim({ nowMs, limit: room, perDomain, allowance: this.#allowance() });
        for (const work of works) this.#begin(work);
        if (works.length === 0) return this.#sleepUntil(nextDueMs);
      } catch (error) {
        if (!(error instanceof SpoolUnavailable)) throw error;
        log.warn({ error: error.message }, "the spool cannot be read; trying again");
        return this.#sleepUntil(clock.now() + SPOOL_RETRY_MS);
      }
    }
  }

  #allowance(): Record<string, number> {
    const { attemptsPerDomain } = this.#parts.policy;
    return Object.fromEntries([...this.#busy].map(([domain, count]) => [domain, attemptsPerDomain - count]));
  }

  #sleepUntil(dueMs: number | null): void {
    this.#cancelTimer();
    if (dueMs === null || this.#stopped) return;
    this.#cancelTimer = this.#parts.clock.after(dueMs - this.#parts.clock.now(), () => this.wake());
  }

  #begin(work: Work): void {
    const { domain } = work;
    this.#busy.set(domain, (this.#busy.get(domain) ?? 0) + 1);
    const attempt = this.#run(work).finally(() => {
      const left = (this.#busy.get(domain) ?? 1) - 1;
      if (left === 0) this.#busy.delete(domain);
      else this.#busy.set(domain, left);
      this.#attempts.delete(attempt);
      this.wake();
    });
    this.#attempts.add(attempt);
  }

  async #run(work: Work): Promise<void> {
    const outcomes = await this.#parts.attempt(work);
    const atMs = this.#parts.clock.now();
    // One draw for the whole work: recipients that could share a transaction stay together at the next attempt.
    const lot = this.#parts.random();
    const settlements = work.recipients.map((recipient, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) throw new Error(`an attempt left recipient ${recipient.position} without an outcome`);
      return settlementOf(outcome, { work, recipient, atMs, lot, policy: this.#parts.policy });
    });
    this.#tell(work, settlements);
    await this.#settle(work.messageId, atMs, settlements);
  }

  /** What happened has happened: it is offered to the spool until the spool takes it. */
  async #settle(messageId: string, atMs: number, settlements: Settlement[]): Promise<void> {
    const { spool, clock, log } = this.#parts;
    for (;;) {
      try {
        return await spool.settle(messageId, atMs, settlements);
      } catch (error) {
        if (!(error instanceof SpoolUnavailable)) throw error;
        log.error({ messageId, error: error.message }, "a result cannot be stored; trying again");
        await new Promise<void>((resolve) => void clock.after(SPOOL_RETRY_MS, resolve));
      }
    }
  }

  #tell(work: Work, settlements: Settlement[]): void {
    for (const s of settlements) {
      const last = s.tries.at(-1);
      this.#parts.log.info(
        {
          messageId: work.messageId,
          recipient: s.position,
          domain: work.domain,
          outcome: s.outcome,
          result: s.result,
          reason: s.reason ?? undefined,
          mx: last?.mx,
          ip: last?.ip,
          stage: last?.stage,
          code: last?.reply?.code,
        },
        "attempt",
      );
    }
  }
}

interface Settling {
  work: Work;
  recipient: WorkRecipient;
  atMs: number;
  /** In [0, 1): where in the jitter's range the next attempt falls. */
  lot: number;
  policy: DeliveryPolicy;
}

/** What an outcome means for the recipient's place: final, or back in the queue with a time. */
export function settlementOf(outcome: Outcome, settling: Settling): Settlement {
  const { recipient, work, atMs, lot, policy } = settling;
  const { smtp, tries, type } = outcome;
  const told = { position: recipient.position, smtp, tries, outcome: type };
  const again = (reason: string): Settlement => {
    const attempt = recipient.attempts + 1;
    const { retrySchedule: schedule } = policy;
    const nextMs = nextAttemptAtMs({
      attempt,
      nowMs: atMs,
      schedule,
      expiresAtMs: work.expiresAtMs,
      random: () => lot,
    });
    return { ...told, result: "pending", reason, nextAttemptAtMs: nextMs };
  };
  switch (type) {
    case "delivered":
      return { ...told, result: "delivered", reason: null, nextAttemptAtMs: null };
    case "failed":
      return { ...told, result: "failed", reason: outcome.reason, nextAttemptAtMs: null };
    case "unknown":
      if (policy.unknownPolicy === "retry" && !isExpired(atMs, work.expiresAtMs)) return again(outcome.reason);
      return { ...told, result: "unknown", reason: outcome.reason, nextAttemptAtMs: null };
    case "deferred":
      if (isExpired(atMs, work.expiresAtMs)) {
        return { ...told, smtp: smtp ?? recipient.smtp, result: "failed", reason: "expired", nextAttemptAtMs: null };
      }
      return again(outcome.reason);
  }
}
