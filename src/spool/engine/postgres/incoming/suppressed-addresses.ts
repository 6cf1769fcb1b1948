/**
 * The addresses that are suppressed by a complaint or an unsubscription, by account. refusal-history.ts has those that servers have
 * refused. The callers hold the transaction.
 */
import type { Suppression } from "../../../../message/result/suppression.ts";
import { type SuppressedAddressRow, suppressionBy } from "../../../records/suppressed-address.ts";
import { type Session, statement } from "../connection/statement.ts";
import type { RefusedAddress } from "./refusal-history.ts";

const find = statement<Pick<SuppressedAddressRow, "cause" | "atMs"> & { place: number }>(
  `SELECT place, cause, at_ms AS "atMs"
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (account_id, address, place)
     JOIN suppressed_addresses USING (account_id, address)`,
);

/** Returns the suppression of each address, or null. */
export async function suppressionsByFeedback(
  session: Session,
  addresses: readonly RefusedAddress[],
): Promise<(Suppression | null)[]> {
  const found: (Suppression | null)[] = addresses.map(() => null);
  const { rows } = await session.run(find, [
    addresses.map(({ accountId }) => accountId),
    addresses.map(({ address }) => address),
  ]);
  for (const { place, ...row } of rows) found[place - 1] = suppressionBy(row);
  return found;
}
