import assert from "node:assert/strict";
import { test } from "node:test";
import { SerialQueues } from "../../src/lib/serial-queues.ts";
import { quiet } from "../support/fake-clock.ts";

test("runs tasks of one key in order, independently of other keys, and a failure affects only its own task", async () => {
  const queues = new SerialQueues();
  const begun: string[] = [];
  const ends = new Map<string, (failure?: Error) => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve, reject) => {
      ends.set(name, (failure) => (failure === undefined ? resolve(name) : reject(failure)));
    });
  };
  const first = queues.run("a", work("a1"));
  const second = queues.run("a", work("a2"));
  const other = queues.run("b", work("b1"));
  await quiet();
  assert.deepEqual(begun, ["a1", "b1"]);
  ends.get("a1")?.(new Error("lost"));
  await assert.rejects(first ?? assert.fail(), /lost/);
  await quiet();
  assert.deepEqual(begun, ["a1", "b1", "a2"]);
  ends.get("a2")?.();
  ends.get("b1")?.();
  assert.deepEqual(await Promise.all([second, other]), ["a2", "b1"]);
});

test("at most ten tasks of a key wait", async () => {
  const queues = new SerialQueues();
  let end = (): void => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const first = queues.run("a", () => held);
  const waiting = Array.from({ length: 10 }, () => queues.run("a", async () => {}));
  assert.ok(waiting.every((turn) => turn !== null));
  assert.equal(
    queues.run("a", async () => {}),
    null,
  );
  assert.notEqual(
    queues.run("b", async () => {}),
    null,
  );
  await quiet();
  end();
  await Promise.all([first, ...waiting]);
  assert.notEqual(
    queues.run("a", async () => {}),
    null,
  );
});
