/** The stored part of an attempt's tries, whatever their number and their replies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addTry, type BoundedTries, storedTries } from "../../../src/delivery/dispatch/tries.ts";
import type { HostAttempt } from "../../../src/message/result/outcome.ts";

function newTry(parts: Partial<HostAttempt> = {}): HostAttempt {
  const base = { mx: "mx.a.example", ip: "192.0.2.1", tls: null, stage: "rcpt", reply: null } as const;
  return { ...base, error: null, note: null, policy: null, ...parts };
}

const replyOf = (message: string) => ({ code: 451, enhanced_code: null, message });

function keepAll(tries: HostAttempt[], recipients = 1): BoundedTries {
  const kept: BoundedTries = { tries: [], omittedTries: 0 };
  for (const attempted of tries) addTry(kept, attempted, recipients);
  return kept;
}

test("tries within the limits are stored unchanged", () => {
  const tries = Array.from({ length: 20 }, (_, i) => newTry({ error: `error ${i}`, reply: replyOf("no") }));
  assert.deepEqual(storedTries(keepAll(tries, 50)), tries);
});

test("of more tries, the first, the last and the number of omitted ones are stored", () => {
  const tries = Array.from({ length: 5000 }, (_, i) => newTry({ error: `error ${i}`, note: i % 2 ? "a note" : null }));
  const stored = storedTries(keepAll(tries));
  const numbers = stored.map(({ error }) => Number(error?.slice(6)));
  assert.deepEqual(numbers, [...Array(10).keys(), ...Array.from({ length: 10 }, (_, i) => 4990 + i)]);
  assert.equal(stored[10]?.note, "4980 tries before this one are left out");
  const odd = storedTries(keepAll(tries.slice(0, 4999)));
  assert.equal(odd[10]?.note, "4979 tries before this one are left out; a note");
});

test("replies are stored in full while they fit, the newest first, and truncated beyond", () => {
  const tries = Array.from({ length: 20 }, () => newTry({ reply: replyOf("x".repeat(4096)) }));
  const lengths = (recipients: number) =>
    storedTries(keepAll(tries, recipients)).map(({ reply }) => reply?.message.length ?? 0);
  assert.deepEqual(lengths(1), [...Array(16).fill(200), ...Array(4).fill(4096)]);
  assert.deepEqual(lengths(50), [...Array(19).fill(200), 4096]);
  assert.deepEqual(lengths(10_000), Array(20).fill(200));
  assert.equal(tries[0]?.reply?.message.length, 4096, "the attempt's own are untouched");
});

test("the replies that an attempt holds while it runs are bounded too", () => {
  const tries = Array.from({ length: 20 }, () => newTry({ reply: replyOf("x".repeat(4096)) }));
  const held = keepAll(tries, 50).tries.reduce((sum, { reply }) => sum + (reply?.message.length ?? 0), 0);
  assert.ok(held < 10_000, `${held} characters`);
});

test("errors and notes are truncated between characters", () => {
  const { tries } = keepAll([newTry({ error: `${"x".repeat(498)}😀😀`, note: "y".repeat(20_000) })]);
  assert.equal(tries[0]?.error, `${"x".repeat(498)}…`);
  assert.equal(tries[0]?.note?.length, 500);
});
