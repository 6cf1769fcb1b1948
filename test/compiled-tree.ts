/**
 * Compiles the checkout to JavaScript for one run of the tests. Loading TypeScript in each process and thread would
 * take half of a run's time. Relative paths stay the same in the tree; files that are not compiled are links. Types
 * are not checked.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const COMPILED = ["src", "test", "simulate", "torture", "bench", "lint", "clients", "ops"];
const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "lib/tsc.js");

/**
 * Compiles the checkout into a temporary directory. Returns its path. Throws with the compiler's output on an error.
 */
export function compileTree(checkout: string): string {
  const tree = mkdtempSync(join(realpathSync(tmpdir()), "postrider-tests-"));
  // Some tests start programs as an unprivileged user.
  chmodSync(tree, 0o755);
  for (const entry of readdirSync(checkout))
    if (COMPILED.includes(entry)) linkFiles(join(checkout, entry), join(tree, entry));
    else if (entry !== "package.json") symlinkSync(join(checkout, entry), join(tree, entry));
  compile(checkout, tree);
  return tree;
}

function linkFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, link] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFiles(source, link);
    else symlinkSync(source, link);
  }
}

function compile(checkout: string, tree: string): void {
  const project = join(tree, "tsconfig.tree.json");
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    noResolve: true,
    types: [],
    rewriteRelativeImportExtensions: true,
    inlineSourceMap: true,
    rootDir: checkout,
    outDir: tree,
  };
  const include = [...COMPILED, "package.json"].map((entry) => join(checkout, entry));
  writeFileSync(project, JSON.stringify({ extends: join(checkout, "tsconfig.json"), compilerOptions, include }));
  execFileSync(process.execPath, [TSC, "-p", project], { stdio: ["ignore", "inherit", "inherit"] });
}
