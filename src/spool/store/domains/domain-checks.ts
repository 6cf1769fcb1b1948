/**
 * The checks of bound domains: their results, and when each domain is due; see check-history.ts for their changes. What a result
 * means is decided in domains/.
 */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { domainStanding, standingEvent } from "../../port/domain-standing.ts";
import type { Domain, DomainChecks, DueDomainsQuery } from "../../port/domains.ts";
import { changedChecks, newestCheckMs, storedChecks } from "../../records/stored-checks.ts";
import { addToHistory } from "./check-history.ts";
import { DOMAIN_COLUMNS, type DomainRow, domainOf, domainStatement } from "./domains.ts";

/** The choice is made from the index; whole rows are read of the chosen domains only. */
export const DOMAINS_DUE = domainStatement(
  `WITH ranked AS (
     SELECT id, account_id, row_number() OVER (PARTITION BY account_id ORDER BY next_check_at_ms) AS rank
       FROM domains WHERE next_check_at_ms <= $1 AND removed_at_ms IS NULL
   ), chosen AS (
     SELECT id, rank, account_id <= $2 AS was_served FROM ranked WHERE rank <= $3
       ORDER BY rank, was_served, account_id LIMIT $4
   )
   SELECT ${DOMAIN_COLUMNS} FROM chosen JOIN domains USING (id) ORDER BY rank, was_served, account_id`,
);
const nextCheck = statement<{ atMs: number | null }>(
  `SELECT min(next_check_at_ms) AS "atMs" FROM domains WHERE removed_at_ms IS NULL`,
);
const shorten = statement(
  "UPDATE domains SET next_check_at_ms = $1 WHERE removed_at_ms IS NULL AND next_check_at_ms > $2",
);
const find = statement<DomainRow & { isBound: boolean }>(
  `SELECT ${DOMAIN_COLUMNS}, removed_at_ms IS NULL AS "isBound" FROM domains WHERE id = $1`,
  { booleans: ["verified", "isBound"] },
);
const save = statement("UPDATE domains SET checks = $2, verified = $3, next_check_at_ms = $4 WHERE id = $1");

export const domainCheckOperations = {
  reads: {
    domainsDue: async (session: Session, { nowMs, afterAccountId, perAccount, limit }: DueDomainsQuery) =>
      (await session.run(DOMAINS_DUE, [nowMs, afterAccountId, perAccount, limit])).rows.map((row) =>
        domainOf(session, row),
      ),
    nextDomainCheckMs: async (session: Session) => (await first(session, nextCheck))?.atMs ?? null,
  },
  writes: {
    shortenCheckWaits: async (session: Session, nowMs: number, longestMs: number) =>
      (await session.run(shorten, [nowMs, nowMs + longestMs])).count,
    saveChecks,
  },
};

async function saveChecks(
  session: Session,
  domainId: string,
  checks: DomainChecks,
  verified: boolean,
  nextCheckAtMs: number,
): Promise<void> {
  // One change that two nodes save at the same time is one entry of the history, and one event.
  await session.lock("domains", domainId);
  const before = await first(session, find, [domainId]);
  if (before === null) return;
  await addToHistory(session, before, changedChecks(storedChecks(before.checks), checks));
  await session.run(save, [domainId, JSON.stringify(checks), verified, nextCheckAtMs]);
  if (before.isBound) await addStandingEvent(session, domainOf(session, before), { checks, verified });
}

async function addStandingEvent(
  session: Session,
  before: Domain,
  after: Pick<Domain, "checks" | "verified">,
): Promise<void> {
  const type = standingEvent(domainStanding(before), domainStanding(after));
  if (type === null) return;
  const { accountId, name: domain } = before;
  await session.addDomainEvent({ accountId, domain, type, atMs: newestCheckMs(after.checks) });
}
