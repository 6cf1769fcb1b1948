/** docs/COMMAND-LINE.md against the command line: it lists every noun, and every command with its usage and summary. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "../../src/cli/catalog/catalog.ts";
import { nounsOf } from "../../src/cli/usage.ts";
import { commandTable, documentedTable } from "../support/command-table.ts";
import { CHECKOUT } from "../support/program.ts";

test("it lists every noun, and no other", () => {
  const document = readFileSync(join(CHECKOUT, "docs/COMMAND-LINE.md"), "utf8");
  const [list = ""] = /`help NOUN` those of one noun:[^.]*\./.exec(document) ?? [];
  const listed = [...list.matchAll(/`([a-z-]+)`/g)].map(([, noun]) => noun);
  assert.deepEqual(listed.toSorted(), nounsOf(COMMANDS).toSorted());
});

test("its table is that of the declarations (node --import tsx test/support/command-table.ts writes it)", () => {
  assert.equal(documentedTable(), commandTable());
});
