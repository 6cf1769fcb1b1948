/** Rows of copied events: which row has a recipient's state. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventRow, eventRows, NewNumbers } from "../../../../../src/spool/engine/postgres/copy/copy-events.ts";
import type { CopiedMessage, EventRow, RecipientRow } from "../../../../../src/spool/records/copied-message.ts";

const SEQ = 7;
const CREATED_MS = 1000;
const GREATEST = 500;
const REPLY = '{"code":451,"message":"later"}';

const recipientRow = (parts: Partial<RecipientRow> = {}): RecipientRow => ({
  position: 0,
  email: "a@b.example",
  domain: "b.example",
  field: null,
  state: "pending",
  reason: null,
  category: null,
  attempts: 0,
  nextAttemptAtMs: CREATED_MS,
  updatedAtMs: CREATED_MS,
  smtp: null,
  mark: null,
  ...parts,
});

const ACCEPTED: EventRow = {
  number: 3,
  account_id: "acc_a",
  id: "evt_3",
  at_ms: CREATED_MS,
  type: "message.accepted",
  position: null,
  result: null,
  reason: null,
  category: null,
  attempts: null,
  smtp: null,
  history: null,
  domain: null,
};

const deferred = (number: number, atMs: number, attempts: number): EventRow => ({
  ...ACCEPTED,
  number,
  id: `evt_${number}`,
  at_ms: atMs,
  type: "recipient.deferred",
  position: 0,
  result: "pending",
  reason: "busy",
  attempts,
  smtp: REPLY,
  history: JSON.stringify({ at_ms: atMs, type: `attempt ${attempts}` }),
});

/** Rows as `number time type position result attempts type-of-history`. */
function rowsOf(parts: Partial<CopiedMessage>): string[] {
  const message = { id: "msg_a", account_id: "acc_a", created_at_ms: CREATED_MS } as CopiedMessage["message"];
  const nothing = { content: null, parts: [], recipients: [], events: [], damage: null };
  const rows = eventRows({ seq: 1, message, ...nothing, ...parts }, SEQ, new NewNumbers(GREATEST));
  assert.ok(rows.every((row) => row[0] === SEQ && row[2] === "acc_a"));
  return rows.map(([, number, , , atMs, type, position, result, , , attempts, , history]) => {
    const kind = history === null ? null : JSON.parse(history as string).type;
    return [number, atMs, type, position, result, attempts, kind].map(String).join(" ");
  });
}

describe("rows of copied events", () => {
  it("are those that are stored if the newest one has the recipient's state", () => {
    const busy = { reason: "busy", attempts: 2, updatedAtMs: 30, smtp: REPLY };
    assert.deepEqual(
      rowsOf({ recipients: [recipientRow(busy)], events: [ACCEPTED, deferred(5, 20, 1), deferred(9, 30, 2)] }),
      [
        "3 1000 message.accepted null null null null",
        "5 20 recipient.deferred 0 pending 1 attempt 1",
        "9 30 recipient.deferred 0 pending 2 attempt 2",
      ],
    );
  });

  it("have the state in a row of its own if the newest event has another one", () => {
    const failed = { state: "failed", reason: "refused", attempts: 3, updatedAtMs: 40, nextAttemptAtMs: null } as const;
    assert.deepEqual(rowsOf({ recipients: [recipientRow(failed)], events: [ACCEPTED, deferred(5, 20, 1)] }), [
      "3 1000 message.accepted null null null null",
      "5 20 recipient.deferred 0 pending 1 attempt 1",
      "501 40 null 0 failed 3 null",
    ]);
  });

  it("have the states of recipients without events, unless they are as they were accepted", () => {
    const delivered = { state: "delivered", attempts: 2, updatedAtMs: 31, nextAttemptAtMs: null } as const;
    assert.deepEqual(
      rowsOf({
        recipients: [
          recipientRow(delivered),
          recipientRow({ position: 1, email: "b@b.example" }),
          recipientRow({ ...delivered, position: 2, email: "c@b.example" }),
        ],
      }),
      ["501 31 null 0 delivered 2 null", "502 31 null 2 delivered 2 null"],
    );
  });

  it("of domains have the domain's name", () => {
    const event: EventRow = { ...ACCEPTED, number: 5, type: "domain.verified", domain: "shop.example" };
    const none = [null, null, null, null, null, null, null];
    assert.deepEqual(eventRow(event, SEQ), [
      SEQ,
      5,
      "acc_a",
      "evt_3",
      CREATED_MS,
      "domain.verified",
      ...none,
      "shop.example",
    ]);
  });
});
