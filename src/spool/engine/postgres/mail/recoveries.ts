/** When the work of nodes that have ended is recovered, and what follows from it. What is recovered is decided by recovery.ts. */
import type { Clock } from "../../../../lib/clock.ts";
import type { Database } from "../connection/database.ts";
import type { ActivityCounts } from "../reports/activity.ts";
import { recoverEnded } from "./recovery.ts";

/** How often the work of forgotten nodes is searched for. */
const FORGOTTEN_EVERY_MS = 60_000;

export interface RecoveriesParts {
  clock: Pick<Clock, "monotonicMs">;
  database: Database;
  activity: ActivityCounts;
  /** Nothing may be recovered now: nodes may not have marked what they have delivered. */
  isReviewing: () => boolean;
  /** Called after a commit. */
  onEvents: (accountIds: ReadonlySet<string>) => void;
  /** Work may have become due for any node. */
  onRecovered: () => void;
}

export class Recoveries {
  readonly #parts: RecoveriesParts;
  #last: Promise<number> = Promise.resolve(0);
  /** By the monotonic clock. */
  #nextForgottenMs = 0;

  constructor(parts: RecoveriesParts) {
    this.#parts = parts;
  }

  /** There is work that no node is at work on: a recovery is due at once. */
  noteForgotten(): void {
    this.#nextForgottenMs = 0;
  }

  /** Whether a recovery is due although no node has ended: the next one looks for the work of forgotten nodes, too. */
  get areDue(): boolean {
    return this.#parts.clock.monotonicMs() >= this.#nextForgottenMs;
  }

  /**
   * Recovers the work of nodes that have ended. Returns how many recipients were marked. Two calls run one after the
   * other, because they would wait for locks.
   */
  recover(nowMs: number, result: "unknown" | "pending"): Promise<number> {
    this.#last = this.#last.catch(() => 0).then(() => this.#recover(nowMs, result));
    return this.#last;
  }

  async #recover(nowMs: number, result: "unknown" | "pending"): Promise<number> {
    const { clock, database, activity, isReviewing, onEvents, onRecovered } = this.#parts;
    if (isReviewing()) return 0;
    const withForgotten = this.areDue;
    if (withForgotten) this.#nextForgottenMs = clock.monotonicMs() + FORGOTTEN_EVERY_MS;
    const recovered = await recoverEnded(database, { nowMs, result, withForgotten }, (recipients) => {
      for (const { accountId, result: counted, isTest } of recipients) {
        if (!isTest) activity.recovered(accountId, { nowMs, result: counted });
      }
      onEvents(new Set(recipients.map(({ accountId }) => accountId)));
    });
    onRecovered();
    return recovered;
  }
}
