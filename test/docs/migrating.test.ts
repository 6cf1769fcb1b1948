/** docs/MIGRATING.md against what is served of Resend's API: its endpoints, the statuses of a message, and the errors. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RESEND } from "../../src/compat/resend/dialect.ts";
import { resendError } from "../../src/compat/resend/errors.ts";
import { lastEventOf } from "../../src/compat/resend/last-event.ts";
import { PROBLEM_CODES, Problem } from "../../src/http/response/problems.ts";
import { firstCells, partUnder } from "./markdown.ts";

const DOCUMENT = readFileSync(new URL("../../docs/MIGRATING.md", import.meta.url), "utf8");

test("the endpoints are those that are served", () => {
  const [, served = ""] = / It serves (.+)\.$/.exec(RESEND.noSuchPath("GET", "/compat/resend/x").message) ?? [];
  const endpoints = served.split(/, (?:and )?(?=[A-Z])/).flatMap((text) => {
    const [methods = "", path = ""] = text.split(/ (?=\/)/);
    return methods.split(" and ").map((method) => `${method} ${path}`);
  });
  const listed = firstCells(partUnder(DOCUMENT, "Resend's client libraries")).filter((cell) => /^[A-Z]+ \//.test(cell));
  assert.ok(endpoints.length > 10);
  assert.deepEqual(listed.toSorted(), endpoints.toSorted());
});

const state = (result: "delivered" | "failed" | "pending" | "unknown", reason: string | null = null, attempts = 1) => ({
  result,
  reason,
  attempts,
});
const STATES = [
  state("failed", "recipient_refused"),
  { ...state("delivered"), complaint: { at: 0, type: "abuse" } },
  state("failed", "expired"),
  state("failed", "cancelled"),
  state("failed", "suppressed"),
  state("pending", "temporarily_refused"),
  state("pending", null, 0),
  state("pending", "scheduled", 0),
  state("unknown", "timeout"),
  state("delivered"),
];

test("the statuses of a message are there, in the order of their precedence", () => {
  const recipients = STATES as unknown as Parameters<typeof lastEventOf>[0];
  const order = recipients.map((_, i) => lastEventOf(recipients.slice(i).toReversed()));
  assert.equal(new Set(order).size, STATES.length);
  assert.deepEqual(firstCells(partUnder(DOCUMENT, "Resend's results")).slice(1), order);
});

test("each error has a row with its status and name", () => {
  const part = partUnder(DOCUMENT, "Resend's errors");
  const rows = [...part.matchAll(/^\| ([\d, ]+) \| (.*) \|.*\|$/gm)].map(([, statuses = "", names = ""]) => ({
    statuses: statuses.split(", ").map(Number),
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  }));
  for (const code of PROBLEM_CODES) {
    for (const errors of [[], [{ field: "to", detail: "This field is invalid." }]]) {
      const { status, body } = resendError(new Problem(code, "detail", { errors }), {
        id: "req_1",
        isAnonymous: false,
      });
      const { name } = JSON.parse(String(body)) as { name: string };
      const row = rows.find(({ statuses, names }) => statuses.includes(status) && names.includes(name));
      assert.ok(row, `${code}: ${status} ${name}`);
    }
  }
});
