/**
 * Sender domains bound to an account, their checks and their DKIM keys. Which record a check expects and what its result
 * means is decided in domains/. Times are milliseconds since the epoch.
 */

export type CheckName = "ownership" | "mx" | "spf" | "dkim" | "dmarc";
export const CHECK_NAMES: readonly CheckName[] = ["ownership", "mx", "spf", "dkim", "dmarc"];

/** The checks of an optional return path (see return-paths.ts). They have no effect on whether the domain may send. */
export type ReturnPathCheckName = "return_path_mx" | "return_path_spf";
export const RETURN_PATH_CHECK_NAMES: readonly ReturnPathCheckName[] = ["return_path_mx", "return_path_spf"];

export type CheckState = "pending" | "verified" | "failed" | "temporary_failure";

/** The last result of one check. Stored as JSON. */
export interface DomainCheck {
  state: CheckState;
  /** A sentence: what was seen, and what to change if anything. */
  detail: string;
  /** The value to publish; if the check is verified, the published one. */
  expected: string;
  /** The records found, as text. */
  found: string[];
  /** Sentences of `detail` about a verified check that should be improved. They do not stop the domain. */
  warnings?: string[];
  /** The name that carries `found`, if it is not the record's own name. */
  foundAt?: string;
  /** The name that `expected` belongs to, if it is not the record's own name. */
  expectedAt?: string;
  checkedAtMs: number | null;
  /** Whether the check allows the domain to send; it outlives one definite failure (see domains/verification-state.ts). */
  standing: boolean;
  /** The first definite failure since the check was last verified. */
  failedSinceMs: number | null;
}

/** A check that has not run. */
export function uncheckedRecord(): DomainCheck {
  return {
    state: "pending",
    detail: "Not checked yet.",
    expected: "",
    found: [],
    checkedAtMs: null,
    standing: false,
    failedSinceMs: null,
  };
}

/** Whether the check is verified, but with a warning. */
export function isWarned({ state, warnings }: Pick<DomainCheck, "state" | "warnings">): boolean {
  return state === "verified" && warnings !== undefined && warnings.length > 0;
}

export type DomainChecks = Record<CheckName, DomainCheck>;
export type ReturnPathChecks = Record<ReturnPathCheckName, DomainCheck>;

export interface Domain {
  id: string;
  accountId: string;
  /** Lower-case A-labels. */
  name: string;
  /** The value that the ownership record must carry. */
  token: string;
  createdAtMs: number;
  /** All five checks have standing: the domain may send. */
  verified: boolean;
  checks: DomainChecks;
  nextCheckAtMs: number;
  selector: string;
  /** The DKIM public key, SubjectPublicKeyInfo DER in base64: the value of the record's p= tag. */
  publicKey: string;
}

/** A change of a check's state. */
export interface CheckChange {
  check: CheckName | ReturnPathCheckName;
  state: CheckState;
  detail: string;
  atMs: number;
}

/** A DKIM key that waits for its record; until it is seen, the domain's present key signs. */
export interface Rotation {
  domainId: string;
  selector: string;
  publicKey: string;
  sealedPrivateKey: Buffer;
  startedAtMs: number;
}

/** A DKIM private key as it is stored: sealed under the master key. */
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
 * Selects due domains: of each account at most `perAccount`, the longest due; the first of every account before the second
 * of any. Accounts follow by id, beginning behind `afterAccountId`, so a caller that passes the account it served last
 * reaches all of them.
 */
export interface DueDomainsQuery {
  nowMs: number;
  /** "" for none. */
  afterAccountId: string;
  perAccount: number;
  /** Most domains in all. */
  limit: number;
}

export interface Domains {
  /** Returns "too_many" if the account has `domainsMax` domains. */
  addDomain(domain: NewDomain & { domainsMax: number }): Promise<Domain | "exists" | "too_many">;
  domains(accountId: string): Promise<Domain[]>;
  domainNamed(accountId: string, name: string): Promise<Domain | null>;
  /** The bound domains due for a check, alternating between accounts; see DueDomainsQuery. */
  domainsDue(query: DueDomainsQuery): Promise<Domain[]>;
  /** When the next domain falls due for a check; null if there is none. */
  nextDomainCheckMs(): Promise<number | null>;
  /** Makes domains due now that would wait longer than `longestMs` for a check. Returns how many. */
  shortenCheckWaits(nowMs: number, longestMs: number): Promise<number>;
  /** A change of the domain's standing is an event (see domain-standing.ts). */
  saveChecks(domainId: string, checks: DomainChecks, verified: boolean, nextCheckAtMs: number): Promise<void>;
  /** The domain can no longer send. Mail accepted before is still signed and delivered. Returns false if not bound. */
  removeDomain(accountId: string, name: string, atMs: number): Promise<boolean>;
  /** How the checks of an account's domain changed, the newest first. */
  checkHistory(accountId: string, name: string, limit: number): Promise<CheckChange[]>;
}

export interface SigningKeys {
  /** Rejects if there is no such domain; removed ones keep their key. */
  signingKey(domainId: string): Promise<SealedSigningKey>;
  /** The key of the verified domain that the same account has since bound by the same name; null if there is none. */
  successorKey(domainId: string): Promise<SealedSigningKey | null>;

  /** Stores the next key, in place of one that waits already. */
  startRotation(rotation: Rotation): Promise<void>;
  rotations(): Promise<Rotation[]>;
  /** Returns false if no key waited. */
  cancelRotation(domainId: string): Promise<boolean>;
  /**
   * From now on the waiting key signs what is accepted: the domain continues under a new id with the same checks. Mail
   * accepted before is still signed with the former key. Returns false if no key with this selector waits, or the domain was
   * removed.
   */
  finishRotation(domainId: string, selector: string, atMs: number): Promise<boolean>;
}
