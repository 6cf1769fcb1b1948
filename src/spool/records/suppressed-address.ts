/** Addresses that are suppressed without refusals: by a complaint, or because the recipient has unsubscribed. */
import { parseMailbox } from "../../message/address.ts";
import { refusalKey, type Suppression } from "../../message/result/suppression.ts";
import type { SuppressingFeedback } from "../port/incoming.ts";

export interface SuppressedAddressRow {
  accountId: string;
  /** A refusalKey. */
  address: string;
  cause: SuppressingFeedback;
  atMs: number;
}

/** Returns the key of an email address; null if it is none. */
export function addressOf(email: string): string | null {
  const mailbox = parseMailbox(email);
  return mailbox.type === "invalid" ? null : refusalKey(mailbox.address, mailbox.domain);
}

export const suppressionBy = ({ cause, atMs }: Pick<SuppressedAddressRow, "cause" | "atMs">): Suppression => ({
  cause,
  sinceMs: atMs,
  untilMs: null,
  refusals: [],
});
