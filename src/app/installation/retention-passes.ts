/**
 * When stored contents and results are deleted, what belongs to deleted accounts, and the audit trail and the notices, which are kept as long
 * as results: in regular passes, in steps with pauses between them. The spool decides what may go.
 */

import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { HOUR_MS } from "../../lib/units.ts";
import { type Accounts, GRACE_MS } from "../../spool/port/accounts.ts";
import { ANSWERS_KEPT_MS, ANSWERS_STEP, type RequestAnswers } from "../../spool/port/request-answers.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { recordRunTime } from "./last-run-time.ts";

/** Between passes. */
const PASS_INTERVAL_MS = 60_000;
/** Between the steps of a pass, so other commits come first. */
const PAUSE_MS = 50;
const STEP_MESSAGES = 100;
const STEP_ADDRESSES = 1000;
const STEP_AUDIT_ENTRIES = 500;
const STEP_NOTICES = 500;
/** Time for a time server to correct a clock that was set forward wrongly. */
export const CLOCK_TRUSTED_AFTER_MS = HOUR_MS;

export interface RetentionParts {
  spool: Pick<Spool, "applyRetention" | "removeAuditBefore" | "removeNoticesBefore" | "writeValue"> &
    Pick<Accounts, "removeDeletedAccounts"> &
    Pick<RequestAnswers, "removeAnswers">;
  clock: Clock;
  log: Logger;
  /** How long contents and results are stored after the last recipient's final result. */
  periods: { contentsMs: number; resultsMs: number };
  /** Whether the clock is trusted; what it says is old is deleted permanently. */
  isClockTrusted: () => boolean;
}

/** Starts the passes; returns how to stop them. After an error, the next pass tries again. */
export function startRetention(parts: RetentionParts): () => void {
  const passes = new RetentionPasses(parts);
  return () => passes.stop();
}

class RetentionPasses {
  readonly #parts: RetentionParts;
  #deleted = { contents: 0, messages: 0 };
  #cancel: () => void = () => {};
  /** Whether the pass has come to the end of the deleted accounts. */
  #isPastAccounts = false;
  #isStopped = false;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#stepAfter(PASS_INTERVAL_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #stepAfter(delayMs: number): void {
    if (!this.#isStopped) this.#cancel = this.#parts.clock.after(delayMs, () => void this.#step());
  }

  async #step(): Promise<void> {
    const { spool, clock, log, periods, isClockTrusted } = this.#parts;
    if (!isClockTrusted()) return this.#endPass();
    const nowMs = clock.now();
    const [contentsBeforeMs, resultsBeforeMs] = [nowMs - periods.contentsMs, nowMs - periods.resultsMs];
    try {
      if (await this.#removeAccounts(nowMs)) return this.#stepAfter(PAUSE_MS);
      const step = await spool.applyRetention({ nowMs, contentsBeforeMs, resultsBeforeMs, limit: STEP_MESSAGES });
      this.#deleted.contents += step.contents;
      this.#deleted.messages += step.messages;
      if (step.isMore) return this.#stepAfter(PAUSE_MS);
      const answers = await spool.removeAnswers(nowMs - ANSWERS_KEPT_MS);
      if (answers === ANSWERS_STEP) return this.#stepAfter(PAUSE_MS);
      const entries = await spool.removeAuditBefore(resultsBeforeMs, STEP_AUDIT_ENTRIES);
      if (entries === STEP_AUDIT_ENTRIES) return this.#stepAfter(PAUSE_MS);
      const notices = await spool.removeNoticesBefore(resultsBeforeMs, STEP_NOTICES);
      if (notices === STEP_NOTICES) return this.#stepAfter(PAUSE_MS);
      await recordRunTime(spool, nowMs);
      this.#endPass();
    } catch (error) {
      if (!this.#isStopped) log.warn({ err: error }, "retention pass failed");
      this.#endPass();
    }
  }

  /** Runs a step of the removal of accounts. Returns whether there are more in this pass. */
  async #removeAccounts(nowMs: number): Promise<boolean> {
    if (this.#isPastAccounts) return false;
    const { spool, log } = this.#parts;
    const step = { nowMs, deletedBeforeMs: nowMs - GRACE_MS, limit: STEP_ADDRESSES };
    const { emptied, isMore } = await spool.removeDeletedAccounts(step);
    for (const accountId of emptied) log.info({ accountId }, "deleted account emptied");
    this.#isPastAccounts = !isMore;
    return isMore;
  }

  #endPass(): void {
    this.#isPastAccounts = false;
    const { contents, messages } = this.#deleted;
    if (contents + messages > 0) this.#parts.log.info({ contents, messages }, "retention pass completed");
    this.#deleted = { contents: 0, messages: 0 };
    this.#stepAfter(PASS_INTERVAL_MS);
  }
}
