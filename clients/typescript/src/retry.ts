/** Which errors are retried, and when. */
import type { PostriderError } from "./errors.js";

/** Without a response, rate limits, and a service or proxy that is not available. */
const RETRIED: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);
/** A longer wait is the caller's decision. */
const RETRY_AFTER_MAX_S = 60;
const FIRST_DELAY_MS = 1000;
const DELAY_MAX_MS = 16_000;

export interface Retries {
  /** Retries so far. */
  count: number;
  max: number;
  random: () => number;
}

/** The delay before the next attempt; null if the error is final. */
export function retryDelayMs({ status, retryAfter }: PostriderError, { count, max, random }: Retries): number | null {
  if (count >= max || !RETRIED.has(status)) return null;
  if (retryAfter !== null) return retryAfter > RETRY_AFTER_MAX_S ? null : retryAfter * 1000;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** count, DELAY_MAX_MS);
  // Clients that failed together do not retry together.
  return delayMs * (0.5 + random() / 2);
}

/** Resolves after the delay. Rejects with the signal's reason when it is aborted. */
export function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
