/**
 * The service's recurring work besides delivery and webhooks: checks of domains, DKIM rotations, retention, rechecks of the
 * quarantine, and the reaction to a wall clock that was set. Each task runs while this process holds its duty.
 */

import { startQuarantineRechecks } from "../app/decide/quarantine-rechecks.ts";
import { WaitShortener } from "../app/decide/wait-shortener.ts";
import { startRotationChecks } from "../app/domains/rotate-dkim.ts";
import { ClockWatch } from "../app/installation/clock-watch.ts";
import { runDutyTask } from "../app/installation/duty-task.ts";
import type { HostWatch } from "../app/installation/host-watch.ts";
import { isAheadOfLastRun } from "../app/installation/last-run-time.ts";
import { CLOCK_TRUSTED_AFTER_MS, startRetention } from "../app/installation/retention-passes.ts";
import type { CheckContext } from "../domains/check.ts";
import { RecheckScheduler } from "../domains/recheck-scheduler.ts";
import { ROUTINE_INTERVAL_MS } from "../domains/verification-state.ts";
import type { Duty } from "../spool/port/duties.ts";
import type { ServiceCore } from "./service-core.ts";

/** How long domain checks in progress may take once they are to stop. A check that is not stored stays due. */
const CHECKS_STOP_LIMIT_MS = 1000;

export interface MaintenanceWiring {
  context: CheckContext;
  hostWatch: HostWatch;
}

/** Starts it; returns how to stop it. */
export async function startMaintenance(core: ServiceCore, wiring: MaintenanceWiring): Promise<() => Promise<void>> {
  const { config, spool, clock, log, recoveredResult } = core;
  const { context, hostWatch } = wiring;
  const waitShortener = newWaitShortener(core);
  const onStep = (stepMs: number): void => {
    // Other processes do not see that this one's clock was ahead.
    if (stepMs < 0) waitShortener.run();
    // The doctor checks whether the clock is right.
    void hostWatch.examine();
  };
  const isAheadAtStart = await isAheadOfLastRun({ spool, clock, log });
  const clockWatch = new ClockWatch({ clock, log, onStep, isAheadAtStart });
  const run = (duty: Duty, start: () => () => void | Promise<void>) => runDutyTask(spool.duties, duty, start);
  const tasks = [
    run("domain_checks", () => {
      const rechecks = new RecheckScheduler({ registry: spool, context, clock, log });
      rechecks.start();
      return () => rechecks.stop(CHECKS_STOP_LIMIT_MS);
    }),
    run("key_rotations", () => startRotationChecks({ registry: spool, context, clock, log })),
    run("overlong_waits", () => {
      waitShortener.run();
      return () => {};
    }),
    run("retention", () =>
      startRetention({
        spool,
        clock,
        log,
        periods: config.retention,
        isClockTrusted: () => !clockWatch.wasSetForwardWithin(CLOCK_TRUSTED_AFTER_MS),
      }),
    ),
    run("quarantine", () => startQuarantineRechecks({ spool, clock, log, result: recoveredResult })),
  ];
  return async () => {
    clockWatch.stop();
    waitShortener.stop();
    await Promise.all(tasks.map((task) => task.stop()));
  };
}

function newWaitShortener({ config, spool, clock, log }: ServiceCore): WaitShortener {
  return new WaitShortener({
    spool,
    registry: spool,
    clock,
    log,
    retrySchedule: config.retrySchedule,
    checkGapMs: ROUTINE_INTERVAL_MS,
  });
}
