/**
 * Runs long reads in slices of a few milliseconds. The reports thread runs a slice of one read, then one of another account's. No
 * statement and no transaction stays open between two slices.
 */

/** A read that another may follow after each step. */
export type Steps<T> = Generator<undefined, T, void>;

/** Resolves when the read may go on: at once, or with its next slice. */
export type Pause = () => Promise<void>;

/** The state of a read after a slice. */
export type Progress<T> = { done: true; value: T } | { done: false };

const NO_PAUSE = Promise.resolve();

/** Runs steps, with a pause after each. */
export async function runSteps<T>(steps: Steps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

/** A read that runs in slices. It waits for nothing but its pauses. */
export class SlicedRead<T> {
  readonly #ended: Promise<Progress<T>>;
  #sliceEndMs = 0;
  #begin: () => void = () => {};
  #endSlice: () => void = () => {};

  constructor(read: (pause: Pause) => Promise<T>) {
    this.#ended = this.#nextSlice()
      .then(() => read(() => (performance.now() < this.#sliceEndMs ? NO_PAUSE : this.#pause())))
      .then((value) => ({ done: true, value }));
  }

  /** Runs until the read ends, or pauses after `sliceMs`. Rejects as the read does. */
  advance(sliceMs: number): Promise<Progress<T>> {
    const paused = new Promise<Progress<T>>((resolve) => {
      this.#endSlice = () => resolve({ done: false });
    });
    this.#sliceEndMs = performance.now() + sliceMs;
    this.#begin();
    return Promise.race([this.#ended, paused]);
  }

  #pause(): Promise<void> {
    this.#endSlice();
    return this.#nextSlice();
  }

  #nextSlice(): Promise<void> {
    return new Promise((resolve) => {
      this.#begin = resolve;
    });
  }
}
