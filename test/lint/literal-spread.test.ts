/** Biome's rule against spreads of literals: it reports those of objects, arrays and calls, and nothing else. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CHECKOUT } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The lines in which Biome reports the rule. */
function reportedLines(t: TestContext, source: string): number[] {
  const dir = tempDir(t);
  writeFileSync(join(dir, "sample.ts"), source);
  cpSync(join(CHECKOUT, "lint/no-literal-spread.grit"), join(dir, "no-literal-spread.grit"));
  writeFileSync(join(dir, "biome.json"), JSON.stringify({ root: true, plugins: ["./no-literal-spread.grit"] }));
  const args = ["lint", "--reporter=github", "sample.ts"];
  const { stdout } = spawnSync(join(CHECKOUT, "node_modules/.bin/biome"), args, { cwd: dir, encoding: "utf8" });
  const reports = stdout.split("\n").filter((line) => line.includes("A literal is written out"));
  return reports.map((line) => Number(/line=(\d+)/.exec(line)?.[1]));
}

test("a spread of a literal is reported, and no other spread", (t) => {
  const source = `export const f = (a: number[], b: object): unknown[] => [
  { ...{ a } },
  [...["a"]],
  Math.max(...[1, 2]),
  { ...b },
  [...a],
  [...a.map(String)],
];
`;
  assert.deepEqual(reportedLines(t, source), [2, 3, 4]);
});
