/**
 * The result of a write inside a transaction that has not committed yet.
 */
export interface Written<T> {
  value: T;
  /** Called after the commit; never if the transaction is rolled back. */
  committed?: () => void;
}
