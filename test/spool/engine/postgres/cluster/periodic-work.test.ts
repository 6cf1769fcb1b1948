import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pino } from "pino";
import { PeriodicWork } from "../../../../../src/spool/engine/postgres/cluster/periodic-work.ts";
import { outageTolerance } from "../../../../../src/spool/engine/postgres/connection/outage-tolerance.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { fakeClock } from "../../../../support/fake-clock.ts";

function started(everySecond: (() => Promise<unknown>)[] = []) {
  const clock = fakeClock();
  const done: string[] = [];
  const noting = (name: string) => async () => done.push(name);
  const work = new PeriodicWork({
    clock,
    tolerateOutage: outageTolerance(pino({ level: "silent" })),
    everySecond: [...everySecond, noting("second")],
    everyMinute: noting("minute"),
  });
  work.start();
  return { clock, work, take: () => done.splice(0) };
}

describe("the repeated work of a spool", () => {
  it("is done every second, and in the first turn and once a minute what changes slowly", async () => {
    const { clock, take } = started();
    await clock.advance(999);
    assert.deepEqual(take(), []);
    await clock.advance(1);
    assert.deepEqual(take(), ["second", "minute"]);
    await clock.advance(59_000);
    assert.deepEqual(take(), Array(59).fill("second"));
    await clock.advance(1000);
    assert.deepEqual(take(), ["second", "minute"]);
  });

  it("goes on after an outage, which prevents one piece of it", async () => {
    const { clock, take } = started([() => Promise.reject(new SpoolUnavailable("no reply"))]);
    await clock.advance(2000);
    assert.deepEqual(take(), ["second", "minute", "second"]);
  });

  it("does not overlap: the next turn begins a second after the one before has ended", async () => {
    let end: () => void = () => {};
    const { clock, take } = started([() => new Promise<void>((resolve) => (end = resolve))]);
    await clock.advance(5000);
    assert.deepEqual(take(), []);
    end();
    await clock.advance(999);
    assert.deepEqual(take(), ["second", "minute"]);
    assert.deepEqual(clock.dueMs, [clock.monotonicMs() + 1]);
  });

  it("ends with the turn under way when it is stopped", async () => {
    const { clock, work, take } = started([async () => work.stop()]);
    await clock.advance(5000);
    assert.deepEqual(take(), ["second", "minute"]);
    assert.deepEqual(clock.dueMs, []);
  });
});
