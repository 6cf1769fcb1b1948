/**
 * Runs long reads in steps of a few milliseconds. The reports thread runs some steps of one read, then some of another
 * account's. No statement and no transaction stays open between two steps.
 */
export type Steps<T> = Generator<undefined, T, void>;

/** The state of a read after a slice. */
export type Progress<T> = { done: true; value: T } | { done: false };

/** Runs steps until the read ends or `sliceMs` have passed. */
export function advance<T>(steps: Steps<T>, sliceMs: number): Progress<T> {
  const endMs = performance.now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done) return { done: true, value: step.value };
    if (performance.now() >= endMs) return { done: false };
  }
}
