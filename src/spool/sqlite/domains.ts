/**
 * Domains bound to an account, with their checks and their DKIM keys; see rotations.ts for the exchange of a key. The caller
 * holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import { newId } from "../../lib/new-id.ts";
import type { Domain, DueDomainsQuery, SealedSigningKey } from "../port/domains.ts";
import { storedChecks, unreadableChecks } from "../records/stored-checks.ts";
import { prepareCheckChanges, prepareCheckHistory } from "./check-changes.ts";
import { type DamageLog, type DamageReports, RowDamaged } from "./damage.ts";
import type { Outbox } from "./outbox.ts";
import { prepareRemoveReturnPath } from "./return-paths.ts";
import type { WriteHandlers } from "./writer-operations.ts";

interface DomainRow {
  id: string;
  account_id: string;
  name: string;
  token: string;
  created_at_ms: number;
  verified: number;
  checks: string;
  next_check_at_ms: number;
  selector: string;
  public_key: string;
}

const COLUMNS = "id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, selector, public_key";

/** The choice is made from the index; whole rows are read of the chosen domains only. */
export const DOMAINS_DUE = `
  WITH ranked AS (
    SELECT id, account_id, row_number() OVER (PARTITION BY account_id ORDER BY next_check_at_ms) AS rank
      FROM domains INDEXED BY domains_due_by_account WHERE next_check_at_ms <= @nowMs AND removed_at_ms IS NULL
  ), chosen AS (
    SELECT id, rank, account_id <= @afterAccountId AS was_served FROM ranked WHERE rank <= @perAccount
      ORDER BY rank, was_served, account_id LIMIT @limit
  )
  SELECT ${COLUMNS} FROM chosen JOIN domains USING (id) ORDER BY rank, was_served, account_id`;

type DomainWrites = Pick<WriteHandlers, "addDomain" | "saveChecks" | "removeDomain">;

export function prepareDomainWrites(
  db: Database,
  { damage, outbox }: { damage: DamageLog; outbox: Outbox },
): DomainWrites {
  const recordChanges = prepareCheckChanges(db, damage);
  const bound = db.prepare<[string], DomainRow>(
    `SELECT ${COLUMNS} FROM domains WHERE id = ? AND removed_at_ms IS NULL`,
  );
  const save = db.prepare("UPDATE domains SET checks = ?, verified = ?, next_check_at_ms = ? WHERE id = ?");
  const remove = db.prepare(
    "UPDATE domains SET removed_at_ms = ? WHERE account_id = ? AND name = ? AND removed_at_ms IS NULL",
  );
  const removeReturnPath = prepareRemoveReturnPath(db);
  return {
    addDomain: prepareAddDomain(db),
    saveChecks({ domainId, checks, verified, nextCheckAtMs }) {
      const before = bound.get(domainId);
      if (before !== undefined) outbox.addStanding(domainOf(before, damage), { checks, verified });
      recordChanges(domainId, checks);
      save.run(JSON.stringify(checks), verified ? 1 : 0, nextCheckAtMs, domainId);
      return { value: undefined };
    },
    removeDomain({ accountId, name, atMs }) {
      removeReturnPath(accountId, name);
      return { value: remove.run(atMs, accountId, name).changes === 1 };
    },
  };
}

function prepareAddDomain(db: Database): DomainWrites["addDomain"] {
  const add = db.prepare(
    `INSERT OR IGNORE INTO domains (id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms,
         selector, public_key, sealed_private_key)
       VALUES (@id, @accountId, @name, @token, @createdAtMs, 0, @checks, @createdAtMs, @selector, @publicKey,
         @sealedPrivateKey)`,
  );
  const exists = db.prepare("SELECT 1 FROM domains WHERE account_id = ? AND name = ? AND removed_at_ms IS NULL");
  const count = db
    .prepare<[string], number>("SELECT count(*) FROM domains WHERE account_id = ? AND removed_at_ms IS NULL")
    .pluck();
  return ({ domainsMax, ...domain }) => {
    if ((count.get(domain.accountId) ?? 0) >= domainsMax) {
      return { value: exists.get(domain.accountId, domain.name) === undefined ? "too_many" : "exists" };
    }
    const { changes } = add.run({ ...domain, id: newId("dom"), checks: JSON.stringify(domain.checks) });
    return { value: changes === 1 ? "added" : "exists" };
  };
}

export function prepareDomainReads(db: Database, damage: DamageReports) {
  const domains = db.prepare<[string], DomainRow>(
    `SELECT ${COLUMNS} FROM domains WHERE account_id = ? AND removed_at_ms IS NULL ORDER BY name`,
  );
  const named = db.prepare<[string, string], DomainRow>(
    `SELECT ${COLUMNS} FROM domains WHERE account_id = ? AND name = ? AND removed_at_ms IS NULL`,
  );
  const due = db.prepare<DueDomainsQuery, DomainRow>(DOMAINS_DUE);
  const nextCheck = db
    .prepare<[], number>("SELECT min(next_check_at_ms) FROM domains WHERE removed_at_ms IS NULL")
    .pluck();
  const toDomain = (row: DomainRow): Domain => domainOf(row, damage);
  return {
    ...prepareSigningKeyReads(db),
    checkHistory: prepareCheckHistory(db),
    domains: (accountId: string) => domains.all(accountId).map(toDomain),
    domainNamed(accountId: string, name: string): Domain | null {
      const row = named.get(accountId, name);
      return row === undefined ? null : toDomain(row);
    },
    domainsDue: (query: DueDomainsQuery) => due.all(query).map(toDomain),
    nextDomainCheckMs: () => nextCheck.get() ?? null,
  };
}

function prepareSigningKeyReads(db: Database) {
  const signingKey = db.prepare<[string], SealedSigningKey>(
    "SELECT name AS domain, selector, sealed_private_key AS sealedPrivateKey FROM domains WHERE id = ?",
  );
  const successorKey = db.prepare<[string], SealedSigningKey>(
    `SELECT s.name AS domain, s.selector, s.sealed_private_key AS sealedPrivateKey
       FROM domains d JOIN domains s ON s.account_id = d.account_id AND s.name = d.name
       WHERE d.id = ? AND s.id <> d.id AND s.removed_at_ms IS NULL AND s.verified = 1`,
  );
  return {
    signingKey: (domainId: string) => signingKey.get(domainId) ?? null,
    successorKey: (domainId: string) => successorKey.get(domainId) ?? null,
  };
}

function domainOf(row: DomainRow, damage: DamageReports): Domain {
  const checks = storedChecks(row.checks);
  if (checks === null) damage.note(`the checks of the domain ${row.name}`, new RowDamaged("they cannot be decoded"));
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    token: row.token,
    createdAtMs: row.created_at_ms,
    verified: row.verified === 1,
    checks: checks ?? unreadableChecks(row.verified === 1),
    nextCheckAtMs: row.next_check_at_ms,
    selector: row.selector,
    publicKey: row.public_key,
  };
}
