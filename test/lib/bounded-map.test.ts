/** Maps with a limit on their entries. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedMap } from "../../src/lib/bounded-map.ts";

test("at the limit the entry that was set longest ago is dropped, whatever was looked up", () => {
  const map = boundedMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.peek("b");
  map.set("c", 4);
  assert.deepEqual(
    ["a", "b", "c"].map((key) => map.peek(key)),
    [3, undefined, 4],
  );
  assert.equal(map.size, 2);
});

test("setting the same value again makes its entry the newest", () => {
  const map = boundedMap<string>(2);
  for (const key of ["a", "b", "a", "c"]) map.set(key, "same");
  assert.deepEqual([map.has("a"), map.has("b"), map.has("c")], [true, false, true]);
});

test("a deleted entry frees its space", () => {
  const map = boundedMap<number>(1);
  map.set("a", 1);
  map.delete("a");
  map.set("b", 2);
  assert.deepEqual([map.peek("a"), map.peek("b"), map.size], [undefined, 2, 1]);
});
