/** Whether a domain can publish the next stricter DMARC policy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verdictOf, verdictSentence } from "../../../src/app/reports/dmarc-verdict.ts";
import type { Policy } from "../../../src/dmarc/record.ts";
import type { DmarcPeriod } from "../../../src/spool/port/sender-reports.ts";
import { MONDAY_MS } from "../../support/sender-reports.ts";

const PERIOD: Omit<DmarcPeriod, "sources"> = {
  reports: 40,
  messages: 10_500,
  failed: 100,
  own: 10_400,
  failedOwn: 0,
  passedOwnMost: 500,
  sent: 20_000,
  sinceMs: MONDAY_MS,
  days: 14,
};

type Changes = Partial<typeof PERIOD> & { policy?: Policy | null };

const CASES: [name: string, changes: Changes, sentence: RegExp][] = [
  [
    "few failures of others",
    {},
    /^You can publish p=quarantine: 99\.0 % of 10,000 messages passed DMARC since 2026-03-02\.$/,
  ],
  ["a stricter policy already", { policy: "quarantine" }, /^You can publish p=reject: /],
  [
    "the strictest policy",
    { policy: "reject", failed: 5000, failedOwn: 5000 },
    /^The domain has p=reject, the strictest policy: 52\.4 %/,
  ],
  ["no known policy", { policy: null }, /^No answer: the domain has no verified DMARC record\. 99\.0 % of 10,500/],
  [
    "too few messages",
    { messages: 200, failed: 0, own: 200, passedOwnMost: 101 },
    /^Not yet p=quarantine: an answer needs .* 100 % of 200 messages passed/,
  ],
  ["too few days", { days: 13 }, /^Not yet p=quarantine: an answer needs reports of 14 days/],
  ["1 % of ours", { failed: 199, failedOwn: 99 }, /^You can publish/],
  [
    "more than 1 % of ours",
    { failed: 200, failedOwn: 100 },
    /^Not yet p=quarantine: 1\.0 % of 9,900 messages of yours failed/,
  ],
  [
    "more than 1 % of what was sent",
    { failed: 51, failedOwn: 51, sent: 5000 },
    /^Not yet p=quarantine: 1\.0 % of 5,000 messages of yours failed/,
  ],
  [
    "more failures of ours than were sent",
    { failed: 200, failedOwn: 200, sent: 0 },
    /^Not yet p=quarantine: 100 % of 200 messages of yours failed/,
  ],
  [
    "more than 1 % from others",
    { failed: 101 },
    /^p=quarantine only if .*, and 101 messages from sources unknown to this service failed\.$/,
  ],
  [
    "passes of others do not count",
    { messages: 1_000_000, failed: 101 },
    /^p=quarantine only if .*: 99\.0 % of 10,001 messages passed/,
  ],
  ["none of ours", { own: 0, passedOwnMost: 0, failed: 0 }, /^Not yet p=quarantine: an answer needs/],
];

for (const [name, { policy = "none", ...changes }, sentence] of CASES) {
  test(`the answer: ${name}`, () => {
    const verdict = verdictOf({ ...PERIOD, ...changes }, policy);
    assert.ok(verdict !== null);
    assert.match(verdictSentence(verdict), sentence);
  });
}

test("without reports there is no answer", () => {
  assert.equal(verdictOf({ ...PERIOD, sinceMs: null }, "none"), null);
});

test("one forged report does not make a stricter policy look safe", () => {
  const genuine = { ...PERIOD, messages: 7000, own: 7000, failed: 2000, failedOwn: 2000 };
  const answerOf = (period: typeof PERIOD) => verdictOf(period, "quarantine")?.answer;
  assert.equal(answerOf(genuine), "own_failures");
  const forged = 1_000_000_000;
  const added = { messages: genuine.messages + forged, own: genuine.own + forged, passedOwnMost: forged };
  assert.equal(answerOf({ ...genuine, ...added, sent: Number.MAX_SAFE_INTEGER }), "own_failures");
  // Several such reports.
  assert.equal(answerOf({ ...genuine, ...added, own: genuine.own + 2 * forged }), "own_failures");
});
