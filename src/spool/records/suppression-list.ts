/**
 * Collects a page of an account's suppressed addresses. An account may have many addresses that are not selected, so rows are read in
 * portions, and a bounded number of them. message/result/suppression.ts decides which refusals suppress.
 */
import { REFUSAL_COUNTS_MS, type Suppression, suppressionOf } from "../../message/result/suppression.ts";
import type {
  NewSuppression,
  SuppressedAddress,
  SuppressionFilter,
  SuppressionPage,
  SuppressionPosition,
} from "../port/suppressions.ts";
import { storedRefusals } from "./stored-refusals.ts";
import { suppressionBy } from "./suppressed-address.ts";

/** The size of the addresses in JSON. Beyond it the page ends early. */
const PAGE_BYTES_MAX = 512 * 1024;

/** Rows that one page may read. A search beyond them goes on with the next page. */
const ROWS_MAX = 50_000;

/** Rows of a portion of addresses with refusals, which may be large. */
export const REFUSED_PORTION = 100;
/** Rows of a portion of the others, while some of them are not selected. */
const SEARCH_PORTION = 1000;

/** An address with its stored refusals. */
export interface RefusedRow {
  address: string;
  newestMs: number;
  refusals: string;
}

/** An address with its set cause. */
export interface SetRow extends NewSuppression {
  messageId: string | null;
}

const FIRST = { atMs: Number.MAX_SAFE_INTEGER, address: "" };

export class SuppressionList {
  readonly #addresses: SuppressedAddress[] = [];
  readonly #filter: SuppressionFilter;
  readonly #search: string;
  #position: SuppressionPosition;
  #sizeBytes = 0;
  #rows = 0;
  #state: "reading" | "full" | "complete" = "reading";

  constructor(filter: SuppressionFilter) {
    this.#filter = filter;
    this.#search = filter.search?.toLowerCase() ?? "";
    this.#position = filter.position ?? { isRefused: filter.cause === "refusals", ...FIRST };
  }

  /** Rows after this place are to be read next. */
  get position(): SuppressionPosition {
    return this.#position;
  }

  /** How many rows of set causes are to be read next. */
  get portion(): number {
    const { cause, limit } = this.#filter;
    return cause === undefined && this.#search === "" ? limit + 1 : SEARCH_PORTION;
  }

  /** Refusals up to this moment no longer count. */
  get lapsedMs(): number {
    return this.#filter.nowMs - REFUSAL_COUNTS_MS;
  }

  /** Whether more rows are to be read. */
  get isReading(): boolean {
    return this.#state === "reading" && this.#rows < ROWS_MAX;
  }

  get page(): SuppressionPage {
    return { addresses: this.#addresses, next: this.#state === "complete" ? null : this.#position };
  }

  /** Adds a portion of the addresses with a set cause; `portion` is how many rows were asked for. */
  addSet(rows: readonly SetRow[], portion: number): void {
    for (const { address, messageId, ...stored } of rows) {
      const suppression = suppressionBy(stored, this.#filter.nowMs);
      const about = suppression === null || messageId === null ? suppression : { ...suppression, messageId };
      if (!this.#consider({ isRefused: false, atMs: stored.atMs, address }, about)) return;
    }
    if (rows.length === portion) return;
    const { cause } = this.#filter;
    if (cause === undefined || cause === "refusals") this.#position = { isRefused: true, ...FIRST };
    else this.#state = "complete";
  }

  /** Adds a portion of the addresses with refusals, except those that are `set`: they are among the others. */
  addRefused(rows: readonly RefusedRow[], set: ReadonlySet<string>): void {
    const { after, nowMs } = this.#filter;
    for (const { address, newestMs, refusals } of rows) {
      const suppression = set.has(address) ? null : suppressionOf(storedRefusals(refusals), { after, nowMs });
      if (!this.#consider({ isRefused: true, atMs: newestMs, address }, suppression)) return;
    }
    if (rows.length < REFUSED_PORTION) this.#state = "complete";
  }

  /** Returns false if the page is full before the row. */
  #consider(position: SuppressionPosition, suppression: Omit<SuppressedAddress, "email"> | null): boolean {
    this.#rows += 1;
    const email = position.address;
    if (suppression !== null && this.#isSelected(email, suppression)) {
      const sizeBytes = Buffer.byteLength(email) + Buffer.byteLength(JSON.stringify(suppression.refusals));
      const isTooLarge = this.#addresses.length > 0 && this.#sizeBytes + sizeBytes > PAGE_BYTES_MAX;
      if (this.#addresses.length === this.#filter.limit || isTooLarge) {
        this.#state = "full";
        return false;
      }
      this.#sizeBytes += sizeBytes;
      this.#addresses.push({ email, ...suppression });
    }
    this.#position = position;
    return true;
  }

  #isSelected(email: string, suppression: Suppression): boolean {
    const { cause } = this.#filter;
    if (cause !== undefined && cause !== suppression.cause) return false;
    return this.#search === "" || email.toLowerCase().includes(this.#search);
  }
}
