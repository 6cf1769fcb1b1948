/**
 * The service's recurring work besides delivery: retention, rechecks of the quarantine, DKIM rotations, and the reaction to a
 * wall clock that was set.
 */
import type { CheckContext } from "../../domains/check.ts";
import { ROUTINE_INTERVAL_MS } from "../../domains/verification-state.ts";
import { ClockWatch } from "../clock-watch.ts";
import type { HostWatch } from "../host-watch.ts";
import { isAheadOfLastRun } from "../last-run-time.ts";
import { startQuarantineRechecks } from "../quarantine-rechecks.ts";
import { CLOCK_TRUSTED_AFTER_MS, startRetention } from "../retention.ts";
import { startRotationChecks } from "../rotate-dkim.ts";
import { WaitShortener } from "../wait-shortener.ts";
import type { ServiceCore } from "./service-core.ts";

/** Starts it; returns how to stop it. */
export async function startMaintenance(
  core: ServiceCore,
  { context, hostWatch }: { context: CheckContext; hostWatch: HostWatch },
): Promise<() => void> {
  const { config, spool, clock, log, recoveredResult } = core;
  const stopRotationChecks = startRotationChecks({ registry: spool, context, clock, log });
  const waitShortener = new WaitShortener({
    ...{ spool, registry: spool, clock, log },
    retrySchedule: config.retrySchedule,
    checkGapMs: ROUTINE_INTERVAL_MS,
  });
  waitShortener.run();
  const onStep = (stepMs: number): void => {
    if (stepMs < 0) waitShortener.run();
    // The doctor checks whether the clock is right.
    void hostWatch.examine();
  };
  const isAheadAtStart = await isAheadOfLastRun({ spool, clock, log });
  const clockWatch = new ClockWatch({ clock, log, onStep, isAheadAtStart });
  const stopRetention = startRetention({
    ...{ spool, clock, log, periods: config.retention },
    isClockTrusted: () => !clockWatch.wasSetForwardWithin(CLOCK_TRUSTED_AFTER_MS),
  });
  const stopRechecks = startQuarantineRechecks({ spool, clock, log, result: recoveredResult });
  return () => {
    stopRotationChecks();
    clockWatch.stop();
    waitShortener.stop();
    stopRetention();
    stopRechecks();
  };
}
