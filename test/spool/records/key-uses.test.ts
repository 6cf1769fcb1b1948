import assert from "node:assert/strict";
import { it } from "node:test";
import { type KeyUse, KeyUses } from "../../../src/spool/records/key-uses.ts";

it("writes the last use of every key once a second, and nothing while no key is used", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const written: KeyUse[][] = [];
  const uses = new KeyUses(async (last) => void written.push(last));
  uses.add("key_a", 1);
  uses.add("key_b", 2);
  uses.add("key_a", 3);
  t.mock.timers.tick(999);
  assert.deepEqual(written, []);
  t.mock.timers.tick(1);
  const first: KeyUse[] = [
    ["key_a", 3],
    ["key_b", 2],
  ];
  assert.deepEqual(written, [first]);
  t.mock.timers.tick(10_000);
  await uses.writeNow();
  uses.add("key_a", 4);
  await uses.writeNow();
  assert.deepEqual(written, [first, [["key_a", 4]]]);
});

it("waits for a slow write before the next one, and goes on after one that failed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const written: KeyUse[][] = [];
  let fail = (_: Error): void => {};
  const uses = new KeyUses((last) => {
    written.push(last);
    return new Promise((_, reject) => {
      fail = reject;
    });
  });
  uses.add("key_a", 1);
  const ended = uses.writeNow();
  uses.add("key_a", 2);
  t.mock.timers.tick(10_000);
  assert.equal(written.length, 1);
  fail(new Error("unavailable"));
  await ended;
  t.mock.timers.tick(1000);
  assert.deepEqual(written, [[["key_a", 1]], [["key_a", 2]]]);
});
