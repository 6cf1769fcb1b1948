/** docs/TESTING.md against the sink: it lists each local part that chooses a result, in a form that the sink reads. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ACTIONS_HELP, actionOf } from "../../src/testing/sink/actions.ts";
import { firstCells, partUnder } from "./markdown.ts";

const DOCUMENT = readFileSync(new URL("../../docs/TESTING.md", import.meta.url), "utf8");
/** Of a local part, without its number. */
const kindOf = (local: string): string => local.replace(/(?<=-)(?:CODE|N|\d+)(?=s?@)/, "N");

test("it lists each local part that chooses a result, and no other", () => {
  const [choices = ""] = partUnder(DOCUMENT, "Choose the result").split("| result | recipient |");
  const listed = firstCells(choices).filter((cell) => cell.endsWith("@"));
  const known = ACTIONS_HELP.flatMap((line) => /^\S+@/.exec(line) ?? []);
  assert.ok(known.length > 5);
  assert.deepEqual(listed.map(kindOf).toSorted(), known.map(kindOf).toSorted());
  for (const local of listed) {
    const action = actionOf(`${local}customers.example`);
    assert.ok(action.type !== "refuse" || action.reply.code !== 501, local);
    assert.equal(action.type === "accept", local === "delivered@", local);
  }
});
