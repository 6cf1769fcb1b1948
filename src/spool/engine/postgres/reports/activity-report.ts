/** Reports what happened over time, from the counts that activity.ts writes. */
import type { Activity, ActivityFilter } from "../../../port/reports.ts";
import { ActivitySums, COUNTS, type IntervalCounts, type IntervalTimes } from "../../../records/activity-sums.ts";
import { type Session, statement } from "../connection/statement.ts";

const ACCOUNTS =
  "(SELECT $1::text AS id WHERE $1 IS NOT NULL UNION ALL SELECT id FROM accounts WHERE $1 IS NULL) AS account";

/** The rows of the time range, looked up account by account: those of an account are together in the primary key. */
const rowsOf = (table: string, time: string): string =>
  `${ACCOUNTS}, LATERAL (
     SELECT * FROM ${table} WHERE account_id = account.id AND ${time} >= $2 AND ${time} < $3 OFFSET 0
   ) AS c`;

const findCounts = statement<IntervalCounts>(
  `SELECT minute_ms / $4::bigint * $4 AS "atMs",
          ${COUNTS.map((name) => `sum(greatest(0, ${name}))::bigint AS ${name}`).join(", ")}
     FROM ${rowsOf("activity", "minute_ms")} GROUP BY 1`,
);

const findTimes = statement<IntervalTimes>(
  `SELECT slot_ms / $4::bigint * $4 AS "atMs", bucket, sum(recipients)::bigint AS recipients
     FROM ${rowsOf("delivery_times", "slot_ms")} GROUP BY 1, 2`,
);

/** The activity as it is written: see ActivityCounts.write. */
export async function reportActivity(session: Session, filter: ActivityFilter): Promise<Activity> {
  const { accountId, sinceMs, untilMs, stepMs } = filter;
  const values = [accountId, sinceMs, untilMs, stepMs];
  const sums = new ActivitySums();
  for (const row of (await session.run(findCounts, values)).rows) sums.addCounts(row);
  for (const row of (await session.run(findTimes, values)).rows) sums.addTimes(row);
  return sums.activity();
}
