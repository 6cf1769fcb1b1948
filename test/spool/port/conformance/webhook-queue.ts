/** The sender's side of webhooks: what is to be sent, and what a settlement makes of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventFilter } from "../../../../src/spool/port/events.ts";
import type { Endpoint } from "../../../../src/spool/port/webhooks.ts";
import { newMessage } from "../../../support/messages.ts";
import { checksAt, newDomain, type OpenStore } from "./store-suite.ts";
import { applyRetention, at, DAY_MS, NOW_MS, type OpenSpool } from "./suite.ts";
import {
  ACCOUNT,
  ALL,
  allEvents,
  attemptFilter,
  blockedBy,
  change,
  createEndpoint,
  deferred,
  dueNumbers,
  endpointOf,
  givenUp,
  messageEvents,
  numbered,
  sent,
  settle,
} from "./webhook-suite.ts";

const LATER_MS = NOW_MS + 1e6;

export function webhookQueueConformance(name: string, open: OpenSpool): void {
  freshEventsConformance(name, open);
  orderConformance(name, open);
  settlementConformance(name, open);
  attemptsConformance(name, open);
}

function freshEventsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: fresh events of an endpoint`, () => {
    it("are those after its position that its filter selects", async (t) => {
      const { spool } = await open(t);
      await messageEvents(spool, []);
      const endpoint = await createEndpoint(spool, { types: ["recipient.delivered"], keys: ["key_a"] });
      const [accepted, , delivered] = await messageEvents(spool, ["failed", "delivered"]);
      await messageEvents(spool, ["delivered"], { keyId: "key_b" });
      await messageEvents(spool, ["delivered"], { accountId: "acc_other" });
      assert.ok(accepted && delivered);
      const { events, throughNumber, isEnd } = await spool.freshEvents(endpoint, endpoint.position, 10);
      assert.deepEqual(events, [{ event: delivered, isBlocked: false, isCovered: false }]);
      assert.deepEqual([throughNumber, isEnd], [(await allEvents(spool)).at(-1)?.number, true]);
      const limited = await spool.freshEvents({ ...endpoint, ...ALL }, endpoint.position, 1);
      assert.deepEqual(limited, {
        events: [{ event: accepted, isBlocked: false, isCovered: false }],
        isEnd: false,
        throughNumber: accepted.number,
      });
    });

    it("are read in bounded steps, however many the filter leaves out", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool, { keys: ["key_own"] });
      const many = Array.from({ length: 1200 }, () => spool.accept(newMessage()));
      await Promise.all(many);
      const [own] = await messageEvents(spool, [], { keyId: "key_own" });
      const reads = [];
      for (let after = endpoint.position; ; ) {
        const read = await spool.freshEvents(endpoint, after, 10);
        reads.push(read);
        if (read.isEnd) break;
        assert.ok(read.throughNumber > after);
        after = read.throughNumber;
      }
      assert.ok(reads.length > 1, "one read did not look at all");
      assert.deepEqual(
        reads.flatMap(({ events }) => events),
        [{ event: own, isBlocked: false, isCovered: false }],
      );
    });

    it("are none for a sender from before a replay: what waited is not there to block them", async (t) => {
      const { spool } = await open(t);
      const before = await createEndpoint(spool);
      const [first, second] = await messageEvents(spool, ["delivered"]);
      assert.ok(first && second);
      await settle(spool, before, { results: [deferred(first)], position: first.number });
      await change(spool, { type: "replay", sinceMs: 0 });
      const none = { events: [], throughNumber: first.number, isEnd: true };
      assert.deepEqual(await spool.freshEvents(before, first.number, 10), none);
    });

    it("are blocked while an earlier one of their message waits, and those of other messages are not", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [first, second] = await messageEvents(spool, ["delivered"]);
      const [other] = await messageEvents(spool, []);
      assert.ok(first && second && other);
      const blocked = async (): Promise<unknown[]> =>
        (await spool.freshEvents(endpoint, first.number, 10)).events.map(({ event, isBlocked, isCovered }) => {
          assert.equal(isCovered, false);
          return [event.id, isBlocked];
        });
      await settle(spool, endpoint, { position: first.number, results: [deferred(first)] });
      assert.deepEqual(await blocked(), [
        [second.id, true],
        [other.id, false],
      ]);
      await settle(spool, endpoint, { results: [sent(first)] });
      assert.deepEqual(await blocked(), [
        [second.id, false],
        [other.id, false],
      ]);
    });
  });
}

/** Edits the filter of `end_a`. */
const filterBy = (spool: Parameters<typeof change>[0], filter: Partial<EventFilter>): Promise<boolean> =>
  change(spool, { type: "edit", url: "https://hooks.example/a", ...ALL, ...filter });

