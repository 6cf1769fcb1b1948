/**
 * Point reads on a read-only connection of the caller's thread: a few rows by key, microseconds each. What reads much
 * (message content, recovery, claims) goes through the writer thread instead.
 */
import type { Database } from "better-sqlite3";
import {
  type Account,
  type ApiKey,
  CHECK_NAMES,
  type Domain,
  type DomainCheck,
  type DomainChecks,
  type DueDomains,
  type SealedSigningKey,
} from "../port/accounts.ts";
import type { QueueEntry } from "../port/mail.ts";
import { type DamageReports, RowDamaged, soundJson } from "./damage.ts";
import { prepareKeyValueReads } from "./key-value-store.ts";
import { MessageReports } from "./message-report.ts";
import { preparePauseReads } from "./pauses.ts";
import { preparePeopleReads } from "./people.ts";
import { prepareQuarantineReads } from "./quarantine.ts";
import { areChecks, prepareRotationReads } from "./rotations.ts";
import { dueOf } from "./stored-due.ts";
import { LISTED_LENGTH_MAX, storedReply } from "./stored-reply.ts";
import { prepareStsReads } from "./sts-policies.ts";

interface KeyRow {
  id: string;
  account_id: string;
  name: string;
  last_four: string;
  created_at_ms: number;
  last_used_at_ms: number | null;
  revoked_at_ms: number | null;
  messages_sent: number;
}

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

const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  lastFour: row.last_four,
  createdAtMs: row.created_at_ms,
  lastUsedAtMs: row.last_used_at_ms,
  revokedAtMs: row.revoked_at_ms,
  messagesSent: row.messages_sent,
});

const domainOf = (row: DomainRow): Omit<Domain, "checks"> => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  token: row.token,
  createdAtMs: row.created_at_ms,
  verified: row.verified === 1,
  nextCheckAtMs: row.next_check_at_ms,
  selector: row.selector,
  publicKey: row.public_key,
});

/** Checks whose results are lost; whether the domain may send has a column of its own, and stands until the next check. */
function unreadableChecks(standing: boolean): DomainChecks {
  const detail = "The stored result of this check is damaged. The next check replaces it.";
  const check: DomainCheck = {
    ...{ state: "pending", detail, expected: "", found: [] },
    ...{ checkedAtMs: null, standing, failedSinceMs: null },
  };
  return Object.fromEntries(CHECK_NAMES.map((name) => [name, check])) as DomainChecks;
}

const KEY_COLUMNS = "id, account_id, name, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent";
const ACCOUNT_COLUMNS = "id, name, created_at_ms AS createdAtMs, quota_daily AS quotaDaily";
const DOMAIN_COLUMNS =
  "id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, selector, public_key";

/** Whole rows are read of the chosen domains only: the choice is made from the index. */
export const DOMAINS_DUE = `
  WITH ranked AS (
    SELECT id, account_id, row_number() OVER (PARTITION BY account_id ORDER BY next_check_at_ms) AS rank
      FROM domains INDEXED BY domains_due_by_account WHERE next_check_at_ms <= @nowMs AND removed_at_ms IS NULL
  ), chosen AS (
    SELECT id, rank, account_id <= @afterAccountId AS had_its_turn FROM ranked WHERE rank <= @perAccount
      ORDER BY rank, had_its_turn, account_id LIMIT @limit
  )
  SELECT ${DOMAIN_COLUMNS} FROM chosen JOIN domains USING (id) ORDER BY rank, had_its_turn, account_id`;

/** What is worth less than the request that asks for it (notes, policies) is absent where it is damaged. */
export function prepareReads(db: Database, log: DamageReports) {
  return {
    ...messageReads(db),
    ...settingsReads(db, log),
    ...prepareStsReads(db, log),
    ...prepareKeyValueReads(db, log),
    ...prepareQuarantineReads(db),
    ...preparePeopleReads(db),
    ...prepareRotationReads(db),
    ...preparePauseReads(db),
  };
}

