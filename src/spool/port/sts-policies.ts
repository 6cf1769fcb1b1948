/**
 * The cache of MTA-STS policies. Times are milliseconds since the epoch.
 */

/** A recipient domain's policy (RFC 8461 §3.2), as it was fetched. */
export interface StsPolicy {
  /** The recipient domain, lower-case A-labels. */
  domain: string;
  /** The id in DNS that it was fetched for. */
  id: string;
  mode: "enforce" | "testing" | "none";
  /** Host names and patterns ("*.example.com"), lower case. */
  mx: string[];
  fetchedAtMs: number;
  /** It holds before this moment, whatever DNS and HTTPS answer meanwhile. */
  expiresAtMs: number;
}

export interface StsPolicies {
  /** The policy stored last for a recipient domain, expired or not. Expired policies may be removed. */
  stsPolicy(domain: string): Promise<StsPolicy | null>;
  /**
   * Begins the fetch of a domain's policy, which ends with storeStsPolicy or failStsFetch, or after `forMs`. `under_way`: another
   * process fetches it. `failed`: a process has reported that it could not be fetched. Where one process delivers, every fetch
   * is `begun`: the process knows what it fetches.
   */
  beginStsFetch(domain: string, forMs: number): Promise<"begun" | "under_way" | "failed">;
  /** The policy could not be fetched, and is not to be fetched for `forMs`. */
  failStsFetch(domain: string, forMs: number): Promise<void>;
  /** Replaces the domain's policy. On disk once this resolves. */
  storeStsPolicy(policy: StsPolicy): Promise<void>;
}
