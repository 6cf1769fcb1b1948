/**
 * The greatest event numbers of a day of acceptance, by account. They are read only from the index of numbers, from one account
 * to the next, so it takes as long as the day has accounts.
 */

import { type Session, statement } from "../connection/statement.ts";
import { firstNumberOfDay } from "../mail/message-number.ts";

export interface GreatestNumber {
  accountId: string;
  number: number;
  seq: number;
}

/** A condition on the column seq: the range of a day is $1 and $2. */
export const IN_DAY = "seq >= $1 AND seq < $2";

export const numbersOfDay = (day: number): [from: number, to: number] => [
  firstNumberOfDay(day),
  firstNumberOfDay(day + 1),
];

const findGreatest = statement<GreatestNumber>(
  `WITH RECURSIVE account (id) AS (
     (SELECT account_id FROM events WHERE ${IN_DAY} ORDER BY account_id LIMIT 1)
     UNION ALL
     SELECT (SELECT account_id FROM events WHERE ${IN_DAY} AND account_id > account.id ORDER BY account_id LIMIT 1)
       FROM account WHERE id IS NOT NULL
   )
   SELECT id AS "accountId", number, seq FROM account, LATERAL (
     SELECT number, seq FROM events WHERE ${IN_DAY} AND account_id = account.id ORDER BY number DESC LIMIT 1) AS greatest`,
);

const findWithout = statement<{ accountId: string; number: number }>(
  `SELECT account.id AS "accountId", number FROM unnest($3::text[]) AS account (id), LATERAL (
     SELECT number FROM events WHERE ${IN_DAY} AND account_id = account.id AND seq <> ALL ($4::bigint[])
       ORDER BY number DESC LIMIT 1) AS greatest`,
);

const findNewer = statement<{ seq: number }>(
  `SELECT seq FROM unnest($3::text[], $4::bigint[]) AS seen (account_id, number), LATERAL (
     SELECT seq FROM events WHERE ${IN_DAY} AND account_id = seen.account_id AND number > seen.number
       ORDER BY number LIMIT $5) AS newer`,
);

const raisePruned = statement(
  `INSERT INTO events_pruned AS pruned (account_id, number)
     SELECT account_id, number FROM unnest($1::text[], $2::bigint[]) AS d (account_id, number) ORDER BY account_id
     ON CONFLICT (account_id) DO UPDATE SET number = greatest(pruned.number, excluded.number)`,
);

export async function greatestNumbers(session: Session, day: number): Promise<GreatestNumber[]> {
  return (await session.run(findGreatest, numbersOfDay(day))).rows;
}

/**
 * The messages with events since `seen` was read, some of them if there are more than `limit`. Within an account no number becomes
 * visible after a greater one, so none is missed.
 */
export async function changedSince(
  session: Session,
  day: number,
  { seen, now, limit }: { seen: readonly GreatestNumber[]; now: readonly GreatestNumber[]; limit: number },
): Promise<number[]> {
  const former = new Map(seen.map(({ accountId, number }) => [accountId, number]));
  const changed = now.filter(({ accountId, number }) => number > (former.get(accountId) ?? -1));
  if (changed.length === 0) return [];
  const accounts = changed.map(({ accountId }) => accountId);
  const values = [accounts, accounts.map((accountId) => former.get(accountId) ?? -1), limit];
  return (await session.run(findNewer, [...numbersOfDay(day), ...values])).rows.map(({ seq }) => seq);
}

/** Notes that the events of a day are deleted, except those of the messages `kept`: cursors before them expire. */
export async function noteDeleted(
  session: Session,
  day: number,
  { now, kept }: { now: readonly GreatestNumber[]; kept: readonly number[] },
): Promise<void> {
  const ofKept = new Set(kept);
  const unclear = now.filter(({ seq }) => ofKept.has(seq)).map(({ accountId }) => accountId);
  const others = await session.run(findWithout, [...numbersOfDay(day), unclear, kept]);
  const deleted = [...now.filter(({ seq }) => !ofKept.has(seq)), ...others.rows];
  await session.run(raisePruned, [deleted.map(({ accountId }) => accountId), deleted.map(({ number }) => number)]);
}
