/**
 * Lists an account's suppressed addresses, the one refused last first. An account may have many addresses with too few
 * refusals, so each step reads some of them. message/suppression.ts decides which refusals suppress.
 */
import type { Database } from "better-sqlite3";
import { REFUSAL_COUNTS_MS, suppressionOf } from "../../message/suppression.ts";
import type { SuppressedAddress, SuppressionFilter } from "../port/suppressions.ts";
import { storedRefusals } from "./refusal-history.ts";
import type { Steps } from "./steps.ts";

/** The size of the addresses in JSON. Beyond it the list ends early. */
const LIST_BYTES_MAX = 512 * 1024;
/** Addresses read in one step. */
const READ_AT_ONCE = 100;

interface AddressRow {
  address: string;
  newestMs: number;
  refusals: string;
}

/** Addresses after this one. */
interface AddressRange {
  accountId: string;
  lapsedMs: number;
  newestMs: number;
  address: string;
}

export function prepareSuppressionsReport(db: Database) {
  const read = db.prepare<AddressRange, AddressRow>(
    `SELECT address, newest_at_ms AS newestMs, refusals FROM refused_addresses
       WHERE account_id = @accountId AND newest_at_ms > @lapsedMs AND newest_at_ms <= @newestMs
         AND (newest_at_ms < @newestMs OR address > @address)
       ORDER BY newest_at_ms DESC, address LIMIT ${READ_AT_ONCE}`,
  );
  return function* suppressions({ accountId, after, nowMs, limit }: SuppressionFilter): Steps<SuppressedAddress[]> {
    const range: AddressRange = {
      accountId,
      lapsedMs: nowMs - REFUSAL_COUNTS_MS,
      newestMs: Number.MAX_SAFE_INTEGER,
      address: "",
    };
    const found: SuppressedAddress[] = [];
    let sizeBytes = 0;
    for (;;) {
      const rows = read.all(range);
      for (const { address, refusals } of rows) {
        const suppression = suppressionOf(storedRefusals(refusals), { after, nowMs });
        if (suppression === null) continue;
        sizeBytes += Buffer.byteLength(refusals);
        if (found.length === limit || (found.length > 0 && sizeBytes > LIST_BYTES_MAX)) return found;
        found.push({ email: address, ...suppression });
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < READ_AT_ONCE) return found;
      Object.assign(range, { newestMs: last.newestMs, address: last.address });
      yield;
    }
  };
}
