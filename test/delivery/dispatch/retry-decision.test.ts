/** What an outcome means for the recipient in the spool: final, or pending with a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeliveryPolicy } from "../../../src/delivery/dispatch/dispatcher.ts";
import { settlementOf, settlementPastDeadline } from "../../../src/delivery/dispatch/retry-decision.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import type { DeliveryJob } from "../../../src/spool/port/mail.ts";
import { newWork } from "../../support/fake-spool.ts";
import { HOUR_MS } from "../../support/messages.ts";
import { deferred, delivered, MINUTE_MS, POLICY, START_MS, smtpRecord } from "./dispatcher-stage.ts";

const settle = (
  outcome: Outcome,
  parts: Partial<DeliveryJob> & { atMs?: number; policy?: DeliveryPolicy; jitter?: number; notBeforeMs?: number } = {},
) => {
  const { atMs = START_MS, policy = POLICY, jitter = 0.5, notBeforeMs = 0, ...rest } = parts;
  const job = newWork("msg_1", "a.example", rest);
  const [recipient] = job.recipients;
  assert.ok(recipient);
  return settlementOf(outcome, { job, recipient, atMs, jitter, policy, notBeforeMs });
};

const failed: Outcome = {
  type: "failed",
  reason: "recipient_refused",
  category: "reputation",
  smtp: smtpRecord(550),
  tries: [],
};
const noReply = { category: "network", smtp: null, tries: [] } as const;
const unknown: Outcome = { type: "unknown", reason: "connection_lost_after_final_dot", ...noReply, tries: [] };
const wordless: Outcome = { type: "deferred", reason: "connection_failed", ...noReply, tries: [] };

test("an attempt that our shutdown ended is retried at once by the next start, whatever the recipient's age", () => {
  const cut: Outcome = { ...deferred, atOnce: true };
  for (const expiresAtMs of [START_MS + HOUR_MS, START_MS - 1]) {
    const { result, reason, nextAttemptAtMs } = settle(cut, { expiresAtMs });
    assert.deepEqual([result, reason, nextAttemptAtMs], ["pending", "temporarily_refused", START_MS]);
  }
});

test("a deferred recipient is not due before a given time, but at its expiry, and before its deadline", () => {
  const dueMs = (parts: Parameters<typeof settle>[1]) => settle(deferred, parts).nextAttemptAtMs;
  const [usualMs, expiresAtMs] = [dueMs({}), START_MS + HOUR_MS];
  assert.ok(usualMs !== null);
  assert.equal(dueMs({ notBeforeMs: usualMs - 1 }), usualMs);
  assert.equal(dueMs({ notBeforeMs: usualMs + 7, expiresAtMs: usualMs + HOUR_MS }), usualMs + 7);
  assert.equal(dueMs({ notBeforeMs: START_MS + 2 * HOUR_MS, expiresAtMs }), expiresAtMs);
  const deadline = { deadlineMs: expiresAtMs, expiresAtMs };
  assert.equal(dueMs({ ...deadline, notBeforeMs: START_MS + 2 * HOUR_MS }), dueMs(deadline));
});

test("final outcomes settle the recipient", () => {
  const ends = { position: 0, tries: [], nextAttemptAtMs: null };
  assert.deepEqual(settle(delivered), {
    ...ends,
    result: "delivered",
    reason: null,
    category: null,
    smtp: smtpRecord(250),
    outcome: "delivered",
  });
  assert.deepEqual(settle(failed), {
    ...ends,
    result: "failed",
    reason: "recipient_refused",
    category: "reputation",
    smtp: smtpRecord(550),
    outcome: "failed",
  });
  assert.deepEqual(settle(unknown), {
    ...ends,
    result: "unknown",
    reason: "connection_lost_after_final_dot",
    category: "network",
    smtp: null,
    outcome: "unknown",
  });
});

test("a deferral is pending again, spread over the range of the jitter", () => {
  const { result, reason, nextAttemptAtMs } = settle(deferred);
  assert.deepEqual([result, reason, nextAttemptAtMs], ["pending", "temporarily_refused", START_MS + MINUTE_MS]);
  assert.equal(settle(deferred, { jitter: 0 }).nextAttemptAtMs, START_MS + 0.8 * MINUTE_MS);
});

test("the last attempt is at the maximum age, and a deferral then expires", () => {
  const expiresAtMs = START_MS + 10_000;
  assert.equal(settle(deferred, { expiresAtMs }).nextAttemptAtMs, expiresAtMs);
  const { result, reason, category, nextAttemptAtMs, outcome, smtp } = settle(deferred, {
    expiresAtMs,
    atMs: expiresAtMs,
  });
  assert.deepEqual([result, reason, nextAttemptAtMs, outcome], ["failed", "expired", null, "deferred"]);
  assert.deepEqual([category, smtp], ["greylisted", smtpRecord(451)]);
});

test("a recipient that expires without a reply keeps the last one", () => {
  const recipients = [
    {
      position: 0,
      email: "ann@a.example",
      attempts: 3,
      reason: "temporarily_refused",
      category: "mailbox_full" as const,
      smtp: smtpRecord(450),
    },
  ];
  const { reason, smtp } = settle(wordless, { recipients, expiresAtMs: START_MS });
  assert.deepEqual([reason, smtp], ["expired", smtpRecord(450)]);
  assert.equal(settle(wordless, { recipients }).result, "pending");
});

test("a recipient past its deadline keeps the category of its last result, or has none", () => {
  const recipient = { position: 0, email: "ann@a.example", attempts: 3, reason: "host_refused", smtp: null };
  for (const category of ["reputation", null] as const) {
    const settled = settlementPastDeadline({ ...recipient, category });
    assert.deepEqual([settled.result, settled.reason, settled.category], ["failed", "expired", category]);
  }
});

test("a recipient that may have the message is unknown, not failed, past its deadline", () => {
  const recipient = { position: 0, email: "ann@a.example", attempts: 1, category: "other" as const, smtp: null };
  for (const reason of ["interrupted_after_final_dot", "no_reply_to_final_dot", "restored_from_backup"]) {
    const settled = settlementPastDeadline({ ...recipient, reason });
    assert.deepEqual([settled.result, settled.reason, settled.nextAttemptAtMs], ["unknown", reason, null]);
  }
});

test("a deferral of a further attempt leaves a recipient as one that may have the message, and so does the end of its time", () => {
  const recipients = [
    {
      position: 0,
      email: "ann@a.example",
      attempts: 2,
      reason: "no_reply_to_final_dot",
      category: "network" as const,
      smtp: null,
    },
  ];
  for (const [outcome, dueMs] of [
    [deferred, START_MS + 5 * MINUTE_MS],
    [{ ...deferred, atOnce: true }, START_MS],
  ] as const) {
    const { result, reason, attemptReason, category, nextAttemptAtMs } = settle(outcome, { recipients });
    assert.deepEqual([result, reason, attemptReason], ["pending", "no_reply_to_final_dot", "temporarily_refused"]);
    assert.deepEqual([category, nextAttemptAtMs], ["greylisted", dueMs]);
  }
  const ended = settle(deferred, { recipients, expiresAtMs: START_MS });
  assert.deepEqual([ended.result, ended.reason, ended.nextAttemptAtMs], ["unknown", "no_reply_to_final_dot", null]);
  assert.deepEqual([ended.category, ended.smtp, ended.outcome], ["network", null, "deferred"]);
  assert.equal(settle(failed, { recipients }).result, "failed", "a refusal for good counts");
  assert.equal(settle(delivered, { recipients }).result, "delivered");
});

test("expiry does not change other outcomes", () => {
  for (const outcome of [delivered, failed, unknown]) {
    assert.equal(settle(outcome, { expiresAtMs: START_MS - 1 }).result, outcome.type);
  }
});

test("UNKNOWN_POLICY=retry retries until the maximum age, then leaves the recipient unknown", () => {
  const policy: DeliveryPolicy = { ...POLICY, unknownPolicy: "retry" };
  const { result, outcome, nextAttemptAtMs } = settle(unknown, { policy });
  assert.deepEqual([result, outcome, nextAttemptAtMs], ["pending", "unknown", START_MS + MINUTE_MS]);
  const late = settle(unknown, { policy, expiresAtMs: START_MS });
  assert.deepEqual([late.result, late.nextAttemptAtMs], ["unknown", null]);
});

test("UNKNOWN_POLICY=retry leaves the recipient unknown when its deadline allows no other attempt", () => {
  const policy: DeliveryPolicy = { ...POLICY, unknownPolicy: "retry" };
  const deadlineMs = START_MS + 3000;
  assert.equal(settle(unknown, { policy, deadlineMs, expiresAtMs: deadlineMs }).result, "unknown");
  assert.equal(settle(unknown, { policy, deadlineMs: START_MS + HOUR_MS }).result, "pending");
});
