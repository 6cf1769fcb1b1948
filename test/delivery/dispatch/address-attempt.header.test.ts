/** A header that is not ASCII at a host without SMTPUTF8: the header is converted, the later parts of the content are sent as they are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/lib/clock.ts";
import { contentInParts } from "../../support/content-parts.ts";
import { setAttemptStage } from "./attempt-stage.ts";

const PARTS = ["From: a@s.example\r\nCc: jörg@b.example\r\n\r\nOne\r\n", "Two\r\n", "Three\r\n"].map((part) =>
  Buffer.from(part),
);
const SIZE_BYTES = PARTS.reduce((sum, { length }) => sum + length, 0);

test("a content of several parts has its header converted, and declares its new size", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: contentInParts(PARTS) });
  const peer = await exchanger({ capabilities: ["8BITMIME", "SIZE"] });
  const [outcome] = await attempt(1, { sizeBytes: SIZE_BYTES });
  assert.equal(outcome?.type, "delivered");
  const [{ message, mail } = assert.fail()] = peer.transactions;
  assert.match(message.toString(), /^From: a@s\.example\r\nCc: =\?UTF-8\?Q\?\S+ :;\r\n\r\nOne\r\nTwo\r\nThree\r\n$/);
  assert.match(mail, new RegExp(` SIZE=${message.length}$`));
});

test("the next host, with SMTPUTF8, gets the content as it is", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: contentInParts(PARTS) });
  await exchanger({ capabilities: ["8BITMIME"], script: { rcpt: () => "451 4.3.0 later" } });
  const second = await exchanger({ capabilities: ["8BITMIME", "SMTPUTF8"] });
  const [outcome] = await attempt(1, { sizeBytes: SIZE_BYTES });
  assert.equal(outcome?.type, "delivered");
  const [{ message, mail } = assert.fail()] = second.transactions;
  assert.ok(message.equals(Buffer.concat(PARTS)));
  assert.match(mail, / BODY=8BITMIME SMTPUTF8$/);
});

test("a host that takes one recipient at a time gets all of them", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: contentInParts(PARTS) });
  const peer = await exchanger({ capabilities: ["8BITMIME", "LIMITS RCPTMAX=1"] });
  const outcomes = await attempt(3, { sizeBytes: SIZE_BYTES });
  assert.deepEqual(
    outcomes.map(({ type }) => type),
    ["delivered", "delivered", "delivered"],
  );
  assert.equal(peer.transactions.length, 3);
});
