/**
 * What the operations of the writer share: its state in memory, beside the database.
 */
import type { FairScheduler } from "../../../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../../../scheduler/hot-queue.ts";
import type { DamageLog } from "../files/damage.ts";
import type { Rebuilding } from "../files/rebuilding.ts";
import type { EventWriter } from "../mail/event-writer.ts";
import type { Leases } from "../mail/leases.ts";
import type { RecipientStates } from "../mail/recipient-states.ts";
import type { Quarantine } from "../quarantine/quarantine.ts";
import type { ActivityCounts } from "../reports/activity.ts";

export interface WriterParts {
  scheduler: FairScheduler;
  hotQueue: HotQueue;
  leases: Leases;
  quarantine: Quarantine;
  activity: ActivityCounts;
  events: EventWriter;
  states: RecipientStates;
  damage: DamageLog;
  rebuilding: Rebuilding;
}
