/** The table of test/delivery/REQUIREMENTS.md against the tests that it names: all lines are there, and so is every title. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

const LINES = 33;
const ROOT = new URL("../../", import.meta.url);

/** What a title's varying part is in the table. */
const VARIES = "…";

interface Row {
  line: number;
  behaviour: string;
  tests: { file: string; title: string }[];
}

function readTable(): Row[] {
  const table = readFileSync(new URL("test/delivery/REQUIREMENTS.md", ROOT), "utf8");
  const rows = table.split("\n").filter((line) => /^\| \d/.test(line));
  return rows.map((row) => {
    const [, line = "", , behaviour = "", tests = "", ...more] = row.split("|").map((cell) => cell.trim());
    assert.deepEqual(more, [""], `a row of four cells: ${row}`);
    return { line: Number(line), behaviour, tests: tests.split("<br>").map(readEntry) };
  });
}

function readEntry(entry: string): { file: string; title: string } {
  const [, file, title] = /^`(test\/[^`]+\.test\.ts)` (.+)$/.exec(entry) ?? [];
  assert.ok(file !== undefined && title !== undefined, `a file and a title: ${entry}`);
  return { file, title };
}

/** Titles as the source writes them: what `test` and `it` are called with, and the keys of stories. */
const CALLED = /\b(?:test|it)\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g;
const STORY = /^\s+"((?:[^"\\]|\\.)*)": (?:async )?\(/gm;

function titlesIn(file: string): string[] {
  const source = readFileSync(new URL(file, ROOT), "utf8");
  return [...source.matchAll(CALLED), ...source.matchAll(STORY)].map(([, quoted, template]) =>
    quoted !== undefined ? JSON.parse(`"${quoted}"`) : (template ?? "").replace(/\$\{[^}]*\}/g, VARIES),
  );
}

test("the table has every line once and in order, each with a behaviour and a test", () => {
  const rows = readTable();
  assert.deepEqual(
    rows.map(({ line }) => line),
    Array.from({ length: LINES }, (_, index) => index + 1),
  );
  for (const { line, behaviour, tests } of rows) assert.ok(behaviour !== "" && tests.length > 0, `line ${line}`);
});

test("every test that the table names is there, under that title and only once", () => {
  for (const { line, tests } of readTable()) {
    for (const { file, title } of tests) {
      assert.ok(existsSync(new URL(file, ROOT)), `line ${line}: there is no ${file}`);
      const found = titlesIn(file).filter((other) => other === title).length;
      assert.equal(found, 1, `line ${line}: ${file} has ${found} tests with the title "${title}"`);
    }
  }
});
