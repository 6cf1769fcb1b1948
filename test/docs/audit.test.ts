/** docs/SECURITY.md against the audit trail: its table has every action, and no other. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ACTIONS } from "../../src/app/audit/change.ts";
import { CHECKOUT } from "../support/program.ts";

test("its table has every action, and no other", () => {
  const document = readFileSync(join(CHECKOUT, "docs/SECURITY.md"), "utf8");
  const [, section = ""] = /\n### Actions\n([\s\S]*?)\n##/.exec(document) ?? [];
  const cells = section.split("\n").map((line) => line.split("|")[1] ?? "");
  const documented = cells.flatMap((cell) => [...cell.matchAll(/`([a-z_.]+)`/g)].map(([, action]) => action));
  assert.deepEqual(documented.toSorted(), ACTIONS.toSorted());
});
