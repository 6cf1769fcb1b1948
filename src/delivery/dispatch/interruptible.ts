/**
 * One attempt during a shutdown: the phase it is in, and how it is aborted. When that happens is shutdown.ts's decision; what it
 * means for the recipients is address-attempt.ts's and attempt.ts's.
 */

import type { Session } from "../smtp/session.ts";
import type { AttemptPhase, Shutdown, Stoppable } from "./shutdown.ts";

export class Interruptible implements Stoppable {
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

  /** Whether a shutdown forbids anything new. Ask only where there is something to begin: it marks the attempt as interrupted. */
  preventsMore(): boolean {
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
