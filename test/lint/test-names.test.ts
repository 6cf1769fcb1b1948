/** The path of a source file gives the path of its test. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { CHECKOUT } from "../support/program.ts";

/** Directories whose tests are scenarios through the whole service, or test something other than src/. */
const APART = [
  "bench",
  "ci",
  "clients",
  "clients-smtp",
  "container",
  "docs",
  "e2e",
  "fuzz",
  "lint",
  "peers",
  "release",
  "simulate",
  "support",
  "sysadmin",
  "torture",
  "upgrade",
];

/** Whether src/ has the file that `a/b.test.ts` or `a/b.topic.test.ts` names: a/b.ts, a/b.tsx or a/b.js. */
function hasSource(file: string): boolean {
  const [name = ""] = basename(file).split(".");
  const source = join(CHECKOUT, "src", dirname(file), name);
  return [".ts", ".tsx", ".js"].some((ending) => existsSync(source + ending));
}

test("each test file names the source file that it tests", () => {
  const files = readdirSync(join(CHECKOUT, "test"), { recursive: true, encoding: "utf8" });
  const tests = files.filter((file) => file.endsWith(".test.ts") && !APART.includes(file.split("/")[0] ?? ""));
  assert.ok(tests.length > 100);
  assert.deepEqual(
    tests.filter((file) => !hasSource(file)),
    [],
  );
});
