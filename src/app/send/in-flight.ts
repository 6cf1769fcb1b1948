/**
 * Requests with an idempotency key that are being handled now. A duplicate waits for the first and shares its outcome. Keys
 * of completed requests are the spool's: it commits them with the message.
 */
interface Running<T> {
  payloadHash: string;
  outcome: Promise<T>;
}

export class InFlight<T> {
  readonly #running = new Map<string, Running<T>>();

  /**
   * Calls `run`, unless a request with this name and payload is running: then waits for its outcome, or its error, and sets
   * `joined`.
   */
  async share(name: string, payloadHash: string, run: () => Promise<T>): Promise<{ joined: boolean; outcome: T }> {
    const first = this.#running.get(name);
    if (first !== undefined && first.payloadHash === payloadHash) return { joined: true, outcome: await first.outcome };
    // With another payload, only the outcome of the first decides whether this request may use the key.
    if (first !== undefined) {
      await first.outcome.catch(() => {});
      return this.share(name, payloadHash, run);
    }
    const outcome = run();
    this.#running.set(name, { payloadHash, outcome });
    try {
      return { joined: false, outcome: await outcome };
    } finally {
      this.#running.delete(name);
    }
  }
}
