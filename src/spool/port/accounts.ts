/**
 * Accounts and the creation of their users. See people.ts for how users sign in. Times are milliseconds since
 * the epoch. Every method rejects with SpoolUnavailable as the spool's do (see errors.ts).
 */
import type { ApiKeys } from "./api-keys.ts";
import type { Domains, SigningKeys } from "./domains.ts";

export interface Account {
  id: string;
  name: string;
  createdAtMs: number;
  /** Recipients it may address in a UTC day; 0 for no limit, null for NewMessage's quotaDaily. */
  quotaDaily: number | null;
}

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
  hasUsers(): Promise<boolean>;
}

/** Everything about an account except its mail. */
export interface Registry extends Accounts, ApiKeys, Domains, SigningKeys {}