function orderConformance(name: string, open: OpenSpool): void {
  describe(`${name}: the order of a message's events`, () => {
    it("a failed event waits for its time, with its attempts, also after a crash", async (t) => {
      const opened = await open(t);
      const endpoint = await createEndpoint(opened.spool);
      const [event] = await messageEvents(opened.spool, []);
      assert.ok(event);
      const results = [deferred(event, NOW_MS + 700, { attempt: 3 })];
      await settle(opened.spool, endpoint, { position: event.number, results });
      const { spool } = await opened.reopen();
      assert.equal((await endpointOf(spool)).position, event.number);
      const none = { retries: [], gone: [], count: 1 };
      assert.deepEqual(await spool.dueRetries("end_a", NOW_MS + 699, 10), { ...none, nextDueMs: NOW_MS + 700 });
      assert.deepEqual(await spool.dueRetries("end_a", NOW_MS + 700, 10), {
        retries: [{ event, attempts: 3, dueMs: NOW_MS + 700 }],
        gone: [],
        count: 1,
        nextDueMs: null,
      });
    });

    for (const done of [sent, givenUp]) {
      it(`after one was ${done === sent ? "sent" : "given up"}, the next is due at once, with no attempts`, async (t) => {
        const { spool } = await open(t);
        const endpoint = await createEndpoint(spool);
        const events = await messageEvents(spool, ["pending", "delivered"]);
        const [first, second, third] = events;
        assert.ok(first && second && third);
        const position = third.number;
        const blocked = [blockedBy(second), blockedBy(third)];
        await settle(spool, endpoint, { position, results: [deferred(first)], blocked });
        await settle(spool, endpoint, { position, results: [deferred(first, NOW_MS + 5, { attempt: 9 })] });
        assert.deepEqual((await spool.waitingAt("end_a")).retries, 1);
        for (const [i, event] of events.entries()) {
          const { retries, nextDueMs } = await spool.dueRetries("end_a", LATER_MS, 10);
          assert.deepEqual(numbered(retries.map((retry) => retry.event)), [event.number]);
          assert.deepEqual([at(retries).attempts, nextDueMs], [i === 0 ? 9 : 0, null]);
          await settle(spool, endpoint, { atMs: NOW_MS + 10 + i, position, results: [done(event)] });
          const next = await spool.dueRetries("end_a", NOW_MS + 10 + i, 10);
          assert.equal(next.retries.length, i < 2 ? 1 : 0);
        }
        assert.deepEqual(await spool.waitingAt("end_a"), { retries: 0, events: 0 });
      });
    }

    it("an event that is blocked when nothing waits any more is due at once", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [first, second] = await messageEvents(spool, ["delivered"]);
      assert.ok(first && second);
      await settle(spool, endpoint, { position: second.number, results: [sent(first)], blocked: [blockedBy(second)] });
      const { retries } = await spool.dueRetries("end_a", NOW_MS, 10);
      assert.deepEqual(retries, [{ event: second, attempts: 0, dueMs: NOW_MS }]);
    });

    it("an earlier event that is blocked or fails goes before the one that waits", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [first, second, third] = await messageEvents(spool, ["pending", "delivered"]);
      assert.ok(first && second && third);
      await settle(spool, endpoint, { results: [deferred(third, LATER_MS, { attempt: 7 })] });
      await settle(spool, endpoint, { blocked: [blockedBy(second)] });
      const due = async () => (await spool.dueRetries("end_a", LATER_MS, 10)).retries;
      assert.deepEqual(await due(), [{ event: second, attempts: 0, dueMs: LATER_MS }]);
      await settle(spool, endpoint, { results: [deferred(first, NOW_MS + 1)] });
      assert.deepEqual(await due(), [{ event: first, attempts: 1, dueMs: NOW_MS + 1 }]);
      for (const event of [first, second, third]) await settle(spool, endpoint, { results: [sent(event)] });
      assert.equal((await spool.waitingAt("end_a")).retries, 0);
    });

    it("a changed filter leaves out events that wait; the rest keep their order", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [first, second, third] = await messageEvents(spool, ["pending", "delivered"]);
      assert.ok(first && second && third);
      const blocked = [blockedBy(second), blockedBy(third)];
      await settle(spool, endpoint, { position: third.number, results: [deferred(first)], blocked });
      await filterBy(spool, { types: ["recipient.delivered"] });
      assert.deepEqual(await dueNumbers(spool, LATER_MS), [third.number]);
      await settle(spool, endpoint, { results: [deferred(third, NOW_MS + 2, { attempt: 2 })] });
      const { retries } = await spool.dueRetries("end_a", LATER_MS, 10);
      assert.deepEqual(retries, [{ event: third, attempts: 2, dueMs: NOW_MS + 2 }]);
      await settle(spool, endpoint, { results: [sent(third)] });
      assert.equal((await spool.waitingAt("end_a")).retries, 0);
    });

    it("an order key is gone whose events the filter leaves out, unless it was changed again", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [event] = await messageEvents(spool, []);
      assert.ok(event);
      await settle(spool, endpoint, { position: event.number, results: [deferred(event)] });
      await filterBy(spool, { keys: ["key_other"] });
      const { gone, retries } = await spool.dueRetries("end_a", LATER_MS, 10);
      assert.deepEqual([gone, retries], [[event.orderKey], []]);
      await filterBy(spool, {});
      await settle(spool, endpoint, { gone });
      assert.deepEqual(await dueNumbers(spool, LATER_MS), [event.number]);
      await filterBy(spool, { keys: ["key_other"] });
      await settle(spool, endpoint, { gone });
      assert.equal((await spool.waitingAt("end_a")).retries, 0);
    });

    it("an order key is gone whose message was deleted at the end of its retention period", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [, event] = await messageEvents(spool, ["delivered"]);
      assert.ok(event);
      await settle(spool, endpoint, { position: event.number, results: [deferred(event)] });
      const afterMs = NOW_MS + 3 * DAY_MS;
      await applyRetention(spool, { nowMs: afterMs, contentsBeforeMs: afterMs, resultsBeforeMs: afterMs });
      const due = await spool.dueRetries("end_a", LATER_MS, 10);
      assert.deepEqual(due, { retries: [], gone: [event.orderKey], nextDueMs: null, count: 1 });
      assert.equal(await spool.event(ACCOUNT, event.number), null);
      await settle(spool, endpoint, { gone: due.gone });
      assert.equal((await spool.waitingAt("end_a")).retries, 0);
    });

    it("returns the longest due first, and when the first of the others is due", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const events = [];
      for (const dueMs of [30, 10, 20, 40]) {
        const event = at(await messageEvents(spool, []));
        events.push(event);
        await settle(spool, endpoint, { results: [deferred(event, NOW_MS + dueMs)] });
      }
      const [a, b, c] = events;
      const two = await spool.dueRetries("end_a", NOW_MS + 35, 2);
      assert.deepEqual(
        two.retries.map(({ event }) => event),
        [b, c],
      );
      assert.deepEqual([two.nextDueMs, two.count], [NOW_MS + 30, 4]);
      const all = await spool.dueRetries("end_a", NOW_MS + 35, 10);
      assert.deepEqual(
        all.retries.map(({ event }) => event),
        [b, c, a],
      );
      assert.equal(all.nextDueMs, NOW_MS + 40);
    });
  });
}

