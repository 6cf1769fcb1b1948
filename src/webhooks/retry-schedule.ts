/**
 * Decides when an event is attempted again after a failure, and when it is given up. Pure: time and randomness are
 * arguments.
 */
import { HOUR_MS, MINUTE_MS } from "../lib/units.ts";

/** The gaps after the first failure, the second, and so on. After the last one the event is given up if the endpoint works. */
export const WEBHOOK_GAPS_MS: readonly number[] = [
  5000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** A gap becomes 90 % to 110 % of itself: events that failed together are not all sent again together. */
const JITTER = 0.1;

export interface WebhookRetryInput {
  /** Attempts made so far, at least 1. */
  attempt: number;
  nowMs: number;
  /** The response's Retry-After; null without one. */
  retryAfterMs: number | null;
  /** Whether the whole endpoint is down: the last gap repeats. */
  isDown: boolean;
  /** Uniform in [0, 1). */
  random: () => number;
}

/** Returns when the next attempt is due, not before Retry-After; null if none follows. */
export function nextWebhookAttemptMs(input: WebhookRetryInput): number | null {
  const { attempt, nowMs, retryAfterMs, isDown, random } = input;
  const gapMs = WEBHOOK_GAPS_MS[attempt - 1] ?? (isDown ? WEBHOOK_GAPS_MS.at(-1) : undefined);
  if (gapMs === undefined) return null;
  const jitteredMs = Math.round(gapMs * (1 - JITTER + 2 * JITTER * random()));
  return nowMs + Math.max(jitteredMs, retryAfterMs ?? 0);
}
