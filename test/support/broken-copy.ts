/** A copy of the project in which one guarantee is broken on purpose: the proof under test must detect it. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { build } from "esbuild";
import { CHECKOUT } from "./program.ts";
import { tempDir } from "./temp-dir.ts";

export interface Break {
  name: string;
  file: string;
  /** The original text, which occurs once, and its replacement in the broken copy. */
  changes: [string, string][];
  /** The violation that the proof reports. */
  violation: RegExp;
}

/** Copies `parts` of the checkout to a directory that is removed after the test, breaks the copy, and returns its path. */
export function breakCopy(t: TestContext, { file, changes }: Break, parts: readonly string[]): string {
  const copy = tempDir(t);
  for (const part of parts) cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
  symlinkSync(join(CHECKOUT, "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(copy, file), brokenText({ file, changes }));
  return copy;
}

/**
 * Bundles a program of the checkout into one file, in which the guarantee is broken, and returns its path. It starts in a fraction
 * of the time that a copy needs. Threads that the program starts are not part of it.
 */
export async function bundleBroken(t: TestContext, { file, changes }: Break, program: string): Promise<string> {
  const dir = tempDir(t);
  const [source, outfile] = [join(CHECKOUT, file), join(dir, "broken.mjs")];
  const contents = brokenText({ file, changes });
  let isReplaced = false;
  symlinkSync(join(CHECKOUT, "node_modules"), join(dir, "node_modules"));
  await build({
    entryPoints: [join(CHECKOUT, program)],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
    plugins: [
      {
        name: "break",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            if (path !== source) return null;
            isReplaced = true;
            return { contents, loader: "ts" };
          }),
      },
    ],
  });
  assert.ok(isReplaced, `${program} does not load ${file}`);
  return outfile;
}

function brokenText({ file, changes }: Pick<Break, "file" | "changes">): string {
  let text = readFileSync(join(CHECKOUT, file), "utf8");
  for (const [original, replacement] of changes) {
    assert.equal(text.split(original).length, 2, `${file} has changed: update the quoted text`);
    text = text.replace(original, () => replacement);
  }
  return text;
}
