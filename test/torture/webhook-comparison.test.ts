/** The comparison of a receiver's records with the outbox detects each violation that it is meant to detect. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOutbox, compareEndpoint, type OutboxRow, type RecipientRow } from "../../torture/webhook-comparison.ts";
import type { Arrival, ReceiverRecord } from "../../torture/webhook-receiver.ts";

const RECIPIENT = { email: "a@d.example", result: "delivered", reason: null, category: null, attempts: 1, smtp: null };
const ROW: RecipientRow = {
  seq: 7,
  email: "a@d.example",
  state: "delivered",
  reason: null,
  category: null,
  attempts: 1,
  smtp: null,
};
const SHARED = { seq: 7, messageId: "msg_7" };
const ACCEPTED: OutboxRow = {
  ...SHARED,
  id: "evt_1",
  number: 1,
  sequence: 1,
  type: "message.accepted",
  detail: null,
};
const DELIVERED: OutboxRow = {
  ...SHARED,
  id: "evt_2",
  number: 2,
  sequence: 2,
  type: "recipient.delivered",
  detail: JSON.stringify(RECIPIENT),
};
const EVENTS = [ACCEPTED, DELIVERED];
const ALL = { path: "/all", types: null };
const NONE = { kills: [], changes: [] };

let requests = 0;

/** One request at that time, answered at once; `status` 0 for no answer. */
function request(
  event: OutboxRow,
  atMs: number,
  { status = 200, ...changes }: Partial<Arrival & { status: number }> = {},
) {
  requests += 1;
  const { id, type, messageId, sequence } = event;
  const arrival: Arrival = {
    record: "arrival",
    request: `1-${requests}`,
    path: "/all",
    id,
    eventId: id,
    type,
    messageId,
    sequence,
    bodyHash: id,
    isVerified: true,
    behaviour: "ok",
    atMs,
    ...changes,
  };
  const answer = { request: arrival.request, status, atMs };
  const answers: ReceiverRecord[] = [
    { record: "answering", ...answer },
    { record: "answered", ...answer },
  ];
  return status === 0 ? [arrival] : [arrival, ...answers];
}

const compare = (
  records: ReceiverRecord[],
  disturbances: Parameters<typeof compareEndpoint>[2]["disturbances"] = NONE,
) => compareEndpoint(ALL, EVENTS, { records, disturbances, givenUp: [] });

test("events that arrive once and in order are no violation", () => {
  const { violations, requests: count, repeats } = compare([...request(ACCEPTED, 1), ...request(DELIVERED, 2)]);
  assert.deepEqual([violations, count, repeats], [[], 2, 0]);
});

const VIOLATIONS: [string, ReceiverRecord[], RegExp][] = [
  ["an event that did not arrive", request(ACCEPTED, 1), /lost: evt_2/],
  ["an event without a 2xx", [...request(ACCEPTED, 1), ...request(DELIVERED, 2, { status: 500 })], /lost: evt_2/],
  ["events in the wrong order", [...request(DELIVERED, 1), ...request(ACCEPTED, 2)], /order: msg_7 2/],
  [
    "an event before a 2xx for the one before it",
    [...request(ACCEPTED, 1, { status: 0 }), ...request(DELIVERED, 2), ...request(ACCEPTED, 3)],
    /order: msg_7 2 came before a 2xx for 1/,
  ],
  [
    "an event that is not in the outbox",
    [...request(ACCEPTED, 1), ...request(DELIVERED, 2), ...request({ ...DELIVERED, id: "evt_3" }, 3)],
    /evt_3 is not in the outbox/,
  ],
  [
    "two bodies under one id",
    [...request(ACCEPTED, 1), ...request(DELIVERED, 2, { status: 500, bodyHash: "x" }), ...request(DELIVERED, 3)],
    /evt_2 arrived with two bodies/,
  ],
  [
    "the body of another event",
    [...request(ACCEPTED, 1), ...request(DELIVERED, 2, { sequence: 3 })],
    /evt_2 has the body of evt_2, recipient.delivered, msg_7 3/,
  ],
  [
    "a wrong signature",
    [...request(ACCEPTED, 1), ...request(DELIVERED, 2, { isVerified: false })],
    /the signature of evt_2 is wrong/,
  ],
  [
    "a repeat of a received event without a cause",
    [...request(ACCEPTED, 1), ...request(DELIVERED, 2), ...request(DELIVERED, 3)],
    /evt_2 arrived again/,
  ],
];

