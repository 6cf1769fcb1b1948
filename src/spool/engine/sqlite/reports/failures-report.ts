/**
 * Reports failed recipients by reason and by recipient domain, without test messages. One step reads some failed results of one
 * account, from the newest message on, and leaves out those that are not the newest result any more. There is no index of the time of failure: a message that was retried may fail long after
 * its acceptance.
 */
import type { Database } from "better-sqlite3";
import type { Failures, FailuresFilter } from "../../../port/reports.ts";
import { FAILURES_AT_ONCE, FailureCounts, type FailureRow, failuresReadOf } from "../../../records/failure-counts.ts";
import { isLiveSql } from "../../../records/test-routes.ts";
import type { Steps } from "../connection/read-steps.ts";
import { readable } from "../files/damage.ts";

interface Position {
  seq: number;
  position: number;
}

type Before = Position & { accountId: string };
type Range = Before & { fromSeq: number; fromPosition: number; sinceMs: number; untilMs: number };

const FAILED = "events INDEXED BY events_failed WHERE result = 'failed' AND account_id = @accountId";

export function prepareFailuresReport(db: Database) {
  const accounts = db.prepare<[], string>("SELECT id FROM accounts").pluck();
  const endOf = db.prepare<Before, Position>(
    `SELECT seq, position FROM ${FAILED} AND (seq, position) < (@seq, @position)
       ORDER BY seq DESC, position DESC LIMIT 1 OFFSET ${FAILURES_AT_ONCE - 1}`,
  );
  const count = db.prepare<Range, FailureRow>(
    `SELECT r.domain, r.reason, r.category, count(*) AS recipients
       FROM (SELECT DISTINCT seq, position FROM ${FAILED}
               AND (seq, position) < (@seq, @position) AND (seq, position) >= (@fromSeq, @fromPosition)) AS f
       CROSS JOIN recipient_states AS r ON r.seq = f.seq AND r.position = f.position
       WHERE r.result = 'failed' AND r.at_ms >= @sinceMs AND r.at_ms < @untilMs AND ${isLiveSql("r.domain")} GROUP BY 1, 2, 3`,
  );

  function* addAccount(counts: FailureCounts, filter: FailuresFilter, readMax: number): Steps<void> {
    const { sinceMs, untilMs } = filter;
    let before = { accountId: filter.accountId ?? "", seq: Number.MAX_SAFE_INTEGER, position: 0 };
    for (let read = 0; ; read += FAILURES_AT_ONCE) {
      if (read >= readMax) {
        counts.isPartial = true;
        return;
      }
      const end = readable(() => endOf.get(before));
      const range = { ...before, sinceMs, untilMs, fromSeq: end?.seq ?? 0, fromPosition: end?.position ?? 0 };
      for (const row of readable(() => count.all(range)) ?? []) counts.add(row);
      yield;
      if (end === undefined) return;
      before = { ...before, ...end };
    }
  }

  return function* failures(filter: FailuresFilter): Steps<Failures> {
    const counts = new FailureCounts();
    const ids = filter.accountId === null ? accounts.all() : [filter.accountId];
    for (const accountId of ids) yield* addAccount(counts, { ...filter, accountId }, failuresReadOf(ids.length));
    return counts.failures(filter.limit);
  };
}
