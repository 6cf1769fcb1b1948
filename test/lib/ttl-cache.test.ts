/** Cached values, their lifetime and their limit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TtlCache } from "../../src/lib/ttl-cache.ts";
import { fakeClock, quiet } from "../support/fake-clock.ts";

function setUp(max = 100) {
  const clock = fakeClock();
  const asked: string[] = [];
  const kept = new TtlCache<string>({ clock, keptMs: 1000, max, worthKeeping: (answer) => answer !== "nothing" });
  const get = (key: string, answer = key) =>
    kept.get(key, async () => {
      asked.push(key);
      return answer;
    });
  return { clock, asked, kept, get };
}

test("a value is loaded once, and again after its lifetime", async () => {
  const { clock, asked, get } = setUp();
  assert.deepEqual(await Promise.all([get("a"), get("a", "other"), get("b")]), ["a", "a", "b"]);
  await clock.advance(999);
  assert.equal(await get("a", "other"), "a");
  await clock.advance(1);
  assert.equal(await get("a", "other"), "other");
  assert.deepEqual(asked, ["a", "b", "a"]);
});

test("a value that is not worth keeping serves only concurrent callers", async () => {
  const { asked, get } = setUp();
  assert.deepEqual(await Promise.all([get("a", "nothing"), get("a")]), ["nothing", "nothing"]);
  assert.equal(await get("a"), "a");
  assert.deepEqual(asked, ["a", "a"]);
});

test("a rejection is not cached", async () => {
  const { kept, get } = setUp();
  await assert.rejects(kept.get("a", () => Promise.reject(new Error("no"))));
  await quiet();
  assert.equal(await get("a"), "a");
});

test("at the limit, the oldest entry is evicted", async () => {
  const { asked, get } = setUp(2);
  for (const key of ["a", "b", "c", "b", "a"]) await get(key);
  assert.deepEqual(asked, ["a", "b", "c", "a"]);
});

test("a step of the wall clock does not change a lifetime", async () => {
  const { clock, asked, get } = setUp();
  await get("a");
  clock.step(3_600_000);
  await get("a");
  assert.deepEqual(asked, ["a"]);
  clock.step(-7_200_000);
  await clock.advance(1000);
  await get("a");
  assert.deepEqual(asked, ["a", "a"]);
});
