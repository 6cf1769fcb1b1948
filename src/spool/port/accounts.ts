/**
 * Accounts and the creation of their users. See people.ts for how users sign in. Times are milliseconds since
 * the epoch. Every method rejects with SpoolUnavailable as the spool's do (see errors.ts).
 */
import type { ApiKeys } from "./api-keys.ts";
import type { Domains, SigningKeys } from "./domains.ts";
import type { ReturnPaths } from "./return-paths.ts";
import type { Secrets } from "./secrets.ts";

export interface Account {
  id: string;
  name: string;
  createdAtMs: number;
  /** Recipients it may address in a UTC day; 0 for no limit, null for NewMessage's quotaDaily. */
  quotaDaily: number | null;
}

/** Name of the entry in the key-value store that has the seed of `setupSeed`. */
export const SETUP_ENTRY = "setup-seed";

export interface NewUser {
  email: string;
  accountId: string;
  passwordHash: string;
  operator: boolean;
  createdAtMs: number;
  usersMax: number;
}

export interface Accounts {
  createAccount(name: string, createdAtMs: number): Promise<Account | "exists">;
  accounts(): Promise<Account[]>;
  accountNamed(name: string): Promise<Account | null>;
  setQuota(accountId: string, quotaDaily: number | null): Promise<void>;
  /** Recipients an account has addressed in the UTC day of `atMs`. */
  quotaUsed(accountId: string, atMs: number): Promise<number>;

  /** Returns "too_many" if the account has `usersMax` users. */
  createUser(user: NewUser): Promise<{ id: string } | "exists" | "too_many">;
  /** Returns "has_users" if there is a user. Of several calls at the same time, one creates a user. */
  createFirstUser(user: Omit<NewUser, "usersMax">): Promise<{ id: string } | "has_users">;
  hasUsers(): Promise<boolean>;
  /**
   * A random text, the same for every process until a user is created, and then never the same again; null while there is a
   * user. It is stored as it is, so it is no secret.
   */
  setupSeed(): Promise<string | null>;
}

/** Everything about an account except its mail. */
export interface Registry extends Accounts, ApiKeys, Domains, SigningKeys, ReturnPaths, Secrets {}
