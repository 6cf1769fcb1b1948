/**
 * Domains bound to an account; see domain-checks.ts for their checks and signing-keys.ts for their DKIM keys. Which domains are bound
 * changes under the account's lock, here and where a rotation finishes.
 */
import { newId } from "../../../lib/new-id.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { Domain, NewDomain } from "../../port/domains.ts";
import { storedChecks, unreadableChecks } from "../../records/stored-checks.ts";
import { removeReturnPath } from "./return-paths.ts";

/** A domain as it is stored. */
export type DomainRow = Omit<Domain, "checks"> & { checks: string };

/** The columns of a DomainRow, of the table named `domains`. */
export const DOMAIN_COLUMNS = `domains.id, domains.account_id AS "accountId", domains.name, domains.token,
  domains.created_at_ms AS "createdAtMs", domains.verified, domains.checks, domains.next_check_at_ms AS "nextCheckAtMs",
  domains.selector, domains.public_key AS "publicKey"`;

/** A statement whose rows are domains. */
export const domainStatement = (text: string) => statement<DomainRow>(text, { booleans: ["verified"] });

const add = domainStatement(
  `INSERT INTO domains (id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, selector, public_key,
       sealed_private_key)
     VALUES ($1, $2, $3, $4, $5, FALSE, $6, $5, $7, $8, $9)
     ON CONFLICT (account_id, name) WHERE removed_at_ms IS NULL DO NOTHING RETURNING ${DOMAIN_COLUMNS}`,
);
const count = statement<{ count: number }>(
  "SELECT count(*) AS count FROM domains WHERE account_id = $1 AND removed_at_ms IS NULL",
);
const ofAccount = domainStatement(
  `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE account_id = $1 AND removed_at_ms IS NULL ORDER BY name`,
);
const named = domainStatement(
  `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE account_id = $1 AND name = $2 AND removed_at_ms IS NULL`,
);
const remove = statement(
  "UPDATE domains SET removed_at_ms = $3 WHERE account_id = $1 AND name = $2 AND removed_at_ms IS NULL",
);

/** Decodes a row. Checks that cannot be decoded are replaced by the next check. */
export function domainOf(session: Pick<Session, "reportDamage">, { checks: json, ...row }: DomainRow): Domain {
  const checks = storedChecks(json);
  if (checks === null) session.reportDamage(`the checks of the domain ${row.name}`, "they cannot be decoded");
  return { ...row, checks: checks ?? unreadableChecks(row.verified) };
}

export const domainOperations = {
  reads: {
    domains: async (session: Session, accountId: string) =>
      (await session.run(ofAccount, [accountId])).rows.map((row) => domainOf(session, row)),
    async domainNamed(session: Session, accountId: string, name: string): Promise<Domain | null> {
      const row = await first(session, named, [accountId, name]);
      return row === null ? null : domainOf(session, row);
    },
  },
  writes: {
    addDomain,
    async removeDomain(session: Session, accountId: string, name: string, atMs: number): Promise<boolean> {
      await session.lock("accounts", accountId);
      await removeReturnPath(session, accountId, name);
      return (await session.run(remove, [accountId, name, atMs])).count === 1;
    },
  },
};

async function addDomain(
  session: Session,
  domain: NewDomain & { domainsMax: number },
): Promise<Domain | "exists" | "too_many"> {
  const { accountId, name, token, createdAtMs, checks, selector, publicKey, sealedPrivateKey, domainsMax } = domain;
  await session.lock("accounts", accountId);
  const bound = await first(session, count, [accountId]);
  if (bound !== null && bound.count >= domainsMax) {
    return (await first(session, named, [accountId, name])) === null ? "too_many" : "exists";
  }
  const key = [selector, publicKey, sealedPrivateKey];
  const values = [newId("dom"), accountId, name, token, createdAtMs, JSON.stringify(checks), ...key];
  const added = await first(session, add, values);
  return added === null ? "exists" : { ...added, checks };
}
