/**
 * Domains bound to an account; see domain-checks.ts for their checks and signing-keys.ts for their DKIM keys. Which domains are
 * bound changes under the account's lock, here and where a rotation finishes.
 */
import { newId } from "../../lib/new-id.ts";
import type { Domain, Domains, NewDomain } from "../port/domains.ts";
import { storedChecks, unreadableChecks } from "../records/stored-checks.ts";
import { lockAccount } from "./accounts.ts";
import type { Database } from "./database.ts";
import { GatheredReads } from "./gathered-reads.ts";
import { removeReturnPath } from "./return-paths.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

/** A domain as it is stored. */
export type DomainRow = Omit<Domain, "checks"> & { checks: string };

/** The columns of a DomainRow, of the table `domains`. */
export const DOMAIN_COLUMNS = `domains.id, domains.account_id AS "accountId", domains.name, domains.token,
  domains.created_at_ms AS "createdAtMs", domains.verified, domains.checks, domains.next_check_at_ms AS "nextCheckAtMs",
  domains.selector, domains.public_key AS "publicKey"`;

const add = statement<DomainRow>(
  `INSERT INTO domains (id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, selector, public_key,
       sealed_private_key)
     VALUES ($1, $2, $3, $4, $5, false, $6, $5, $7, $8, $9)
     ON CONFLICT (account_id, name) WHERE removed_at_ms IS NULL DO NOTHING RETURNING ${DOMAIN_COLUMNS}`,
);
const exists = statement("SELECT FROM domains WHERE account_id = $1 AND name = $2 AND removed_at_ms IS NULL");
const count = statement<{ count: number }>(
  "SELECT count(*) AS count FROM domains WHERE account_id = $1 AND removed_at_ms IS NULL",
);
const ofAccount = statement<DomainRow>(
  `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE account_id = $1 AND removed_at_ms IS NULL ORDER BY name`,
);
const named = statement<DomainRow>(
  `SELECT ${DOMAIN_COLUMNS}
     FROM domains JOIN unnest($1::text[], $2::text[]) AS wanted (account_id, name) USING (account_id, name)
     WHERE removed_at_ms IS NULL`,
);
const remove = statement(
  "UPDATE domains SET removed_at_ms = $3 WHERE account_id = $1 AND name = $2 AND removed_at_ms IS NULL",
);

type BoundDomains = Pick<Domains, "addDomain" | "domains" | "domainNamed" | "removeDomain">;

export function domainOperations(database: Database): BoundDomains {
  const reads = new GatheredReads({ nameOf, readAll: (names: DomainName[]) => readNamed(database, names) });
  return {
    addDomain: (domain) => database.transaction((session) => addDomain(session, domain)),
    async domains(accountId) {
      return (await database.run(ofAccount, [accountId])).rows.map(domainOf);
    },
    domainNamed: (accountId, name) => reads.read({ accountId, name: storedText(name) }),
    removeDomain(accountId, name, atMs) {
      return database.transaction(async (session) => {
        await lockAccount(session, accountId);
        await removeReturnPath(session, accountId, storedText(name));
        return (await session.run(remove, [accountId, storedText(name), atMs])).count === 1;
      });
    },
  };
}

/** Decodes a row. Checks that cannot be decoded are replaced by the next check. */
export const domainOf = ({ checks, ...row }: DomainRow): Domain => ({
  ...row,
  checks: storedChecks(checks) ?? unreadableChecks(row.verified),
});

type AddedDomain = NewDomain & { domainsMax: number };

async function addDomain(session: Session, domain: AddedDomain): Promise<Domain | "exists" | "too_many"> {
  const { accountId, name, domainsMax } = domain;
  await lockAccount(session, accountId);
  const [bound] = (await session.run(count, [accountId])).rows;
  if (bound !== undefined && bound.count >= domainsMax) {
    return (await session.run(exists, [accountId, name])).count === 1 ? "exists" : "too_many";
  }
  const { token, createdAtMs, checks, selector, publicKey, sealedPrivateKey } = domain;
  const key = [selector, publicKey, sealedPrivateKey];
  const values = [newId("dom"), accountId, name, token, createdAtMs, JSON.stringify(checks), ...key];
  const [added] = (await session.run(add, values)).rows;
  if (added === undefined) return "exists";
  // A node of the version before leaves the setting of a domain that it removes.
  await removeReturnPath(session, accountId, name);
  return domainOf(added);
}

type DomainName = Pick<Domain, "accountId" | "name">;

/** An account's id contains no space. */
const nameOf = ({ accountId, name }: DomainName): string => `${accountId} ${name}`;

async function readNamed(database: Database, names: DomainName[]): Promise<Map<string, Domain>> {
  const values = [names.map(({ accountId }) => accountId), names.map(({ name }) => name)];
  const { rows } = await database.run(named, values);
  return new Map(rows.map((row) => [nameOf(row), domainOf(row)]));
}
