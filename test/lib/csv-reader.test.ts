/** Records of comma-separated values, whatever the parts in which they come. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { csvRecord, withoutTextMark } from "../../src/lib/csv.ts";
import { CELL_LENGTH_MAX, CELLS_MAX, CsvReader, RECORD_LENGTH_MAX } from "../../src/lib/csv-reader.ts";

function rowsOf(...parts: string[]): [number, string[]][] {
  const reader = new CsvReader();
  const rows = parts.flatMap((part) => reader.push(part));
  return [...rows, ...reader.end()].map(({ line, cells }) => [line, cells]);
}

test("records end with LF, CRLF or CR, and the last one with the text", () => {
  assert.deepEqual(rowsOf("a,b\n1,2\r\n3,4\r5,6"), [
    [1, ["a", "b"]],
    [2, ["1", "2"]],
    [3, ["3", "4"]],
    [4, ["5", "6"]],
  ]);
  assert.deepEqual(rowsOf("a,\r\n"), [[1, ["a", ""]]]);
  assert.deepEqual(rowsOf(""), []);
});

test("empty lines are left out, and lines are counted with them and with those in quotes", () => {
  assert.deepEqual(rowsOf('a\n\n\r\n"b\r\nc",d\ne'), [
    [1, ["a"]],
    [4, ["b\r\nc", "d"]],
    [6, ["e"]],
  ]);
});

test("quotes hold separators and quotes; a quote inside a plain cell is a character", () => {
  assert.deepEqual(rowsOf('"a,b","say ""hi""",c"d"\n'), [[1, ["a,b", 'say "hi"', 'c"d"']]]);
  assert.deepEqual(rowsOf('"a"b,c'), [[1, ["ab", "c"]]]);
});

test("the first separator decides", () => {
  assert.deepEqual(rowsOf("a;b\n1,5;2\n"), [
    [1, ["a", "b"]],
    [2, ["1,5", "2"]],
  ]);
  assert.deepEqual(rowsOf("a\tb;c"), [[1, ["a", "b;c"]]]);
  assert.deepEqual(rowsOf("a\nb;c,d"), [
    [1, ["a"]],
    [2, ["b;c", "d"]],
  ]);
});

test("an open quote, a long cell, a long record and many cells are errors that name the line", () => {
  assert.throws(() => rowsOf('a\n"b'), /^CsvError|line 2: a quoted cell has no closing quote/);
  assert.throws(() => rowsOf(`a\n${"x".repeat(CELL_LENGTH_MAX + 1)}`), /line 2: more than 16384 characters in a cell/);
  assert.throws(
    () => rowsOf(`${"x".repeat(CELL_LENGTH_MAX)},`.repeat(RECORD_LENGTH_MAX / CELL_LENGTH_MAX + 1)),
    /line 1/,
  );
  assert.throws(() => rowsOf(",".repeat(CELLS_MAX)), /line 1: more than 100 cells/);
});

test("what csvRecord writes is read as it was, in any parts", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", "'", "=", "+", "ä", "😀", ";") });
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 }),
      fc.nat(20),
      (records, size) => {
        // The first record has a comma.
        const text = csvRecord(["a", "b"]) + records.map(csvRecord).join("");
        const parts = text.match(new RegExp(`[^]{1,${size + 1}}`, "gu")) ?? [];
        const read = rowsOf(...parts).map(([, cells]) => cells.map(withoutTextMark));
        assert.deepEqual(read.slice(1), records);
      },
    ),
  );
});