function messageReads(db: Database) {
  const remembered = db.prepare<[string, string, number], { id: string; payloadHash: string }>(
    `SELECT message_id AS id, payload_hash AS payloadHash FROM idempotency
       WHERE account_id = ? AND key = ? AND created_at_ms > ?`,
  );
  const queue = db.prepare<
    { accountId: string; domain: string | null; limit: number },
    Omit<QueueEntry, "smtp" | "nextAttemptAtMs"> & {
      smtp: string | null;
      dueMs: number | null;
      deadlineMs: number | null;
    }
  >(
    `SELECT m.id AS messageId, r.email, r.domain, iif(r.state = 'unknown', 'unknown', 'pending') AS result, r.reason,
            r.category, r.attempts, r.next_attempt_at_ms AS dueMs, m.deadline_ms AS deadlineMs,
            m.created_at_ms AS createdAtMs, r.smtp
       FROM recipients r JOIN messages m USING (seq)
       WHERE r.account_id = @accountId AND r.state IN ('pending', 'marked', 'unknown')
         AND (@domain IS NULL OR r.domain = @domain)
       ORDER BY r.state = 'unknown', r.next_attempt_at_ms, r.seq, r.position LIMIT @limit`,
  );
  const reports = new MessageReports(db);
  return {
    report: (messageId: string) => reports.report(messageId),
    remembered: (accountId: string, key: string, sinceMs: number) => remembered.get(accountId, key, sinceMs) ?? null,
    queue: (filter: { accountId: string; domain?: string; limit: number }): QueueEntry[] =>
      queue
        .all({ accountId: filter.accountId, domain: filter.domain ?? null, limit: filter.limit })
        .map(({ dueMs, deadlineMs, ...row }) => ({
          ...row,
          ...dueOf(dueMs, deadlineMs),
          smtp: storedReply(row.smtp, LISTED_LENGTH_MAX),
        })),
  };
}

function settingsReads(db: Database, log: DamageReports) {
  const toDomain = (row: DomainRow): Domain => {
    const checks = soundJson(row.checks, areChecks);
    if (checks === null) log.note(`the checks of the domain ${row.name}`, new RowDamaged("they cannot be decoded"));
    return { ...domainOf(row), checks: checks ?? unreadableChecks(row.verified === 1) };
  };

  const accounts = db.prepare<[], Account>(`SELECT ${ACCOUNT_COLUMNS} FROM accounts ORDER BY name`);
  const accountNamed = db.prepare<[string], Account>(`SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE name = ?`);
  const quotaUsed = db
    .prepare<[string, number], number>("SELECT used FROM quota WHERE account_id = ? AND day = ?")
    .pluck();
  const anyUser = db.prepare("SELECT 1 FROM users LIMIT 1");
  const keys = db.prepare<[string], KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_keys WHERE account_id = ? ORDER BY created_at_ms, id`,
  );
  const dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
  const activeKey = db.prepare<[Uint8Array], KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_keys WHERE hash = ? AND revoked_at_ms IS NULL`,
  );
  const domains = db.prepare<[string], DomainRow>(
    `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE account_id = ? AND removed_at_ms IS NULL ORDER BY name`,
  );
  const domainNamed = db.prepare<[string, string], DomainRow>(
    `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE account_id = ? AND name = ? AND removed_at_ms IS NULL`,
  );
  const domainsDue = db.prepare<DueDomains, DomainRow>(DOMAINS_DUE);
  const nextCheck = db
    .prepare<[], number>("SELECT min(next_check_at_ms) FROM domains WHERE removed_at_ms IS NULL")
    .pluck();
  const signingKey = db.prepare<[string], SealedSigningKey>(
    "SELECT name AS domain, selector, sealed_private_key AS sealedPrivateKey FROM domains WHERE id = ?",
  );
  const successorKey = db.prepare<[string], SealedSigningKey>(
    `SELECT s.name AS domain, s.selector, s.sealed_private_key AS sealedPrivateKey
       FROM domains d JOIN domains s ON s.account_id = d.account_id AND s.name = d.name
       WHERE d.id = ? AND s.id <> d.id AND s.removed_at_ms IS NULL AND s.verified = 1`,
  );

  return {
    accounts: () => accounts.all(),
    accountNamed: (name: string) => accountNamed.get(name) ?? null,
    quotaUsed: (accountId: string, day: number) => quotaUsed.get(accountId, day) ?? 0,
    hasUsers: () => anyUser.get() !== undefined,
    keys: (accountId: string) => keys.all(accountId).map(toKey),
    /** Changes whenever another connection has committed, the writer's among them. */
    dataVersion: (): number => dataVersion.get() ?? 0,
    activeKey: (hash: Uint8Array) => {
      const row = activeKey.get(hash);
      return row === undefined ? null : toKey(row);
    },
    domains: (accountId: string) => domains.all(accountId).map(toDomain),
    domainNamed: (accountId: string, name: string) => {
      const row = domainNamed.get(accountId, name);
      return row === undefined ? null : toDomain(row);
    },
    domainsDue: (due: DueDomains) => domainsDue.all(due).map(toDomain),
    nextDomainCheckMs: () => nextCheck.get() ?? null,
    signingKey: (domainId: string) => signingKey.get(domainId) ?? null,
    successorKey: (domainId: string) => successorKey.get(domainId) ?? null,
  };
}
