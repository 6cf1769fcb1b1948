/** The demo's arguments. Its output is not tested. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileArgs } from "./support/program.ts";

const DEMO = fileArgs(new URL("../src/demo.ts", import.meta.url));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [...DEMO, ...args], { encoding: "utf8", timeout: 120_000 });

test("--help is one line, and so is the error for unknown arguments", () => {
  const help = run("--help");
  assert.deepEqual([help.status, help.stderr], [0, ""]);
  assert.match(help.stdout, /^npm run demo \[-- --stay\]: [^\n]+\n$/);
  for (const args of [["--nope"], ["--stay=yes"], ["now"]]) {
    const { status, stdout, stderr } = run(...args);
    assert.deepEqual([status, stdout], [2, ""], args.join(" "));
    assert.match(stderr, /^demo: [^\n]+; usage: npm run demo [^\n]+\n$/);
  }
});
