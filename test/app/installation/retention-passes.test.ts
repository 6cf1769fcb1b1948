/** When retention passes run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRetention } from "../../../src/app/installation/retention-passes.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { GRACE_MS } from "../../../src/spool/port/accounts.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { RetentionResult, RetentionStep } from "../../../src/spool/port/operations.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const START_MS = 1_000_000;
const PASS_MS = 60_000;

test("passes run in steps with pauses, each with its own time, and continue after an error", async () => {
  const clock = fakeClock(START_MS);
  const calls: RetentionStep[] = [];
  const answers: (RetentionResult | Error)[] = [
    { contents: 100, messages: 0, isMore: true },
    { contents: 3, messages: 1, isMore: false },
    new SpoolUnavailable("down"),
    { contents: 0, messages: 0, isMore: false },
  ];
  const spool = {
    async applyRetention(step: RetentionStep): Promise<RetentionResult> {
      calls.push(step);
      const answer = answers[calls.length - 1] ?? assert.fail("called too often");
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async writeValue(): Promise<void> {},
    removeAnswers: async () => 0,
    removeAuditBefore: async () => 0,
    removeNoticesBefore: async () => 0,
    removeDeletedAccounts: async () => ({ emptied: [], isMore: false }),
  };
  const stop = startRetention({
    spool,
    clock,
    log: silentLog,
    periods: { contentsMs: 7000, resultsMs: 30_000 },
    isClockTrusted: () => true,
  });
  await clock.advance(PASS_MS - 1);
  assert.equal(calls.length, 0);
  await clock.advance(1);
  const nowMs = START_MS + PASS_MS;
  assert.deepEqual(calls, [{ nowMs, contentsBeforeMs: nowMs - 7000, resultsBeforeMs: nowMs - 30_000, limit: 100 }]);
  await clock.advance(1000);
  assert.equal(calls.length, 2);
  await clock.advance(PASS_MS);
  assert.equal(calls.length, 3);
  await clock.advance(PASS_MS);
  assert.equal(calls.length, 4);
  stop();
  await clock.advance(10 * PASS_MS);
  assert.equal(calls.length, 4);
});

test("nothing is deleted while the clock is not trusted", async () => {
  const clock = fakeClock(START_MS);
  let [calls, isTrusted] = [0, false];
  const spool = {
    async applyRetention(): Promise<RetentionResult> {
      calls += 1;
      return { contents: 0, messages: 0, isMore: false };
    },
    async writeValue(): Promise<void> {},
    removeAnswers: async () => 0,
    removeAuditBefore: async () => 0,
    removeNoticesBefore: async () => 0,
    removeDeletedAccounts: async () => ({ emptied: [], isMore: false }),
  };
  const periods = { contentsMs: 7000, resultsMs: 30_000 };
  const stop = startRetention({ spool, clock, log: silentLog, periods, isClockTrusted: () => isTrusted });
  await clock.advance(10 * PASS_MS);
  assert.equal(calls, 0);
  isTrusted = true;
  await clock.advance(PASS_MS);
  assert.equal(calls, 1);
  stop();
});

test("each pass first removes what belongs to deleted accounts whose grace period is over", async () => {
  const clock = fakeClock(START_MS + GRACE_MS);
  const calls: string[] = [];
  const emptied = [["acc_1"], [], []];
  const spool = {
    async applyRetention(): Promise<RetentionResult> {
      calls.push("messages");
      return { contents: 0, messages: 0, isMore: false };
    },
    async writeValue(): Promise<void> {},
    removeAnswers: async () => 0,
    removeAuditBefore: async () => 0,
    removeNoticesBefore: async () => 0,
    async removeDeletedAccounts({ nowMs, deletedBeforeMs }: { nowMs: number; deletedBeforeMs: number }) {
      assert.equal(deletedBeforeMs, nowMs - GRACE_MS);
      const step = emptied.shift() ?? [];
      calls.push(`accounts ${step}`);
      return { emptied: step, isMore: step.length > 0 };
    },
  };
  const periods = { contentsMs: 7000, resultsMs: 30_000 };
  const stop = startRetention({ spool, clock, log: silentLog, periods, isClockTrusted: () => true });
  await clock.advance(PASS_MS + 1000);
  assert.deepEqual(calls, ["accounts acc_1", "accounts ", "messages"]);
  await clock.advance(PASS_MS);
  assert.deepEqual(calls.slice(3), ["accounts ", "messages"]);
  stop();
});

for (const [name, remove] of [
  ["the audit trail is", "removeAuditBefore"],
  ["notices are", "removeNoticesBefore"],
] as const)
  test(`${name} kept as long as results, and deleted in steps`, async () => {
    const clock = fakeClock(START_MS);
    const calls: [beforeMs: number, limit: number][] = [];
    const left = [500, 500, 3];
    const spool = {
      applyRetention: async () => ({ contents: 0, messages: 0, isMore: false }),
      async writeValue(): Promise<void> {},
      removeAnswers: async () => 0,
      removeAuditBefore: async () => 0,
      removeNoticesBefore: async () => 0,
      async [remove](beforeMs: number, limit: number): Promise<number> {
        calls.push([beforeMs, limit]);
        return left.shift() ?? 0;
      },
      removeDeletedAccounts: async () => ({ emptied: [], isMore: false }),
    };
    const periods = { contentsMs: 7000, resultsMs: 30_000 };
    const stop = startRetention({ spool, clock, log: silentLog, periods, isClockTrusted: () => true });
    await clock.advance(PASS_MS);
    await clock.advance(1000);
    assert.equal(calls.length, 3);
    assert.deepEqual(calls[0], [START_MS + PASS_MS - 30_000, 500]);
    await clock.advance(PASS_MS);
    assert.equal(calls.length, 4);
    stop();
  });
