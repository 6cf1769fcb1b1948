/** Which rejections mean that an address does not exist, and when they suppress it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostAttempt, Stage } from "../../../src/message/result/outcome.ts";
import {
  type AttemptResult,
  addRefusal,
  combinedSuppression,
  REFUSAL_COUNTS_MS,
  type Refusal,
  refusalKey,
  refusalsIn,
  SET_CAUSES,
  type SetCause,
  type SetSuppression,
  SUPPRESS_AFTER_MAX,
  suppressionOf,
} from "../../../src/message/result/suppression.ts";

const NOW_MS = 1_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function hostAttempt(stage: Stage, reply: HostAttempt["reply"]): HostAttempt {
  return { mx: "mx.a.example", ip: "192.0.2.1", tls: null, stage, reply, error: null, note: null, policy: "none" };
}

function ending(
  stage: Stage,
  enhanced: string | null,
  outcome: AttemptResult["outcome"] = "failed",
  message = "Rejected",
): AttemptResult {
  return { outcome, tries: [hostAttempt(stage, { code: 550, enhanced_code: enhanced, message })] };
}

const counts = (...endings: AttemptResult[]): boolean[] =>
  refusalsIn(endings, NOW_MS).map((refusal) => refusal !== null);

const refusalAt = (at_ms: number): Refusal => ({
  at_ms,
  code: 550,
  enhanced_code: "5.1.1",
  message: "no such user",
  mx: "mx.a.example",
  ip: "192.0.2.1",
});

test("a text that can mean nothing but an unknown mailbox counts, unless the enhanced code says otherwise", () => {
  const withText = (message: string, enhanced: string | null = null) => ending("rcpt", enhanced, "failed", message);
  for (const text of ["No such user here", "<a@b.example>: User unknown", "not our customer"]) {
    assert.deepEqual(counts(withText(text)), [true], text);
    assert.deepEqual(counts(withText(text, "5.0.0")), [true], text);
    assert.deepEqual(counts(withText(text, "5.2.2")), [false], text);
  }
  for (const text of ["mailbox unavailable", "Unrouteable address", "Sender domain does not exist", ""]) {
    assert.deepEqual(counts(withText(text)), [false], text);
  }
});

test("of the enhanced codes, those for an unknown mailbox count", () => {
  for (const code of ["5.1.1", "5.1.6", "5.1.10"]) assert.deepEqual(counts(ending("rcpt", code)), [true], code);
  const others = ["5.0.0", "5.1.0", "5.1.2", "5.1.3", "5.1.4", "5.1.8", "5.2.1", "5.2.2", "5.4.1", "5.7.1", "5.1.11"];
  for (const code of [null, ...others]) assert.deepEqual(counts(ending("rcpt", code)), [false], String(code));
});

test("they count at RCPT and at the final dot, and only if the recipient failed", () => {
  for (const stage of ["mail", "data", "content", "starttls", "greeting"] as const) {
    assert.deepEqual(counts(ending(stage, "5.1.1")), [false], stage);
  }
  assert.deepEqual(counts(ending("final_dot", "5.1.1")), [true]);
  for (const outcome of ["deferred", "unknown", "delivered"] as const) {
    assert.deepEqual(counts(ending("rcpt", "5.1.1", outcome)), [false], outcome);
  }
});

test("only the reply of the last host counts", () => {
  const first = hostAttempt("rcpt", { code: 550, enhanced_code: "5.1.1", message: "" });
  const last = hostAttempt("rcpt", { code: 550, enhanced_code: "5.7.1", message: "" });
  assert.deepEqual(counts({ outcome: "failed", tries: [first, last] }), [false]);
});

test("a failure without a reply, such as NXDOMAIN or null MX, does not count", () => {
  assert.deepEqual(counts({ outcome: "failed", tries: [hostAttempt("dns", null)] }, { outcome: "failed", tries: [] }), [
    false,
    false,
  ]);
});

test("a reply to the final dot counts only with a single recipient", () => {
  assert.deepEqual(counts(ending("final_dot", "5.1.1"), ending("final_dot", "5.1.1")), [false, false]);
  assert.deepEqual(counts(ending("final_dot", "5.1.1"), ending("rcpt", "5.1.1")), [true, true]);
});

test("a refusal records time, host and reply, of limited length", () => {
  assert.deepEqual(refusalsIn([ending("rcpt", "5.1.1", "failed", "no such user")], NOW_MS), [refusalAt(NOW_MS)]);
  const long = hostAttempt("rcpt", { code: 550, enhanced_code: "5.1.1", message: "😀".repeat(2000) });
  const [refusal] = refusalsIn([{ outcome: "failed", tries: [long] }], NOW_MS);
  assert.equal(refusal?.message, "😀".repeat(500));
});

test("the key is the exact local part and the domain in A-labels", () => {
  assert.equal(refusalKey("Ann@BÜCHER.example", "xn--bcher-kva.example"), "Ann@xn--bcher-kva.example");
  assert.equal(refusalKey('"a@b"@c.example', "c.example"), '"a@b"@c.example');
});

/** Whether refusals at these hours suppress an address at the last of them. */
const isSuppressed = (hours: number[], after = 3): boolean =>
  suppressionOf(
    hours.map((hour) => refusalAt(hour * HOUR_MS)),
    { after, nowMs: Math.max(0, ...hours) * HOUR_MS },
  ) !== null;

