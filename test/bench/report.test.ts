import assert from "node:assert/strict";
import { test } from "node:test";
import { Report } from "../../bench/report.ts";

function reported(wanted: string[] = []) {
  const lines: string[] = [];
  return { lines, report: new Report((line) => lines.push(line), wanted) };
}

test("prints a figure as a JSON line with its rounds and whether the median meets the goal", () => {
  const { lines, report } = reported();
  report.add({ figure: "accept", subject: "a / b", unit: "×", values: [3, 9, 6.5], goal: { atLeast: 6 } });
  report.add({ figure: "cpu", subject: "a", unit: "ms", values: [0.7], goal: { atMost: 0.6 } });
  const [accept, cpu] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(accept.rounds, [3, 9, 6.5]);
  assert.deepEqual([accept.median, accept.least, accept.greatest, accept.goal, accept.met], [6.5, 3, 9, "≥ 6", true]);
  assert.equal(cpu.met, false);
});

test("the table has one row per figure, with a range if there are several rounds", () => {
  const { report } = reported();
  report.add({ figure: "disk", subject: "a", unit: "×", values: [5.123456], goal: { atMost: 6 } });
  report.add({ figure: "idle", subject: "a", unit: "ms", values: [2, 4] });
  const rows = report.table().split("\n").slice(2);
  assert.deepEqual(rows, ["| disk | a | 5.123 × |  | ≤ 6 | met |  |", "| idle | a | 3 ms | 2 to 4 |  |  |  |"]);
});

test("reports only the requested figures", () => {
  const { lines, report } = reported(["cpu"]);
  report.add({ figure: "accept", subject: "a", unit: "/s", values: [1] });
  report.add({ figure: "cpu", subject: "a", unit: "ms", values: [1] });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).figure),
    ["cpu"],
  );
});
