/**
 * What PostgreSQL adds to the store's operations on domains: the reads of each send share statements, and an event finds the partition of
 * its day.
 */
import type { Registry } from "../../../port/accounts.ts";
import type { Domain } from "../../../port/domains.ts";
import { newestCheckMs } from "../../../records/stored-checks.ts";
import { DOMAIN_COLUMNS, type DomainRow, domainOf } from "../../../store/domains/domains.ts";
import type { Database } from "../connection/database.ts";
import { GatheredReads } from "../connection/gathered-reads.ts";
import { PostgresSession } from "../connection/postgres-session.ts";
import { statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { dayOfNumber, firstNumberAt } from "../mail/message-number.ts";
import type { Partitions } from "../partitions/partitions.ts";

const named = statement<DomainRow>(
  `SELECT ${DOMAIN_COLUMNS}
     FROM domains JOIN unnest($1::text[], $2::text[]) AS wanted (account_id, name) USING (account_id, name)
     WHERE removed_at_ms IS NULL`,
);
const activePaths = statement<{ id: string; name: string }>(
  `SELECT d.id, s.name
     FROM domains d JOIN domains s ON s.account_id = d.account_id AND s.name = d.name AND s.removed_at_ms IS NULL
     JOIN return_paths p ON p.account_id = s.account_id AND p.domain = s.name
     WHERE d.id = ANY ($1::text[]) AND p.active`,
);

export interface DomainParts {
  database: Database;
  partitions: Pick<Partitions, "make">;
  /** The store's own form. */
  saveChecks: Registry["saveChecks"];
}

export function domainOperations({
  database,
  partitions,
  saveChecks,
}: DomainParts): Pick<Registry, "domainNamed" | "returnPath" | "saveChecks"> {
  const domains = new GatheredReads({ nameOf, readAll: (names: DomainName[]) => readNamed(database, names) });
  const paths = new GatheredReads({ nameOf: (id: string) => id, readAll: (ids) => readActivePaths(database, ids) });
  return {
    domainNamed: (accountId, name) => domains.read({ accountId, name: storedText(name) }),
    returnPath: (domainId) => paths.read(domainId),
    async saveChecks(domainId, checks, verified, nextCheckAtMs) {
      await partitions.make(dayOfNumber(firstNumberAt(newestCheckMs(checks))));
      await saveChecks(domainId, checks, verified, nextCheckAtMs);
    },
  };
}

type DomainName = Pick<Domain, "accountId" | "name">;

/** An account's id contains no space. */
const nameOf = ({ accountId, name }: DomainName): string => `${accountId} ${name}`;

async function readNamed(database: Database, names: DomainName[]): Promise<Map<string, Domain>> {
  const values = [names.map(({ accountId }) => accountId), names.map(({ name }) => name)];
  const { rows } = await database.run(named, values);
  const session = new PostgresSession(database);
  return new Map(rows.map((row) => [nameOf(row), domainOf(session, row)]));
}

async function readActivePaths(database: Database, ids: string[]): Promise<Map<string, string>> {
  const { rows } = await database.run(activePaths, [ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
