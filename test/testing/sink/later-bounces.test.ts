/** Which messages bounce, when, and with what. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { readFeedback } from "../../../src/message/feedback/feedback.ts";
import { LaterBounces, type SinkBounce } from "../../../src/testing/sink/later-bounces.ts";
import type { ReceivedEnvelope } from "../../../src/testing/sink/scripted-server.ts";

const SENDER = "b-abc@bounces.shop.example";
const HEADER = Buffer.from("Message-ID: <m1@shop.example>");

const envelope = (parts: Partial<ReceivedEnvelope> = {}): ReceivedEnvelope => ({
  mailFrom: SENDER,
  recipients: ["bounce-later@a.example"],
  envelopeId: null,
  originalRecipients: new Map(),
  clientIp: "127.0.0.1",
  ehlo: "mta.example",
  tls: null,
  answer: "accepted" as const,
  ...parts,
});

function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: SinkBounce[] = [];
  const bounces = new LaterBounces((bounce) => void sent.push(bounce));
  return { sent, bounces, pass: (ms: number) => t.mock.timers.tick(ms) };
}

async function recipientOf({ content }: SinkBounce): Promise<[string | null, string | null]> {
  const feedback = await readFeedback(content);
  assert.ok(feedback.type === "bounced");
  const { recipient = null, original = null } = feedback.bounces[0] ?? {};
  return [recipient, original];
}

test("a bounce comes half a second later, to the envelope sender", async (t) => {
  const { sent, bounces, pass } = setUp(t);
  bounces.add(envelope(), HEADER);
  pass(499);
  assert.deepEqual(sent, []);
  pass(1);
  assert.deepEqual(
    sent.map(({ envelopeSender }) => envelopeSender),
    [SENDER],
  );
  pass(10_000);
  assert.equal(sent.length, 1);
});

test("each recipient that asks for one has its own, with what was given for it", async (t) => {
  const { sent, bounces, pass } = setUp(t);
  const recipients = ["bounce-later@a.example", "delivered@a.example", "Bounce-Later+7@b.example"];
  const originalRecipients = new Map([["Bounce-Later+7@b.example", "rfc822;bounce-later+7@c.example"]]);
  bounces.add(envelope({ recipients, originalRecipients }), HEADER);
  pass(500);
  assert.deepEqual(await Promise.all(sent.map(recipientOf)), [
    ["bounce-later@a.example", null],
    ["Bounce-Later+7@b.example", "bounce-later+7@c.example"],
  ]);
});

test("other recipients, and messages from the null sender, have none", (t) => {
  const { sent, bounces, pass } = setUp(t);
  const recipients = ["delivered@a.example", "bounce@a.example", "a-bounce-later@a.example"];
  for (const each of [envelope({ recipients }), envelope({ mailFrom: "" })]) {
    assert.equal(bounces.isDue(each), false);
    bounces.add(each, HEADER);
  }
  pass(500);
  assert.deepEqual(sent, []);
});

test("with very many waiting, further ones come at once", (t) => {
  const { sent, bounces, pass } = setUp(t);
  for (let count = 0; count < 5001; count += 1) bounces.add(envelope(), HEADER);
  assert.equal(sent.length, 1);
  pass(500);
  assert.equal(sent.length, 5001);
});

test("none comes after the end", (t) => {
  const { sent, bounces, pass } = setUp(t);
  bounces.add(envelope(), HEADER);
  bounces.close();
  pass(500);
  assert.deepEqual(sent, []);
});
