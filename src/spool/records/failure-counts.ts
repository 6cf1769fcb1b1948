/** Adds up failed recipients by reason and by recipient domain. Each form of the spool reads them, the newest messages first. */
import type { Category } from "../../message/result/category.ts";
import type { Failures } from "../port/reports.ts";

/**
 * Failed recipients that one report reads. Of all accounts, each has an equal part of it. It bounds the time of a report, not of a
 * step: a step reads FAILURES_AT_ONCE.
 */
export const FAILURES_READ_MAX = 20_000;
export const FAILURES_AT_ONCE = 1000;

/** The failed recipients that a report reads of each account. */
export const failuresReadOf = (accounts: number): number =>
  Math.max(FAILURES_AT_ONCE, Math.floor(FAILURES_READ_MAX / Math.max(1, accounts)));

export interface FailureRow {
  domain: string;
  reason: string | null;
  category: Category | null;
  recipients: number;
}

export class FailureCounts {
  isPartial = false;
  readonly #reasons = new Map<string, FailureRow>();
  readonly #domains = new Map<string, FailureRow>();

  add(row: FailureRow): void {
    addTo(this.#reasons, `${row.category} ${row.reason}`, row);
    addTo(this.#domains, row.domain, row);
  }

  /** Lists at most `limit` reasons and as many domains. */
  failures(limit: number): Failures {
    const reasons = mostFirst(this.#reasons);
    const domains = mostFirst(this.#domains);
    return {
      recipients: sumOf(reasons),
      reasons: reasons.slice(0, limit).map(({ reason, category, recipients }) => ({ reason, category, recipients })),
      domains: domains.slice(0, limit).map(({ domain, recipients }) => ({ domain, recipients })),
      otherReasons: sumOf(reasons.slice(limit)),
      otherDomains: sumOf(domains.slice(limit)),
      isPartial: this.isPartial,
    };
  }
}

function addTo(counts: Map<string, FailureRow>, name: string, row: FailureRow): void {
  const known = counts.get(name);
  if (known === undefined) counts.set(name, { ...row });
  else known.recipients += row.recipients;
}

const mostFirst = (counts: ReadonlyMap<string, FailureRow>): FailureRow[] =>
  [...counts]
    .sort(([a, one], [b, other]) => other.recipients - one.recipients || (a < b ? -1 : 1))
    .map(([, row]) => row);

const sumOf = (rows: readonly FailureRow[]): number => rows.reduce((sum, { recipients }) => sum + recipients, 0);
