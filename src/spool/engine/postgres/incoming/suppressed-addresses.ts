/**
 * The addresses that are suppressed by a set cause, by account. refusal-history.ts has those that servers have
 * refused. The callers hold the transaction.
 */
import type { SetSuppression, Suppression } from "../../../../message/result/suppression.ts";
import { suppressionBy } from "../../../records/suppressed-address.ts";
import { type Session, statement } from "../connection/statement.ts";
import type { RefusedAddress } from "./refusal-history.ts";

const find = statement<SetSuppression & { place: number }>(
  `SELECT place, cause, at_ms AS "atMs", until_ms AS "untilMs"
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (account_id, address, place)
     JOIN suppressed_addresses USING (account_id, address)`,
);

/** Returns the suppression of each address that is in force, or null. */
export async function setSuppressionsOf(
  session: Session,
  addresses: readonly RefusedAddress[],
  nowMs: number,
): Promise<(Suppression | null)[]> {
  const found: (Suppression | null)[] = addresses.map(() => null);
  const { rows } = await session.run(find, [
    addresses.map(({ accountId }) => accountId),
    addresses.map(({ address }) => address),
  ]);
  for (const { place, ...row } of rows) found[place - 1] = suppressionBy(row, nowMs);
  return found;
}
