/** The requests that wait for events, by account. They share one registration with the spool. */
import type { Events } from "../spool/port/events.ts";

export class EventWaiters {
  readonly #waiters = new Map<string, Set<() => void>>();

  /** Registers for as long as the spool is open. */
  constructor(events: Pick<Events, "onEvents">) {
    events.onEvents((accountIds) => this.#notify(accountIds));
  }

  /** Calls `changed` when the account may have new events. Returns a function that ends the calls. */
  add(accountId: string, changed: () => void): () => void {
    const waiters = this.#waiters.get(accountId) ?? new Set();
    this.#waiters.set(accountId, waiters.add(changed));
    return () => {
      waiters.delete(changed);
      if (waiters.size === 0) this.#waiters.delete(accountId);
    };
  }

  /** The number of the account's waiting requests. */
  countOf(accountId: string): number {
    return this.#waiters.get(accountId)?.size ?? 0;
  }

  #notify(accountIds: ReadonlySet<string> | null): void {
    for (const accountId of accountIds ?? this.#waiters.keys()) {
      for (const changed of this.#waiters.get(accountId) ?? []) changed();
    }
  }
}
