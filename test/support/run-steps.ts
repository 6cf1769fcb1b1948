/** Runs a read in steps to its end. */
import type { Steps } from "../../src/spool/engine/sqlite/connection/read-steps.ts";

/** Returns its result and the number of steps. */
export function runSteps<T>(steps: Steps<T>): { value: T; count: number } {
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done) return { value: step.value, count };
  }
}
