/** Settlements and changes of one endpoint by two nodes at the same time. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { eventReads } from "../../../../src/spool/engine/postgres/webhooks/event-reads.ts";
import type { OutboxEvent } from "../../../../src/spool/port/events.ts";
import type { Endpoint, WebhookSettlement, Webhooks } from "../../../../src/spool/port/webhooks.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { webhooksOf } from "../../../support/postgres/store-ports.ts";
import { StoredMail } from "../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../port/conformance/store-suite.ts";
import { at } from "../../port/conformance/suite.ts";
import {
  ACCOUNT,
  allEvents,
  attemptFilter,
  blockedBy,
  deferred,
  newEndpoint,
  numbered,
  sent,
} from "../../port/conformance/webhook-suite.ts";

const LATER_MS = NOW_MS + 1e6;
const LOCK = "SELECT FROM endpoints FOR UPDATE";

interface Sending {
  senders: [Webhooks, Webhooks];
  endpoint: Endpoint;
  /** Those of two messages with three events each. */
  events: OutboxEvent[];
  meet(...calls: (() => Promise<unknown>)[]): Promise<unknown>;
}

async function sending(t: TestContext): Promise<Sending> {
  const { nodes, meet } = await twoNodes(t);
  const [first, second] = [webhooksOf(nodes[0]), webhooksOf(nodes[1])];
  const endpoint = await first.createEndpoint(newEndpoint());
  assert.ok(endpoint !== "too_many");
  const mail = new StoredMail(nodes[0]);
  const recipients = [{ state: "pending" as const }, { state: "pending" as const }];
  for (let i = 0; i < 2; i += 1) await mail.add({ createdAtMs: NOW_MS, recipients });
  const events = await allEvents(eventReads(nodes[0]));
  assert.equal(events.length, 6);
  return { senders: [first, second], endpoint, events, meet: (...calls) => meet(LOCK, calls) };
}

const settlement = (endpoint: Endpoint, parts: Partial<WebhookSettlement>): WebhookSettlement => ({
  endpointId: endpoint.id,
  version: endpoint.version,
  position: endpoint.position,
  atMs: NOW_MS,
  results: [],
  blocked: [],
  gone: [],
  isRecovered: false,
  disable: null,
  ...parts,
});

/** Sends what waits until nothing does. Returns the numbers in the order of their sending. */
async function drain(sender: Webhooks, endpoint: Endpoint): Promise<number[]> {
  const numbers: number[] = [];
  for (;;) {
    const { retries, gone } = await sender.dueRetries(endpoint.id, LATER_MS, 10);
    if (retries.length + gone.length === 0) return numbers;
    numbers.push(...retries.map(({ event }) => event.number));
    await sender.settleWebhooks(settlement(endpoint, { results: retries.map(({ event }) => sent(event)), gone }));
  }
}

const current = async (sender: Webhooks): Promise<Endpoint> => at(await sender.endpoints(ACCOUNT));

describe("settlements by two nodes", { skip: missingPostgresOrTime() }, () => {
  it("keep the greatest position, and number all attempts without a gap", async (t) => {
    const { senders, endpoint, events, meet } = await sending(t);
    const results = events.map((event) => sent(event));
    const [first, last] = [at(events).number, at(events, 5).number];
    await meet(
      () => senders[0].settleWebhooks(settlement(endpoint, { position: last, results })),
      () => senders[1].settleWebhooks(settlement(endpoint, { position: first, results: results.slice(0, 2) })),
    );
    assert.equal((await current(senders[0])).position, last);
    const attempts = await senders[0].attempts(attemptFilter());
    assert.deepEqual(
      attempts.map(({ number }) => number),
      [8, 7, 6, 5, 4, 3, 2, 1],
    );
  });

  it("lose no event that one of them could not send", async (t) => {
    const { senders, endpoint, events, meet } = await sending(t);
    const [a1, a2, a3, b1, b2, b3] = events as [
      OutboxEvent,
      OutboxEvent,
      OutboxEvent,
      OutboxEvent,
      OutboxEvent,
      OutboxEvent,
    ];
    const failedFirst = { results: [deferred(a1), sent(b1), sent(b2), sent(b3)], blocked: [a2, a3].map(blockedBy) };
    const failedLater = { results: [sent(a1), deferred(a2), deferred(b1)], blocked: [a3, b2].map(blockedBy) };
    await meet(
      () => senders[0].settleWebhooks(settlement(endpoint, { position: b3.number, ...failedFirst })),
      () => senders[1].settleWebhooks(settlement(endpoint, { position: b2.number, ...failedLater })),
    );
    const sentAgain = await drain(senders[0], endpoint);
    for (const event of [a2, a3]) assert.ok(sentAgain.includes(event.number), `${event.number} of ${sentAgain}`);
    const ofFirst = sentAgain.filter((number) => number <= a3.number);
    assert.deepEqual(
      ofFirst,
      ofFirst.toSorted((a, b) => a - b),
      "in their order",
    );
    assert.deepEqual(await senders[0].waitingAt(endpoint.id), { retries: 0, events: 0 });
  });

  it("and a replay leave all events to the sender that reads the endpoint again", async (t) => {
    const { senders, endpoint, events, meet } = await sending(t);
    const [first, ...others] = events;
    assert.ok(first);
    const position = at(others, others.length - 1).number;
    const results = [deferred(first), ...others.slice(2).map((event) => sent(event))];
    const blocked = others.slice(0, 2).map(blockedBy);
    await meet(
      () => senders[0].settleWebhooks(settlement(endpoint, { position, results, blocked })),
      () =>
        senders[1].changeEndpoint({
          accountId: ACCOUNT,
          endpointId: endpoint.id,
          change: { type: "replay", sinceMs: 0 },
        }),
    );
    const after = await current(senders[0]);
    assert.deepEqual([after.version, after.position], [2, 0]);
    const fresh = await senders[0].freshEvents(after, after.position, 10);
    const taken = fresh.events.filter(({ isBlocked }) => !isBlocked).map(({ event }) => event);
    const waiting = await drain(senders[0], after);
    assert.deepEqual(
      [...numbered(taken), ...waiting].toSorted((a, b) => a - b),
      numbered(events),
    );
    assert.deepEqual((await senders[0].freshEvents(endpoint, 0, 10)).events, [], "the former sender reads none");
  });

  it("of an endpoint that is removed at the same time leave nothing behind", async (t) => {
    const { senders, endpoint, events, meet } = await sending(t);
    const first = at(events);
    await meet(
      () => senders[0].settleWebhooks(settlement(endpoint, { results: [deferred(first)] })),
      () => senders[1].removeEndpoint(ACCOUNT, endpoint.id),
    );
    assert.deepEqual(await senders[0].waitingAt(endpoint.id), { retries: 0, events: 0 });
    assert.deepEqual(await senders[0].attempts(attemptFilter()), []);
  });
});
