/** docs/SUPPRESSION.md against the code: it lists every cause. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SUPPRESSION_CAUSES } from "../../src/message/result/suppression.ts";
import { firstCells } from "./markdown.ts";

const DOCUMENT = readFileSync(new URL("../../docs/SUPPRESSION.md", import.meta.url), "utf8");

test("it lists every cause, and no other", () => {
  const [introduction = ""] = DOCUMENT.split("\n## ");
  assert.deepEqual(firstCells(introduction).toSorted(), [...SUPPRESSION_CAUSES].toSorted());
});

test("the stronger of two causes is the one that the page says", () => {
  const [, order = ""] = /keeps the stronger cause\s+\(([^)]+?), in this order\)/.exec(DOCUMENT) ?? [];
  const named = [...order.matchAll(/`(\w+)`/g)].map(([, cause]) => cause);
  assert.deepEqual(named.toReversed(), SUPPRESSION_CAUSES.slice(1));
});
