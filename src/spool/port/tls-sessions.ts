/**
 * How often sessions with the hosts of a recipient domain had the TLS that they should have, by UTC day, for the TLS reports that
 * Postrider sends (RFC 8460). delivery/tls/tls-outcome.ts decides what counts as a failure; tls-reports/ sends the reports. Losing
 * counts costs only the accuracy of a report.
 */

export interface TlsSessions {
  /** Days since the epoch. */
  day: number;
  /** The recipient domain: lower-case A-labels. */
  domain: string;
  /** RFC 8460 §4.2. */
  policyType: "sts" | "tlsa" | "no-policy-found";
  /** RFC 8460 §4.3; empty for successful sessions. */
  resultType: string;
  /** Of failures: the host, its address, and the address that the session came from. Empty if unknown. */
  mx: string;
  receivingIp: string;
  sendingIp: string;
  sessions: number;
}

/** The counts of one domain and day. */
export type TlsDay = Pick<TlsSessions, "day" | "domain">;

/** Rows of a domain and day: further failures are added to a row without hosts. */
export const DOMAIN_ROWS_MAX = 100;
/** Rows in total: further domains are not counted. */
export const TLS_ROWS_MAX = 200_000;

export interface TlsSessionCounts {
  /** Adds to the stored counts. */
  addTlsSessions(added: readonly TlsSessions[]): Promise<void>;
  /** Domains and days with counts, before this day, ordered by day and domain, after the given one. */
  tlsDays(beforeDay: number, after: TlsDay | null, limit: number): Promise<TlsDay[]>;
  tlsSessions(of: TlsDay): Promise<TlsSessions[]>;
  removeTlsSessions(of: TlsDay): Promise<void>;
}
