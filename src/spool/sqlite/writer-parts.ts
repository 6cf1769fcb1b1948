/**
 * What the operations of the writer share: its state in memory, beside the database.
 */
import type { FairScheduler } from "../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../scheduler/hot-queue.ts";
import type { ActivityCounts } from "./activity.ts";
import type { DamageLog } from "./damage.ts";
import type { Leases } from "./leases.ts";
import type { Outbox } from "./outbox.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Rebuilding } from "./rebuilding.ts";

export interface WriterParts {
  scheduler: FairScheduler;
  hotQueue: HotQueue;
  leases: Leases;
  quarantine: Quarantine;
  activity: ActivityCounts;
  outbox: Outbox;
  damage: DamageLog;
  rebuilding: Rebuilding;
}
