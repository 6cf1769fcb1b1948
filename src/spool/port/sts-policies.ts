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
  /** Replaces the domain's policy. On disk once this resolves. */
  storeStsPolicy(policy: StsPolicy): Promise<void>;
}
