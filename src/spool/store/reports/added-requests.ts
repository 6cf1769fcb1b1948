/** How many requests this process has added to the log: when those beyond the bound of an account are to be deleted. */
import { type ApiRequest, REQUESTS_KEPT_MAX } from "../../port/request-log.ts";

/** Successes, or failures, of an account that a process adds before it deletes those beyond the bound. */
const ADDED_MAX = REQUESTS_KEPT_MAX / 10;

/** The successes or the failures of an account, or of requests without a valid key. */
export interface RequestKind {
  accountId: string | null;
  failed: boolean;
}

export class AddedRequests {
  /** Of each kind since its last deletion. */
  readonly #counts = new Map<string, number>();

  /**
   * Counts requests. Returns the kinds that are to be bounded now. The first request of a kind counts as many: what earlier processes
   * have left is deleted. The kinds are in one order, so that two nodes do not wait for each other in a circle.
   */
  add(requests: readonly ApiRequest[]): RequestKind[] {
    const full = new Map<string, RequestKind>();
    for (const { accountId, status } of requests) {
      const failed = status >= 400;
      const name = `${failed} ${accountId ?? ""}`;
      const count = (this.#counts.get(name) ?? ADDED_MAX) + 1;
      this.#counts.set(name, count);
      if (count >= ADDED_MAX) full.set(name, { accountId, failed });
    }
    for (const name of full.keys()) this.#counts.set(name, 0);
    return [...full].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, kind]) => kind);
  }
}
