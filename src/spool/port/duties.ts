/**
 * Duties: work that one process at a time does where several share a store. A process that holds a duty keeps it while it runs;
 * when it ends, another one takes the duty within seconds.
 */
import { crc32 } from "node:zlib";

/** The recurring tasks. They are shared among the processes, as are the shards of webhooks. */
export const TASKS = [
  "certificates",
  "domain_checks",
  "incoming_mail",
  "key_rotations",
  "notices",
  "overlong_waits",
  "quarantine",
  "retention",
  "tls_reports",
] as const;

/** The endpoints of a shard are posted to by one process, so that each gets its events in order. */
export const WEBHOOK_SHARDS = [
  "webhooks_00",
  "webhooks_01",
  "webhooks_02",
  "webhooks_03",
  "webhooks_04",
  "webhooks_05",
  "webhooks_06",
  "webhooks_07",
  "webhooks_08",
  "webhooks_09",
  "webhooks_10",
  "webhooks_11",
] as const;

export type Duty = (typeof TASKS)[number] | (typeof WEBHOOK_SHARDS)[number];

/** One holding of a duty by this process. If it takes the duty again after another process has had it, that is another tenure. */
export interface Tenure {
  /**
   * Whether no other process has had the duty since. A step that was begun while the duty was held may store its result as long
   * as this is true.
   */
  isLatest(): boolean;
}

export interface Duties {
  /** Whether this process holds the duty now, so that it may begin the next step of the task. */
  holds(duty: Duty): boolean;
  /** Null if this process does not hold the duty. */
  tenure(duty: Duty): Tenure | null;
  /** Calls `listener` after duties were taken or lost. Returns a function that ends the calls. */
  onChange(listener: () => void): () => void;
  /** Gives up all duties permanently, for a process that is about to stop. To be called when the tasks have ended. Never rejects. */
  resign(): Promise<void>;
}

/** The duty of posting to an endpoint. Must not change: processes of two versions must not post to the same one. */
export function webhookShard(endpointId: string): Duty {
  return WEBHOOK_SHARDS[crc32(endpointId) % WEBHOOK_SHARDS.length] as Duty;
}

const ONLY: Tenure = { isLatest: () => true };

/** For a process that is the only one on its store. */
export const ALL_DUTIES: Duties = {
  holds: () => true,
  tenure: () => ONLY,
  onChange: () => () => {},
  resign: () => Promise.resolve(),
};
