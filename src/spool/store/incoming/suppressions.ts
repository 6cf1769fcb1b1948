/**
 * Suppressed addresses: their list, and the addition, removal and end of one. The mail path of each engine adds to
 * refused_addresses, which has those that servers have refused; suppressed_addresses has those with a set cause.
 */
import { parseMailbox } from "../../../message/address.ts";
import { refusalKey, type Suppression, suppressionOf } from "../../../message/result/suppression.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { SpoolUnavailable } from "../../port/errors.ts";
import type {
  AddedSuppressions,
  NewSuppression,
  SuppressedAddress,
  SuppressionFilter,
  SuppressionPage,
  Suppressions,
} from "../../port/suppressions.ts";
import { storedRefusals } from "../../records/stored-refusals.ts";
import {
  addressOf,
  mergedRows,
  type SuppressionRow,
  suppressionBy,
  suppressionChanges,
} from "../../records/suppressed-address.ts";
import { REFUSED_PORTION, type RefusedRow, type SetRow, SuppressionList } from "../../records/suppression-list.ts";
import { jsonRows } from "../rows/json-rows.ts";
import { sweepOf } from "../rows/sweep.ts";

const SET = { ifDamaged: "the suppressed addresses" };
const REFUSED = { ifDamaged: "the refused addresses" };

/** Ended suppressions that one step of retention deletes. */
const DELETED_MAX = 500;

const COLUMNS = `address, cause, at_ms AS "atMs", until_ms AS "untilMs"`;

const findSet = statement<SetRow>(
  `SELECT ${COLUMNS}, message_id AS "messageId" FROM suppressed_addresses WHERE account_id = $1 AND (at_ms, address) < ($2, $3)
     ORDER BY at_ms DESC, address DESC LIMIT $4`,
);
const findRefused = statement<RefusedRow>(
  `SELECT address, newest_at_ms AS "newestMs", refusals FROM refused_addresses
     WHERE account_id = $1 AND newest_at_ms > $2 AND newest_at_ms <= $3 AND (newest_at_ms < $3 OR address > $4)
     ORDER BY newest_at_ms DESC, address LIMIT ${REFUSED_PORTION}`,
);
const findOneSet = statement<NewSuppression>(
  `SELECT ${COLUMNS} FROM suppressed_addresses WHERE account_id = $1 AND address = $2`,
);
const findOneRefused = statement<{ refusals: string }>(
  "SELECT refusals FROM refused_addresses WHERE account_id = $1 AND address = $2",
);

const ALSO_SET = "account_id = $1 AND address IN (SELECT value ->> 'address' FROM json_each($2))";
const findAmong = statement<NewSuppression>(`SELECT ${COLUMNS} FROM suppressed_addresses WHERE ${ALSO_SET}`);
// In the order of the addresses, so that two writes of the same ones do not wait for each other.
const lockAmong = statement<NewSuppression>(
  `SELECT ${COLUMNS} FROM suppressed_addresses WHERE ${ALSO_SET} ORDER BY address FOR UPDATE`,
  SET,
);

const insertOr = (onConflict: string): string =>
  `INSERT INTO suppressed_addresses (account_id, address, cause, at_ms, until_ms, message_id)
     SELECT $1, value ->> 'address', value ->> 'cause', CAST(value ->> 'atMs' AS bigint),
            CAST(value ->> 'untilMs' AS bigint), value ->> 'messageId'
       FROM json_each($2) WHERE true
     ON CONFLICT (account_id, address) ${onConflict}`;

const insert = statement<{ address: string }>(`${insertOr("DO NOTHING")} RETURNING address`, SET);
const replace = statement(
  insertOr(`DO UPDATE SET cause = excluded.cause, at_ms = excluded.at_ms, until_ms = excluded.until_ms,
                          message_id = excluded.message_id`),
  SET,
);

const jsonAddresses = (rows: readonly { address: string }[]): string =>
  jsonRows(rows.map(({ address }) => ({ address })));

