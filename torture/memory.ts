/** The resident memory of a process under test, and the most that the service may take whatever comes. */
import { readFileSync } from "node:fs";

export const RSS_MAX_MB = 700;
const LOOK_MS = 100;

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
  const timer = setInterval(look, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round(mostKb / 1024);
    },
  };
}
