/**
 * One attempt's side of a stop: how far the attempt is, and how it is ended there. When that happens is shutdown.ts's;
 * what it means for the recipients is attempt.ts's.
 */

import type { Session } from "../smtp/session.ts";
import type { AttemptPhase, Shutdown, Stoppable } from "./shutdown.ts";

export class Interruptible implements Stoppable {
  /** Resolves when the stop ends the attempt outside a transaction: what still runs then is not waited for. */
  readonly abandoned: Promise<void>;
  /** Recipients that the transaction under way has, from the mark on. */
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

  /** Whether the stop has closed the connection, or given up what came before one. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Whether the stop kept the attempt from something that it would have done. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Whether the stop forbids to begin something new. Asked only where there is something to begin. */
  preventsMore(): boolean {
    this.#isInterrupted ||= this.#shutdown.hasBegun;
    return this.#isInterrupted;
  }

  /** Runs a transaction on the session. */
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
