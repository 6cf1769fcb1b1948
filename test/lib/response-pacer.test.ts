import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponsePacer } from "../../src/lib/response-pacer.ts";

test("large responses of one owner proceed one at a time, short ones and those of others at once", async () => {
  const pacer = new ResponsePacer();
  assert.equal(pacer.ready("a"), true);
  pacer.recordResponse("a", 1_000_000);
  const waiting = [pacer.ready("a"), pacer.ready("a"), pacer.ready("a")];
  assert.ok(waiting.every((ready) => ready !== true));
  assert.equal(pacer.ready("b"), true);
  pacer.recordResponse("b", 2000);
  assert.equal(pacer.ready("b"), true);
  assert.deepEqual(await Promise.all(waiting), [true, true, true]);
});

test("rejects requests over the waiting limit", async () => {
  const pacer = new ResponsePacer();
  pacer.recordResponse("a", 1_000_000);
  const ready = await Promise.all(Array.from({ length: 250 }, () => pacer.ready("a")));
  assert.deepEqual([ready.filter((is) => is).length, ready.indexOf(false)], [200, 200]);
});
