/**
 * Decides when the spool forgets what is kept no longer: a pass now and then, in steps with pauses between them. What
 * may go is the spool's to say.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Spool } from "../spool/port/spool.ts";
import { noteTime } from "./last-time.ts";

/** Between passes. */
const PASS_MS = 60_000;
/** Between the steps of a pass: other commits come first. */
const PAUSE_MS = 50;
const STEP_MESSAGES = 100;
/** Time for a time server to correct a clock that was set forward wrongly. */
export const CLOCK_TRUSTED_AFTER_MS = 3_600_000;

export interface Retention {
  spool: Pick<Spool, "applyRetention" | "writeValue">;
  clock: Clock;
  log: Logger;
  /** How long contents and results are kept from the last recipient's final result on. */
  kept: { contentsMs: number; resultsMs: number };
  /** Whether the clock is to be trusted; what it says to be old is removed for good. */
  isClockTrusted: () => boolean;
}

/** Starts the passes; returns how to stop them. A spool that cannot be written is tried again with the next pass. */
export function startRetention({ spool, clock, log, kept, isClockTrusted }: Retention): () => void {
  let stopped = false;
  let cancel = (): void => {};
  let forgotten = { contents: 0, messages: 0 };
  const after = (delayMs: number): void => {
    if (!stopped) cancel = clock.after(delayMs, () => void step());
  };
  const endPass = (): void => {
    if (forgotten.contents + forgotten.messages > 0) log.info(forgotten, "forgotten what is kept no longer");
    forgotten = { contents: 0, messages: 0 };
    after(PASS_MS);
  };
  async function step(): Promise<void> {
    if (!isClockTrusted()) return endPass();
    const nowMs = clock.now();
    const [contentsBeforeMs, resultsBeforeMs] = [nowMs - kept.contentsMs, nowMs - kept.resultsMs];
    try {
      const done = await spool.applyRetention({ nowMs, contentsBeforeMs, resultsBeforeMs, limit: STEP_MESSAGES });
      forgotten.contents += done.contents;
      forgotten.messages += done.messages;
      if (done.isMore) return after(PAUSE_MS);
      await noteTime(spool, nowMs);
      endPass();
    } catch (error) {
      if (!stopped) log.warn({ err: error }, "what is kept no longer could not be forgotten");
      endPass();
    }
  }
  after(PASS_MS);
  return () => {
    stopped = true;
    cancel();
  };
}
