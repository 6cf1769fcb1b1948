/** Tables of the command line: aligned columns, those of numbers to the right. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { table } from "../../src/cli/table.ts";
import { withoutStyles } from "../../src/lib/text-style.ts";

const shown = (...args: Parameters<typeof table>): string[] => withoutStyles(table(...args)).split("\n");

it("columns are aligned, and those of numbers alone end at the same place", () => {
  const rows = [
    ["a.example", "7", "3 of 20", "12 s", "2"],
    ["long.example", "1,204", "", "380/min", "none"],
  ];
  assert.deepEqual(shown(["DOMAIN", "DUE", "OPEN", "RATE", "STATE"], rows, ""), [
    "DOMAIN          DUE     OPEN     RATE  STATE",
    "a.example         7  3 of 20     12 s  2",
    "long.example  1,204           380/min  none",
  ]);
});

it("the last column of numbers is to the right too, and texts that begin with a digit are not numbers", () => {
  const rows = [
    ["2026-03-01T10:00:00Z", "9"],
    ["192.0.2.1", "10"],
  ];
  assert.deepEqual(shown(["TIME", "COUNT"], rows, ""), [
    "TIME                  COUNT",
    "2026-03-01T10:00:00Z      9",
    "192.0.2.1                10",
  ]);
});

it("without a heading nothing is moved, and without rows there is the other text", () => {
  assert.deepEqual(
    shown(
      null,
      [
        ["a", "1"],
        ["b", "20"],
      ],
      "",
    ),
    ["a  1", "b  20"],
  );
  assert.deepEqual(shown(["A"], [], "No rows."), ["No rows."]);
});
