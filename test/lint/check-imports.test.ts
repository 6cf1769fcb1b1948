/** The import rules: each kind of violation is reported, and src/ has none. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { readImports, violations } from "../../lint/check-imports.ts";
import { IMPORT_TABLE } from "../../lint/import-table.ts";
import { CHECKOUT } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Violations of a tree with these files. */
function violationsOf(t: TestContext, files: Record<string, string>): string[] {
  const dir = tempDir(t);
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), source);
  }
  return violations(readImports(dir));
}

test("src/ follows the table and has no cycles", () => {
  const graph = readImports(join(CHECKOUT, "src"));
  assert.ok(graph.size > 200);
  assert.deepEqual(violations(graph), []);
});

test("reports an import that the table does not allow, including type imports and exports", (t) => {
  const allowed = { "lib/a.ts": "export const a = 1;\n" };
  for (const line of [
    'import { b } from "../../http/b.ts";',
    'import type { B } from "../../http/b.ts";',
    'import {\n  type B,\n  b,\n} from "../../http/b.ts";',
    'export { b } from "../../http/b.ts";',
    'import "../../http/b.ts";',
    'const b = await import("../../http/b.ts");',
  ]) {
    const files = { ...allowed, "http/b.ts": "export const b = 1;\n", "delivery/smtp/c.ts": `${line}\n` };
    const expected = "delivery/smtp/c.ts imports http/b.ts: delivery/smtp may not import http";
    assert.deepEqual(violationsOf(t, files), [expected], line);
  }
  const down = { ...allowed, "delivery/smtp/c.ts": 'import { a } from "../../lib/a.ts";\n' };
  assert.deepEqual(violationsOf(t, down), []);
});

test("reports adapters that import each other, a form of the spool or a program", (t) => {
  const files = {
    "main.ts": "export const main = 1;\n",
    "http/a.ts": 'import "../dashboard/b.ts";\n',
    "dashboard/b.ts": 'import "../spool/engine/sqlite/c.ts";\n',
    "spool/engine/sqlite/c.ts": "export const c = 1;\n",
    "cli/d.ts": 'import "../main.ts";\n',
  };
  assert.deepEqual(violationsOf(t, files), [
    "cli/d.ts imports main.ts: cli may not import programs",
    "dashboard/b.ts imports spool/engine/sqlite/c.ts: dashboard may not import spool/engine/sqlite",
    "http/a.ts imports dashboard/b.ts: http may not import dashboard",
  ]);
});

test("reports a cycle within a folder, including type imports", (t) => {
  const files = {
    "lib/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
    "lib/b.ts": 'import type { A } from "./a.ts";\nexport type B = A;\n',
  };
  assert.deepEqual(violationsOf(t, files), ["import cycle: lib/a.ts -> lib/b.ts -> lib/a.ts"]);
});

test("reports a folder without a row, I/O in message/ and a seventh file at the root", (t) => {
  const files = {
    "helpers/a.ts": "export const a = 1;\n",
    "message/b.ts": 'import { readFileSync } from "node:fs";\nexport const b = readFileSync;\n',
    ...Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [`${name}.ts`, "export {};\n"])),
  };
  assert.deepEqual(violationsOf(t, files), [
    "src/ has 7 files at its root, at most 6",
    "helpers/a.ts is in a folder without a row in lint/import-table.ts",
    "message/b.ts imports node:fs: message/ does no I/O",
  ]);
});

test("the order of the table has no cycle between folders", () => {
  const done = new Set<string>();
  for (const [folder, allowed] of Object.entries(IMPORT_TABLE).reverse()) {
    for (const other of allowed) assert.ok(done.has(other), `${folder} is above ${other}, which its row allows`);
    done.add(folder);
  }
});
