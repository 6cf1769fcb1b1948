/** The result of the test message, as the page that sent it shows it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { render } from "preact-render-to-string";
import { TestResult } from "../../../src/dashboard/views/test-message.tsx";

const NOW_MS = 1_700_000_000_000;
const recipient = {
  position: 0,
  email: "ann@a.example",
  domain: "a.example",
  field: "to",
  result: "pending",
  smtp: null,
};
const waiting = {
  reason: "connection_failed",
  category: "network",
  attempts: 1,
  nextAttemptAtMs: NOW_MS + 60_000,
  events: [],
};
const report = { id: "msg_1", from: "a@b.example", recipients: [{ ...recipient, ...waiting }] };

const shown = (parts: object): string =>
  render(
    TestResult({
      auth: { user: { operator: false } },
      report: { ...report, ...parts },
      nowMs: NOW_MS,
    } as never) as never,
  );

it("announces no attempt of a message in quarantine", () => {
  assert.match(shown({}), /Attempt 2/);
  const quarantined = { foundAtMs: NOW_MS, part: "content", error: "the content is missing" };
  assert.match(shown({ quarantined }), /In quarantine: no attempt is made/);
  assert.doesNotMatch(shown({ quarantined }), /Attempt 2|Waiting for/);
});
