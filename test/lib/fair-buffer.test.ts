import assert from "node:assert/strict";
import { test } from "node:test";
import { FairBuffer } from "../../src/lib/fair-buffer.ts";

/** Adds entries whose first character is their owner. */
function filled(max: number, entries: string[]): FairBuffer<string> {
  const buffer = new FairBuffer<string>(max);
  for (const entry of entries) buffer.add(entry.charAt(0), () => entry);
  return buffer;
}

const many = (owner: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${owner}${i}`);

function countsOf(entries: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries) counts[entry.charAt(0)] = (counts[entry.charAt(0)] ?? 0) + 1;
  return counts;
}

test("a single owner may fill the buffer; then further entries are dropped and counted", () => {
  const buffer = filled(3, many("a", 5));
  assert.deepEqual(buffer.takeAll(), { entries: ["a0", "a1", "a2"], dropped: 2 });
  assert.deepEqual(buffer.takeAll(), { entries: [], dropped: 0 });
});

test("an owner with few entries displaces the last ones of the owner with the most", () => {
  const { entries, dropped } = filled(4, [...many("a", 10), "b0", "c0"]).takeAll();
  assert.deepEqual(entries, ["a0", "a1", "b0", "c0"]);
  assert.equal(dropped, 8);
});

test("a full buffer is shared equally by owners with more than their share; smaller ones lose nothing", () => {
  const { entries } = filled(100, [
    ...many("a", 500),
    ...many("s", 10),
    ...many("b", 500),
    ...many("c", 500),
  ]).takeAll();
  assert.deepEqual(countsOf(entries), { a: 30, s: 10, b: 30, c: 30 });
  assert.deepEqual(
    entries.filter((entry) => entry.startsWith("a")),
    many("a", 30),
  );
});

test("of more owners than entries, the first have one each", () => {
  const { entries, dropped } = filled(2, ["a0", "b0", "c0", "a1"]).takeAll();
  assert.deepEqual([entries, dropped], [["a0", "b0"], 2]);
});

test("after it was emptied, a buffer has room for all owners again", () => {
  const buffer = filled(4, [...many("a", 9), ...many("b", 9)]);
  buffer.takeAll();
  for (const entry of many("a", 9)) buffer.add("a", () => entry);
  buffer.add("b", () => "b0");
  assert.deepEqual(countsOf(buffer.takeAll().entries), { a: 3, b: 1 });
});
