/** What the messages of mail servers, providers and people mean when they come back. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RECIPIENTS_MAX } from "../../../src/message/feedback/bounce.ts";
import { readFeedback } from "../../../src/message/feedback/feedback.ts";
import * as samples from "./samples.ts";

const bouncesOf = (raw: Buffer) => {
  const feedback = readFeedback(raw);
  assert.equal(feedback.type, "bounced", JSON.stringify(feedback));
  return feedback.type === "bounced" ? feedback : assert.fail();
};

/** Recipient, status, permanence, category, blame. */
const shown = (raw: Buffer): unknown[][] =>
  bouncesOf(raw).bounces.map((each) => [
    each.recipient,
    each.status,
    each.permanent ? "permanent" : "temporary",
    each.category,
    each.blamesAddress ? "blamed" : "not blamed",
  ]);

const ANN = "ann@customers.example";

describe("a bounce with machine-readable fields", () => {
  it("has recipient, status and reply, and the message that it is about", () => {
    const { bounces, original } = bouncesOf(samples.postfix);
    assert.deepEqual(bounces, [
      {
        recipient: ANN,
        original: "Ann@customers.example",
        status: "5.1.1",
        permanent: true,
        category: "bad_address",
        blamesAddress: true,
        rule: "enhanced code 5.1.1",
        diagnostic:
          "550 5.1.1 <ann@customers.example>: Recipient address rejected: User unknown in virtual mailbox table",
      },
    ]);
    assert.deepEqual(original, {
      messageId: "<original@shop.example>",
      returnPath: "bounces+tag@bounces.shop.example",
      dateMs: null,
    });
  });

  it("has no half character where its reason is cut", () => {
    const reason = `x${"\u{1F600}".repeat(600)}`;
    const fields = `Final-Recipient: rfc822; ${ANN}\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; ${reason}`;
    const header = "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n";
    const report = `${header}--b\r\nContent-Type: message/delivery-status\r\n\r\n${fields}\r\n--b--\r\n`;
    const texts = [report, `From: MAILER-DAEMON@b.example\r\nSubject: Undeliverable\r\n\r\n<${ANN}>: ${reason}\r\n`];
    for (const raw of texts) {
      const [bounce] = bouncesOf(Buffer.from(raw)).bounces;
      assert.ok((bounce?.diagnostic.length ?? 0) > 900);
      assert.ok(bounce?.diagnostic.isWellFormed());
    }
  });

  it("is read for a bounded number of recipients: each takes milliseconds", () => {
    const group = "Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: 5.0.0\r\n\r\n";
    const part = `--b\r\nContent-Type: message/delivery-status\r\n\r\n${group.repeat(150)}`;
    const header = "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n";
    assert.equal(bouncesOf(Buffer.from(`${header}${part}${part}--b--\r\n`)).bounces.length, RECIPIENTS_MAX);
  });

  it("has the status of the reply where its own says no more than the class", () => {
    assert.deepEqual(shown(samples.exim), [[ANN, "5.2.1", "permanent", "mailbox_disabled", "not blamed"]]);
  });

  it("is read although types and blank lines are missing", () => {
    assert.deepEqual(shown(samples.sloppy), [[ANN, "5.1.1", "permanent", "bad_address", "blamed"]]);
  });

  it("is temporary where a server gave up on a host that was down", () => {
    assert.deepEqual(shown(samples.expired), [[ANN, "4.4.1", "temporary", "network", "not blamed"]]);
  });
});

describe("a bounce in words", () => {
  it("of Exim has each address with its reason, and none of the returned message", () => {
    assert.deepEqual(shown(samples.eximText), [
      [ANN, null, "permanent", "bad_address", "blamed"],
      ["bob@b.example", null, "permanent", "bad_address", "not blamed"],
    ]);
  });

  it("of qmail", () => {
    assert.deepEqual(shown(samples.qmail), [[ANN, "5.7.1", "permanent", "bad_address", "blamed"]]);
  });

  it("of Sendmail", () => {
    assert.deepEqual(shown(samples.sendmailText), [[ANN, "5.2.2", "temporary", "mailbox_full", "not blamed"]]);
  });
});

