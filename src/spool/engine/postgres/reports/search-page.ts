/**
 * Searches for one page of messages, one window of time after another, towards older messages or towards newer ones. The work for one page is bounded: where
 * little is found, the search ends early, and the next page continues there.
 */
import type { MessageFilter } from "../../../port/reports.ts";
import type { ReportRead } from "./report-queue.ts";
import { hasAddressIndex, orderedIndexOf, runSearch, type SearchIndex, SearchSql } from "./search-sql.ts";
import { daysOfWindow, type SearchDirection, type SearchRange, type SearchWindow } from "./search-windows.ts";

export interface SearchLimits {
  /** Rows of an index that one step reads. */
  rangeRows: number;
  /**
   * The work for one page: rows of indexes, of which one counts as many as SearchSql.costOf says. The last step may exceed it.
   */
  rowsMax: number;
}

export interface SearchResult {
  /** At most one more than the page holds. */
  seqs: number[];
  /** If the search ended early: all messages from its beginning to this one were searched. */
  endedEarlyAt: number | null;
}

export const directionOf = ({ after }: Pick<MessageFilter, "after">): SearchDirection =>
  after === undefined ? "older" : "newer";

const NOTHING = { rows: 0, last: null };

export class Search {
  readonly #read: ReportRead;
  readonly #filter: MessageFilter;
  readonly #limits: SearchLimits;
  readonly #limit: number;
  readonly #direction: SearchDirection;
  /** The index to read in the order of seq. */
  readonly #index: SearchIndex;
  readonly #findsEach: boolean;
  readonly #cost: number;
  readonly #seqs: number[] = [];
  #rowsRead = 0;

  constructor(read: ReportRead, filter: MessageFilter, limits: SearchLimits) {
    this.#read = read;
    this.#filter = filter;
    this.#limits = limits;
    this.#limit = filter.limit + 1;
    this.#direction = directionOf(filter);
    this.#index = orderedIndexOf(filter);
    this.#findsEach = SearchSql.findsEach(filter, this.#index);
    this.#cost = SearchSql.costOf(filter, this.#index);
  }

  /** `windows` are in order of time, the newest first. */
  async run(windows: readonly SearchWindow[]): Promise<SearchResult> {
    const endedEarlyAt = await this.#search(windows);
    return { seqs: this.#seqs, endedEarlyAt };
  }

  /** Returns where the search ended early; null if it did not. */
  async #search(windows: readonly SearchWindow[]): Promise<number | null> {
    for (const window of this.#direction === "older" ? windows : windows.toReversed()) {
      if (this.#isFull) return null;
      if (this.#isExhausted) return this.#direction === "older" ? window.beforeSeq : window.fromSeq - 1;
      const endedEarlyAt = await this.#searchWindow(window);
      if (endedEarlyAt !== null) return endedEarlyAt;
    }
    return null;
  }

  async #searchWindow(window: SearchWindow): Promise<number | null> {
    if (!hasAddressIndex(this.#filter)) return this.#searchOrdered(window);
    if (await this.#findAddress(window)) return null;
    const days = daysOfWindow(window);
    // So many recipients of a day have the address that a search in the order of time finds some soon.
    return days.length > 1 ? this.#search(days) : this.#searchOrdered(window);
  }

  /** Searches the index in its order. */
  async #searchOrdered({ fromSeq, beforeSeq }: SearchRange): Promise<number | null> {
    for (let range = { fromSeq, beforeSeq }; !this.#isFull; ) {
      const last = await this.#searchRange(range);
      if (last === null || (this.#isExhausted && !this.#isFull)) return last;
      range = this.#direction === "older" ? { fromSeq, beforeSeq: last } : { fromSeq: last + 1, beforeSeq };
    }
    return null;
  }

  /** Searches the first rows of a range. Returns the last of them; null at the end of the range. */
  async #searchRange(range: SearchRange): Promise<number | null> {
    const wanted = this.#limit - this.#seqs.length;
    const rows = this.#findsEach ? wanted : this.#limits.rangeRows;
    const sql = () => new SearchSql(this.#filter, this.#index, range);
    const { found, extent } = await this.#read(async (session) => {
      const page = await runSearch(session, sql().page(rows, wanted));
      const isOver = this.#findsEach || page.length === wanted;
      return { found: page, extent: isOver ? null : await runSearch(session, sql().extent(rows)) };
    });
    this.#seqs.push(...found.map(({ seq }) => seq));
    const [{ rows: read, last } = NOTHING] = extent ?? [];
    this.#rowsRead += read * this.#cost;
    return read < rows ? null : last;
  }

  /** Searches the index of addresses. Returns false, and finds nothing, if it has more recipients than one step reads. */
  async #findAddress(range: SearchRange): Promise<boolean> {
    const { rangeRows } = this.#limits;
    const sql = () => new SearchSql(this.#filter, "address", range);
    const { read, found } = await this.#read(async (session) => {
      const [extent = NOTHING] = await runSearch(session, sql().extent(rangeRows + 1));
      const isSearched = extent.rows > 0 && extent.rows <= rangeRows;
      const page = sql().page(rangeRows, this.#limit - this.#seqs.length);
      return { read: extent.rows, found: isSearched ? await runSearch(session, page) : [] };
    });
    if (read > rangeRows) return false;
    this.#seqs.push(...found.map(({ seq }) => seq));
    this.#rowsRead += read;
    return true;
  }

  get #isFull(): boolean {
    return this.#seqs.length >= this.#limit;
  }

  get #isExhausted(): boolean {
    return this.#rowsRead >= this.#limits.rowsMax;
  }
}
