/**
 * Reports what happened over time, from the counts that activity.ts keeps. One step reads one table for one account.
 */

import type { Database } from "better-sqlite3";
import type { Activity, ActivityFilter } from "../../../port/reports.ts";
import { ActivitySums, type IntervalCounts, type IntervalTimes } from "../../../records/activity-sums.ts";
import type { Steps } from "../connection/read-steps.ts";

type AccountFilter = ActivityFilter & { accountId: string };

export function prepareActivityReport(db: Database) {
  const accounts = db.prepare<[], string>("SELECT id FROM accounts").pluck();
  // Numbers are bound as floating point: the cast makes it an integer division.
  const counts = db.prepare<AccountFilter, IntervalCounts>(
    `SELECT CAST(minute_ms / @stepMs AS INTEGER) * @stepMs AS atMs, sum(messages) AS messages, sum(recipients) AS recipients,
            sum(delivered) AS delivered, sum(failed) AS failed, sum(unknown) AS unknown, sum(deferred) AS deferred
       FROM activity WHERE account_id = @accountId AND minute_ms >= @sinceMs AND minute_ms < @untilMs GROUP BY 1`,
  );
  const times = db.prepare<AccountFilter, IntervalTimes>(
    `SELECT CAST(slot_ms / @stepMs AS INTEGER) * @stepMs AS atMs, bucket, sum(recipients) AS recipients
       FROM delivery_times WHERE account_id = @accountId AND slot_ms >= @sinceMs AND slot_ms < @untilMs GROUP BY 1, 2`,
  );
  return function* activity(filter: ActivityFilter): Steps<Activity> {
    const sums = new ActivitySums();
    for (const accountId of filter.accountId === null ? accounts.all() : [filter.accountId]) {
      for (const row of counts.all({ ...filter, accountId })) sums.addCounts(row);
      yield;
      for (const row of times.all({ ...filter, accountId })) sums.addTimes(row);
      yield;
    }
    return sums.activity();
  };
}
