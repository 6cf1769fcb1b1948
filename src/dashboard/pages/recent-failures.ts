/**
 * Reads failures for the overview, which asks for them with each poll. They are read anew when the number of failed recipients has
 * changed, and otherwise every few seconds.
 */
import { failuresByReceiver, type ReceiverFailures } from "../../app/reports/receivers.ts";
import type { Clock } from "../../lib/clock.ts";
import { TtlCache } from "../../lib/ttl-cache.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { ResultsRange } from "../../spool/port/receiver-results.ts";
import type { Failures, FailuresFilter, Reports } from "../../spool/port/reports.ts";

const KEPT_MS = 15_000;
const KEPT_MAX = 200;
/** Reasons and recipient domains on the page. */
const LISTED = 8;

const NONE: Failures = {
  recipients: 0,
  reasons: [],
  domains: [],
  otherReasons: 0,
  otherDomains: 0,
  isPartial: false,
};

/** Those of all accounts by receiver. */
export class FailuresOfReceivers {
  readonly #spool: Pick<KeyValueStore, "readLiveNodeValues">;
  readonly #kept: TtlCache<ReceiverFailures[]>;

  constructor(spool: Pick<KeyValueStore, "readLiveNodeValues">, clock: Clock) {
    this.#spool = spool;
    this.#kept = new TtlCache({ clock, keptMs: KEPT_MS, max: KEPT_MAX, worthKeeping: () => true });
  }

  read(range: ResultsRange): Promise<ReceiverFailures[]> {
    return this.#kept.get(String(range.days), () => failuresByReceiver(this.#spool, { ...range, limit: LISTED }));
  }
}

export class RecentFailures {
  readonly #reports: Pick<Reports, "failures">;
  readonly #kept: TtlCache<Failures>;

  constructor(reports: Pick<Reports, "failures">, clock: Clock) {
    this.#reports = reports;
    this.#kept = new TtlCache({ clock, keptMs: KEPT_MS, max: KEPT_MAX, worthKeeping: () => true });
  }

  /** `failed`: how many recipients have failed in this time by the counts of activity. */
  read(filter: Omit<FailuresFilter, "limit">, failed: number): Promise<Failures> {
    if (failed === 0) return Promise.resolve(NONE);
    const name = [filter.accountId, filter.sinceMs, filter.untilMs, failed].join(" ");
    return this.#kept.get(name, () => this.#reports.failures({ ...filter, limit: LISTED }));
  }
}
