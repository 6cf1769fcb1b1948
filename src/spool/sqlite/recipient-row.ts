/**
 * How the queue names a row of `recipients`, and how a start settles one that was marked.
 */
export interface RecipientRow {
  seq: number;
  position: number;
}

export interface Recovering {
  nowMs: number;
  result: "unknown" | "pending";
}
