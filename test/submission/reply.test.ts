/** The replies of submission: each reason has its code and status. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RejectionCode } from "../../src/app/send/accept-message.ts";
import type { SmtpRejection } from "../../src/smtp-server/rejection.ts";
import * as replies from "../../src/submission/reply.ts";

const lineOf = ({ responseCode, message }: SmtpRejection): string => `${responseCode} ${message}`;

describe("the reply to a rejection", () => {
  it("has the code that clients act on", () => {
    const expected: Record<RejectionCode, string> = {
      invalid_request: "550 5.6.0",
      invalid_api_key: "535 5.7.8",
      permission_denied: "550 5.7.1",
      sender_not_allowed: "550 5.7.1",
      domain_not_verified: "550 5.7.1",
      engine_unavailable: "451 4.3.0",
      rate_limit_exceeded: "451 4.7.1",
      quota_exceeded: "451 4.7.1",
      idempotency_key_reused: "550 5.5.0",
      body_too_large: "552 5.3.4",
    };
    for (const [code, reply] of Object.entries(expected)) {
      const rejected = replies.rejectionReply({ type: "rejected", code: code as RejectionCode, detail: "Why." });
      assert.equal(lineOf(rejected).slice(0, 9), reply);
      assert.equal(rejected.problem, code);
      // HTTP's sentence names a header of HTTP.
      assert.equal(rejected.message.endsWith(" Why."), code !== "idempotency_key_reused");
    }
  });

  it("names the time to wait where it is known", () => {
    const rejected = { type: "rejected", code: "rate_limit_exceeded", detail: "Too many.", retryAfterS: 7 } as const;
    assert.equal(lineOf(replies.rejectionReply(rejected)), "451 4.7.1 Too many. Try again in 7 s.");
  });

  it("names the header field for a reused idempotency key", () => {
    const reply = replies.rejectionReply({ type: "rejected", code: "idempotency_key_reused", detail: "x" });
    assert.match(lineOf(reply), /^550 5\.5\.0 This X-Postrider-Idempotency-Key was used/);
  });
});

it("the other replies have their codes", () => {
  const expected: [reply: SmtpRejection, begins: string][] = [
    [replies.authenticationRequired(), "530 5.7.0 "],
    [replies.invalidKey(), "535 5.7.8 "],
    [replies.tooManyAttempts(), "421 4.7.0 "],
    [replies.invalidMessage("Why."), "550 5.6.0 Why."],
    [replies.invalidRecipient("Why."), "553 5.1.3 Why."],
  ];
  for (const [reply, begins] of expected) assert.ok(lineOf(reply).startsWith(begins), lineOf(reply));
});
