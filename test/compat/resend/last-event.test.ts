/** The status of a message in Resend's terms: every result and reason has one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lastEventOf } from "../../../src/compat/resend/last-event.ts";
import type { Result } from "../../../src/message/result/outcome.ts";
import { FAILED_REASONS } from "../../../src/message/result/reasons.ts";

const state = (result: Result, reason: string | null = null, attempts = 1) => ({ result, reason, attempts });

test("one recipient", () => {
  assert.equal(lastEventOf([state("pending", null, 0)]), "queued");
  assert.equal(lastEventOf([state("pending", "temporarily_refused")]), "delivery_delayed");
  assert.equal(lastEventOf([state("pending", "scheduled", 0)]), "scheduled");
  assert.equal(lastEventOf([state("delivered")]), "delivered");
  assert.equal(lastEventOf([state("unknown", "connection_lost_after_final_dot")]), "sent");
  const byReason = Object.fromEntries(FAILED_REASONS.map((reason) => [reason, lastEventOf([state("failed", reason)])]));
  assert.deepEqual(byReason, {
    recipient_refused: "bounced",
    sender_refused: "bounced",
    message_refused: "bounced",
    domain_not_found: "bounced",
    null_mx: "bounced",
    mail_loop: "bounced",
    message_too_large: "bounced",
    needs_8bitmime: "failed",
    needs_smtputf8: "failed",
    expired: "failed",
    cancelled: "canceled",
    discarded: "failed",
    resolved: "failed",
    suppressed: "suppressed",
  });
  assert.equal(lastEventOf([state("failed", "a_reason_of_a_later_version")]), "failed");
});

test("what comes back after a delivery decides", () => {
  const bounce = { atMs: 1, status: "5.1.1", category: "bad_address", permanent: true, diagnostic: "x" } as const;
  const complaint = { atMs: 2, kind: "abuse" };
  assert.equal(lastEventOf([{ ...state("delivered"), bounce }]), "bounced");
  assert.equal(lastEventOf([{ ...state("delivered"), complaint }]), "complained");
  assert.equal(lastEventOf([{ ...state("delivered"), complaint }, state("failed", "expired")]), "complained");
  assert.equal(
    lastEventOf([
      { ...state("delivered"), complaint },
      { ...state("unknown"), bounce },
    ]),
    "bounced",
  );
});

test("of several recipients, the one that needs most attention decides", () => {
  const all = [
    state("delivered"),
    state("unknown"),
    state("pending", null, 0),
    state("pending", "timeout"),
    state("failed", "suppressed"),
    state("failed", "expired"),
    state("failed", "recipient_refused"),
  ];
  const events = all.map((_, i) => lastEventOf(all.slice(0, i + 1)));
  assert.deepEqual(events, ["delivered", "sent", "queued", "delivery_delayed", "suppressed", "failed", "bounced"]);
});
