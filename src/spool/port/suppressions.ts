/**
 * Recipient addresses that receive no attempts: their servers refused them as not existing, or their owners complained or
 * unsubscribed. Which refusals count is decided in message/result/suppression.ts. Times are milliseconds since the epoch.
 */
import type { Suppression } from "../../message/result/suppression.ts";

export interface SuppressionFilter {
  accountId: string;
  /** As NewMessage's suppressAfter. */
  after: number;
  nowMs: number;
  limit: number;
}

export interface SuppressedAddress extends Suppression {
  /** Local part as written, domain as lower-case A-labels. */
  email: string;
}

export interface Suppressions {
  /**
   * An account's addresses that are suppressed now: first those without refusals, the newest first, then the others, the last
   * refused first; fewer than `limit` if they are large. Settling counts refusals, and a delivery clears them. Rejects with TooManyReports as the methods of reports.ts do.
   */
  suppressions(filter: SuppressionFilter): Promise<SuppressedAddress[]>;
  /**
   * Removes an address's refusals, whether or not they suffice to suppress it, and any other cause. Returns false if there was
   * nothing to remove.
   */
  unsuppress(accountId: string, email: string): Promise<boolean>;
}
