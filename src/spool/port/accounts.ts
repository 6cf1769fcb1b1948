/**
 * Accounts and the creation of their users. See people.ts for how users sign in. Times are milliseconds since
 * the epoch. Every method rejects with SpoolUnavailable as the spool's do (see errors.ts).
 */
import { DAY_MS } from "../../lib/units.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Domains, SigningKeys } from "./domains.ts";
import type { Invitations } from "./invitations.ts";
import type { KeyFuses } from "./key-fuses.ts";
import type { Role } from "./memberships.ts";
import type { ProviderSignIns } from "./provider-sign-ins.ts";
import type { RequestAnswers } from "./request-answers.ts";
import type { ReturnPaths } from "./return-paths.ts";
import type { Secrets } from "./secrets.ts";

export interface Account {
  id: string;
  name: string;
  createdAtMs: number;
  /** Recipients it may address in a UTC day; 0 for no limit, null for NewMessage's quotaDaily. */
  quotaDaily: number | null;
  /** When it was deleted, so when its grace period began; null for an account in use. */
  deletedAtMs: number | null;
  /** Whether the grace period is over: only its messages are left, and it has no name. */
  isEmptied: boolean;
}

/** How long a deleted account can be restored. */
export const GRACE_MS = 7 * DAY_MS;

export interface AccountRemoval {
  nowMs: number;
  /** Accounts that were deleted before this moment lose all but their messages. */
  deletedBeforeMs: number;
  /** Most rows to delete of those that an account may have without a limit. */
  limit: number;
}

export interface AccountRemovalResult {
  /** The ids of the accounts that were emptied. */
  emptied: string[];
  /** False at the end of a pass. */
  isMore: boolean;
}

/** Name of the entry in the key-value store that has the seed of `setupSeed`. */
export const SETUP_ENTRY = "setup-seed";

/** The beginning of the names of entries about deletions by owners, before the account's id. Stored, so it does not change. */
export const DELETED_BY_OWNER = "deleted-by-owner ";

/** The beginning of the names of entries of accounts whose status pages are off, before the account's id. Stored, so it does not change. */
export const STATUS_PAGES_OFF = "status-pages-off ";

export interface NewUser {
  email: string;
  accountId: string;
  passwordHash: string;
  operator: boolean;
  /** `owner` if absent. */
  role?: Role;
  createdAtMs: number;
  usersMax: number;
}

export interface Accounts {
  createAccount(name: string, createdAtMs: number): Promise<Account | "exists">;
  /** All accounts, including deleted and emptied ones. */
  accounts(): Promise<Account[]>;
  /** Null for an emptied account. */
  accountNamed(name: string): Promise<Account | null>;
  /** Null for an emptied account. */
  accountWithId(id: string): Promise<Account | null>;
  /**
   * Begins the grace period: from now on nothing is accepted with the account's keys, and it gets no new ones. Messages already
   * accepted are delivered. Returns "has_operators" for an account that has users who are operators.
   */
  deleteAccount(
    accountId: string,
    atMs: number,
  ): Promise<"deleted" | "already_deleted" | "has_operators" | "not_found">;
  /** Ends the grace period: the keys are active again. Returns false unless the account is deleted and not emptied. */
  restoreAccount(accountId: string): Promise<boolean>;
  /**
   * One step of removing what belongs to deleted accounts: the users with their sessions, invitations, keys, endpoints and domains
   * of one account, its name, and what is known of its recipients' addresses. Keys of its domains are kept, for messages that wait.
   * Messages are left to retention. An account that has operators stays in its grace period.
   */
  removeDeletedAccounts(removal: AccountRemoval): Promise<AccountRemovalResult>;
  setQuota(accountId: string, quotaDaily: number | null): Promise<void>;
  /** Whether its messages may have status pages; true for a new account. */
  hasStatusPages(accountId: string): Promise<boolean>;
  setStatusPages(accountId: string, isOn: boolean): Promise<void>;
  /** Recipients an account has addressed in the UTC day of `atMs`. */
  quotaUsed(accountId: string, atMs: number): Promise<number>;

  /** Returns "too_many" if the account has `usersMax` users. */
  createUser(user: NewUser): Promise<{ id: string } | "exists" | "too_many">;
  /** Returns "has_users" if there is a user. Of several calls at the same time, one creates a user. */
  createFirstUser(user: Omit<NewUser, "usersMax">): Promise<{ id: string } | "has_users">;
  hasUsers(): Promise<boolean>;
  /**
   * A random text, the same in every process until a user is created, and never reused afterwards; null while there is a
   * user. It is stored in plain text, so it is not a secret.
   */
  setupSeed(): Promise<string | null>;
}

/** Everything about an account except its mail. */
export interface Registry
  extends Accounts,
    Invitations,
    ProviderSignIns,
    ApiKeys,
    KeyFuses,
    RequestAnswers,
    Domains,
    SigningKeys,
    ReturnPaths,
    Secrets {}
