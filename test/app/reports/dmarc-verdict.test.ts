/** Whether a domain can publish the next stricter DMARC policy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verdictOf, verdictSentence } from "../../../src/app/reports/dmarc-verdict.ts";
import { WEEK_MS } from "../../../src/lib/week.ts";
import type { DmarcPeriod } from "../../../src/spool/port/sender-reports.ts";
import { MONDAY_MS } from "../../support/sender-reports.ts";

const PERIOD: DmarcPeriod = {
  reports: 40,
  messages: 10_000,
  failed: 100,
  own: 9900,
  failedOwn: 0,
  sinceMs: MONDAY_MS,
  untilMs: MONDAY_MS + 2 * WEEK_MS,
  policy: "none",
  sources: [],
};

const CASES: [name: string, changes: Partial<DmarcPeriod>, sentence: RegExp][] = [
  [
    "few failures of others",
    {},
    /^You can publish p=quarantine: 99\.0 % of 10,000 messages passed DMARC since 2026-03-02\.$/,
  ],
  ["a stricter policy already", { policy: "quarantine" }, /^You can publish p=reject: /],
  [
    "the strictest policy",
    { policy: "reject", failed: 5000, failedOwn: 5000 },
    /^The domain has p=reject, the strictest policy: 50\.0 %/,
  ],
  [
    "too few messages",
    { messages: 99, failed: 99, own: 99, failedOwn: 99 },
    /^Not yet p=quarantine: an answer needs .* 0 % of 99 messages passed/,
  ],
  ["too short a time", { untilMs: MONDAY_MS + 2 * WEEK_MS - 1 }, /^Not yet p=quarantine: an answer needs/],
  ["1 % of ours", { failed: 199, failedOwn: 99 }, /^You can publish/],
  [
    "more than 1 % of ours",
    { failed: 200, failedOwn: 100 },
    /^Not yet p=quarantine: 1\.0 % of 9,900 messages of yours failed/,
  ],
  [
    "more than 1 % of all from others",
    { failed: 101 },
    /^p=quarantine only if .*, and 101 messages from sources unknown to this service failed\.$/,
  ],
  ["none of ours", { own: 0, failed: 0 }, /^You can publish p=quarantine: 100 % of/],
];

for (const [name, changes, sentence] of CASES) {
  test(`the answer: ${name}`, () => {
    const verdict = verdictOf({ ...PERIOD, ...changes });
    assert.ok(verdict !== null);
    assert.match(verdictSentence(verdict), sentence);
  });
}

test("without reports there is no answer", () => {
  assert.equal(verdictOf({ ...PERIOD, policy: null, sinceMs: null, untilMs: null }), null);
});
