/** docs/COMMAND-LINE.md against the command line: it lists every noun of the help. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CHECKOUT } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";

test("it lists every noun, and no other", async () => {
  const { stdout } = await runCli(["help"], {});
  const nouns = new Set([...stdout.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)].map(([, noun]) => noun));
  const document = readFileSync(join(CHECKOUT, "docs/COMMAND-LINE.md"), "utf8");
  const [list = ""] = /`help NOUN` those of one noun:[^.]*\./.exec(document) ?? [];
  const listed = [...list.matchAll(/`([a-z-]+)`/g)].map(([, noun]) => noun);
  assert.deepEqual(listed.toSorted(), [...nouns].toSorted());
});
