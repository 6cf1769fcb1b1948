/** Hosts that accept few recipients at a time: the others are tried as far as the attempt's limits allow, then deferred. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/lib/clock.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/peers.ts";
import type { Step } from "../../support/scripted-smtp.ts";
import { setAttemptStage } from "./attempt-stage.ts";

const MINUTE_MS = 60_000;

test("100 recipients at most in one transaction, and the others in the next on the same connection", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock });
  const peer = await exchanger();
  const outcomes = await attempt(250);
  assert.ok(outcomes.every(({ type }) => type === "delivered"));
  assert.deepEqual(
    peer.transactions.map(({ connection, rcptTo }) => [connection, rcptTo.length]),
    [
      [0, 100],
      [0, 100],
      [0, 50],
    ],
  );
});

test("one recipient a connection: five connections in an attempt, and the others are deferred with the reason", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock });
  const peer = await exchanger({ capabilities: ["LIMITS RCPTMAX=1 MAILMAX=1"] });
  const outcomes = await attempt(8);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.type === "delivered" ? "delivered" : outcome.reason)),
    [...new Array(5).fill("delivered"), ...new Array(3).fill("too_many_recipients")],
  );
  for (const { type, tries } of outcomes) assert.deepEqual([tries.length, tries[0]?.ip], [1, peer.host], type);
  assert.equal(peer.connections, 5);
});

test("a host that slowly accepts one recipient at a time holds an attempt for an hour and one transaction", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  let dots = 0;
  const inNineMinutes = () =>
    new Promise<Step>((resolve) => {
      dots += 1;
      clock.after(9 * MINUTE_MS, () => resolve("250 ok"));
    });
  await exchanger({ capabilities: ["LIMITS RCPTMAX=1"], script: { dot: inNineMinutes } });
  const attempted = attempt(50);
  let isOver = false;
  void attempted.then(() => {
    isOver = true;
  });
  for (let count = 1; count <= 7; count += 1) {
    await until(`message ${count}`, () => dots === count);
    await clock.advance(9 * MINUTE_MS);
  }
  await until("the end of the attempt", () => isOver || dots > 7);
  assert.equal(dots, 7);
  const outcomes = await attempted;
  assert.equal(outcomes.filter(({ type }) => type === "delivered").length, 7);
  for (const outcome of outcomes.slice(7)) {
    assert.ok(outcome.type === "deferred");
    assert.deepEqual([outcome.reason, outcome.tries.length], ["too_many_recipients", 1]);
  }
});
