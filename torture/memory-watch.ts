/** How a crowd ends: what was accepted is delivered, and the service stayed within the most that it may take whatever comes. */
import { readFileSync } from "node:fs";
import type { Harness, RunningService } from "./harness.ts";
import { violationUnless } from "./scenario.ts";

/** What the service documents. */
export const RSS_MAX_MB = 700;
const SAMPLE_MS = 100;

/** Watches a process; `stop` returns the most it took, in megabytes. */
export function watchMemory(pid: number): { stop: () => number } {
  let mostKb = 0;
  const look = (): void => {
    try {
      mostKb = Math.max(mostKb, Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0));
    } catch {
      // Not on this system, or it has ended.
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

/** The end of a crowd: all that was accepted is delivered, memory was bounded, and the books agree. Stops the service. */
export async function finishLoad(
  harness: Harness,
  service: RunningService,
  memory: ReturnType<typeof watchMemory>,
): Promise<{ rssMb: number; violations: string[] }> {
  const isDrained = await harness.waitUntilDrained();
  const rssMb = memory.stop();
  await service.kill("SIGTERM");
  const violations = [
    ...violationUnless(isDrained, "what was accepted was not delivered"),
    ...violationUnless(rssMb < RSS_MAX_MB, `it took ${rssMb} MB`),
    ...(await harness.checkInvariants({ expectEnd: true })),
  ];
  return { rssMb, violations };
}