for (const [name, records, violation] of VIOLATIONS) {
  test(`detects ${name}`, () => {
    assert.match(compare(records).violations.join(), violation);
  });
}

test("a repeat is allowed after a kill, after a change of the endpoint, and where the answer was lost", () => {
  const repeat = [...request(ACCEPTED, 1), ...request(DELIVERED, 2), ...request(DELIVERED, 9)];
  // The first request arrives before the kill, or the receiver reads it from a connection of the killed process.
  for (const fromMs of [1, 5]) {
    const killed = compare(repeat, { ...NONE, kills: [{ fromMs, toMs: 6 }] });
    assert.deepEqual([killed.violations, killed.repeatsAfterKill, killed.mostAtOnce], [[], 1, 1]);
  }
  for (const fromMs of [1, 4]) {
    const changed = compare(repeat, { ...NONE, changes: [{ fromMs, toMs: 6 }] });
    assert.deepEqual([changed.violations, changed.repeatsAfterChange], [[], 1]);
    assert.equal(changed.mostAtOnce, fromMs === 1 ? 0 : 1);
  }
  const cut = request(DELIVERED, 2).filter(({ record }) => record !== "answered");
  const lost = compare([...request(ACCEPTED, 1), ...cut, ...request(DELIVERED, 9)]);
  assert.deepEqual([lost.violations, lost.repeats], [[], 1]);
  for (const kill of [
    { fromMs: 0, toMs: 1 },
    { fromMs: 10, toMs: 11 },
  ]) {
    assert.match(compare(repeat, { ...NONE, kills: [kill] }).violations.join(), /evt_2 arrived again/);
  }
});

test("detects more repeats after one kill than the service allows", () => {
  const events = Array.from({ length: 137 }, (_, i) => ({
    ...ACCEPTED,
    id: `evt_${i}`,
    seq: i,
    messageId: `msg_${i}`,
  }));
  const records = [1, 9].flatMap((atMs) => events.flatMap((event) => request(event, atMs)));
  const parts = { records, disturbances: { ...NONE, kills: [{ fromMs: 5, toMs: 6 }] }, givenUp: [] };
  const { violations } = compareEndpoint(ALL, events, parts);
  assert.match(violations.join(), /137 events arrived again after one kill or change/);
});

test("a filtered endpoint gets what it selects", () => {
  const endpoint = { path: "/all", types: ["recipient.delivered"] };
  const observed = { records: request(DELIVERED, 1), disturbances: NONE, givenUp: [] };
  assert.deepEqual(compareEndpoint(endpoint, EVENTS, observed).violations, []);
});

test("an event that was given up after ten attempts, or more, does not hold back the next, but must arrive later", () => {
  const givenUp = { endpointId: "end_1", eventId: "evt_1", eventNumber: 1, attempt: 10 };
  const late = { records: [...request(DELIVERED, 1), ...request(ACCEPTED, 2)], disturbances: NONE };
  for (const attempt of [10, 11]) {
    assert.deepEqual(compareEndpoint(ALL, EVENTS, { ...late, givenUp: [{ ...givenUp, attempt }] }).violations, []);
  }
  const early = compareEndpoint(ALL, EVENTS, { ...late, givenUp: [{ ...givenUp, attempt: 9 }] });
  assert.match(early.violations.join(), /evt_1 was given up after 9 attempts/);
  const never = { records: request(DELIVERED, 1), disturbances: NONE, givenUp: [givenUp] };
  assert.match(compareEndpoint(ALL, EVENTS, never).violations.join(), /lost: evt_1/);
});

test("detects gaps, missing first events, and last events that differ from the recipient's row", () => {
  const stored = { events: EVENTS, recipients: [ROW] };
  assert.deepEqual(checkOutbox(stored, ["msg_7"]), []);
  assert.match(checkOutbox(stored, ["msg_8"]).join(), /msg_8 was answered with 202/);
  assert.match(
    checkOutbox({ ...stored, events: [ACCEPTED, { ...DELIVERED, sequence: 3 }] }, []).join(),
    /sequences 1,3/,
  );
  assert.match(checkOutbox({ ...stored, recipients: [{ ...ROW, state: "failed" }] }, []).join(), /last event of a@d/);
});
