/** When a task runs whose duty comes and goes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runDutyTask } from "../../../src/app/installation/duty-task.ts";
import { FakeDuties } from "../../support/fake-duties.ts";

function setUp({ isHeld }: { isHeld: boolean }) {
  const duties = new FakeDuties();
  const calls: string[] = [];
  const ends: (() => void)[] = [];
  const set = (held: boolean): void => void (held ? duties.take("retention") : duties.lose("retention"));
  set(isHeld);
  const task = runDutyTask(duties, "retention", () => {
    calls.push("start");
    return () => {
      calls.push("stop");
      return new Promise<void>((resolve) => ends.push(resolve));
    };
  });
  return { calls, ends, task, set };
}

test("a task runs at once where its duty is held, and whenever it is taken", () => {
  const { calls, set } = setUp({ isHeld: true });
  assert.deepEqual(calls, ["start"]);
  set(true);
  set(false);
  set(false);
  set(true);
  assert.deepEqual(calls, ["start", "stop", "start"]);
});

test("a task does not run before its duty is taken", async () => {
  const { calls, set, task } = setUp({ isHeld: false });
  set(false);
  assert.deepEqual(calls, []);
  await task.stop();
  assert.deepEqual(calls, []);
});

test("a stop ends the task for good, and waits for its former run too", async () => {
  const { calls, ends, set, task } = setUp({ isHeld: true });
  set(false);
  set(true);
  let isStopped = false;
  const stopped = task.stop().then(() => {
    isStopped = true;
  });
  assert.deepEqual(calls, ["start", "stop", "start", "stop"]);
  set(true);
  assert.equal(calls.length, 4);
  ends[1]?.();
  await new Promise(setImmediate);
  assert.equal(isStopped, false);
  ends[0]?.();
  await stopped;
});
