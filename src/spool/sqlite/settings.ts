/**
 * Writing what is set up rather than sent: accounts, users, keys, domains. The caller holds the transaction.
 */
import { randomBytes } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Account, Registry } from "../port/accounts.ts";
import type { DomainChecks } from "../port/domains.ts";
import type { DamageLog } from "./damage.ts";
import { prepareCheckChanges } from "./rotations.ts";
import type { Written } from "./written.ts";

const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString("base64url")}`;

type CreateUser = Parameters<Registry["createUser"]>[0];
type CreateKey = Parameters<Registry["createKey"]>[0];
type AddDomain = Parameters<Registry["addDomain"]>[0];

/** What an account has of each thing that is limited. */
function prepareCounts(db: Database) {
  const prepare = (sql: string) => {
    const statement = db.prepare<[string], number>(sql).pluck();
    return (accountId: string): number => statement.get(accountId) ?? 0;
  };
  return {
    users: prepare("SELECT count(*) FROM users WHERE account_id = ?"),
    activeKeys: prepare("SELECT count(*) FROM api_keys WHERE account_id = ? AND revoked_at_ms IS NULL"),
    domains: prepare("SELECT count(*) FROM domains WHERE account_id = ? AND removed_at_ms IS NULL"),
  };
}

export function prepareSettings(db: Database, damage: DamageLog) {
  const addAccount = db.prepare("INSERT OR IGNORE INTO accounts (id, name, created_at_ms) VALUES (?, ?, ?)");
  const addUser = db.prepare(
    `INSERT OR IGNORE INTO users (id, email, account_id, password_hash, operator, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const addKey = db.prepare(
    "INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const touchKey = db.prepare(
    "UPDATE api_keys SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?) WHERE id = ?",
  );
  const revoke = db.prepare(
    "UPDATE api_keys SET revoked_at_ms = ? WHERE id = ? AND account_id = ? AND revoked_at_ms IS NULL",
  );
  const keyExists = db.prepare("SELECT 1 FROM api_keys WHERE id = ? AND account_id = ?");
  const addDomain = db.prepare(
    `INSERT OR IGNORE INTO domains (id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms,
       selector, public_key, sealed_private_key) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)`,
  );
  const userExists = db.prepare("SELECT 1 FROM users WHERE email = ?");
  const domainExists = db.prepare("SELECT 1 FROM domains WHERE account_id = ? AND name = ? AND removed_at_ms IS NULL");
  const count = prepareCounts(db);
  const setQuota = db.prepare("UPDATE accounts SET quota_daily = ? WHERE id = ?");
  const noteChanges = prepareCheckChanges(db, damage);
  const saveChecks = db.prepare("UPDATE domains SET checks = ?, verified = ?, next_check_at_ms = ? WHERE id = ?");
  const removeDomain = db.prepare(
    "UPDATE domains SET removed_at_ms = ? WHERE account_id = ? AND name = ? AND removed_at_ms IS NULL",
  );

  return {
    createAccount(args: { name: string; createdAtMs: number }): Written<Account | "exists"> {
      const account = { id: newId("acc"), ...args, quotaDaily: null };
      const { changes } = addAccount.run(account.id, account.name, account.createdAtMs);
      return { value: changes === 1 ? account : "exists" };
    },

    setQuota({ accountId, quotaDaily }: { accountId: string; quotaDaily: number | null }): Written<void> {
      setQuota.run(quotaDaily, accountId);
      return { value: undefined };
    },

    createUser(u: CreateUser): Written<{ id: string } | "exists" | "too_many"> {
      if (count.users(u.accountId) >= u.usersMax) {
        return { value: userExists.get(u.email) === undefined ? "too_many" : "exists" };
      }
      const id = newId("usr");
      const { changes } = addUser.run(id, u.email, u.accountId, u.passwordHash, u.operator ? 1 : 0, u.createdAtMs);
      return { value: changes === 1 ? { id } : "exists" };
    },

    createKey(k: CreateKey): Written<{ id: string } | "too_many"> {
      if (count.activeKeys(k.accountId) >= k.keysMax) return { value: "too_many" };
      const id = newId("key");
      addKey.run(id, k.accountId, k.name, k.hash, k.lastFour, k.createdAtMs);
      return { value: { id } };
    },

    touchKeys(uses: [string, number][]): Written<void> {
      for (const [keyId, atMs] of uses) touchKey.run(atMs, keyId);
      return { value: undefined };
    },

    revokeKey(args: {
      accountId: string;
      keyId: string;
      atMs: number;
    }): Written<"revoked" | "already_revoked" | "not_found"> {
      if (revoke.run(args.atMs, args.keyId, args.accountId).changes === 1) return { value: "revoked" };
      return { value: keyExists.get(args.keyId, args.accountId) === undefined ? "not_found" : "already_revoked" };
    },

    addDomain(d: AddDomain): Written<"added" | "exists" | "too_many"> {
      if (count.domains(d.accountId) >= d.domainsMax) {
        return { value: domainExists.get(d.accountId, d.name) === undefined ? "too_many" : "exists" };
      }
      const { changes } = addDomain.run(
        newId("dom"),
        d.accountId,
        d.name,
        d.token,
        d.createdAtMs,
        JSON.stringify(d.checks),
        d.createdAtMs,
        d.selector,
        d.publicKey,
        d.sealedPrivateKey,
      );
      return { value: changes === 1 ? "added" : "exists" };
    },

    saveChecks(args: {
      domainId: string;
      checks: DomainChecks;
      verified: boolean;
      nextCheckAtMs: number;
    }): Written<void> {
      noteChanges(args.domainId, args.checks);
      saveChecks.run(JSON.stringify(args.checks), args.verified ? 1 : 0, args.nextCheckAtMs, args.domainId);
      return { value: undefined };
    },

    removeDomain(args: { accountId: string; name: string; atMs: number }): Written<boolean> {
      return { value: removeDomain.run(args.atMs, args.accountId, args.name).changes === 1 };
    },
  };
}
