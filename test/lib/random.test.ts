/** Pieces of the random pool. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pooledRandomBytes } from "../../src/lib/random.ts";

test("pieces have their length, never repeat, and are the caller's own", () => {
  const pieces = Array.from({ length: 5000 }, () => pooledRandomBytes(12));
  assert.ok(pieces.every((piece) => piece.length === 12));
  assert.equal(new Set(pieces.map((piece) => piece.toString("hex"))).size, 5000);
  const [first = Buffer.alloc(0)] = pieces;
  const before = first.toString("hex");
  for (let count = 0; count < 2000; count += 1) pooledRandomBytes(18).fill(0);
  assert.equal(first.toString("hex"), before);
});

test("a piece larger than what is left is drawn anew, whole", () => {
  for (let count = 0; count < 50; count += 1) assert.equal(pooledRandomBytes(1000).length, 1000);
});
