/** A limit on how long a caller waits for a result. What happens to the work then is the caller's decision. */
import type { Clock } from "./clock.ts";

export interface TimeLimit<L> {
  clock: Clock;
  limitMs: number;
  /** The result where the work takes longer. */
  late: L;
}

/** Resolves or rejects as `work` does, or resolves with `late` at the limit; the work continues, and a later rejection is ignored. */
export function withinLimit<T, L>(work: Promise<T>, { clock, limitMs, late }: TimeLimit<L>): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => resolve(late));
    work.then(resolve, reject).finally(cancel);
  });
}
