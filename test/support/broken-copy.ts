/** A copy of the project in which one guarantee is broken on purpose: the proof under test must detect it. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
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
  let text = readFileSync(join(copy, file), "utf8");
  for (const [original, replacement] of changes) {
    assert.equal(text.split(original).length, 2, `${file} has changed: update the quoted text`);
    text = text.replace(original, () => replacement);
  }
  writeFileSync(join(copy, file), text);
  return copy;
}
