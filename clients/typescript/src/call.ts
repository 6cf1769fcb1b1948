/** One request, as the generated methods describe it, and the options that callers give. */

export interface RequestOptions {
  /**
   * Identifies a POST: within 24 hours, the same key and body give the same response and change nothing again. Without one, each
   * call has its own, which its retries use.
   */
  idempotencyKey?: string | undefined;
  /** Ends the call, including its retries. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Limit of each attempt, instead of the client's. */
  timeoutMs?: number | undefined;
  /** Number of retries, instead of the client's. */
  retriesMax?: number | undefined;
}

export interface ChangeOptions extends RequestOptions {
  /** The entity tag of the thing as it was read (`responseOf`). If it has changed since, the call fails with status 412. */
  ifMatch?: string | undefined;
}

export interface IterationOptions {
  /** Called when all items of a page were consumed, with the cursor behind them. */
  onPage?: ((cursor: string | null) => void | Promise<void>) | undefined;
}

export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters in braces. */
  path: string;
  parameters?: Readonly<Record<string, string>>;
  /** The names of the options that are query parameters. */
  query?: readonly string[];
  body?: unknown;
  /** The media type of a body that is text. */
  type?: string;
  result: "json" | "text" | "none";
  needsKey?: boolean;
  isRetried?: boolean;
  options: ChangeOptions;
}
