/**
 * What no claim may return now: the mail of paused recipient domains, or all mail while delivery is paused after a restore. A
 * pause made at another node is in effect here after PAUSES_KEPT_MS at the latest.
 */
import type { Clock } from "../../../../lib/clock.ts";
import { PAUSE_ENTRY } from "../../../port/delivery-pause.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";

/** How long what was read is used without looking again. */
const PAUSES_KEPT_MS = 1000;

const findPauses = statement<{ domain: string | null }>(
  "SELECT domain FROM paused_domains UNION ALL SELECT NULL FROM key_values WHERE name = $1",
);

export class ClaimPauses {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #isReviewing: () => boolean;
  #domains: ReadonlySet<string> | null = new Set();
  #readMs = Number.NEGATIVE_INFINITY;

  /** `isReviewing`: nothing may be claimed, because nodes may not have marked what they have delivered. */
  constructor(database: Database, clock: Clock, isReviewing: () => boolean = () => false) {
    this.#database = database;
    this.#clock = clock;
    this.#isReviewing = isReviewing;
  }

  /** The paused recipient domains; null while all delivery is paused. */
  async current(): Promise<ReadonlySet<string> | null> {
    if (this.#isReviewing()) return null;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readMs < PAUSES_KEPT_MS) return this.#domains;
    const { rows } = await this.#database.run(findPauses, [PAUSE_ENTRY]);
    const domains = rows.map(({ domain }) => domain);
    this.#domains = domains.includes(null) ? null : new Set(domains.filter((domain) => domain !== null));
    this.#readMs = nowMs;
    return this.#domains;
  }

  /** A pause was made or ended: the next call of `current` looks again. */
  forget(): void {
    this.#readMs = Number.NEGATIVE_INFINITY;
  }
}
