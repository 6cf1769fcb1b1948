/**
 * Watches the service's memory during a load, and checks the end of the load: accepted messages are delivered and
 * memory stayed within the documented limit.
 */
import { existsSync, readFileSync } from "node:fs";
import type { Harness } from "./harness.ts";
import { violationUnless } from "./scenario.ts";
import type { RunningService } from "./service-process.ts";

/** The documented limit. */
export const RSS_MAX_MB = 700;
const SAMPLE_MS = 100;

/** Samples the resident memory of a process. `stop` returns the maximum in megabytes. */
export function watchMemory(pid: number): { stop: () => number } {
  let mostKb = 0;
  const look = (): void => {
    try {
      mostKb = Math.max(mostKb, Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0));
    } catch {
      // The system has no /proc, or the process has exited.
    }
  };
  const timer = setInterval(look, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round(mostKb / 1024);
    },
  };
}

/** The most resident memory that a running process ever had, in megabytes. 0 where the system has no /proc. */
export function peakMemoryMb(pid: number): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, "utf8") : "";
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Waits for all deliveries, stops the service, and returns the violations of delivery, memory limit and invariants. */
export async function finishLoad(
  harness: Harness,
  service: RunningService,
  memory: ReturnType<typeof watchMemory>,
): Promise<{ rssMb: number; violations: string[] }> {
  const isDrained = await harness.waitUntilDrained();
  const rssMb = memory.stop();
  await service.kill("SIGTERM");
  const violations = [
    ...violationUnless(isDrained, "accepted messages were not delivered"),
    ...violationUnless(rssMb < RSS_MAX_MB, `memory use was ${rssMb} MB`),
    ...(await harness.checkInvariants({ expectEnd: true })),
  ];
  return { rssMb, violations };
}
