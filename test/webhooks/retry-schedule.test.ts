import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextWebhookAttemptMs, WEBHOOK_GAPS_MS } from "../../src/webhooks/retry-schedule.ts";

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const next = (attempt: number, parts: Partial<Parameters<typeof nextWebhookAttemptMs>[0]> = {}) =>
  nextWebhookAttemptMs({ attempt, nowMs: 0, retryAfterMs: null, isDown: false, random: () => 0.5, ...parts });

describe("webhook retry schedule", () => {
  it("has the documented gaps, and gives up after the tenth attempt", () => {
    const gaps = WEBHOOK_GAPS_MS.map((_, i) => next(i + 1));
    assert.deepEqual(gaps, [5 * S, 5 * M, 30 * M, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H]);
    assert.equal(next(10), null);
  });

  it("repeats the last gap while the endpoint is down", () => {
    assert.deepEqual(
      [next(9, { isDown: true }), next(10, { isDown: true }), next(30, { isDown: true })],
      [24 * H, 24 * H, 24 * H],
    );
  });

  it("varies a gap by a tenth of it", () => {
    assert.equal(next(2, { random: () => 0 }), 4.5 * M);
    assert.ok((next(2, { random: () => 0.999999 }) ?? 0) <= 5.5 * M);
  });

  it("waits for Retry-After if that is longer", () => {
    assert.equal(next(1, { retryAfterMs: M, nowMs: 7 }), 7 + M);
    assert.equal(next(2, { retryAfterMs: M }), 5 * M);
    assert.equal(next(10, { retryAfterMs: M }), null);
  });
});
