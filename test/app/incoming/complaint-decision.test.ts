/** What a complaint changes: by the tag of its recipient, by the signature of a feedback loop, or nothing. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { ComplaintDecisions } from "../../../src/app/incoming/complaint-decision.ts";
import type { Complaint } from "../../../src/message/feedback/complaint.ts";
import { messageId as newMessageId } from "../../../src/message/ids.ts";
import { returnPathAddress } from "../../../src/message/return-path.ts";
import type { IncomingMail } from "../../../src/spool/port/incoming.ts";

const KEY = Buffer.alloc(32, 7);
const [OURS, OTHER] = ["acc_ours", "acc_other"];
const ID = newMessageId(0, randomBytes);
const HEADER = `<${"a".repeat(24)}@shop.example>`;
const [ANN, BOB] = ["Ann@customers.example", "bob@customers.example"];
const MAIL = { id: "inc_1" } as IncomingMail;

function scene({ isSigned = true, recipients = [ANN, BOB] } = {}) {
  const verified: IncomingMail[] = [];
  const spool = {
    sentMessage: async ({ accountId, messageId }: { accountId: string; messageId: string }) =>
      accountId === OURS && messageId === HEADER ? ID : null,
    report: async () => ({ recipients: recipients.map((email, position) => ({ email, position })) }),
  };
  const decisions = new ComplaintDecisions({
    spool: spool as never,
    key: KEY,
    async isSignedByLoop(mail) {
      verified.push(mail);
      return isSigned;
    },
  });
  const decide = async (complaint: Partial<Complaint>, accountId = OURS) => {
    const original = { messageId: HEADER, returnPath: null, dateMs: 0 };
    const whole = {
      kind: "abuse",
      recipient: ANN,
      reportedRecipient: ANN,
      envelopeSender: null,
      original,
      ...complaint,
    };
    const { effect, outcome } = await decisions.decide(whole, MAIL, accountId);
    return [outcome, "position" in effect ? effect.position : null];
  };
  return { verified, decide };
}

test("a signed one is about the recipient that its report names, in any case", async () => {
  const { decide } = scene();
  assert.deepEqual(await decide({ recipient: BOB, reportedRecipient: "Bob@customers.example" }), ["complained", 1]);
});

test("an unsigned one only informs", async () => {
  const { decide } = scene({ isSigned: false });
  assert.deepEqual(await decide({}), ["unverified", 0]);
});

test("a signed one is about no message of another account, no unknown message, and none with a client's own Message-ID", async () => {
  const { decide, verified } = scene();
  assert.deepEqual(await decide({}, OTHER), ["unmatched", null]);
  for (const messageId of [null, `<${"b".repeat(24)}@shop.example>`, "<order-1@shop.example>"])
    assert.deepEqual(await decide({ original: { messageId, returnPath: null, dateMs: 0 } }), ["unmatched", null]);
  assert.deepEqual(verified, [], "nothing is verified for it");
});

test("only what the report itself names counts, not what the original message or a field outside the report says", async () => {
  const { decide, verified } = scene();
  assert.deepEqual(await decide({ recipient: BOB, reportedRecipient: null }), ["unverified", 1]);
  assert.deepEqual(await decide({ recipient: BOB, reportedRecipient: ANN }), ["unverified", 1]);
  const alone = scene({ recipients: [ANN] });
  assert.deepEqual(await alone.decide({ recipient: null, reportedRecipient: null }), ["unverified", 0]);
  assert.deepEqual(await alone.decide({ recipient: BOB, reportedRecipient: BOB }), ["unverified", 0]);
  assert.deepEqual([...verified, ...alone.verified], []);
});

test("one with a valid tag needs no signature", async () => {
  const { decide, verified } = scene({ isSigned: false });
  const domain = "shop.example";
  const envelopeSender = returnPathAddress({ messageId: ID, position: 1, domain }, KEY);
  assert.deepEqual(await decide({ envelopeSender }), ["complained", 1]);
  assert.deepEqual(verified, []);
});
