/** The body of webhook requests. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { eventView } from "../../../src/app/webhooks/event-view.ts";
import { webhookBody } from "../../../src/app/webhooks/webhook-body.ts";
import type { OutboxEvent } from "../../../src/spool/port/events.ts";

it("has the event's type and time, and the event in its JSON form", () => {
  const event: OutboxEvent = {
    id: "evt_1",
    accountId: "acc_1",
    number: 5,
    atMs: Date.UTC(2026, 0, 2),
    type: "message.accepted",
    sequence: 1,
    messageId: "msg_1",
    keyId: "key_1",
    orderKey: 3,
    domain: "shop.example",
    recipient: null,
    tags: ["welcome"],
    metadata: { order: "7" },
    test: false,
  };
  assert.deepEqual(JSON.parse(webhookBody(event)), {
    type: "message.accepted",
    timestamp: "2026-01-02T00:00:00.000Z",
    data: eventView(event),
  });
  assert.equal(webhookBody({ ...event }), webhookBody(event));
  const { data } = JSON.parse(webhookBody({ ...event, test: true })) as { data: { test: boolean } };
  assert.equal(data.test, true);
});
