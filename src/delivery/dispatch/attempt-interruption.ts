/**
 * One attempt during a shutdown: its phase, and how it is aborted. shutdown.ts decides when; address-attempt.ts and attempt.ts
 * decide what an abort means for the recipients.
 */

import type { Session } from "../smtp/session.ts";
import type { AttemptPhase, Shutdown, Stoppable } from "./shutdown.ts";

export class AttemptInterruption implements Stoppable {
  /** Resolves when the attempt is aborted outside a transaction; whatever still runs then is not awaited. */
  readonly abandoned: Promise<void>;
  /** Recipients of the transaction under way, from the mark on. */
  recipients = 0;
  #phase: AttemptPhase = "outside";
  #session: Session | null = null;
  #isAborted = false;
  #isInterrupted = false;
  readonly #shutdown: Shutdown;
  #abandon: () => void = () => {};

  constructor(shutdown: Shutdown) {
    this.#shutdown = shutdown;
    this.abandoned = new Promise((resolve) => {
      this.#abandon = resolve;
    });
  }

  get phase(): AttemptPhase {
    return this.#phase;
  }

  /** Whether the shutdown closed the connection, or abandoned the attempt before there was one. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Whether the shutdown kept the attempt from something that it would have done. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Marks the attempt as interrupted if a shutdown has begun. Returns whether it did: then nothing new may begin. */
  interruptIfStopping(): boolean {
    this.#isInterrupted ||= this.#shutdown.hasBegun;
    return this.#isInterrupted;
  }

  /** Runs a transaction, which `abort` ends by closing the session. */
  async runTransaction<T>(session: Session, transaction: () => Promise<T>): Promise<T> {
    this.#session = session;
    this.#phase = "transaction";
    try {
      return await transaction();
    } finally {
      this.#session = null;
      this.#phase = "outside";
    }
  }

  markDotSent(): void {
    this.#phase = "final_dot";
  }

  abort(): void {
    this.#isAborted = true;
    this.#isInterrupted = true;
    if (this.#session !== null) this.#session.destroy();
    else this.#abandon();
  }
}
