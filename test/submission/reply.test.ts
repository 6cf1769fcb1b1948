/** Replies: each reason has its code and status, and every text is one line of at most 512 octets in ASCII. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RejectionCode } from "../../src/app/accept-message.ts";
import { MemoryRefused } from "../../src/lib/memory-queue.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import * as replies from "../../src/submission/reply.ts";

const lineOf = ({ responseCode, message }: replies.SubmissionRejected): string => `${responseCode} ${message}`;

describe("the reply to a rejection", () => {
  it("has the code that clients act on", () => {
    const expected: Record<RejectionCode, string> = {
      invalid_request: "550 5.6.0",
      invalid_api_key: "535 5.7.8",
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

describe("the other replies", () => {
  it("have their codes", () => {
    const expected: [reply: replies.SubmissionRejected, begins: string][] = [
      [replies.authenticationRequired(), "530 5.7.0 "],
      [replies.invalidKey(), "535 5.7.8 "],
      [replies.tooManyAttempts(), "421 4.7.0 "],
      [
        replies.tooManyRecipients(50),
        "452 4.5.3 A message may have at most 50 recipients: send it to the others as another message",
      ],
      [replies.outOfMemory(), "452 4.3.1 "],
      [replies.invalidMessage("Why."), "550 5.6.0 Why."],
      [replies.tooLarge(1000), "552 5.3.4 "],
      [replies.unavailable("Why"), "451 4.3.0 Why"],
    ];
    for (const [reply, begins] of expected) assert.ok(lineOf(reply).startsWith(begins), lineOf(reply));
  });

  it("are temporary where the service lacks something, and unknown errors have none", () => {
    assert.match(lineOf(replies.errorReply(new SpoolUnavailable("full")) as never), /^451 4\.3\.0 /);
    assert.match(lineOf(replies.errorReply(new MemoryRefused("full")) as never), /^452 4\.3\.1 /);
    const own = replies.tooLarge(1000);
    assert.equal(replies.errorReply(own), own);
    for (const error of [new Error("x"), new TypeError("x"), "x", undefined])
      assert.equal(replies.errorReply(error), null);
  });
});

describe("the text of a reply", () => {
  const textOf = (detail: string): string => replies.invalidMessage(detail).message;

  it("is in printable ASCII, in one line", () => {
    assert.equal(textOf("Zeile Grüße 🎉 a…"), "5.6.0 Zeile Gr??e ? a...");
    assert.equal(textOf("a\r\n250 2.0.0 b\u0000\u001b[2J\u007f"), "5.6.0 a??250 2.0.0 b??[2J?");
  });

  it("has at most 512 octets with its code and CRLF", () => {
    const octets = (detail: string): number => Buffer.byteLength(`550 ${textOf(detail)}\r\n`);
    for (const detail of ["x".repeat(500), "x".repeat(501), "x".repeat(100_000), "ü…".repeat(1000)]) {
      assert.equal(octets(detail), 512);
    }
    assert.equal(textOf("x".repeat(500)), `5.6.0 ${"x".repeat(500)}`);
    assert.equal(textOf("x".repeat(501)), `5.6.0 ${"x".repeat(497)}...`);
  });
});
