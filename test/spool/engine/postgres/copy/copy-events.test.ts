/** Rows of copied events: where the entries of histories go, and which row has a recipient's state. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { domainEventRow, eventRows, NewNumbers } from "../../../../../src/spool/engine/postgres/copy/copy-events.ts";
import type {
  CopiedMessage,
  EventRow,
  HistoryRow,
  RecipientRow,
} from "../../../../../src/spool/records/copied-message.ts";

const SEQ = 7;
const CREATED_MS = 1000;
const GREATEST = 500;

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

const eventRow = (number: number, atMs: number, recipient: object | null): EventRow => ({
  accountId: "acc_a",
  number,
  id: `evt_${number}`,
  atMs,
  type: recipient === null ? "message.accepted" : "recipient.deferred",
  detail: recipient === null ? null : JSON.stringify({ email: "a@b.example", ...recipient }),
});

const state = (result: string, attempts: number) => ({
  result,
  reason: "busy",
  category: null,
  attempts,
  smtp: { code: 451, message: "later" },
});

const entry = (atMs: number, type: string, position = 0): HistoryRow => ({
  position,
  entry: JSON.stringify({ at_ms: atMs, type }),
});

/** Rows as `number type position result attempts type-of-history`, in the order of their numbers. */
function rowsOf(parts: Partial<CopiedMessage>): string[] {
  const message = { id: "msg_a", accountId: "acc_a", createdAtMs: CREATED_MS } as CopiedMessage["message"];
  const nothing = { content: null, parts: [], recipients: [], histories: [], events: [], damage: null };
  const rows = eventRows({ seq: 1, message, ...nothing, ...parts }, SEQ, new NewNumbers(GREATEST));
  assert.ok(rows.every((row) => row[0] === SEQ && row[2] === "acc_a"));
  return rows
    .toSorted((a, b) => (a[1] as number) - (b[1] as number))
    .map(([, number, , , atMs, type, position, result, , , attempts, , history]) => {
      const kind = history === null ? null : JSON.parse(history as string).type;
      return [number, atMs, type, position, result, attempts, kind].map(String).join(" ");
    });
}

describe("rows of copied events", () => {
  it("have the entries that were written with them, and need no other row", () => {
    assert.deepEqual(
      rowsOf({
        recipients: [
          recipientRow({
            ...state("pending", 2),
            state: "pending",
            updatedAtMs: 30,
            smtp: '{"code":451,"message":"later"}',
          }),
        ],
        events: [
          eventRow(3, CREATED_MS, null),
          eventRow(5, 20, state("pending", 1)),
          eventRow(9, 30, state("pending", 2)),
        ],
        histories: [entry(20, "first"), entry(30, "second")],
      }),
      [
        "3 1000 message.accepted null null null null",
        "5 20 recipient.deferred 0 pending 1 first",
        "9 30 recipient.deferred 0 pending 2 second",
      ],
    );
  });

  it("are preceded by an entry without an event of its own, and by all earlier ones", () => {
    assert.deepEqual(
      rowsOf({
        recipients: [
          recipientRow({
            ...state("pending", 2),
            state: "pending",
            updatedAtMs: 30,
            smtp: '{"message":"later","code":451}',
          }),
        ],
        events: [eventRow(5, 20, state("pending", 1)), eventRow(6, 30, state("pending", 2))],
        histories: [entry(20, "first"), entry(25, "retried"), entry(30, "second")],
      }),
      [
        "-2 20 null 0 null null first",
        "-1 25 null 0 null null retried",
        "5 20 recipient.deferred 0 pending 1 null",
        "6 30 recipient.deferred 0 pending 2 second",
        // Its reply is stored in another form.
        "501 30 null 0 pending 2 null",
      ],
    );
  });

  it("are followed by entries of after the last event, of which the newest has the state", () => {
    assert.deepEqual(
      rowsOf({
        recipients: [recipientRow({ ...state("pending", 1), state: "pending", updatedAtMs: 26, smtp: null })],
        events: [eventRow(5, 20, state("pending", 1))],
        histories: [entry(20, "first"), entry(25, "retried"), entry(26, "retried")],
      }),
      [
        "5 20 recipient.deferred 0 pending 1 first",
        "501 25 null 0 null null retried",
        "502 26 null 0 pending 1 retried",
      ],
    );
  });

  it("of before there were events are entries alone, of which the newest has the state", () => {
    const delivered = recipientRow({ state: "delivered", attempts: 2, updatedAtMs: 31, nextAttemptAtMs: null });
    assert.deepEqual(
      rowsOf({
        recipients: [
          delivered,
          recipientRow({ position: 1, email: "b@b.example" }),
          { ...delivered, position: 2, email: "c@b.example" },
        ],
        histories: [entry(20, "first"), entry(30, "second")],
      }),
      // The second recipient is as it was accepted, and the third one has no history.
      ["-3 20 null 0 null null first", "-2 31 null 0 delivered 2 second", "-1 31 null 2 delivered 2 null"],
    );
  });

  it("have the state in a row of its own if the newest event has another one", () => {
    assert.deepEqual(
      rowsOf({
        recipients: [
          recipientRow({ state: "failed", reason: "refused", attempts: 3, updatedAtMs: 40, nextAttemptAtMs: null }),
        ],
        events: [eventRow(5, 20, state("pending", 1))],
        histories: [],
      }),
      ["5 20 recipient.deferred 0 pending 1 null", "501 40 null 0 failed 3 null"],
    );
  });

  it("keep the order of a history although the clock was set back, or an entry cannot be decoded", () => {
    const rows = rowsOf({
      recipients: [recipientRow({ ...state("pending", 3), state: "pending", updatedAtMs: 15, smtp: null })],
      events: [eventRow(5, 20, state("pending", 1)), eventRow(6, 15, { ...state("pending", 3), smtp: null })],
      histories: [entry(20, "first"), { position: 0, entry: '{"type":"undecodable"}' }, entry(15, "third")],
    });
    assert.deepEqual(
      rows.map((row) => row.split(" ").at(-1)).filter((kind) => kind !== "null"),
      ["first", "undecodable", "third"],
    );
  });

  it("of events that cannot be decoded are shown to no reader", () => {
    const [row] = eventRows(
      {
        seq: 1,
        content: null,
        parts: [],
        recipients: [recipientRow()],
        histories: [],
        damage: null,
        message: { id: "msg_a", accountId: "acc_a", createdAtMs: CREATED_MS } as CopiedMessage["message"],
        events: [{ ...eventRow(5, 20, state("pending", 1)), detail: "damaged" }],
      },
      SEQ,
      new NewNumbers(GREATEST),
    );
    assert.deepEqual(row?.slice(6, 8), [null, "pending"]);
  });

  it("of domains have the domain's name", () => {
    const event = { ...eventRow(5, 20, null), type: "domain.verified", detail: '"shop.example"' } as const;
    assert.deepEqual(domainEventRow(event, SEQ), [
      SEQ,
      5,
      "acc_a",
      "evt_5",
      20,
      "domain.verified",
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      "shop.example",
    ]);
    assert.deepEqual(domainEventRow({ ...event, detail: "damaged" }, SEQ).slice(6, 8), [null, "pending"]);
  });
});
