/**
 * The port of what is set up rather than sent: accounts, users, API keys, bound domains with their checks and DKIM
 * keys. Times are milliseconds since the epoch. Methods reject with SpoolUnavailable as the spool's do.
 */

export interface Account {
  id: string;
  name: string;
  createdAtMs: number;
  /** Recipients it may address in a UTC day; 0 for no limit, null for what NewMessage says. */
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

export type CheckName = "ownership" | "mx" | "spf" | "dkim" | "dmarc";
export const CHECK_NAMES: readonly CheckName[] = ["ownership", "mx", "spf", "dkim", "dmarc"];

export type CheckState = "pending" | "verified" | "failed" | "temporary_failure";

/** One check as it stands. */
export interface DomainCheck {
  state: CheckState;
  /** A sentence: what was seen, and what to change if anything. */
  detail: string;
  /** The value to publish; where the check is verified, the one that is published. */
  expected: string;
  /** The records that were found, as text. */
  found: string[];
  /** Sentences of `detail`: a verified check that is not as it should be. It does not stop the domain. */
  warnings?: string[];
  /** Where `found` stands, if not at the record's own name. */
  foundAt?: string;
  /** Where `expected` belongs, if not at the record's own name. */
  expectedAt?: string;
  checkedAtMs: number | null;
  /** Whether the check counts for the domain's standing; it outlives one definite failure (see domains/verification-state.ts). */
  standing: boolean;
  /** The first definite failure since it was last verified. */
  failedSinceMs: number | null;
}

/** Whether the check is verified, but with a warning. */
export function isWarned({ state, warnings }: Pick<DomainCheck, "state" | "warnings">): boolean {
  return state === "verified" && warnings !== undefined && warnings.length > 0;
}

export type DomainChecks = Record<CheckName, DomainCheck>;

export interface Domain {
  id: string;
  accountId: string;
  /** Lower-case A-labels. */
  name: string;
  /** What the ownership record must carry. */
  token: string;
  createdAtMs: number;
  /** All five checks stand: the domain may send. */
  verified: boolean;
  checks: DomainChecks;
  nextCheckAtMs: number;
  selector: string;
  /** The DKIM public key, SubjectPublicKeyInfo DER in base64: the value of the record's p= tag. */
  publicKey: string;
}

/** A check that came to another state than before. */
export interface CheckChange {
  check: CheckName;
  state: CheckState;
  detail: string;
  atMs: number;
}

/** A DKIM key that waits for its record: the domain's former one signs until then. */
export interface Rotation {
  domainId: string;
  selector: string;
  publicKey: string;
  sealedPrivateKey: Buffer;
  startedAtMs: number;
}

/** A DKIM private key as it is stored: sealed (see secrets.ts). */
export interface SealedSigningKey {
  domain: string;
  selector: string;
  sealedPrivateKey: Buffer;
}

export interface NewDomain {
  accountId: string;
  name: string;
  token: string;
  createdAtMs: number;
  checks: DomainChecks;
  selector: string;
  publicKey: string;
  sealedPrivateKey: Buffer;
}

/**
 * Which due domains are returned: of each account at most `perAccount`, those due for longest; the first of every
 * account before the second of any. Accounts follow by id, those behind `afterAccountId` first, so that a caller that
 * goes on from the account it served last comes to each of them.
 */
export interface DueDomains {
  nowMs: number;
  /** "" for none. */
  afterAccountId: string;
  perAccount: number;
  /** In all. */
  limit: number;
}

export interface Registry {
  createAccount(name: string, createdAtMs: number): Promise<Account | "exists">;
  accounts(): Promise<Account[]>;
  accountNamed(name: string): Promise<Account | null>;
  setQuota(accountId: string, quotaDaily: number | null): Promise<void>;
  /** Recipients an account has addressed in the UTC day of `atMs`. */
  quotaUsed(accountId: string, atMs: number): Promise<number>;

  /** "too_many" when the account has `usersMax` users. */
  createUser(user: {
    email: string;
    accountId: string;
    passwordHash: string;
    operator: boolean;
    createdAtMs: number;
    usersMax: number;
  }): Promise<{ id: string } | "exists" | "too_many">;
  hasUsers(): Promise<boolean>;

  /** "too_many" when the account has `keysMax` keys that are not revoked. */
  createKey(key: {
    accountId: string;
    name: string;
    hash: Buffer;
    lastFour: string;
    createdAtMs: number;
    keysMax: number;
  }): Promise<ApiKey | "too_many">;
  keys(accountId: string): Promise<ApiKey[]>;
  /** The key with this SHA-256 hash unless it is revoked, as of now, whichever process changed it. */
  activeKey(hash: Buffer): Promise<ApiKey | null>;
  /** Notes that a key was used; may be written later together with other work. */
  touchKey(keyId: string, atMs: number): void;
  revokeKey(accountId: string, keyId: string, atMs: number): Promise<"revoked" | "already_revoked" | "not_found">;

  /** "too_many" when the account has `domainsMax` domains. */
  addDomain(domain: NewDomain & { domainsMax: number }): Promise<Domain | "exists" | "too_many">;
  domains(accountId: string): Promise<Domain[]>;
  domainNamed(accountId: string, name: string): Promise<Domain | null>;
  /** The bound domains due for a check, accounts in turn; see DueDomains. */
  domainsDue(due: DueDomains): Promise<Domain[]>;
  /** When the next domain falls due for a check. */
  nextDomainCheckMs(): Promise<number | null>;
  /** Makes domains due for a check now that would wait for it longer than `longestMs`. Returns how many. */
  shortenCheckWaits(nowMs: number, longestMs: number): Promise<number>;
  saveChecks(domainId: string, checks: DomainChecks, verified: boolean, nextCheckAtMs: number): Promise<void>;
  /** The domain can no longer send; mail accepted before is still signed and delivered. */
  removeDomain(accountId: string, name: string, atMs: number): Promise<boolean>;
  signingKey(domainId: string): Promise<SealedSigningKey>;
  /** The key of the verified domain that the same account has bound by the same name since; null where there is none. */
  successorKey(domainId: string): Promise<SealedSigningKey | null>;
  /** How the checks of an account's domain changed, the newest first. */
  checkHistory(accountId: string, name: string, limit: number): Promise<CheckChange[]>;

  /** Keeps the next key, in place of one that waits already. */
  startRotation(rotation: Rotation): Promise<void>;
  rotations(): Promise<Rotation[]>;
  cancelRotation(domainId: string): Promise<boolean>;
  /**
   * The waiting key signs what is accepted from now on: the domain goes on under a new id with the same checks. Mail
   * accepted before is still signed with the former key while that opens. False when none waits, or the domain was removed.
   */
  finishRotation(domainId: string, atMs: number): Promise<boolean>;
}
