/**
 * Collects an account's suppressed addresses, the one refused last first. An account may have many addresses with too few
 * refusals, so they are read page by page. message/result/suppression.ts decides which refusals suppress.
 */
import { REFUSAL_COUNTS_MS, suppressionOf } from "../../message/result/suppression.ts";
import type { SuppressedAddress, SuppressionFilter } from "../port/suppressions.ts";
import { storedRefusals } from "./stored-refusals.ts";
import { type SuppressedAddressRow, suppressionBy } from "./suppressed-address.ts";

/** The size of the addresses in JSON. Beyond it the list ends early. */
const LIST_BYTES_MAX = 512 * 1024;

/** An address that is suppressed without refusals. */
export type FeedbackAddress = Omit<SuppressedAddressRow, "accountId">;

/** Addresses of a page. */
export const PAGE_ADDRESSES = 100;

/** An address with its stored refusals. */
export interface AddressRow {
  address: string;
  newestMs: number;
  refusals: string;
}

/** Selects an account's addresses in the order of the list that follow this one. */
export interface AddressRange {
  accountId: string;
  /** Refusals up to this moment no longer count. */
  lapsedMs: number;
  newestMs: number;
  address: string;
}

export class SuppressionList {
  readonly addresses: SuppressedAddress[] = [];
  readonly #filter: SuppressionFilter;
  #range: AddressRange;
  #sizeBytes = 0;

  constructor(filter: SuppressionFilter) {
    this.#filter = filter;
    const { accountId, nowMs } = filter;
    const lapsedMs = nowMs - REFUSAL_COUNTS_MS;
    this.#range = { accountId, lapsedMs, newestMs: Number.MAX_SAFE_INTEGER, address: "" };
  }

  /** Begins with addresses that have no refusals. */
  addFeedback(rows: readonly FeedbackAddress[]): void {
    for (const { address, ...suppressed } of rows.slice(0, this.#filter.limit)) {
      this.addresses.push({ email: address, ...suppressionBy(suppressed) });
      this.#sizeBytes += Buffer.byteLength(address);
    }
  }

  /** The range of the next page. */
  get range(): AddressRange {
    return this.#range;
  }

  #isListed(address: string): boolean {
    return this.addresses.some(({ email, cause }) => email === address && cause !== "refusals");
  }

  /** Adds a page. Returns whether the list is complete. */
  add(page: readonly AddressRow[]): boolean {
    const { after, nowMs, limit } = this.#filter;
    for (const { address, refusals } of page) {
      const suppression = suppressionOf(storedRefusals(refusals), { after, nowMs });
      if (suppression === null) continue;
      this.#sizeBytes += Buffer.byteLength(refusals);
      const isFull = this.addresses.length > 0 && this.#sizeBytes > LIST_BYTES_MAX;
      if (this.addresses.length === limit || isFull) return true;
      if (!this.#isListed(address)) this.addresses.push({ email: address, ...suppression });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ADDRESSES) return true;
    this.#range = { ...this.#range, newestMs: last.newestMs, address: last.address };
    return false;
  }
}