const removals = [
  statement("DELETE FROM refused_addresses WHERE account_id = $1 AND address = $2", REFUSED),
  statement("DELETE FROM suppressed_addresses WHERE account_id = $1 AND address = $2", SET),
];
const deleteEnded = sweepOf(
  "suppressed_addresses",
  "account_id, address",
  `until_ms <= $1 ORDER BY until_ms LIMIT ${DELETED_MAX}`,
  SET,
);

export const suppressionOperations = {
  reads: { suppression },
  writes: {
    async addSuppressions(
      session: Session,
      { accountId, suppressions, nowMs }: Parameters<Suppressions["addSuppressions"]>[0],
    ): Promise<AddedSuppressions> {
      const added = await setSuppressions(session, accountId, { rows: suppressions, nowMs });
      if (added === null) throw new SpoolUnavailable("the suppressed addresses are damaged: nothing was added");
      return added;
    },
    async unsuppress(session: Session, accountId: string, email: string): Promise<boolean> {
      const mailbox = parseMailbox(email);
      if (mailbox.type === "invalid") return false;
      const address = refusalKey(mailbox.address, mailbox.domain);
      let removed = 0;
      for (const remove of removals) removed += (await session.run(remove, [accountId, address])).count;
      return removed > 0;
    },
  },
  reports: { suppressions },
};

/** Deletes some of the suppressions that have ended. Returns whether there may be more. */
export async function deleteEndedSuppressions(session: Session, nowMs: number): Promise<boolean> {
  return (await session.run(deleteEnded, [nowMs])).count === DELETED_MAX;
}

/**
 * Adds rows, or combines them with those that are stored. Returns null if damage left nothing done. Rows that another transaction adds at
 * the same time are seen on the second pass.
 */
export async function setSuppressions(
  session: Session,
  accountId: string,
  { rows, nowMs }: { rows: readonly SuppressionRow[]; nowMs: number },
): Promise<AddedSuppressions | null> {
  const counts: AddedSuppressions = { added: 0, changed: 0, already: 0 };
  let left = mergedRows(rows, nowMs);
  counts.already += rows.length - left.length;
  while (left.length > 0) {
    const stored = await session.run(lockAmong, [accountId, jsonAddresses(left)]);
    const { added, changed, already, renewed } = suppressionChanges(left, stored.rows, nowMs);
    if (changed.length > 0) await session.run(replace, [accountId, jsonRows(changed)]);
    const inserted = await session.run(insert, [accountId, jsonRows(added)]);
    if (stored.isDamaged || inserted.isDamaged) return null;
    counts.added += renewed + inserted.count;
    counts.changed += changed.length - renewed;
    counts.already += already;
    const isInserted = new Set(inserted.rows.map(({ address }) => address));
    left = added.filter(({ address }) => !isInserted.has(address));
  }
  return counts;
}

async function suppression(
  session: Session,
  { accountId, email, after, nowMs }: Parameters<Suppressions["suppression"]>[0],
): Promise<SuppressedAddress | null> {
  const address = addressOf(email);
  if (address === null) return null;
  const set = await first(session, findOneSet, [accountId, address]);
  const found: Suppression | null = set === null ? null : suppressionBy(set, nowMs);
  if (found !== null) return { email: address, ...found };
  const refused = await first(session, findOneRefused, [accountId, address]);
  const byRefusals = refused === null ? null : suppressionOf(storedRefusals(refused.refusals), { after, nowMs });
  return byRefusals === null ? null : { email: address, ...byRefusals };
}

async function suppressions(session: Session, filter: SuppressionFilter): Promise<SuppressionPage> {
  const { accountId, nowMs } = filter;
  const list = new SuppressionList(filter);
  while (list.isReading) {
    const { isRefused, atMs, address } = list.position;
    if (!isRefused) {
      const { portion } = list;
      list.addSet((await session.run(findSet, [accountId, atMs, address, portion])).rows, portion);
      continue;
    }
    const { rows } = await session.run(findRefused, [accountId, list.lapsedMs, atMs, address]);
    const { rows: alsoSet } = await session.run(findAmong, [accountId, jsonAddresses(rows)]);
    const inForce = alsoSet.filter((row) => suppressionBy(row, nowMs) !== null);
    list.addRefused(rows, new Set(inForce.map((row) => row.address)));
  }
  return list.page;
}
