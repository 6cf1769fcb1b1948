/**
 * The result of a write operation inside a transaction that has not committed yet.
 */
export interface Written<T> {
  value: T;
  /** Runs after the commit, and only then. */
  committed?: () => void;
}
