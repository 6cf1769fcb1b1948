/**
 * A store: the spool, its accounts, users and reports, as a process has them open together. Every implementation passes the conformance
 * suites in test/spool/port.
 */
import type { Registry } from "./accounts.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import type { DestinationSlots } from "./destination-slots.ts";
import type { Duties } from "./duties.ts";
import type { HeldValues } from "./held-values.ts";
import type { Nodes } from "./nodes.ts";
import type { People } from "./people.ts";
import type { Reports } from "./reports.ts";
import type { Spool } from "./spool.ts";
import type { RateLimits } from "./token-buckets.ts";

/** A damaged part of the store other than a single message. */
export interface Damage {
  /** Such as `notes`. */
  place: string;
  error: string;
}

export interface Store extends Spool, Registry, RateLimits {
  people: People;
  reports: Reports;
  destinationSlots: DestinationSlots;
  attemptLimiter: AttemptLimiter;
  heldValues: HeldValues;
  /** Those of this process. */
  duties: Duties;
  /** Null where the store belongs to one process. */
  nodes: Nodes | null;
  /** Calls `listener` with each damaged part of the store found from now on, and with those found before. */
  onDamage(listener: (damage: Damage) => void): void;
  /** Calls `listener` with the duration of each commit; syncing to the disk is most of it. */
  onSync(listener: (ms: number) => void): void;
}
