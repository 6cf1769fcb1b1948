/** The check of exported values that no other file imports. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { readSources, unusedExports } from "../../lint/unused-exports.ts";

it("reports an exported value that no other file imports", () => {
  const sources = new Map([
    [
      "src/a.ts",
      "export const used = 1;\nexport function unused() {}\nexport class Loaded {}\nexport interface Shape {}\n",
    ],
    ["src/all.ts", "export const one = 1;\nexport async function two() {}\n"],
    ["src/own.ts", 'import { type Shape, used as known } from "./a.ts";\nexport const own = known;\nown;\n'],
    ["src/made.ts", "export const made = 1;\n"],
    ["test/maker.ts", `const code = "";\n${["import { made } from $", "{path};"].join("")}\n`],
    ["test/a.test.ts", 'import * as all from "../src/all.ts";\nconst { Loaded } = await import("../src/a.ts");\n'],
  ]);
  assert.deepEqual(unusedExports(sources), [
    "src/a.ts exports unused, which no other file imports",
    "src/own.ts exports own, which no other file imports",
  ]);
});

it("reads the sources of this project", () => {
  const sources = readSources(new URL("../..", import.meta.url).pathname);
  assert.ok(sources.has("src/main.ts") && sources.has("lint/unused-exports.ts"));
});
