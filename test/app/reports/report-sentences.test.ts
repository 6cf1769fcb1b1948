/** The sentences about reports, for every number of messages. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { receiverSentence, tlsSentence } from "../../../src/app/reports/report-sentences.ts";
import type { Ours, ReportedSource } from "../../../src/spool/port/sender-reports.ts";

const receiver = (messages: number, failed: number, failedOurs: number) => ({
  org: "mail.example",
  reports: 1,
  messages,
  failed,
  failedOurs,
});
const source = (ip: string, failed: number, ours: Ours = "no", org = "mail.example"): ReportedSource => ({
  org,
  ip,
  ours,
  messages: failed,
  failed,
  dkimPassed: 0,
  spfPassed: 0,
  quarantined: 0,
  rejected: 0,
  headerFrom: "shop.example",
});

describe("the sentence about a receiver", () => {
  it("names the addresses of messages that were not ours", () => {
    assert.equal(
      receiverSentence(receiver(5000, 412, 0), [source("203.0.113.7", 412), source("198.51.100.1", 9, "no", "other")]),
      "Of 412 messages that failed DMARC at mail.example, none were ours; they came from 203.0.113.7.",
    );
    assert.equal(
      receiverSentence(receiver(5000, 1412, 1), [
        source("203.0.113.7", 1400),
        source("2001:db8::1", 11),
        source("192.0.2.1", 1, "address"),
      ]),
      "Of 1,412 messages that failed DMARC at mail.example, 1 was ours; the others came from 203.0.113.7 and 2001:db8::1.",
    );
  });

  it("names three addresses, and says whether there are others", () => {
    const sources = [5, 4, 3, 2, 1].map((failed) => source(`203.0.113.${failed}`, failed));
    assert.equal(
      receiverSentence(receiver(20, 15, 0), sources),
      "Of 15 messages that failed DMARC at mail.example, none were ours; they came from 203.0.113.5, 203.0.113.4, 203.0.113.3 and other addresses.",
    );
    assert.match(receiverSentence(receiver(20, 15, 0), []), /they came from other addresses\.$/);
  });

  it("is in the singular for one message", () => {
    assert.equal(
      receiverSentence(receiver(1, 1, 0), [source("203.0.113.7", 1)]),
      "The one message that failed DMARC at mail.example was not ours; it came from 203.0.113.7.",
    );
    assert.equal(
      receiverSentence(receiver(1, 1, 1), []),
      "The one message that failed DMARC at mail.example was ours.",
    );
  });

  it("says that all were ours, or that none failed", () => {
    assert.equal(
      receiverSentence(receiver(9, 3, 3), []),
      "All 3 messages that failed DMARC at mail.example were ours.",
    );
    assert.equal(receiverSentence(receiver(1, 0, 0), []), "1 message passed DMARC at mail.example, and none failed.");
  });
});

it("the sentence about TLS has the failed sessions", () => {
  const org = "mail.example";
  assert.equal(
    tlsSentence({ org, reports: 1, succeeded: 1, failed: 0 }),
    "1 session of mail.example had TLS as required.",
  );
  assert.equal(
    tlsSentence({ org, reports: 1, succeeded: 1997, failed: 3 }),
    "3 of 2,000 sessions of mail.example failed.",
  );
});