test("two refusals a day apart suppress, or three spread over a day; refusals close together count as one", () => {
  const enough = [
    [0, 24],
    [0, 500],
    [0, 1, 2, 24],
    [0, 20, 25],
    [0, 8, 16],
    [0, 7.9, 8, 15, 16],
    [0, 11, 22],
  ];
  for (const hours of enough) assert.ok(isSuppressed(hours), hours.join());
  const tooFew = [
    [],
    [0],
    [0, 0.0001, 0.0002],
    [0, 23.99],
    [0, 7.9, 15.9],
    [0, 8, 15.9],
    [0, 1, 2, 3, 4, 5, 6, 7],
    [0, 20, 21, 22, 23, 23.9],
  ];
  for (const hours of tooFew) assert.ok(!isSuppressed(hours), hours.join());
});

test("SUPPRESS_AFTER: 0 never, 1 the first refusal, from 2 on that many 8 hours apart or one fewer over a day", () => {
  assert.ok(!isSuppressed([0, 24, 48], 0));
  assert.ok(isSuppressed([0], 1));
  assert.ok(!isSuppressed([0, 7], 2));
  assert.ok(isSuppressed([0, 8], 2));
  assert.ok(!isSuppressed([0, 24, 25], 4));
  assert.ok(isSuppressed([0, 8, 24], 4));
  assert.ok(!isSuppressed([0, 24, 48], 5));
  assert.ok(isSuppressed([0, 24, 48, 72], 5));
});

test("an address is suppressed from the decisive refusal until too few count", () => {
  const refusals = [0, 10, 20].map((day) => refusalAt(day * DAY_MS));
  const at = (day: number, after = 4) => suppressionOf(refusals, { after, nowMs: day * DAY_MS });
  assert.deepEqual(at(21), { cause: "refusals", sinceMs: 20 * DAY_MS, untilMs: REFUSAL_COUNTS_MS, refusals });
  assert.equal(at(30), null);
  assert.notEqual(suppressionOf(refusals, { after: 4, nowMs: REFUSAL_COUNTS_MS - 1 }), null);
  assert.deepEqual(at(31, 3), {
    cause: "refusals",
    sinceMs: 20 * DAY_MS,
    untilMs: 40 * DAY_MS,
    refusals: refusals.slice(1),
  });
  assert.deepEqual(at(21, 3), { cause: "refusals", sinceMs: 10 * DAY_MS, untilMs: 40 * DAY_MS, refusals });
});

test("stored refusals are limited in age and number, and sorted", () => {
  const hour = (at: number) => refusalAt(at * HOUR_MS);
  assert.deepEqual(addRefusal([hour(25)], hour(3)), [hour(3), hour(25)]);
  const days = REFUSAL_COUNTS_MS / HOUR_MS;
  assert.deepEqual(addRefusal([hour(0), hour(1)], hour(days)), [hour(1), hour(days)]);
  let stored: Refusal[] = [];
  for (let i = 0; i < 1000; i += 1) stored = addRefusal(stored, hour(i / 2));
  assert.ok(stored.length <= SUPPRESS_AFTER_MAX + 1, String(stored.length));
  assert.equal(stored.at(-1)?.at_ms, 499.5 * HOUR_MS);
  const nowMs = 500 * HOUR_MS;
  assert.notEqual(suppressionOf(stored, { after: SUPPRESS_AFTER_MAX, nowMs }), null);
});

test("many refusals at one time do not displace those of other times", () => {
  let stored = [refusalAt(0)];
  for (let i = 0; i < 100; i += 1) stored = addRefusal(stored, refusalAt(23 * HOUR_MS + i));
  for (let i = 0; i < 100; i += 1) stored = addRefusal(stored, refusalAt(25 * HOUR_MS + i));
  assert.deepEqual(
    stored.map(({ at_ms }) => at_ms),
    [0, 23 * HOUR_MS, 25 * HOUR_MS + 99],
  );
  const [sinceMs, nowMs] = [25 * HOUR_MS + 99, 26 * HOUR_MS];
  const suppression = suppressionOf(stored, { after: 3, nowMs });
  assert.deepEqual([suppression?.sinceMs, suppression?.untilMs], [sinceMs, REFUSAL_COUNTS_MS]);
});

test("a refusal recorded while the clock was ahead counts for at most twice its age limit and hides no newer one", () => {
  const ahead = refusalAt(NOW_MS + REFUSAL_COUNTS_MS);
  assert.equal(suppressionOf([ahead], { after: 1, nowMs: NOW_MS }), null);
  assert.notEqual(suppressionOf([ahead], { after: 1, nowMs: NOW_MS + 1 }), null);
  assert.deepEqual(addRefusal([ahead], refusalAt(NOW_MS)), [refusalAt(NOW_MS)]);
});

test("of two causes the stronger stays with the later end; the end of the same cause is replaced", () => {
  const set = (cause: SetCause, untilMs: number | null = null, atMs = 1): SetSuppression => ({ cause, atMs, untilMs });
  const after = (known: SetSuppression, added: SetSuppression) => combinedSuppression(known, added, 10);
  assert.deepEqual(after(set("complaint", 20), set("bounce", null, 2)), set("complaint", null, 1));
  assert.deepEqual(after(set("bounce", 30), set("complaint", 20, 2)), set("complaint", 30, 2));
  assert.deepEqual(after(set("unsubscribed"), set("manual", 20, 2)), set("unsubscribed"));
  assert.deepEqual(after(set("manual", null, 5), set("manual", 20, 2)), set("manual", 20, 2));
  assert.deepEqual(after(set("complaint", 10), set("bounce", 20, 2)), set("bounce", 20, 2));
  for (const [i, weaker] of SET_CAUSES.entries())
    for (const stronger of SET_CAUSES.slice(i)) assert.equal(after(set(weaker), set(stronger)).cause, stronger);
});
