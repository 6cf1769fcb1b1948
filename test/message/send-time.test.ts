/** Times of sending: what is read as one, and how far ahead it may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryBeginsMs, parseSendTime } from "../../src/message/send-time.ts";

const NOW_MS = Date.parse("2030-01-01T00:00:00Z");
const DAY_MS = 86_400_000;

test("a time of RFC 3339 is read, also one in the past", () => {
  for (const [text, utc] of [
    ["2030-01-02T03:04:05Z", "2030-01-02T03:04:05.000Z"],
    ["2030-01-02t03:04:05.678z", "2030-01-02T03:04:05.678Z"],
    ["2030-01-02T03:04:05+01:30", "2030-01-02T01:34:05.000Z"],
    ["2030-01-02 03:04:05.6789-05:00", "2030-01-02T08:04:05.678Z"],
    ["1999-12-31T23:59:59Z", "1999-12-31T23:59:59.000Z"],
  ] as const)
    assert.deepEqual(parseSendTime(text, NOW_MS), { type: "valid", atMs: Date.parse(utc) }, text);
});

test("anything else is an error that says what to write", () => {
  for (const text of [
    "",
    "tomorrow",
    "in 1 min",
    "2030-01-02",
    "2030-01-02T03:04:05",
    "2030-02-30T00:00:00Z",
    "2030-13-01T00:00:00Z",
    "2030-01-02T24:00:00Z",
    "2030-01-02T03:04Z",
    "1893553445",
    "2030-01-02T03:04:05+25:00",
    "9".repeat(40),
  ]) {
    const time = parseSendTime(text, NOW_MS);
    assert.ok(time.type === "invalid", text);
    assert.match(time.detail, /RFC 3339.*2030-01-31T09:00:00Z/);
  }
});

test("30 days ahead is the limit", () => {
  const at = (ms: number) => parseSendTime(new Date(ms).toISOString(), NOW_MS).type;
  assert.equal(at(NOW_MS + 30 * DAY_MS), "valid");
  assert.equal(at(NOW_MS + 30 * DAY_MS + 1), "invalid");
});

test("delivery begins at the acceptance unless the message is scheduled", () => {
  assert.equal(deliveryBeginsMs({ createdAtMs: 1 }), 1);
  assert.equal(deliveryBeginsMs({ createdAtMs: 1, sendAtMs: null }), 1);
  assert.equal(deliveryBeginsMs({ createdAtMs: 1, sendAtMs: 5 }), 5);
});
