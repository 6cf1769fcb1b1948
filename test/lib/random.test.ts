import assert from "node:assert/strict";
import { test } from "node:test";
import { pooledRandomBytes } from "../../src/lib/random.ts";

test("returns unique buffers of the requested size that the caller owns", () => {
  const pieces = Array.from({ length: 5000 }, () => pooledRandomBytes(12));
  assert.ok(pieces.every((piece) => piece.length === 12));
  assert.equal(new Set(pieces.map((piece) => piece.toString("hex"))).size, 5000);
  const [first = Buffer.alloc(0)] = pieces;
  const before = first.toString("hex");
  for (let count = 0; count < 2000; count += 1) pooledRandomBytes(18).fill(0);
  assert.equal(first.toString("hex"), before);
});

test("refills the pool for a request larger than its rest", () => {
  for (let count = 0; count < 50; count += 1) assert.equal(pooledRandomBytes(1000).length, 1000);
});
