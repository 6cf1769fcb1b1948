/**
 * The optional return path of a sender domain: `bounces.DOMAIN`, to which bounces, complaints and reports are sent. The setting
 * belongs to the name that an account has bound, so it outlives an exchange of the DKIM key, and ends when the domain is removed.
 * Which records its checks expect is decided in domains/. Times are milliseconds since the epoch.
 */
import type { ReturnPathChecks } from "./domains.ts";

/** A return path that is on. */
export interface ReturnPath {
  accountId: string;
  /** The name of the sender domain. */
  domain: string;
  checks: ReturnPathChecks;
  /** Both checks have standing: messages are sent with an envelope sender at `bounces.DOMAIN`. */
  active: boolean;
  /** When it was turned on. */
  sinceMs: number;
}

/** The domain that mail to `bounces.NAME` belongs to. */
export interface ReturnPathOwner {
  accountId: string;
  domainId: string;
}

export interface ReturnPaths {
  /**
   * Turns the return path of a bound domain on or off, and makes the domain due for a check where that changes anything. What the
   * checks of the return path have found stays while it is on. Returns false if the domain is not bound.
   */
  setReturnPath(accountId: string, name: string, on: boolean, atMs: number): Promise<boolean>;
  /** The return paths of the account's bound domains, by name. */
  returnPaths(accountId: string): Promise<ReturnPath[]>;
  /** Null if it is off, or the domain is not bound. */
  returnPathNamed(accountId: string, name: string): Promise<ReturnPath | null>;
  /** Stores results of the checks; changes of their states are in the domain's history. Does nothing if it is off. */
  saveReturnPath(path: Pick<ReturnPath, "accountId" | "domain" | "checks" | "active">): Promise<void>;
  /**
   * The name of the domain if its return path is active, else null. For a former id of the domain, the answer is that of the
   * domain that the same account has now bound by the same name.
   */
  returnPath(domainId: string): Promise<string | null>;
  /**
   * Who has bound the name with the return path on. Of several accounts, only one that has proven that it controls the domain
   * (the domain is verified, or its check of ownership has standing) gets its mail: a verified one before others, then the oldest.
   */
  returnPathOwner(name: string): Promise<ReturnPathOwner | null>;
}
