/** The errors of the API, as their pages show them. */

/** Texts have names of fields and codes between backticks. */
export interface ShownProblem {
  code: string;
  status: number;
  title: string;
  /** A clause. */
  meaning: string;
  /** Sentences. */
  action: string;
  retry: "no" | "soon" | "later";
}

export const RETRIES: Readonly<Record<ShownProblem["retry"], string>> = {
  no: "Do not retry the same request: it fails again until the cause is removed.",
  soon: "Retry with growing pauses, a send with the same `Idempotency-Key`.",
  later: "Retry after `retry_after` seconds, a send with the same `Idempotency-Key`.",
};