it("a notification of a delivery", () => {
  assert.deepEqual(readFeedback(samples.delivered), { type: "delivered" });
});

describe("what changes nothing", () => {
  const IGNORED: [string, Buffer, string][] = [
    ["a delay of Postfix", samples.postfixDelay, "not_failed"],
    ["a warning of Exim", samples.eximWarning, "not_failed"],
    ["out of office", samples.outOfOffice, "automatic_reply"],
    ["out of office, by its subject", samples.outOfOfficeBySubject, "automatic_reply"],
    ["a challenge", samples.challenge, "challenge"],
    ["a challenge in the server's name", samples.serverChallenge, "challenge"],
    ["a delay of OpenSMTPD", samples.opensmtpdDelay("delayed"), "not_failed"],
    ["a delay of OpenSMTPD that its fields call failed", samples.opensmtpdDelay("failed"), "not_failed"],
    ["a DMARC failure report in plain text", samples.forensicText, "authentication_failure"],
    ["a feedback report without its type", samples.abuse("").subarray(0), "not_understood"],
    ["a feedback report of an unknown type", samples.abuse("x-new"), "not_understood"],
    ["a DMARC failure report from a feedback address", samples.forensicForward, "authentication_failure"],
    ["a question with a message attached, from a feedback address", samples.feedbackQuestion, "not_understood"],
  ];
  for (const [name, raw, because] of IGNORED) {
    it(name, () => assert.deepEqual(readFeedback(raw), { type: "ignored", because }));
  }

  it("what nobody understands", () => {
    for (const raw of [Buffer.alloc(0), Buffer.from("\0\xff\r\n"), samples.plain(["Subject: Hi"], "Hi")]) {
      assert.deepEqual(readFeedback(raw), { type: "ignored", because: "not_understood" });
    }
    const deep = Array.from(
      { length: 300 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
    );
    assert.deepEqual(readFeedback(Buffer.from(deep.join(""))), { type: "ignored", because: "not_understood" });
  });
});

describe("a complaint", () => {
  it("has the recipient, the envelope sender and the message", () => {
    assert.deepEqual(readFeedback(samples.abuse("abuse")), {
      type: "complained",
      complaint: {
        kind: "abuse",
        recipient: ANN,
        reportedRecipient: ANN,
        envelopeSender: "bounces+tag@bounces.shop.example",
        original: {
          messageId: "<original@shop.example>",
          returnPath: "bounces+tag@bounces.shop.example",
          dateMs: null,
        },
      },
    });
  });

  it("has the recipient of the original message, but none reported, if the report itself names none", () => {
    const raw = (field: string) =>
      samples.report(["From: a@b.example", "Original-Rcpt-To: header@b.example"], "feedback-report", [
        ["message/feedback-report", samples.lines("Feedback-Type: abuse", "Version: 1", field)],
        [
          "message/rfc822",
          samples.lines("To: bob@customers.example", "Original-Rcpt-To: original@b.example", "", "Hi"),
        ],
      ]);
    const reported = (field: string) => {
      const feedback = readFeedback(raw(field));
      return feedback.type === "complained" ? feedback.complaint.reportedRecipient : assert.fail();
    };
    assert.equal(reported("User-Agent: x"), null);
    assert.equal(reported(`Original-Rcpt-To: <${ANN}>`), ANN);
    assert.equal(reported(`Original-Rcpt-To: <${ANN}>, <bob@customers.example>`), null);
    const unsigned = samples.plain(
      ["Subject: abuse report", `Original-Rcpt-To: ${ANN}`],
      "Feedback-Type: abuse",
      "Version: 1",
    );
    const feedback = readFeedback(unsigned);
    assert.ok(feedback.type === "complained" && feedback.complaint.reportedRecipient === null);
  });

  it("is none if it says that the message is no spam", () => {
    assert.deepEqual(readFeedback(samples.abuse("not-spam")), { type: "ignored", because: "not_spam" });
  });
});
