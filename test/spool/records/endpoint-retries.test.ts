/** What a settlement makes of waiting order keys. The conformance suite tests the same through the port. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WebhookResult, WebhookSettlement } from "../../../src/spool/port/webhooks.ts";
import { type Retry, type RetryRange, settleRetries } from "../../../src/spool/records/endpoint-retries.ts";

const KEY = 7;
const AT_MS = 1000;

/** Events 10 to 19 of the order key exist, and are wanted unless they are in `unwanted`. */
function storeOf(initial: Retry | null, unwanted: readonly number[] = []) {
  const rows = new Map<number, Retry>(initial === null ? [] : [[KEY, initial]]);
  return {
    rows,
    find: (orderKey: number) => rows.get(orderKey),
    store: (orderKey: number, retry: Retry) => void rows.set(orderKey, retry),
    remove: (orderKey: number) => void rows.delete(orderKey),
    hasWanted(_: number, { next, last }: RetryRange) {
      for (let number = Math.max(next, 10); number <= Math.min(last, 19); number += 1) {
        if (!unwanted.includes(number)) return true;
      }
      return false;
    },
  };
}

function resultOf(number: number, outcome: WebhookResult["outcome"], attempt = 1): WebhookResult {
  const shown = { atMs: AT_MS, durationMs: 1, attempt, status: null, error: null, response: "" };
  const event = { number, id: `evt_${number}`, type: "recipient.failed" as const, messageId: "msg_a", orderKey: KEY };
  return { event, attempt: shown, outcome };
}

const sent = (number: number) => resultOf(number, { type: "sent" });
const deferred = (number: number, attempt = 1) =>
  resultOf(number, { type: "deferred", nextAttemptAtMs: AT_MS + 50 }, attempt);

function settled(
  store: ReturnType<typeof storeOf>,
  parts: Partial<WebhookSettlement>,
  position: number | null = null,
): Retry | undefined {
  settleRetries(store, { atMs: AT_MS, results: [], blocked: [], gone: [], ...parts }, position);
  return store.rows.get(KEY);
}

describe("a settlement of retries", () => {
  it("stores a failure, and covers what is blocked behind it", () => {
    const blocked = [{ orderKey: KEY, number: 14 }];
    assert.deepEqual(settled(storeOf(null), { results: [deferred(11, 3)], blocked }), {
      next: 11,
      last: 14,
      attempts: 3,
      dueMs: AT_MS + 50,
    });
  });

  it("after a success, makes the next event due at once, and after the last removes the retry", () => {
    const store = storeOf({ next: 11, last: 12, attempts: 4, dueMs: 5 });
    assert.deepEqual(settled(store, { results: [sent(11)] }), { next: 12, last: 12, attempts: 0, dueMs: AT_MS });
    assert.equal(settled(store, { results: [sent(12)] }), undefined);
  });

  it("keeps a retry of an earlier event that is still to be sent", () => {
    const retry = { next: 10, last: 12, attempts: 0, dueMs: 5 };
    assert.deepEqual(settled(storeOf(retry), { results: [sent(12)] }), retry);
    assert.deepEqual(settled(storeOf(retry), { results: [deferred(13)] }), { ...retry, last: 13 });
    assert.equal(settled(storeOf(retry, [10, 11]), { results: [sent(12)] }), undefined);
  });

  it("removes an order key that is gone, unless an event of it is wanted", () => {
    const retry = { next: 10, last: 11, attempts: 0, dueMs: 5 };
    assert.deepEqual(settled(storeOf(retry), { gone: [KEY] }), retry);
    assert.equal(settled(storeOf(retry, [10, 11]), { gone: [KEY] }), undefined);
  });

  it("from before a replay, stores nothing where the new sender reads an earlier event of the order key", () => {
    const parts = { results: [deferred(12)], blocked: [{ orderKey: KEY, number: 13 }] };
    assert.equal(settled(storeOf(null), parts, 10), undefined);
    assert.equal(settled(storeOf(null), parts, 11)?.last, 13);
  });
});
