/** An event's JSON: its members, and those of a bounce and a complaint. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventView } from "../../../src/app/webhooks/event-view.ts";
import type { OutboxEvent } from "../../../src/spool/port/events.ts";

const AT_MS = Date.parse("2026-11-02T10:00:00Z");
const AT = "2026-11-02T10:00:00.000Z";

const event: OutboxEvent = {
  id: "evt_1",
  accountId: "acc_1",
  number: 1,
  atMs: AT_MS,
  type: "recipient.bounced",
  sequence: 3,
  messageId: "msg_1",
  keyId: "key_1",
  orderKey: 1,
  domain: "shop.example",
  tags: [],
  metadata: {},
  test: false,
  recipient: {
    email: "ann@a.example",
    result: "delivered",
    reason: null,
    category: null,
    attempts: 1,
    smtp: null,
  },
};

const MEMBERS = ["id", "type", "at", "sequence", "message_id", "domain", "recipient", "tags", "metadata", "test"];

test("an event without feedback has the same members as ever", () => {
  assert.deepEqual(Object.keys(eventView(event)), MEMBERS);
});

test("the receiver is that of the host that gave the reply", () => {
  const reply = { code: 250, enhanced_code: null, message: "OK", ip: null, tls: null };
  const receiverAt = (mx: string): unknown => {
    assert.ok(event.recipient);
    return eventView({ ...event, recipient: { ...event.recipient, smtp: { ...reply, mx } } }).recipient?.receiver;
  };
  assert.equal(receiverAt("aspmx.l.google.com"), "gmail");
  assert.equal(receiverAt("mx1.example.org"), "example.org");
});

test("a bounce and a complaint are beside the recipient, whose members are fixed", () => {
  const bounce = { status: "5.1.1", category: "bad_address", permanent: true, diagnostic: "unknown user" } as const;
  const bounced = eventView({ ...event, bounce: { atMs: AT_MS, ...bounce } });
  assert.deepEqual(bounced.bounce, { at: AT, ...bounce });
  assert.deepEqual(bounced.recipient, { ...event.recipient, receiver: null });
  const complained = eventView({ ...event, type: "recipient.complained", complaint: { atMs: AT_MS, kind: "abuse" } });
  assert.deepEqual(complained.complaint, { at: AT, type: "abuse" });
  assert.deepEqual(Object.keys(complained).toSorted(), [...MEMBERS, "complaint"].toSorted());
});
