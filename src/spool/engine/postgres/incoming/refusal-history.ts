/**
 * The refusal history: replies that called an address nonexistent, by account and address. An address with at least one has one
 * row. message/result/suppression.ts decides which refusals count and when they suppress. The callers hold the transaction.
 *
 * Rows are locked in the order of the primary key, so transactions that change the same addresses cannot wait for each other in a
 * circle.
 */
import { addRefusal, afterDelivery, REFUSAL_COUNTS_MS, type Refusal } from "../../../../message/result/suppression.ts";
import { storedRefusals } from "../../../records/stored-refusals.ts";
import { type Session, statement } from "../connection/statement.ts";
import type { Command } from "../mail/event-writer.ts";

/** An address of an account; `address` is a refusalKey. */
export interface RefusedAddress {
  accountId: string;
  address: string;
}

/** An attempt's effect on the refusals of its address. */
export interface RefusalChange extends RefusedAddress {
  /** Null for a delivery, which clears them. */
  refusal: Refusal | null;
}

/** Lapsed addresses that are removed with each batch that adds refusals. */
const SWEEP_ROWS = 200;

const find = statement<{ place: number; refusals: string }>(
  `SELECT place, refusals
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (account_id, address, place)
     JOIN refused_addresses USING (account_id, address)`,
);

const clearing = (condition: string) =>
  statement(
    `WITH cleared AS MATERIALIZED (
       SELECT r.account_id, r.address FROM unnest($1::text[], $2::text[]) AS delivered (account_id, address)
         JOIN refused_addresses r USING (account_id, address) WHERE ${condition}
         ORDER BY r.account_id, r.address FOR UPDATE OF r)
     DELETE FROM refused_addresses r USING cleared c WHERE r.account_id = c.account_id AND r.address = c.address`,
  );
const clear = clearing("true");
const clearByDelivery = clearing(`position('"bounced":true' IN r.refusals) = 0`);

// Adds a row for a refused address that has none, because there must be one to lock.
const lock = statement<RefusedAddress & { refusals: string }>(
  `INSERT INTO refused_addresses AS r (account_id, address, newest_at_ms, refusals)
     SELECT account_id, address, 0, '[]'
       FROM unnest($1::text[], $2::text[], $3::boolean[]) AS changed (account_id, address, is_refused)
       WHERE is_refused OR EXISTS (
         SELECT FROM refused_addresses k WHERE k.account_id = changed.account_id AND k.address = changed.address)
       ORDER BY account_id COLLATE "C", address COLLATE "C"
     ON CONFLICT (account_id, address) DO UPDATE SET refusals = r.refusals
     RETURNING account_id AS "accountId", address, refusals`,
);
const store = statement(
  `UPDATE refused_addresses r SET newest_at_ms = s.newest_at_ms, refusals = s.refusals
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS s (account_id, address, newest_at_ms, refusals)
     WHERE r.account_id = s.account_id AND r.address = s.address`,
);

// Locked rows are in use. To wait for one here could be to wait in a circle.
const sweep = statement(
  `WITH lapsed AS MATERIALIZED (
     SELECT account_id, address FROM refused_addresses WHERE account_id = ANY ($1::text[]) AND newest_at_ms <= $2
       LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED)
   DELETE FROM refused_addresses r USING lapsed l WHERE r.account_id = l.account_id AND r.address = l.address`,
);

const NONE: readonly Refusal[] = [];

/** Returns the refusals of each address, the oldest first. */
export async function refusalsOf(
  session: Session,
  addresses: readonly RefusedAddress[],
): Promise<(readonly Refusal[])[]> {
  const found = addresses.map(() => NONE);
  if (addresses.length === 0) return found;
  const { rows } = await session.run(find, keysOf(addresses));
  for (const { place, refusals } of rows) found[place - 1] = storedRefusals(refusals);
  return found;
}

/** The command that clears the refusals of addresses after a delivery. One that has bounced keeps them. */
export const clearCommand = (addresses: readonly RefusedAddress[]): Command => ({
  query: clearByDelivery,
  values: keysOf(addresses),
});

async function clearRefusals(session: Session, addresses: readonly RefusedAddress[]): Promise<void> {
  if (addresses.length > 0) await session.run(clear, keysOf(addresses));
}

/** Applies changes in their order. Without a refusal among them this is one statement, which seldom finds a row. */
export async function applyRefusals(session: Session, changes: readonly RefusalChange[]): Promise<void> {
  const refused = changes.filter(isRefused);
  if (refused.length === 0) {
    if (changes.length > 0) await session.run(clearByDelivery, keysOf(changes));
    return;
  }
  const changed = await changedRefusals(session, changes);
  await clearRefusals(
    session,
    changed.filter(({ refusals }) => refusals.length === 0),
  );
  await storeRefusals(
    session,
    changed.filter(({ refusals }) => refusals.length > 0),
  );
  const accountIds = [...new Set(refused.map(({ accountId }) => accountId))];
  const oldestMs = Math.min(...refused.map(({ refusal }) => refusal.at_ms));
  await session.run(sweep, [accountIds, oldestMs - REFUSAL_COUNTS_MS]);
}

const isRefused = (change: RefusalChange): change is RefusalChange & { refusal: Refusal } => change.refusal !== null;

interface AddressRefusals extends RefusedAddress {
  refusals: readonly Refusal[];
}

/** Locks the rows of the addresses. Returns their refusals after the changes, except of a delivered address without a row. */
async function changedRefusals(session: Session, changes: readonly RefusalChange[]): Promise<AddressRefusals[]> {
  const byAddress = new Map<string, RefusalChange[]>();
  for (const change of changes) {
    const known = byAddress.get(nameOf(change));
    if (known === undefined) byAddress.set(nameOf(change), [change]);
    else known.push(change);
  }
  const addresses = [...byAddress.values()];
  const values = [...keysOf(addresses.flatMap(([first]) => first ?? [])), addresses.map((of) => of.some(isRefused))];
  const { rows } = await session.run(lock, values);
  return rows.map((row) => {
    const own = byAddress.get(nameOf(row)) ?? [];
    return { ...row, refusals: own.reduce(afterChange, storedRefusals(row.refusals)) };
  });
}

const afterChange = (refusals: Refusal[], { refusal }: RefusalChange): Refusal[] =>
  refusal === null ? afterDelivery(refusals) : addRefusal(refusals, refusal);

/** Stores the refusals of addresses whose rows are locked. */
async function storeRefusals(session: Session, addresses: readonly AddressRefusals[]): Promise<void> {
  const newest = addresses.map(({ refusals }) => refusals.at(-1)?.at_ms ?? 0);
  const texts = addresses.map(({ refusals }) => JSON.stringify(refusals));
  if (addresses.length > 0) await session.run(store, [...keysOf(addresses), newest, texts]);
}

/** An account's id contains no space. */
const nameOf = ({ accountId, address }: RefusedAddress): string => `${accountId} ${address}`;

const keysOf = (addresses: readonly RefusedAddress[]): [string[], string[]] => [
  addresses.map(({ accountId }) => accountId),
  addresses.map(({ address }) => address),
];
