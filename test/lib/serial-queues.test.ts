/** Turns: one piece of work of each name at a time, in order, and a bound on how many wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SerialQueues } from "../../src/lib/serial-queues.ts";
import { quiet } from "../support/fake-clock.ts";

test("works of one name follow each other, another name waits for none of them, and a failure ends only itself", async () => {
  const turns = new SerialQueues();
  const begun: string[] = [];
  const ends = new Map<string, (failure?: Error) => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve, reject) => {
      ends.set(name, (failure) => (failure === undefined ? resolve(name) : reject(failure)));
    });
  };
  const first = turns.run("a", work("a1"));
  const second = turns.run("a", work("a2"));
  const other = turns.run("b", work("b1"));
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

test("no more than ten of a name wait", async () => {
  const turns = new SerialQueues();
  let end = (): void => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const first = turns.run("a", () => held);
  const waiting = Array.from({ length: 10 }, () => turns.run("a", async () => {}));
  assert.ok(waiting.every((turn) => turn !== null));
  assert.equal(
    turns.run("a", async () => {}),
    null,
  );
  assert.notEqual(
    turns.run("b", async () => {}),
    null,
  );
  await quiet();
  end();
  await Promise.all([first, ...waiting]);
  assert.notEqual(
    turns.run("a", async () => {}),
    null,
  );
});
