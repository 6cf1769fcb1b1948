/** The replies of the inbound listener: their codes, and a reason for metrics that is in the list. */
import assert from "node:assert/strict";
import { it } from "node:test";
import * as replies from "../../src/inbound/reply.ts";
import * as shared from "../../src/smtp-server/rejection.ts";

it("the replies have their codes, and reasons that metrics have", () => {
  const expected: [reply: shared.SmtpRejection, begins: string][] = [
    [replies.unknownRecipient(), "550 5.1.1 "],
    [replies.tooManyUnknown(), "421 4.7.0 "],
    [replies.tooManyConnections(), "421 4.7.0 "],
    [replies.tooManyMessages(), "451 4.7.1 "],
    [shared.tooManyRecipients(10), "452 4.5.3 "],
    [shared.tooLarge(1000), "552 5.3.4 "],
    [shared.mailLoop("x"), "554 5.4.6 "],
    [shared.outOfMemory(), "452 4.3.1 "],
    [shared.unavailable("x"), "451 4.3.0 "],
  ];
  const known: readonly string[] = replies.INBOUND_PROBLEMS;
  for (const [reply, begins] of expected) {
    assert.ok(`${reply.responseCode} ${reply.message}`.startsWith(begins), reply.message);
    assert.ok(known.includes(reply.problem), reply.problem);
  }
});
