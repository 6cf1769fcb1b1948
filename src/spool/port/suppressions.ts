/**
 * Recipient addresses that receive no attempts: their servers rejected them as nonexistent, their owners complained or
 * unsubscribed, or they were added. Which refusals count is decided in message/result/suppression.ts. Times are milliseconds since the
 * epoch.
 */
import type { SetSuppression, Suppression, SuppressionCause } from "../../message/result/suppression.ts";

/** Decides whether refusals suppress an address now. */
interface Moment {
  accountId: string;
  /** As NewMessage's suppressAfter. */
  after: number;
  nowMs: number;
}

/** A place in the list. Addresses with only refusals follow the others. */
export interface SuppressionPosition {
  isRefused: boolean;
  /** When the suppression was set, or the time of the newest refusal. */
  atMs: number;
  address: string;
}

export interface SuppressionFilter extends Moment {
  limit: number;
  /** `next` of the page before; absent for the first page. */
  position?: SuppressionPosition;
  cause?: SuppressionCause;
  /** A part of the address, in any case. */
  search?: string;
}

export interface SuppressedAddress extends Suppression {
  /** Local part as written, domain as lower-case A-labels. */
  email: string;
  /** The message that a complaint or an unsubscription is about, in a list; absent if none is known. */
  messageId?: string;
}

export interface SuppressionPage {
  addresses: SuppressedAddress[];
  /** Null at the end. A page may have fewer addresses than its limit, even none, and be followed by another. */
  next: SuppressionPosition | null;
}

/** A suppression to add. */
export interface NewSuppression extends SetSuppression {
  /** As refusalKey of message/result/suppression.ts. */
  address: string;
}

/** How many addresses were added. Addresses that already had a set cause may or may not have changed. */
export interface AddedSuppressions {
  added: number;
  changed: number;
  already: number;
}

export interface Suppressions {
  /**
   * An account's addresses that are suppressed now: first those with a set cause, the newest first, then those with only refusals,
   * the last refused first. Reads a bounded number of rows. Settling counts refusals, and a delivery clears them. Rejects with
   * TooManyReports as the methods of reports.ts do.
   */
  suppressions(filter: SuppressionFilter): Promise<SuppressionPage>;
  /** Returns the suppression of one address; null if it is not suppressed, or not an address. */
  suppression(of: Moment & { email: string }): Promise<SuppressedAddress | null>;
  /**
   * Adds suppressions in one transaction, each combined with the one that its address has: see combinedSuppression. At most 1000, so that
   * writes of messages do not wait long.
   */
  addSuppressions(request: {
    accountId: string;
    suppressions: readonly NewSuppression[];
    nowMs: number;
  }): Promise<AddedSuppressions>;
  /**
   * Removes an address's refusals, whether or not they suffice to suppress it, and any other cause. Returns false if there was
   * nothing to remove.
   */
  unsuppress(accountId: string, email: string): Promise<boolean>;
}
