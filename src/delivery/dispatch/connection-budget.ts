/**
 * Keeps the connections to a destination within the number that its hosts allow, idle ones of the pool included. Where no such
 * number is known, connections are only counted: the number of attempts bounds them closely enough.
 */
import type { LimitsOfDestinations } from "../routing/connection-limits.ts";
import type { Connect } from "../smtp/connect.ts";
import type { OpenConnections } from "../smtp/open-connections.ts";
import type { SessionPool } from "../smtp/pool.ts";

export interface ConnectionBudgetParts {
  open: OpenConnections;
  pool: SessionPool;
  /** The most connections that this node may have to a destination; null for no limit. At least its attempts under way. */
  limitOf: (destination: string) => number | null;
  limits: Pick<LimitsOfDestinations, "of" | "noteEnd">;
}

export class ConnectionBudget {
  readonly #parts: ConnectionBudgetParts;

  constructor(parts: ConnectionBudgetParts) {
    this.#parts = parts;
  }

  /** The most messages that a connection to the destination may carry. */
  messagesMax(destination: string): number {
    return this.#parts.limits.of(destination).messagesPerConnection ?? Number.POSITIVE_INFINITY;
  }

  /** Notes that a host has refused another message on a connection that has carried this number. */
  noteEnd(destination: string, messages: number): void {
    this.#parts.limits.noteEnd(destination, messages);
  }

  /**
   * Returns the function that opens the next connection, to be called once; `connect` as OpenConnections.add's. At the limit, it
   * quits an idle session, and resolves when a connection has ended. To be called by an attempt without a connection.
   */
  async begin(destination: string, connect?: Connect): Promise<Connect> {
    const { open, pool, limitOf } = this.#parts;
    for (;;) {
      const limit = limitOf(destination);
      if (limit === null || open.count(destination) < limit) return open.add(destination, connect);
      pool.quitIdle(destination, 1);
      await open.nextEnd(destination);
    }
  }
}
