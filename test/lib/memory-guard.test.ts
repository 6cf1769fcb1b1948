/** Near the memory limit requests are rejected, long ones first, and accepted again when memory is freed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MEMORY_LIMIT_BYTES, MemoryGuard } from "../../src/lib/memory-guard.ts";

const MB = 1024 * 1024;

function guardAt(residentMb: number, afterCollectionMb = residentMb) {
  const state = { residentMb, liveMb: residentMb, nowMs: 0, collections: 0 };
  const guard = new MemoryGuard({
    readUsage: () => ({ resident: state.residentMb * MB, live: state.liveMb * MB }),
    collect: () => {
      state.collections += 1;
      state.residentMb = Math.min(state.residentMb, afterCollectionMb);
    },
    nowMs: () => state.nowMs,
  });
  return { guard, state };
}

test("rejects long requests first, and all requests well below the limit", () => {
  const stateAt = (mb: number): [boolean, boolean] => {
    const { guard } = guardAt(mb);
    return [guard.isLow, guard.isExhausted];
  };
  assert.deepEqual(stateAt(300), [false, false], "full load");
  assert.deepEqual(stateAt(550), [true, false]);
  assert.deepEqual(stateAt(660), [true, true]);
  assert.ok(660 * MB < MEMORY_LIMIT_BYTES);
});

test("a reading is reused for a moment", () => {
  const { guard, state } = guardAt(200, 550);
  assert.equal(guard.isLow, false);
  state.residentMb = 550;
  assert.equal(guard.isLow, false);
  state.nowMs = 200;
  assert.equal(guard.isLow, true);
});

test("a reading near the limit is reused for a shorter moment", () => {
  const { guard, state } = guardAt(440, 550);
  assert.equal(guard.isLow, false);
  state.residentMb = 550;
  state.nowMs = 19;
  assert.equal(guard.isLow, false);
  state.nowMs = 20;
  assert.equal(guard.isLow, true);
});

test("a reading above the limit is reused for a short moment, whatever is live", () => {
  const { guard, state } = guardAt(690);
  state.liveMb = 20;
  assert.equal(guard.isLow, false);
  state.liveMb = 400;
  state.nowMs = 20;
  assert.equal(guard.isLow, true);
});

test("without a descriptor for a reading, the last one holds", () => {
  let readUsage = () => ({ resident: 550 * MB, live: 550 * MB });
  let nowMs = 0;
  const guard = new MemoryGuard({ readUsage: () => readUsage(), collect: () => {}, nowMs: () => nowMs });
  assert.equal(guard.isLow, true);
  const fail = (code: string) => () => {
    throw Object.assign(new Error("uv_resident_set_memory"), { code });
  };
  readUsage = fail("EMFILE");
  nowMs = 100;
  assert.deepEqual([guard.isLow, guard.isExhausted], [true, false]);
  readUsage = fail("EOTHER");
  nowMs = 200;
  assert.throws(() => guard.isLow, { code: "EOTHER" });
});

test("forces collections while memory is low, at a limited rate", () => {
  const { guard, state } = guardAt(660, 400);
  assert.equal(guard.isExhausted, false);
  assert.equal(state.collections, 1);
  state.residentMb = 660;
  for (state.nowMs = 100; state.nowMs < 1900; state.nowMs += 100) assert.equal(guard.isExhausted, true);
  assert.equal(state.collections, 1);
  state.nowMs = 2100;
  assert.equal(guard.isExhausted, false);
  assert.equal(state.collections, 2);
});

test("free memory that is still resident is no reason to reject", () => {
  const { guard, state } = guardAt(690);
  state.liveMb = 60;
  assert.deepEqual([guard.isLow, guard.isExhausted], [false, false]);
});

test("V8's collector is available", async () => {
  const garbage = (() => new WeakRef({ large: new Array(1000) }))();
  // The target of a weak reference stays alive until the end of the job that created it.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(new MemoryGuard({ readUsage: () => ({ resident: 660 * MB, live: 400 * MB }) }).isExhausted, true);
  assert.equal(garbage.deref(), undefined);
});

test("the memory of other threads is no free memory", () => {
  const { guard, state } = guardAt(690);
  state.liveMb = 60;
  let threadMb = 0;
  guard.addThread(() => threadMb * MB);
  assert.equal(guard.isLow, false);
  state.nowMs = 100;
  threadMb = 128;
  assert.equal(guard.isLow, true);
});

test("all that can be released is released while memory is low", () => {
  const { guard } = guardAt(660);
  const released: number[] = [];
  for (const number of [1, 2]) guard.onLow(() => released.push(number));
  assert.equal(guard.isLow, true);
  assert.deepEqual(released, [1, 2]);
});
