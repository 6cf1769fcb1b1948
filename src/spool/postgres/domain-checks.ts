/**
 * The checks of bound domains: their results, and when each domain is due; see check-history.ts for their changes. What a result
 * means is decided in domains/.
 */

import { domainStanding, standingEvent } from "../port/domain-standing.ts";
import type { DomainChecks, Domains } from "../port/domains.ts";
import { changedChecks, storedChecks } from "../records/stored-checks.ts";
import { addToHistory, readHistory } from "./check-history.ts";
import type { Database } from "./database.ts";
import { DOMAIN_COLUMNS, type DomainRow, domainOf } from "./domains.ts";
import { type NewEvent, writeEvents } from "./event-writer.ts";
import { dayOfNumber, firstNumberAt } from "./message-number.ts";
import type { Partitions } from "./partitions.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

// The checks, most of a row, are read of the chosen domains only.
const due = statement<DomainRow>(
  `WITH ranked AS (
     SELECT id, account_id, row_number() OVER (PARTITION BY account_id ORDER BY next_check_at_ms) AS rank
       FROM domains WHERE next_check_at_ms <= $1 AND removed_at_ms IS NULL
   ), chosen AS (
     SELECT id, rank, account_id <= $2 AS was_served, account_id FROM ranked WHERE rank <= $3
       ORDER BY rank, was_served, account_id LIMIT $4
   )
   SELECT ${DOMAIN_COLUMNS} FROM chosen JOIN domains USING (id) ORDER BY rank, was_served, chosen.account_id`,
);
const nextCheck = statement<{ atMs: number | null }>(
  `SELECT min(next_check_at_ms) AS "atMs" FROM domains WHERE removed_at_ms IS NULL`,
);
const shorten = statement(
  "UPDATE domains SET next_check_at_ms = $1 WHERE removed_at_ms IS NULL AND next_check_at_ms > $2",
);
const lock = statement<DomainRow & { isBound: boolean }>(
  `SELECT ${DOMAIN_COLUMNS}, removed_at_ms IS NULL AS "isBound" FROM domains WHERE id = $1 FOR NO KEY UPDATE`,
);
const save = statement("UPDATE domains SET checks = $2, verified = $3, next_check_at_ms = $4 WHERE id = $1");
type CheckOperations = Pick<
  Domains,
  "domainsDue" | "nextDomainCheckMs" | "shortenCheckWaits" | "saveChecks" | "checkHistory"
>;

export interface CheckParts {
  database: Database;
  partitions: Pick<Partitions, "make">;
  /** Called after a commit with the account that has a new event. */
  announce: (accountId: string) => void;
}

export function checkOperations({ database, partitions, announce }: CheckParts): CheckOperations {
  return {
    async domainsDue({ nowMs, afterAccountId, perAccount, limit }) {
      return (await database.run(due, [nowMs, afterAccountId, perAccount, limit])).rows.map(domainOf);
    },
    async nextDomainCheckMs() {
      return (await database.run(nextCheck)).rows[0]?.atMs ?? null;
    },
    async shortenCheckWaits(nowMs, longestMs) {
      return (await database.run(shorten, [nowMs, nowMs + longestMs])).count;
    },
    async saveChecks(domainId, checks, verified, nextCheckAtMs) {
      await partitions.make(dayOfNumber(eventNumber(checks)));
      const results = { domainId, checks, verified, nextCheckAtMs };
      const event = await database.transaction((session) => saveChecks(session, results));
      if (event !== null) announce(event.accountId);
    },
    async checkHistory(accountId, name, limit) {
      return readHistory(database, { accountId, name: storedText(name), limit });
    },
  };
}

interface CheckResults {
  domainId: string;
  checks: DomainChecks;
  verified: boolean;
  nextCheckAtMs: number;
}

/** Returns the event of the domain's standing, if that has changed. */
async function saveChecks(session: Session, results: CheckResults): Promise<NewEvent | null> {
  const { domainId, checks, verified, nextCheckAtMs } = results;
  const [before] = (await session.run(lock, [domainId])).rows;
  if (before === undefined) return null;
  await addToHistory(session, before, changedChecks(storedChecks(before.checks), checks));
  await session.run(save, [domainId, JSON.stringify(checks), verified, nextCheckAtMs]);
  const event = before.isBound ? eventOf(before, results) : null;
  if (event !== null) await writeEvents(session, [event]);
  return event;
}

function eventOf(before: DomainRow, { checks, verified }: CheckResults): NewEvent | null {
  const type = standingEvent(domainStanding(domainOf(before)), domainStanding({ checks, verified }));
  if (type === null) return null;
  const { accountId, name: domain } = before;
  const [seq, atMs] = [eventNumber(checks), newestOf(checks)];
  return { seq, accountId, atMs, type, recipient: null, history: null, domain };
}

const eventNumber = (checks: DomainChecks): number => firstNumberAt(newestOf(checks));

/** When the newest of the checks ran. */
const newestOf = (checks: DomainChecks): number =>
  Math.max(...Object.values(checks).map(({ checkedAtMs }) => checkedAtMs ?? 0));
