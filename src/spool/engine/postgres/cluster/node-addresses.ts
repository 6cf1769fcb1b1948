/**
 * The addresses that nodes send from, by the node's name. They outlive the node's registration for a day, so that the SPF record
 * that a domain should publish does not change while a node restarts or is upgraded.
 */
import { type Session, statement } from "../connection/statement.ts";

const KEPT = "interval '1 day'";

const announce = statement(
  `WITH announced AS (SELECT DISTINCT unnest($2::text[]) AS address), removed AS (
     DELETE FROM node_addresses
      WHERE seen_at < now() - ${KEPT} AND node <> $1
         OR node = $1 AND address <> ALL ($2::text[])
   )
   INSERT INTO node_addresses (node, address, seen_at) SELECT $1, address, now() FROM announced ORDER BY address
     ON CONFLICT (node, address) DO UPDATE SET seen_at = excluded.seen_at`,
);

const find = statement<{ address: string }>(
  `SELECT address FROM node_addresses
    WHERE seen_at >= now() - ${KEPT} GROUP BY address ORDER BY position(':' IN address) > 0, address`,
);

/** Replaces the addresses of a node. To be repeated within a day while the node runs. */
export async function announceAddresses(session: Session, node: string, addresses: readonly string[]): Promise<void> {
  await session.run(announce, [node, addresses]);
}

/** The addresses of all nodes, IPv4 first. */
export async function announcedAddresses(session: Session): Promise<string[]> {
  return (await session.run(find)).rows.map(({ address }) => address);
}
