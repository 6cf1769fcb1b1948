/** A wall clock set while the service was down: retention waits before it deletes what only looks old. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClockWatch } from "../../../src/app/installation/clock-watch.ts";
import { isAheadOfLastRun } from "../../../src/app/installation/last-run-time.ts";
import { CLOCK_TRUSTED_AFTER_MS, startRetention } from "../../../src/app/installation/retention-passes.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const NOW_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A spool that outlives the runs of a service, and their log. */
function setUp() {
  const notes = new Map<string, string>();
  const forgotAtMs: number[] = [];
  const logged: string[] = [];
  const log = { info() {}, warn: (_: object, message: string) => logged.push(message) } as unknown as Logger;
  const spool = {
    readValue: async (name: string) => notes.get(name) ?? null,
    removeAnswers: async () => 0,
    removeAuditBefore: async () => 0,
    removeNoticesBefore: async () => 0,
    removeDeletedAccounts: async () => ({ emptied: [], isMore: false }),
    async writeValue(name: string, text: string): Promise<void> {
      notes.set(name, text);
    },
    async applyRetention({ nowMs }: { nowMs: number }) {
      forgotAtMs.push(nowMs);
      return { contents: 0, messages: 0, isMore: false };
    },
  };
  /** Runs from `startMs` for `lastsMs`; returns how many passes deleted, and after how long the first one did. */
  async function run(startMs: number, lastsMs: number): Promise<{ passes: number; firstMs: number | undefined }> {
    forgotAtMs.length = 0;
    const clock = fakeClock(startMs);
    const watch = new ClockWatch({
      clock,
      log,
      onStep() {},
      isAheadAtStart: await isAheadOfLastRun({ spool, clock, log }),
    });
    const isClockTrusted = (): boolean => !watch.wasSetForwardWithin(CLOCK_TRUSTED_AFTER_MS);
    const stop = startRetention({ spool, clock, log, periods: { contentsMs: 0, resultsMs: 0 }, isClockTrusted });
    await clock.advance(lastsMs);
    stop();
    watch.stop();
    const [first] = forgotAtMs;
    return { passes: forgotAtMs.length, firstMs: first === undefined ? undefined : first - startMs };
  }
  return { notes, logged, run, spool, log };
}

test("a start more than a day after the last run deletes nothing for an hour, also across restarts", async () => {
  const { run, logged } = setUp();
  await run(NOW_MS, 2 * HOUR_MS);
  logged.length = 0;
  const aheadMs = NOW_MS + 3650 * DAY_MS;
  assert.equal((await run(aheadMs, HOUR_MS / 2)).passes, 0);
  assert.match(logged.join(), /clock more than a day ahead of the last run/);
  assert.equal((await run(aheadMs + HOUR_MS / 2, HOUR_MS / 2)).passes, 0, "the untrusted time was not recorded");
  assert.equal((await run(aheadMs + HOUR_MS, 2 * HOUR_MS)).firstMs, HOUR_MS);
  assert.equal((await run(aheadMs + 3 * HOUR_MS, HOUR_MS)).firstMs, 60_000);
});

test("a restart within a day, or with the clock set back, deletes from the first minute on", async () => {
  const { run, logged } = setUp();
  await run(NOW_MS, 2 * HOUR_MS);
  logged.length = 0;
  assert.equal((await run(NOW_MS + 3 * HOUR_MS, HOUR_MS)).firstMs, 60_000);
  assert.equal((await run(NOW_MS + 27 * HOUR_MS, HOUR_MS)).firstMs, 60_000);
  assert.equal((await run(NOW_MS - 30 * DAY_MS, HOUR_MS)).firstMs, 60_000);
  assert.deepEqual(logged, []);
});

test("a missing, unreadable or damaged time of the last run makes the start untrusted", async () => {
  const { notes, run, spool, log } = setUp();
  assert.equal((await run(NOW_MS, 2 * HOUR_MS)).firstMs, HOUR_MS);
  for (const damaged of ["", "x", "-1", "1e300", "NaN"]) {
    for (const name of notes.keys()) notes.set(name, damaged);
    assert.equal((await run(NOW_MS, HOUR_MS / 2)).passes, 0, damaged);
  }
  const unreadable = { ...spool, readValue: () => Promise.reject(new Error("down")) };
  assert.equal(await isAheadOfLastRun({ spool: unreadable, clock: fakeClock(NOW_MS), log }), true);
});