function settlementConformance(name: string, open: OpenSpool): void {
  describe(`${name}: settlement of webhooks`, () => {
    it("moves the position forward, never back", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const furthest = endpoint.position + 5;
      for (const position of [furthest, furthest - 2]) await settle(spool, endpoint, { position });
      assert.equal((await endpointOf(spool)).position, furthest);
      assert.deepEqual(await spool.attempts(attemptFilter()), []);
    });

    it("from before a change stores results, but neither moves the position nor disables", async (t) => {
      const { spool } = await open(t);
      const before = await createEndpoint(spool);
      const [first, second] = await messageEvents(spool, ["delivered"]);
      assert.ok(first && second);
      await filterBy(spool, {});
      const { position } = await endpointOf(spool);
      const parts = { results: [deferred(first)], blocked: [blockedBy(second)], disable: "gone" } as const;
      const results = [...parts.results];
      await settle(spool, before, { ...parts, results, blocked: [...parts.blocked], position: position + 99 });
      const after = await endpointOf(spool);
      assert.deepEqual([after.position, after.disabled, after.failingSinceMs], [position, null, NOW_MS]);
      assert.deepEqual(await dueNumbers(spool, LATER_MS), [first.number]);
      // The sender meets both again, and has nothing to store.
      const met = await spool.freshEvents(after, position, 10);
      assert.deepEqual(
        met.events.map(({ isBlocked, isCovered }) => [isBlocked, isCovered]),
        [
          [true, true],
          [true, true],
        ],
      );
      await settle(spool, after, { position: second.number, blocked: [blockedBy(first), blockedBy(second)] });
      for (const event of [first, second]) {
        assert.deepEqual(await dueNumbers(spool, LATER_MS), [event.number]);
        await settle(spool, after, { results: [sent(event)] });
      }
      assert.deepEqual(await dueNumbers(spool, LATER_MS), []);
    });

    it("from before a replay lets nothing wait that the sender meets again", async (t) => {
      const { spool } = await open(t);
      const before = await createEndpoint(spool);
      const [first, second, third] = await messageEvents(spool, ["failed", "delivered"]);
      assert.ok(first && second && third);
      await settle(spool, before, { results: [deferred(first)], blocked: [blockedBy(second)], position: third.number });
      await change(spool, { type: "replay", sinceMs: 0 });
      await settle(spool, before, { results: [deferred(second)], blocked: [blockedBy(third)], position: third.number });
      const after = await endpointOf(spool);
      const met = await spool.freshEvents(after, after.position, 10);
      assert.deepEqual(numbered(met.events.map(({ event }) => event)), numbered([first, second, third]));
      assert.ok(met.events.every(({ isBlocked, isCovered }) => !isBlocked && !isCovered));
      assert.deepEqual(await dueNumbers(spool, LATER_MS), []);
    });

    it("of a removed endpoint writes nothing, and is no error", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [first, second] = await messageEvents(spool, ["delivered"]);
      assert.ok(first && second);
      await spool.removeEndpoint(ACCOUNT, endpoint.id);
      const parts = {
        blocked: [blockedBy(second)],
        gone: [first.orderKey],
        isRecovered: true,
        disable: "gone",
      } as const;
      const results = [deferred(first)];
      await settle(spool, endpoint, { ...parts, blocked: [...parts.blocked], gone: [...parts.gone], results });
      assert.deepEqual(await spool.endpoints(null), []);
      assert.deepEqual(await spool.attempts(attemptFilter()), []);
      await createEndpoint(spool);
      assert.equal((await spool.waitingAt("end_a")).retries, 0);
    });

    it("knows since when all attempts have failed", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [event] = await messageEvents(spool, []);
      assert.ok(event);
      const after = async (...results: ReturnType<typeof sent>[]): Promise<Endpoint["failingSinceMs"]> => {
        await settle(spool, endpoint, { results });
        return (await endpointOf(spool)).failingSinceMs;
      };
      assert.equal(await after(deferred(event, LATER_MS, { atMs: 7 }), deferred(event, LATER_MS, { atMs: 8 })), 7);
      assert.equal(await after(), 7);
      assert.equal(await after(givenUp(event, { atMs: 9 })), 7);
      assert.equal(await after(deferred(event, LATER_MS, { atMs: 10 }), sent(event)), null);
      assert.equal(await after(), null);
    });

    it("of a recovered endpoint makes the others due, not those that failed now", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const events = [];
      for (let i = 0; i < 4; i += 1) events.push(at(await messageEvents(spool, [])));
      const [a, b, c, d] = events;
      assert.ok(a && b && c && d);
      const results = [deferred(a, LATER_MS), deferred(b, NOW_MS - 5), deferred(c, LATER_MS)];
      await settle(spool, endpoint, { results });
      const later = { atMs: NOW_MS + 9, results: [sent(d), deferred(c, NOW_MS + 500)], isRecovered: true };
      await settle(spool, endpoint, later);
      const { retries, nextDueMs } = await spool.dueRetries("end_a", NOW_MS + 9, 10);
      assert.deepEqual(
        retries.map(({ event, dueMs }) => [event.id, dueMs]),
        [
          [b.id, NOW_MS - 5],
          [a.id, NOW_MS + 9],
        ],
      );
      assert.equal(nextDueMs, NOW_MS + 500);
    });

    it("disables an endpoint once, and nothing is due of it", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [event] = await messageEvents(spool, []);
      assert.ok(event);
      await settle(spool, endpoint, { atMs: NOW_MS + 1, results: [deferred(event)], disable: "gone" });
      await settle(spool, endpoint, { atMs: NOW_MS + 2, disable: "failing" });
      const { disabled } = await endpointOf(spool);
      assert.deepEqual(disabled, { atMs: NOW_MS + 1, reason: "gone", notifiedAtMs: null });
      const due = await spool.dueRetries("end_a", LATER_MS, 10);
      assert.deepEqual(due, { retries: [], gone: [], nextDueMs: null, count: 1 });
    });
  });
}

function attemptsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: attempts at webhooks`, () => {
    it("are shown in pages, the newest first, of a message or the failed ones", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [first, second] = await messageEvents(spool, ["delivered"]);
      const [other] = await messageEvents(spool, []);
      assert.ok(first && second && other);
      const failure = { status: null, error: "The connection was refused.", response: "" };
      // The duration tells them apart: their numbers only rise.
      const results = [
        deferred(first, NOW_MS + 60, { ...failure, durationMs: 1 }),
        sent(other, { durationMs: 2 }),
        givenUp(first, { attempt: 2, durationMs: 3 }),
        sent(second, { durationMs: 4 }),
      ];
      for (const result of results) await settle(spool, endpoint, { results: [result] });
      const [fourth, third, , oldest] = await spool.attempts(attemptFilter());
      assert.ok(fourth && third && oldest);
      assert.ok(fourth.number > third.number && third.number > oldest.number);
      const shown = async (parts: Parameters<typeof attemptFilter>[0]): Promise<number[]> =>
        (await spool.attempts(attemptFilter(parts))).map(({ durationMs }) => durationMs);
      assert.deepEqual(await shown({}), [4, 3, 2, 1]);
      assert.deepEqual(await shown({ limit: 2 }), [4, 3]);
      assert.deepEqual(await shown({ beforeNumber: third.number }), [2, 1]);
      assert.deepEqual(await shown({ failedOnly: true }), [3, 1]);
      assert.deepEqual(await shown({ messageId: first.messageId ?? "" }), [4, 3, 1]);
      assert.deepEqual(await shown({ endpointId: "end_b" }), []);
      const { number: eventNumber, id: eventId, type, messageId } = first;
      assert.deepEqual(oldest, {
        number: oldest.number,
        eventNumber,
        eventId,
        type,
        messageId,
        atMs: NOW_MS,
        durationMs: 1,
        attempt: 1,
        ...failure,
        nextAttemptAtMs: NOW_MS + 60,
        result: "deferred",
      });
    });

    it("are kept up to 10,000 of each endpoint", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const other = await createEndpoint(spool, { id: "end_b" });
      const [event] = await messageEvents(spool, []);
      assert.ok(event);
      await settle(spool, other, { results: [sent(event)] });
      const results = Array.from({ length: 10_000 }, (_, durationMs) => sent(event, { durationMs }));
      await settle(spool, endpoint, { results });
      const kept = async (): Promise<[count: number, oldest: number | undefined]> => {
        const attempts = await spool.attempts(attemptFilter({ limit: 20_000 }));
        return [attempts.length, attempts.at(-1)?.durationMs];
      };
      assert.deepEqual(await kept(), [10_000, 0]);
      await settle(spool, endpoint, { results: [sent(event)] });
      assert.deepEqual(await kept(), [10_000, 1]);
      assert.equal((await spool.attempts(attemptFilter({ endpointId: "end_b" }))).length, 1);
    });
  });
}

/** Webhooks about bound domains. */
export function domainWebhooksConformance(name: string, open: OpenStore): void {
  it(`${name}: sends the events of an account's domains in order, apart from another account's`, async (t) => {
    const store = await open(t);
    const second = await store.createAccount("second", NOW_MS);
    assert.ok(second !== "exists");
    const endpoint = await createEndpoint(store);
    const foreign = await createEndpoint(store, { id: "end_foreign", accountId: second.id });
    const verify = async (accountId: string, domainName: string): Promise<void> => {
      const domain = await store.addDomain({ ...newDomain, accountId, name: domainName });
      assert.ok(typeof domain !== "string");
      await store.saveChecks(domain.id, checksAt(NOW_MS, "verified"), true, NOW_MS);
    };
    for (const domainName of ["a.example", "b.example", "c.example"]) {
      await verify(second.id, domainName);
      await verify(ACCOUNT, domainName);
    }
    const [first, middle, last] = await allEvents(store);
    assert.ok(first && middle && last);
    assert.deepEqual(new Set([first.orderKey, middle.orderKey, last.orderKey]).size, 1);
    const blocked = [blockedBy(middle), blockedBy(last)];
    await settle(store, endpoint, { position: last.number, results: [deferred(first)], blocked });
    const seen = await store.freshEvents(foreign, foreign.position, 10);
    assert.deepEqual(
      seen.events.map(({ event, isBlocked }) => [event.domain, isBlocked]),
      ["a.example", "b.example", "c.example"].map((of) => [of, false]),
    );
    await filterBy(store, { domains: ["a.example", "c.example"] });
    for (const event of [first, last]) {
      assert.deepEqual(await dueNumbers(store, LATER_MS), [event.number]);
      await settle(store, endpoint, { results: [sent(event)] });
    }
    assert.equal((await store.waitingAt("end_a")).retries, 0);
  });
}
