/** Reads an account's suppressed addresses in steps of one page; see records/suppression-list.ts. */
import type { Database } from "better-sqlite3";
import type { SuppressedAddress, SuppressionFilter } from "../port/suppressions.ts";
import {
  type AddressRange,
  type AddressRow,
  type FeedbackAddress,
  PAGE_ADDRESSES,
  SuppressionList,
} from "../records/suppression-list.ts";
import type { Steps } from "./steps.ts";

export function prepareSuppressionsReport(db: Database) {
  const read = db.prepare<AddressRange, AddressRow>(
    `SELECT address, newest_at_ms AS newestMs, refusals FROM refused_addresses
       WHERE account_id = @accountId AND newest_at_ms > @lapsedMs AND newest_at_ms <= @newestMs
         AND (newest_at_ms < @newestMs OR address > @address)
       ORDER BY newest_at_ms DESC, address LIMIT ${PAGE_ADDRESSES}`,
  );
  const byFeedback = db.prepare<[string, number], FeedbackAddress>(
    `SELECT address, cause, at_ms AS atMs FROM suppressed_addresses WHERE account_id = ?
       ORDER BY at_ms DESC, address LIMIT ?`,
  );
  return function* suppressions(filter: SuppressionFilter): Steps<SuppressedAddress[]> {
    const list = new SuppressionList(filter);
    list.addFeedback(byFeedback.all(filter.accountId, filter.limit));
    while (!list.add(read.all(list.range))) yield;
    return list.addresses;
  };
}
