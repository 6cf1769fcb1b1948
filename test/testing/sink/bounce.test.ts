/** The sink's bounces are notifications that a reader of RFC 3464 understands, also of addresses that are not ASCII. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFeedback } from "../../../src/message/feedback/feedback.ts";
import { readIncoming } from "../../../src/message/feedback/report-parts.ts";
import { bounceOf } from "../../../src/testing/sink/bounce.ts";

const SENDER = "b-abc@bounces.shop.example";
const HEADER = "From: a@shop.example\r\nSubject: Your order\r\n and more\r\nMessage-ID: <m1@shop.example>";
const AT_MS = Date.parse("2026-11-02T10:00:00Z");

const bounce = (parts: Partial<Parameters<typeof bounceOf>[0]> = {}): Buffer =>
  bounceOf({
    envelopeSender: SENDER,
    recipient: "bounce-later@customers.example",
    originalRecipient: null,
    envelopeId: null,
    header: Buffer.from(HEADER),
    atMs: AT_MS,
    id: "a1",
    ...parts,
  });

/** The bounced recipient, its status, and the Message-ID of the returned header. */
async function readBounce(content: Buffer) {
  const feedback = await readFeedback(content);
  assert.ok(feedback.type === "bounced");
  const { recipient, original, status, permanent } = feedback.bounces[0] ?? assert.fail("no bounce");
  return { recipient, original, status, permanent, messageId: feedback.original.messageId };
}

test("names the recipient, the status 5.1.1 and the message", async () => {
  assert.deepEqual(await readBounce(bounce()), {
    recipient: "bounce-later@customers.example",
    original: null,
    status: "5.1.1",
    permanent: true,
    messageId: "<m1@shop.example>",
  });
});

test("goes to the envelope sender, and says that it is automatic", async () => {
  const { fields, parts } = (await readIncoming(bounce())) ?? assert.fail("not readable");
  assert.deepEqual(fields.get("to"), [`<${SENDER}>`]);
  assert.deepEqual(fields.get("auto-submitted"), ["auto-replied"]);
  assert.match(fields.get("content-type")?.[0] ?? "", /^multipart\/report; report-type=delivery-status;/);
  assert.deepEqual(
    parts.map(({ type, text }) => [type, text.replaceAll("\r\n", "\n").trimEnd() === HEADER.replaceAll("\r\n", "\n")]),
    [
      ["message/delivery-status", false],
      ["text/rfc822-headers", true],
    ],
  );
});

test("repeats what the client gave for notifications, without line ends", async () => {
  const content = bounce({ originalRecipient: "rfc822;a+b@customers.example", envelopeId: "msg_a=b" });
  assert.equal((await readBounce(content)).original, "a+b@customers.example");
  assert.match(content.toString(), /^Original-Envelope-Id: msg_a=b\r$/m);
  assert.match(bounce({ envelopeId: "a\r\nAction: b" }).toString(), /^Original-Envelope-Id: a\?\?Action: b\r$/m);
});

test("is 7-bit in lines of CRLF, whatever the addresses and the header are", async () => {
  const recipient = "bounce-later+grün@customers.example";
  const content = bounce({ recipient, header: Buffer.from(`${HEADER}\r\nX-Name: Jürgen`) });
  assert.ok(content.every((octet) => octet < 128));
  assert.doesNotMatch(content.toString(), /(?<!\r)\n|\r(?!\n)/);
  const { parts } = (await readIncoming(content)) ?? assert.fail("not readable");
  const types = parts.map(({ type }) => type);
  assert.deepEqual(types, ["message/global-delivery-status", "message/global-headers"]);
  assert.deepEqual(await readBounce(content), {
    recipient,
    original: null,
    status: "5.1.1",
    permanent: true,
    messageId: "<m1@shop.example>",
  });
});
