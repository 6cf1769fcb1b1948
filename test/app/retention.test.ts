/** When the spool is asked to forget. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRetention } from "../../src/app/retention.ts";
import { silentLog } from "../../src/lib/log.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { RetentionResult, RetentionStep } from "../../src/spool/port/operations.ts";
import { fakeClock } from "../support/fake-clock.ts";

const START_MS = 1_000_000;
const PASS_MS = 60_000;

test("passes go in steps with pauses, by the time of each, and a spool that is down is asked again", async () => {
  const clock = fakeClock(START_MS);
  const asked: RetentionStep[] = [];
  const answers: (RetentionResult | Error)[] = [
    { contents: 100, messages: 0, isMore: true },
    { contents: 3, messages: 1, isMore: false },
    new SpoolUnavailable("down"),
    { contents: 0, messages: 0, isMore: false },
  ];
  const spool = {
    async applyRetention(step: RetentionStep): Promise<RetentionResult> {
      asked.push(step);
      const answer = answers[asked.length - 1] ?? assert.fail("asked too often");
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async writeValue(): Promise<void> {},
  };
  const stop = startRetention({
    spool,
    clock,
    log: silentLog,
    kept: { contentsMs: 7000, resultsMs: 30_000 },
    isClockTrusted: () => true,
  });
  await clock.advance(PASS_MS - 1);
  assert.equal(asked.length, 0);
  await clock.advance(1);
  const nowMs = START_MS + PASS_MS;
  assert.deepEqual(asked, [{ nowMs, contentsBeforeMs: nowMs - 7000, resultsBeforeMs: nowMs - 30_000, limit: 100 }]);
  await clock.advance(1000);
  assert.equal(asked.length, 2);
  await clock.advance(PASS_MS);
  assert.equal(asked.length, 3);
  await clock.advance(PASS_MS);
  assert.equal(asked.length, 4);
  stop();
  await clock.advance(10 * PASS_MS);
  assert.equal(asked.length, 4);
});

test("while the clock is not trusted nothing is removed, and as soon as it is, passes go on", async () => {
  const clock = fakeClock(START_MS);
  let [asked, isTrusted] = [0, false];
  const spool = {
    async applyRetention(): Promise<RetentionResult> {
      asked += 1;
      return { contents: 0, messages: 0, isMore: false };
    },
    async writeValue(): Promise<void> {},
  };
  const kept = { contentsMs: 7000, resultsMs: 30_000 };
  const stop = startRetention({ spool, clock, log: silentLog, kept, isClockTrusted: () => isTrusted });
  await clock.advance(10 * PASS_MS);
  assert.equal(asked, 0);
  isTrusted = true;
  await clock.advance(PASS_MS);
  assert.equal(asked, 1);
  stop();
});
