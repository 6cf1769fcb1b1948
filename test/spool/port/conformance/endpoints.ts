/** Webhook endpoints: their changes by a person, and what is shown of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settleMessage } from "../../../support/attempts.ts";
import { newMessage, settlement } from "../../../support/messages.ts";
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
  messageEvents,
  newEndpoint,
  numbered,
  sent,
  settle,
} from "./webhook-suite.ts";

export function endpointsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: webhook endpoints`, () => {
    it("are created after the account's newest event, and listed, the oldest first, also after a crash", async (t) => {
      const first = await open(t);
      const events = await messageEvents(first.spool, ["delivered"]);
      const later = await createEndpoint(first.spool, { id: "end_later", createdAtMs: NOW_MS + 1 });
      const filter = { types: ["recipient.failed" as const], keys: ["key_a"], domains: [] };
      const endpoint = await createEndpoint(first.spool, filter);
      const { endpointsMax: _, sealedSecret: bytes, ...given } = newEndpoint(filter);
      assert.deepEqual(endpoint, {
        ...given,
        secrets: [{ bytes, untilMs: null }],
        pausedAtMs: null,
        disabled: null,
        failingSinceMs: null,
        position: events.at(-1)?.number,
        version: 1,
      });
      const { spool } = await first.reopen();
      assert.deepEqual(await spool.endpoints(ACCOUNT), [endpoint, later]);
      assert.deepEqual(await spool.endpoints(null), [endpoint, later]);
      assert.deepEqual(await spool.endpoints("acc_other"), []);
    });

    it("are limited in number, however many are added at once", async (t) => {
      const { spool } = await open(t);
      const add = (id: string) => spool.createEndpoint(newEndpoint({ id, endpointsMax: 1 }));
      const added = await Promise.all(["end_a", "end_b", "end_c"].map(add));
      assert.equal(added.filter((each) => each === "too_many").length, 2);
      assert.equal((await spool.endpoints(null)).length, 1);
    });

    it("get another URL and filter, and a new version with each change", async (t) => {
      const { spool } = await open(t);
      await createEndpoint(spool);
      const edited = { url: "https://other.example/", types: null, keys: ["key_b"], domains: ["shop.example"] };
      assert.equal(await change(spool, { type: "edit", ...edited }), true);
      const { url, types, keys, domains, version } = await endpointOf(spool);
      assert.deepEqual({ url, types, keys, domains }, edited);
      assert.equal(version, 2);
      await change(spool, { type: "pause", atMs: NOW_MS });
      await change(spool, { type: "resume" });
      await change(spool, { type: "rotate", sealedSecret: Buffer.from("new"), formerUntilMs: NOW_MS });
      await change(spool, { type: "replay", sinceMs: NOW_MS });
      assert.equal((await endpointOf(spool)).version, 6);
    });

    it("are changed and removed by their own account alone", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const foreign = { accountId: "acc_other", endpointId: endpoint.id };
      const missing = { accountId: ACCOUNT, endpointId: "end_none" };
      for (const who of [foreign, missing]) {
        assert.equal(await spool.changeEndpoint({ ...who, change: { type: "pause", atMs: NOW_MS } }), false);
        assert.equal(await spool.removeEndpoint(who.accountId, who.endpointId), false);
      }
      assert.deepEqual(await endpointOf(spool), endpoint);
    });

    it("are paused since the first pause, and resumed with all retries due", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [event] = await messageEvents(spool, []);
      assert.ok(event);
      await settle(spool, endpoint, { position: event.number, results: [deferred(event, NOW_MS + 1e6)] });
      await change(spool, { type: "pause", atMs: NOW_MS + 1 });
      await change(spool, { type: "pause", atMs: NOW_MS + 2 });
      assert.equal((await endpointOf(spool)).pausedAtMs, NOW_MS + 1);
      assert.deepEqual(await dueNumbers(spool, NOW_MS + 2e6), [], "nothing is due of a paused endpoint");
      await change(spool, { type: "resume" });
      const { pausedAtMs, failingSinceMs } = await endpointOf(spool);
      assert.deepEqual([pausedAtMs, failingSinceMs], [null, null]);
      assert.deepEqual(await dueNumbers(spool, NOW_MS), [event.number]);
    });

    it("are enabled again, and their account is notified once of a disabled one", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      assert.equal(await change(spool, { type: "notified", atMs: NOW_MS }), true);
      assert.equal((await endpointOf(spool)).disabled, null);
      await settle(spool, endpoint, { atMs: NOW_MS + 1, disable: "failing" });
      const disabled = { atMs: NOW_MS + 1, reason: "failing", notifiedAtMs: null };
      assert.deepEqual((await endpointOf(spool)).disabled, disabled);
      await change(spool, { type: "notified", atMs: NOW_MS + 2 });
      assert.deepEqual(await endpointOf(spool), { ...endpoint, disabled: { ...disabled, notifiedAtMs: NOW_MS + 2 } });
      await change(spool, { type: "resume" });
      const { version } = await endpointOf(spool);
      await settle(spool, { ...endpoint, version }, { atMs: NOW_MS + 3, disable: "gone" });
      assert.deepEqual((await endpointOf(spool)).disabled, {
        atMs: NOW_MS + 3,
        reason: "gone",
        notifiedAtMs: NOW_MS + 2,
      });
    });

    it("keep the present secret and one former one", async (t) => {
      const { spool } = await open(t);
      await createEndpoint(spool);
      const rotate = (secret: string, formerUntilMs: number) =>
        change(spool, { type: "rotate", sealedSecret: Buffer.from(secret), formerUntilMs });
      await rotate("second", NOW_MS + 1);
      await rotate("third", NOW_MS + 2);
      assert.deepEqual((await endpointOf(spool)).secrets, [
        { bytes: Buffer.from("third"), untilMs: null },
        { bytes: Buffer.from("second"), untilMs: NOW_MS + 2 },
      ]);
    });

    it("are removed with all that was stored of them", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [event] = await messageEvents(spool, []);
      assert.ok(event);
      await settle(spool, endpoint, { position: event.number, results: [deferred(event)] });
      assert.equal(await spool.removeEndpoint(ACCOUNT, endpoint.id), true);
      assert.equal(await spool.removeEndpoint(ACCOUNT, endpoint.id), false);
      assert.deepEqual(await spool.endpoints(null), []);
      assert.deepEqual(await spool.waitingAt(endpoint.id), { retries: 0, events: 0 });
      assert.deepEqual(await spool.dueRetries(endpoint.id, NOW_MS + 1e6, 10), {
        retries: [],
        gone: [],
        nextDueMs: null,
        count: 0,
      });
      assert.equal((await createEndpoint(spool)).version, 1);
      assert.deepEqual(await spool.attempts(attemptFilter()), []);
    });

    it("show how much waits", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const events = await messageEvents(spool, ["pending", "delivered"]);
      assert.deepEqual(await spool.waitingAt("end_a"), { retries: 0, events: 3 });
      const first = at(events);
      await settle(spool, endpoint, { position: first.number, results: [deferred(first)] });
      assert.deepEqual(await spool.waitingAt("end_a"), { retries: 1, events: 2 });
    });

    it("show an event of their account, as the feed does", async (t) => {
      const { spool } = await open(t);
      const events = await messageEvents(spool, ["delivered"], { tags: ["t"] });
      for (const event of events) assert.deepEqual(await spool.event(ACCOUNT, event.number), event);
      assert.equal(await spool.event("acc_other", at(events).number), null);
      assert.equal(await spool.event(ACCOUNT, at(events, 1).number + 1), null);
    });

    it("announce their changes, so that the sender reads them again", async (t) => {
      const { spool } = await open(t);
      const announced: (ReadonlySet<string> | null)[] = [];
      spool.onEvents((accounts) => void announced.push(accounts));
      await createEndpoint(spool);
      assert.deepEqual(announced.splice(0), [null]);
      await change(spool, { type: "resume" });
      assert.deepEqual(announced.splice(0), [null]);
      await spool.removeEndpoint(ACCOUNT, "end_a");
      assert.deepEqual(announced.splice(0), [null]);
      await spool.removeEndpoint(ACCOUNT, "end_a");
      assert.deepEqual(announced, []);
    });
  });
  replayConformance(name, open);
}

function replayConformance(name: string, open: OpenSpool): void {
  describe(`${name}: replay`, () => {
    it("sets the position back to before the first event from then on, and never forward", async (t) => {
      const { spool } = await open(t);
      const created = await createEndpoint(spool);
      for (let i = 0; i < 20; i += 1) await spool.accept(newMessage({ createdAtMs: NOW_MS + 10 * i }));
      const numbers = numbered(await allEvents(spool));
      await settle(spool, created, { position: at(numbers, 15) });
      const positionSince = async (sinceMs: number): Promise<number> => {
        await change(spool, { type: "replay", sinceMs });
        return (await endpointOf(spool)).position;
      };
      assert.equal(await positionSince(NOW_MS + 160), numbers[15], "later events follow anyway");
      assert.equal(await positionSince(NOW_MS + 105), numbers[10]);
      assert.equal(await positionSince(NOW_MS + 110), numbers[10]);
      assert.equal(await positionSince(NOW_MS + 30), numbers[2]);
      assert.equal(await positionSince(NOW_MS + 110), numbers[2]);
      const endpoint = await endpointOf(spool);
      assert.equal(endpoint.version, 6);
      assert.ok((await positionSince(0)) < at(numbers));
      const { events } = await spool.freshEvents(await endpointOf(spool), (await endpointOf(spool)).position, 100);
      assert.deepEqual(numbered(events.map(({ event }) => event)), numbers);
    });

    it("finds the position where retention has deleted events", async (t) => {
      const { spool } = await open(t);
      const created = await createEndpoint(spool);
      // Days apart: a form may delete per day of acceptance, and a day later.
      const timeMs = (place: number) => Math.round(NOW_MS + place * 3 * DAY_MS);
      const accepted = [];
      for (let i = 0; i < 12; i += 1) {
        const message = newMessage({ createdAtMs: timeMs(i) });
        await spool.accept(message);
        accepted.push(message);
      }
      // Events of settled messages go; every third message waits, and stays.
      for (const [i, { id }] of accepted.entries()) {
        if (i % 3 !== 0) await settleMessage(spool, id, timeMs(20), [settlement(0, "delivered")]);
      }
      const before = await allEvents(spool);
      const { number: deleted } = at(before, 4);
      await settle(spool, created, { position: deleted });
      const limits = { contentsBeforeMs: timeMs(50), resultsBeforeMs: timeMs(50) };
      await applyRetention(spool, { nowMs: timeMs(100), ...limits });
      const kept = await allEvents(spool);
      assert.ok(kept.length < before.length);
      const followingNow = async () => {
        const { position } = await endpointOf(spool);
        return kept.filter(({ number }) => number > position);
      };
      const followed = await followingNow();
      await change(spool, { type: "replay", sinceMs: timeMs(6.5) });
      assert.deepEqual(await followingNow(), followed, "they follow anyway, though the first is from before");
      await settle(spool, await endpointOf(spool), { position: at(before, before.length - 1).number });
      for (const sinceMs of [9, 6.1, 3.5, 0].map(timeMs)) {
        await change(spool, { type: "replay", sinceMs });
        const expected = kept.filter(({ atMs }) => atMs >= sinceMs);
        assert.deepEqual(await followingNow(), expected);
      }
    });

    it("drops retries that the sender meets again, and keeps those from before", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [early] = await messageEvents(spool, []);
      const [late] = await messageEvents(spool, [], { createdAtMs: NOW_MS + 50 });
      assert.ok(early && late);
      const results = [deferred(early), deferred(late)];
      await settle(spool, endpoint, { position: late.number, results });
      await change(spool, { type: "replay", sinceMs: NOW_MS + 50 });
      assert.deepEqual(await dueNumbers(spool, NOW_MS + 1e6), [early.number]);
      const { events } = await spool.freshEvents(await endpointOf(spool), early.number, 10);
      assert.deepEqual(
        events.map(({ event, isBlocked }) => [event.number, isBlocked]),
        [[late.number, false]],
      );
    });

    it("does not settle what was sent before it as sent again", async (t) => {
      const { spool } = await open(t);
      const before = await createEndpoint(spool);
      const [event] = await messageEvents(spool, []);
      assert.ok(event);
      await change(spool, { type: "replay", sinceMs: 0 });
      await settle(spool, before, { position: event.number, results: [sent(event)] });
      const endpoint = await endpointOf(spool);
      assert.equal(endpoint.position, before.position);
      assert.equal((await spool.attempts(attemptFilter())).length, 1, "the attempt is shown");
    });

    it("sends one event again, at once", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const [, event, last] = await messageEvents(spool, ["delivered", "delivered"]);
      assert.ok(event && last);
      const again = { type: "replay_one", eventNumber: event.number, atMs: NOW_MS + 5 } as const;
      assert.equal(await change(spool, again), true);
      assert.deepEqual(await dueNumbers(spool, NOW_MS + 5), [], "it is yet to be sent at all");
      await settle(spool, endpoint, { position: last.number });
      assert.equal(await change(spool, again), true);
      assert.deepEqual(await dueNumbers(spool, NOW_MS + 4), []);
      const due = await spool.dueRetries("end_a", NOW_MS + 5, 10);
      assert.deepEqual(due.retries, [{ event, attempts: 0, dueMs: NOW_MS + 5 }]);
      await settle(spool, endpoint, { position: 0, results: [sent(event)] });
      assert.equal((await spool.waitingAt("end_a")).retries, 0);
      assert.equal((await endpointOf(spool)).version, endpoint.version);
      for (const eventNumber of [last.number + 1, 0])
        assert.equal(await change(spool, { ...again, eventNumber }), false);
    });

    it("sends one event again with those that wait behind it", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool);
      const events = await messageEvents(spool, ["pending", "pending", "delivered"]);
      const [first, , third, fourth] = events;
      assert.ok(first && third && fourth);
      const position = fourth.number;
      const failed = deferred(third, NOW_MS + 9e6, { attempt: 4 });
      await settle(spool, endpoint, { position, results: [failed], blocked: [blockedBy(fourth)] });
      await change(spool, { type: "replay_one", eventNumber: first.number, atMs: NOW_MS });
      for (const event of events) {
        const due = await spool.dueRetries("end_a", NOW_MS, 10);
        assert.deepEqual(due.retries, [{ event, attempts: 0, dueMs: NOW_MS }]);
        await settle(spool, endpoint, { position, results: [sent(event)] });
      }
      assert.equal((await spool.waitingAt("end_a")).retries, 0);
    });

    for (const outcome of ["sent", "deferred"] as const) {
      it(`sends one event again although a later one of its message was just ${outcome}`, async (t) => {
        const { spool } = await open(t);
        const endpoint = await createEndpoint(spool);
        const [first, , third] = await messageEvents(spool, ["pending", "delivered"]);
        assert.ok(first && third);
        await settle(spool, endpoint, { position: third.number });
        await change(spool, { type: "replay_one", eventNumber: first.number, atMs: NOW_MS });
        const result = outcome === "sent" ? sent(third) : deferred(third, NOW_MS + 9e6, { attempt: 3 });
        await settle(spool, endpoint, { position: third.number, results: [result] });
        const due = await spool.dueRetries("end_a", NOW_MS, 10);
        assert.deepEqual(due.retries, [{ event: first, attempts: 0, dueMs: NOW_MS }]);
        await settle(spool, endpoint, { position: third.number, results: [sent(first)] });
        assert.equal((await spool.waitingAt("end_a")).retries, outcome === "sent" ? 0 : 1);
      });
    }

    it("does not send an event again that the filter leaves out", async (t) => {
      const { spool } = await open(t);
      const endpoint = await createEndpoint(spool, { ...ALL, keys: ["key_other"] });
      const [event] = await messageEvents(spool, []);
      assert.ok(event);
      await settle(spool, endpoint, { position: event.number });
      await change(spool, { type: "replay_one", eventNumber: event.number, atMs: NOW_MS });
      const { retries, gone } = await spool.dueRetries("end_a", NOW_MS, 10);
      assert.deepEqual([retries, gone], [[], [event.orderKey]]);
    });
  });
}
