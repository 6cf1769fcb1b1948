/**
 * Accounts, the creation of their users, and API keys. See people.ts for how users sign in. Times are milliseconds since
 * the epoch. Every method rejects with SpoolUnavailable as the spool's do (see errors.ts).
 */
import type { Domains, SigningKeys } from "./domains.ts";

export interface Account {
  id: string;
  name: string;
  createdAtMs: number;
  /** Recipients it may address in a UTC day; 0 for no limit, null for NewMessage's quotaDaily. */
  quotaDaily: number | null;
}

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  lastFour: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
  revokedAtMs: number | null;
  messagesSent: number;
}

export interface NewUser {
  email: string;
  accountId: string;
  passwordHash: string;
  operator: boolean;
  createdAtMs: number;
  usersMax: number;
}

export interface NewKey {
  accountId: string;
  name: string;
  /** SHA-256 of the key. */
  hash: Buffer;
  lastFour: string;
  createdAtMs: number;
  keysMax: number;
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

export interface ApiKeys {
  /** Returns "too_many" if the account has `keysMax` keys that are not revoked. */
  createKey(key: NewKey): Promise<ApiKey | "too_many">;
  keys(accountId: string): Promise<ApiKey[]>;
  /** The key with this SHA-256 hash; null if revoked. Sees every commit so far, whichever process made it. */
  activeKey(hash: Buffer): Promise<ApiKey | null>;
  /** Records the use of a key. Written later, together with other work, and lost if the disk refuses it. */
  touchKey(keyId: string, atMs: number): void;
  revokeKey(accountId: string, keyId: string, atMs: number): Promise<"revoked" | "already_revoked" | "not_found">;
}

/** Everything about an account except its mail. */
export interface Registry extends Accounts, ApiKeys, Domains, SigningKeys {}
