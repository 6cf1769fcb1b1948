/** The lookup's JSON: what comes back about a recipient, and each type of entry of its history, as /openapi.json describes them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { messageView } from "../../../src/app/send/message-view.ts";
import { openApiDocument } from "../../../src/http/openapi.ts";
import type { MessageReport, RecipientReport, SpoolEvent } from "../../../src/spool/port/results.ts";

const AT_MS = Date.parse("2026-11-02T10:00:00Z");
const AT = "2026-11-02T10:00:00.000Z";

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addSchema(openApiDocument(), "openapi");

function assertDescribed(schema: string, value: unknown): void {
  const matches = ajv.compile({ $ref: `openapi#/components/schemas/${schema}`, unevaluatedProperties: false });
  assert.ok(matches(value), `${schema}: ${JSON.stringify(matches.errors)}`);
}

function viewOf(parts: Partial<RecipientReport> = {}, ofMessage: Partial<MessageReport> = {}) {
  const recipient: RecipientReport = {
    position: 0,
    email: "ann@a.example",
    domain: "a.example",
    field: "to",
    result: "delivered",
    reason: null,
    category: null,
    attempts: 1,
    nextAttemptAtMs: null,
    updatedAtMs: AT_MS,
    smtp: null,
    events: [],
    ...parts,
  };
  const report: MessageReport = {
    id: "msg_1",
    accountId: "acc_1",
    keyId: "key_1",
    createdAtMs: AT_MS,
    updatedAtMs: AT_MS,
    expiresAtMs: AT_MS,
    sendAtMs: null,
    from: "a@b.example",
    subject: "",
    messageId: "<m@b.example>",
    tags: [],
    metadata: {},
    test: false,
    senderDomain: "b.example",
    requestId: null,
    idempotencyKey: null,
    ...ofMessage,
    recipients: [recipient],
  };
  const view = messageView(report);
  assertDescribed("Message", view);
  const [only] = view.recipients;
  assert.ok(only);
  return only;
}

const BOUNCE = { status: "5.2.2", category: "mailbox_full", permanent: false, diagnostic: "over quota" } as const;

test("a bounce, a complaint and an unsubscription are present once they are known, and the result stays", () => {
  const view = viewOf({
    bounce: { atMs: AT_MS, ...BOUNCE },
    complaint: { atMs: AT_MS, kind: "abuse" },
    unsubscribedAtMs: AT_MS,
  });
  assertDescribed("Recipient", view);
  assert.equal(view.result, "delivered");
  assert.deepEqual(view.bounce, { at: AT, ...BOUNCE });
  assert.deepEqual(view.complaint, { at: AT, type: "abuse" });
  assert.equal(view.unsubscribed_at, AT);
});

test("no next attempt is announced while the message is in quarantine", () => {
  const due = { result: "pending", nextAttemptAtMs: AT_MS } as const;
  assert.equal(viewOf(due).next_attempt_at, AT);
  const quarantined = { foundAtMs: AT_MS, part: "content", error: "the content is missing" } as const;
  assert.equal(viewOf(due, { quarantined }).next_attempt_at, null);
});

test("without them, the members are absent", () => {
  const names = Object.keys(viewOf());
  for (const name of ["bounce", "complaint", "unsubscribed_at"]) assert.ok(!names.includes(name), name);
});

test("each type of event has its members", () => {
  const refusals = [{ at_ms: AT_MS, code: 550, enhanced_code: "5.1.1", message: "unknown", mx: "mx", ip: null }];
  const events: [SpoolEvent, schema: string, expected: object][] = [
    [{ at_ms: AT_MS, type: "accepted" }, "AcceptedEvent", { at: AT, type: "accepted" }],
    [
      { at_ms: AT_MS, type: "bounced", ...BOUNCE, rule: "code 5.2.2" },
      "BouncedEvent",
      { at: AT, type: "bounced", ...BOUNCE, rule: "code 5.2.2" },
    ],
    [
      { at_ms: AT_MS, type: "bounced", ...BOUNCE, status: null },
      "BouncedEvent",
      { at: AT, type: "bounced", ...BOUNCE, status: null },
    ],
    [
      { at_ms: AT_MS, type: "complained", kind: "fraud" },
      "ComplainedEvent",
      { at: AT, type: "complained", kind: "fraud" },
    ],
    [{ at_ms: AT_MS, type: "unsubscribed" }, "UnsubscribedEvent", { at: AT, type: "unsubscribed" }],
    [{ at_ms: AT_MS, type: "confirmed" }, "ConfirmedEvent", { at: AT, type: "confirmed" }],
    [
      { at_ms: AT_MS, type: "suppressed", cause: "complaint", since_ms: AT_MS, until_ms: null, refusals: [] },
      "SuppressedEvent",
      {
        at: AT,
        type: "suppressed",
        cause: "complaint",
        since: AT,
        until: null,
        refusals: [],
        detail: "Delivery was not attempted: the recipient reported an earlier message as spam.",
      },
    ],
    [
      // Of an earlier version.
      { at_ms: AT_MS, type: "suppressed", since_ms: AT_MS, until_ms: AT_MS, refusals },
      "SuppressedEvent",
      {
        at: AT,
        type: "suppressed",
        cause: "refusals",
        since: AT,
        until: AT,
        detail: "Delivery was not attempted: recent attempts reported repeatedly that the address does not exist.",
        refusals: [{ at: AT, code: 550, enhanced_code: "5.1.1", message: "unknown", mx: "mx", ip: null }],
      },
    ],
  ];
  for (const [event, schema, expected] of events) {
    const [view] = viewOf({ events: [event] }).events;
    assertDescribed(schema, view);
    assert.deepEqual(view, expected);
  }
});

test("decisions of people name who decided, and so do retries that say it", () => {
  const decision = {
    at_ms: AT_MS,
    by: "ann@a.example",
    attempt: 1,
    category: null,
    tries: [] as [],
    next_attempt_at_ms: null,
  };
  const { events } = viewOf({
    events: [
      { ...decision, type: "resolved", result: "delivered", reason: "resolved" },
      { ...decision, type: "cancelled", result: "unknown", reason: "no_reply_to_final_dot" },
      { ...decision, type: "retried", reason: null },
    ],
  });
  const by = "ann@a.example";
  assert.deepEqual(events.slice(0, 2), [
    { at: AT, type: "resolved", result: "delivered", by },
    { at: AT, type: "cancelled", result: "unknown", by },
  ]);
  for (const event of events.slice(0, 2)) assertDescribed("DecisionEvent", event);
  const [, , retried] = events;
  assertDescribed("AttemptEvent", retried);
  assert.ok(retried !== undefined && "by" in retried && retried.by === by);
});
