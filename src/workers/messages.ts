/** The messages between the workers of a host and their supervisor, over the channel that Node opens to a child process. */

export type ToSupervisor =
  /** The worker listens. */
  | { type: "ready" }
  /** It answers a scrape, and needs the metrics of all workers. */
  | { type: "gather"; id: number }
  /** The answer to `render`; null if it failed. */
  | { type: "rendered"; id: number; text: string | null };

export type ToWorker =
  /** The supervisor needs the worker's own metrics. */
  | { type: "render"; id: number }
  /** The answer to `gather`: one text for each worker that has answered. */
  | { type: "gathered"; id: number; texts: string[] };
