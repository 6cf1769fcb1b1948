/** docs/MONITORING.md against what it explains: every check of the doctor has its paragraph, every alert its line. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DOCTOR_CHECKS } from "../../src/doctor/finding.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const MONITORING = read("docs/MONITORING.md");

const paragraphs = (): Map<string, string> => {
  const [, findings = ""] = MONITORING.split("\n## Doctor checks\n");
  const [part = ""] = findings.split("\n## ");
  const named = part.split("\n### ").slice(1);
  return new Map(named.map((text) => [text.split("\n")[0] ?? "", text.split("\n").slice(1).join("\n").trim()]));
};

test("every check of the doctor has its paragraph, and no other has", () => {
  assert.deepEqual([...paragraphs().keys()].toSorted(), [...DOCTOR_CHECKS].toSorted());
  for (const [check, text] of paragraphs()) assert.ok(text.length > 80, check);
});

test("every alert is there, and no other", () => {
  const alerts = [...read("ops/alerts.yml").matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const told = [...MONITORING.matchAll(/^\| `(Postrider\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(told.toSorted(), alerts.toSorted());
  assert.ok(alerts.length > 0);
});

test("its links within the document lead somewhere", () => {
  const anchors = [...MONITORING.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  for (const [, anchor = ""] of MONITORING.matchAll(/\]\(#([^)]+)\)/g)) assert.ok(anchors.includes(anchor), anchor);
});
