/** docs/ERRORS.md against the product: its tables have every code of the API, and every reply of SMTP submission with its reasons. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMAND_OCTETS_MAX, IDLE_COMMANDS_MAX, REJECTIONS_MAX } from "../../src/smtp-server/command-limits.ts";
import { documentedTable, problemTable } from "../support/problem-table.ts";
import { CHECKOUT } from "../support/program.ts";
import { repliesInSource } from "./smtp-replies.ts";

const read = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");
const [, SUBMISSION = ""] = read("docs/ERRORS.md").split("\n## SMTP submission\n");

test("its table is that of the catalog (node --import tsx test/support/problem-table.ts writes it)", () => {
  assert.equal(documentedTable(), problemTable());
});

test("the table of replies has each one, and no other", () => {
  const listed = [...SUBMISSION.matchAll(/^\| (\d{3} \d\.\d\.\d) \|/gm)].map(([, reply = ""]) => reply);
  assert.ok(listed.length > 12);
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(listed.toSorted(), [...repliesInSource("submission", "smtp-server")].toSorted());
});

test("the reason of each rejection is in the table", () => {
  const [, table = ""] = /REPLIES:[^=]*= \{\n([\s\S]*?)\n\};/.exec(read("src/submission/reply.ts")) ?? [];
  const reasons = [...table.matchAll(/^ {2}(\w+): \[(\d+), "([\d.]+)"\]/gm)];
  assert.ok(reasons.length > 6);
  // Size has no reason of its own in the reply.
  for (const [, reason, code, status] of reasons.filter(([, each]) => each !== "body_too_large")) {
    const row = SUBMISSION.split("\n").find((line) => line.startsWith(`| ${code} ${status} |`)) ?? "";
    assert.ok(row.includes(`\`${reason}\``), `${reason}: ${row}`);
  }
});

test("the limits of commands are those of the code", () => {
  const limits = [
    `sends ${REJECTIONS_MAX} commands that are rejected, ${IDLE_COMMANDS_MAX} that do nothing`,
    `more than ${COMMAND_OCTETS_MAX.toLocaleString("en")} octets`,
  ];
  for (const limit of limits) assert.ok(SUBMISSION.includes(limit), limit);
});
