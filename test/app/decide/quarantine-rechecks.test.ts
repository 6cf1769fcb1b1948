/** When quarantined messages are rechecked. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startQuarantineRechecks } from "../../../src/app/decide/quarantine-rechecks.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { RecheckResult, RecheckStep } from "../../../src/spool/port/quarantine.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const SOON_MS = 1000;
const EVERY_MS = 300_000;

function setUp(answers: (RecheckResult | Error)[]) {
  const clock = fakeClock(0);
  const calls: { atMs: number; step: RecheckStep }[] = [];
  const logged: unknown[] = [];
  const line = (fields: object, message: string): void => void logged.push([fields, message]);
  const spool = {
    async recheckQuarantined(step: RecheckStep): Promise<RecheckResult> {
      calls.push({ atMs: clock.now(), step });
      const answer = answers[calls.length - 1] ?? assert.fail("called too often");
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const log = { info: line, warn: line } as unknown as Logger;
  const stop = startQuarantineRechecks({ spool, clock, log, result: "unknown" });
  return { clock, calls, logged, stop };
}

test("rechecks at the start and every few minutes in batches; the next batch follows soon only after a release", async () => {
  const error = new SpoolUnavailable("down");
  const { clock, calls, logged, stop } = setUp([
    { released: ["msg_1", "msg_2"], next: 7 },
    { released: [], next: 9 },
    error,
    { released: ["msg_3"], next: null },
    { released: [], next: null },
  ]);
  await clock.advance(SOON_MS + SOON_MS + 3 * EVERY_MS);
  const startsMs = [
    SOON_MS,
    2 * SOON_MS,
    2 * SOON_MS + EVERY_MS,
    2 * SOON_MS + 2 * EVERY_MS,
    2 * SOON_MS + 3 * EVERY_MS,
  ];
  assert.deepEqual(
    calls.map(({ atMs }) => atMs),
    startsMs,
  );
  assert.deepEqual(
    calls.map(({ step }) => step.after),
    [0, 7, 9, 9, 0],
  );
  assert.deepEqual(calls[0]?.step, {
    after: 0,
    limit: 100,
    bytesMax: 32 * 1024 * 1024,
    nowMs: SOON_MS,
    result: "unknown",
  });
  assert.deepEqual(logged, [
    [{ messages: 2, ids: ["msg_1", "msg_2"] }, "released from quarantine"],
    [{ err: error }, "quarantine recheck failed"],
    [{ messages: 1, ids: ["msg_3"] }, "released from quarantine"],
  ]);
  stop();
  await clock.advance(10 * EVERY_MS);
  assert.equal(calls.length, 5);
});
