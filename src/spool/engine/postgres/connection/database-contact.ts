/**
 * How long this process has been in contact with the database without interruption. After an outage of the database, or a leap
 * of its clock, all leases look expired. The other nodes need the time of a lease to renew theirs before one may end them.
 */
import { LEASE_MS } from "../cluster/nodes-table.ts";

export interface Reply {
  /** By this process's monotonic clock, before the question was sent. */
  sentMs: number;
  /** By the same clock, after the reply arrived. */
  receivedMs: number;
  /** By the database's clock, between the two. */
  databaseMs: number;
}

/** A clock that is slewed gains less than this between two replies. */
const LEAP_MIN_MS = 500;

export class Contact {
  #sinceMs = 0;
  #last: Reply | null = null;

  /** A reply arrived. Ends the contact and begins another one if this process, or the database's clock, has leapt since the last. */
  heard(reply: Reply): void {
    if (this.#last === null || !isContinuous(this.#last, reply)) this.#sinceMs = reply.sentMs;
    this.#last = reply;
  }

  /** The connection was lost, or there was no reply. */
  lost(): void {
    this.#last = null;
  }

  /** Whether the last reply came at least a lease's time after the first one of this contact. */
  get outlastsLeases(): boolean {
    return this.#last !== null && this.#last.sentMs - this.#sinceMs >= LEASE_MS;
  }
}

function isContinuous(last: Reply, next: Reply): boolean {
  const wasPaused = next.sentMs - last.sentMs > LEASE_MS;
  const hasLeapt = next.databaseMs - last.databaseMs > next.receivedMs - last.sentMs + LEAP_MIN_MS;
  return !wasPaused && !hasLeapt;
}
