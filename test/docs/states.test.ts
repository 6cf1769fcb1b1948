/** docs/STATES.md against the code: it lists every result and category. reasons.test.ts compares its reasons. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CATEGORIES } from "../../src/message/result/category.ts";
import { RESULTS } from "../../src/message/result/outcome.ts";
import { firstCells, partUnder } from "./markdown.ts";

const DOCUMENT = readFileSync(new URL("../../docs/STATES.md", import.meta.url), "utf8");

test("it lists every category, and no other", () => {
  assert.deepEqual(firstCells(partUnder(DOCUMENT, "Categories")).toSorted(), [...CATEGORIES].toSorted());
});

test("its table of reasons has every result, and no other", () => {
  const listed = new Set(firstCells(partUnder(DOCUMENT, "Results and reasons")));
  assert.deepEqual([...listed].toSorted(), [...RESULTS].toSorted());
});
