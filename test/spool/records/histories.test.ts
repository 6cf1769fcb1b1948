/** Shares of histories that are too large to be shown as a whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { completeHistories, historyOf, sharesOf, sizeOfAll } from "../../../src/spool/records/histories.ts";

const event = (atMs: number, type = "deferred"): string => JSON.stringify({ at_ms: atMs, type });

test("complete histories leave out events that cannot be decoded", () => {
  const rows = [event(1), "{", '{"at_ms":"1","type":"x"}', event(2, "delivered")].map((text) => ({
    position: 0,
    event: text,
  }));
  const histories = completeHistories([...rows, { position: 3, event: event(4) }]);
  assert.deepEqual(
    [...histories].map(([position, { events, omitted }]) => [position, events.map(({ at_ms }) => at_ms), omitted]),
    [
      [0, [1, 2], 0],
      [3, [4], 0],
    ],
  );
});

test("a share has the newest events that fit together, or the newest one's decisive try", () => {
  const sizes = [
    ...[30, 40, 50].map((sizeBytes, i) => ({ position: 0, number: 9 - i, sizeBytes })),
    { position: 1, number: 5, sizeBytes: 101 },
    { position: 2, number: 4, sizeBytes: 100 },
  ];
  assert.equal(sizeOfAll(sizes), 321);
  const shares = sharesOf(sizes, 100);
  assert.deepEqual(
    shares.map(({ position, number, isDecisiveTry, stored }) => [position, number, isDecisiveTry, stored]),
    [
      [0, 8, false, 3],
      [1, 5, true, 1],
      [2, 4, false, 1],
    ],
  );
  const [first] = shares;
  assert.ok(first);
  const { events, omitted } = historyOf(first, [event(8), event(9, "x".repeat(100))]);
  assert.deepEqual([events.map(({ at_ms }) => at_ms), omitted], [[8], 2]);
});
