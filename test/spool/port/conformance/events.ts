/** The outbox: which events there are, their order, and how they are read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DomainChecks } from "../../../../src/spool/port/domains.ts";
import type { EventPage, EventQuery, OutboxEvent } from "../../../../src/spool/port/events.ts";
import type { NewMessage } from "../../../../src/spool/port/mail.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { markMessage, settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, rcptReply, recipientsAt, settlement } from "../../../support/messages.ts";
import { checksAt, newDomain, type OpenStore } from "./store-suite.ts";
import { applyRetention, at, claimAll, DAY_MS, NOW_MS, type OpenSpool } from "./suite.ts";

const ALL = { types: null, keys: null, domains: null };
const query: EventQuery = { accountId: "acc_default", afterNumber: null, filter: ALL, withDomains: true, limit: 100 };

async function page(spool: Pick<Spool, "events">, parts: Partial<EventQuery> = {}): Promise<EventPage> {
  const read = await spool.events({ ...query, ...parts });
  assert.ok(read !== "expired");
  return read;
}

const eventsOf = async (spool: Pick<Spool, "events">, parts: Partial<EventQuery> = {}): Promise<OutboxEvent[]> =>
  (await page(spool, parts)).events;

const shown = ({ type, sequence, recipient }: OutboxEvent) => [type, sequence, recipient?.email ?? null];

/** Asserts that each recipient's last event shows what the lookup shows. */
async function assertLookupAgrees(spool: Spool, message: NewMessage): Promise<void> {
  const report = await spool.report(message.id);
  const own = (await eventsOf(spool)).filter(({ messageId }) => messageId === message.id);
  assert.deepEqual(
    own.map(({ sequence }) => sequence),
    own.map((_, i) => i + 1),
  );
  for (const { email, result, reason, category, attempts, smtp } of report?.recipients ?? assert.fail()) {
    const last = own.findLast((event) => event.recipient?.email === email);
    if (last === undefined) assert.equal(result, "pending");
    else assert.deepEqual(last.recipient, { email, result, reason, category, attempts, smtp });
  }
}

const reopened = ["retry", "recover"] as const;

const REPLY = { code: 550, enhanced_code: "5.1.1", message: "No such user", mx: "mx", ip: null, tls: null };

export function eventsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: events`, () => {
    it("has one of the acceptance and one of each settlement, in order, with what the lookup shows", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 4), tags: ["t"], metadata: { order: "7" } });
      await spool.accept(message);
      const refused = { ...settlement(1, "failed"), smtp: REPLY };
      const settled = [settlement(0, "delivered"), refused, settlement(2, "pending", NOW_MS + 5)];
      await settleMessage(spool, message.id, NOW_MS + 1, settled);
      await settleMessage(spool, message.id, NOW_MS + 2, [settlement(3, "unknown")]);
      const events = await eventsOf(spool);
      assert.deepEqual(events.map(shown), [
        ["message.accepted", 1, null],
        ["recipient.delivered", 2, "user0@a.example"],
        ["recipient.failed", 3, "user1@a.example"],
        ["recipient.deferred", 4, "user2@a.example"],
        ["recipient.unknown", 5, "user3@a.example"],
      ]);
      assert.deepEqual(
        events.map(({ atMs }) => atMs),
        [message.createdAtMs, NOW_MS + 1, NOW_MS + 1, NOW_MS + 1, NOW_MS + 2],
      );
      for (const event of events) {
        assert.equal(event.keyId, message.keyId);
        assert.deepEqual([event.tags, event.metadata], [["t"], { order: "7" }]);
      }
      assert.equal(new Set(events.map(({ id }) => id)).size, 5);
      assert.equal(new Set(events.map(({ orderKey }) => orderKey)).size, 1);
      await assertLookupAgrees(spool, message);
    });

    it("has none of a settlement that changes nothing", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      const { lease } = at((await spool.claim(claimAll())).jobs);
      await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")], lease);
      await spool.settle(message.id, NOW_MS, [settlement(0, "failed")], lease);
      assert.deepEqual((await eventsOf(spool)).map(shown), [
        ["message.accepted", 1, null],
        ["recipient.delivered", 2, message.recipients[0]?.email],
      ]);
    });

    for (const result of ["unknown", "pending"] as const) {
      it(`has one of a recovery as ${result}`, async (t) => {
        const first = await open(t);
        const message = newMessage();
        await first.spool.accept(message);
        await markMessage(first.spool, message.id, [0]);
        const { spool } = await first.reopen();
        await spool.recover(NOW_MS + 9, result);
        const [, event] = await eventsOf(spool);
        assert.equal(event?.type, result === "unknown" ? "recipient.unknown" : "recipient.deferred");
        assert.equal(event?.recipient?.reason, "interrupted_after_final_dot");
        await assertLookupAgrees(spool, message);
      });
    }

    it("has one of each retry, of unknown and of failed recipients", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2) });
      await spool.accept(message);
      await settleMessage(spool, message.id, NOW_MS, [settlement(0, "unknown"), settlement(1, "failed")]);
      const { accountId, id: messageId } = message;
      await spool.retry({ accountId, messageId, nowMs: NOW_MS + 1 });
      const step = { accountId, nowMs: NOW_MS + 2, expiresAtMs: NOW_MS + HOUR_MS, limit: 10, after: null };
      await spool.retryFailed({ ...step, dryRun: true });
      await spool.retryFailed({ ...step, dryRun: false });
      const events = await eventsOf(spool);
      assert.deepEqual(events.slice(3).map(shown), [
        ["recipient.deferred", 4, "user0@a.example"],
        ["recipient.deferred", 5, "user1@a.example"],
      ]);
      assert.deepEqual(
        events.slice(3).map(({ recipient }) => recipient?.result),
        ["pending", "pending"],
      );
      await assertLookupAgrees(spool, message);
    });

    it("has one of each suppressed recipient, after the acceptance", async (t) => {
      const { spool } = await open(t);
      const [gone] = recipientsAt("a.example", 1);
      for (const day of [0, 1, 2]) {
        const atMs = NOW_MS + day * 24 * HOUR_MS;
        const refused = newMessage({ recipients: gone === undefined ? [] : [gone], createdAtMs: atMs });
        await spool.accept(refused);
        await settleMessage(spool, refused.id, atMs, [{ ...settlement(0, "failed"), tries: [rcptReply(REPLY)] }]);
      }
      const { throughNumber } = await page(spool);
      const createdAtMs = NOW_MS + 49 * HOUR_MS;
      const message = newMessage({ recipients: recipientsAt("a.example", 2), createdAtMs, suppressAfter: 3 });
      assert.deepEqual(await spool.accept(message), { type: "accepted", id: message.id, suppressed: 1 });
      assert.deepEqual((await eventsOf(spool, { afterNumber: throughNumber })).map(shown), [
        ["message.accepted", 1, null],
        ["recipient.suppressed", 2, "user0@a.example"],
      ]);
      await assertLookupAgrees(spool, message);
    });

    it("numbers an account's events in the order of their transactions, whatever the clock shows", async (t) => {
      const { spool } = await open(t);
      for (const createdAtMs of [NOW_MS + 5, NOW_MS, NOW_MS + 3]) await spool.accept(newMessage({ createdAtMs }));
      await spool.accept(newMessage({ accountId: "acc_other" }));
      const events = await eventsOf(spool);
      assert.deepEqual(
        events.map(({ atMs }) => atMs),
        [NOW_MS + 5, NOW_MS, NOW_MS + 3],
      );
      assert.deepEqual(
        events.map(({ number }) => number),
        events.map(({ number }) => number).toSorted((a, b) => a - b),
      );
      assert.equal((await eventsOf(spool, { accountId: "acc_other" })).length, 1);
    });

    it("pages through many events of other keys to the few of one, each read bounded", async (t) => {
      const { spool } = await open(t);
      const own = newMessage({ keyId: "key_own" });
      for (let i = 0; i < 700; i += 1) await spool.accept(newMessage());
      await spool.accept(own);
      const filter = { ...ALL, keys: ["key_own"] };
      let [afterNumber, reads] = [null as number | null, 0];
      for (;;) {
        const { events, throughNumber, isEnd } = await page(spool, { filter, afterNumber, limit: 1 });
        reads += 1;
        if (events.length > 0 || isEnd) {
          assert.equal(events[0]?.messageId, own.id);
          break;
        }
        assert.ok(throughNumber > (afterNumber ?? 0));
        afterNumber = throughNumber;
      }
      assert.ok(reads > 1, "one read did not look at all");
    });

    it("reads large metadata in several pages", async (t) => {
      const { spool } = await open(t);
      const metadata = { large: "x".repeat(100_000) };
      for (let i = 0; i < 5; i += 1) await spool.accept(newMessage({ metadata }));
      const first = await page(spool);
      assert.ok(first.events.length < 5 && !first.isEnd, `${first.events.length} events`);
      const rest = await page(spool, { afterNumber: first.throughNumber });
      assert.equal(first.events.length + rest.events.length, 5);
      assert.equal(rest.isEnd, true);
    });

    it("selects by type, key and sender domain", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ keyId: "key_own" });
      await spool.accept(message);
      await spool.accept(newMessage());
      await settleMessage(spool, message.id, NOW_MS, [settlement(0, "delivered")]);
      const types = async (filter: Partial<EventQuery["filter"]>) =>
        (await eventsOf(spool, { filter: { ...ALL, ...filter } })).map(({ type }) => type);
      assert.deepEqual(await types({ types: ["recipient.delivered"] }), ["recipient.delivered"]);
      assert.deepEqual(await types({ keys: ["key_own"] }), ["message.accepted", "recipient.delivered"]);
      assert.deepEqual(await types({ keys: [] }), []);
      assert.deepEqual(await types({ domains: ["other.example"] }), []);
    });

    it("expires a cursor that is ahead of all events, which would wait for ever, and no other at the end", async (t) => {
      const { spool } = await open(t);
      assert.deepEqual(await page(spool, { afterNumber: 0 }), { events: [], throughNumber: 0, isEnd: true });
      await spool.accept(newMessage());
      const { throughNumber: last } = await page(spool);
      assert.deepEqual(await page(spool, { afterNumber: last }), { events: [], throughNumber: last, isEnd: true });
      assert.equal(await spool.events({ ...query, afterNumber: last + 1 }), "expired");
      assert.equal(await spool.events({ ...query, afterNumber: Number.MAX_SAFE_INTEGER }), "expired");
    });

    it("deletes events with their message, expires cursors before them, and gives no number twice", async (t) => {
      const first = await open(t);
      const messages = [newMessage(), newMessage()];
      for (const message of messages) await first.spool.accept(message);
      const { throughNumber: early } = await page(first.spool, { limit: 1 });
      for (const { id } of messages) await settleMessage(first.spool, id, NOW_MS, [settlement(0, "delivered")]);
      const { throughNumber: last } = await page(first.spool);
      const afterMs = NOW_MS + 3 * DAY_MS;
      await applyRetention(first.spool, { nowMs: afterMs, contentsBeforeMs: afterMs, resultsBeforeMs: afterMs });
      const { spool } = await first.reopen();
      assert.equal(await spool.events({ ...query, afterNumber: early }), "expired");
      assert.deepEqual(await page(spool, { afterNumber: last }), { events: [], throughNumber: last, isEnd: true });
      assert.deepEqual((await page(spool)).events, []);
      const next = newMessage({ createdAtMs: afterMs });
      await spool.accept(next);
      const after = await page(spool, { afterNumber: last });
      assert.deepEqual(after.events.map(shown), [["message.accepted", 1, null]]);
      assert.equal(after.events[0]?.messageId, next.id);
    });

    for (const way of reopened) {
      it(`keeps events that were committed before a crash, and none of what was not (${way})`, async (t) => {
        const first = await open(t);
        const message = newMessage();
        await first.spool.accept(message);
        const before = await eventsOf(first.spool);
        const { spool } = await first.reopen();
        if (way === "recover") await spool.recover(NOW_MS, "unknown");
        else await spool.retry({ accountId: message.accountId, messageId: "msg_none", nowMs: NOW_MS });
        assert.deepEqual(await eventsOf(spool), before);
      });
    }

    it("announces the accounts with new events after the commit, until the listener leaves", async (t) => {
      const { spool } = await open(t);
      const announced: (string[] | null)[] = [];
      const leave = spool.onEvents((accounts) => void announced.push(accounts === null ? null : [...accounts]));
      await spool.accept(newMessage({ accountId: "acc_other" }));
      assert.deepEqual(announced, [["acc_other"]]);
      const message = newMessage();
      await Promise.all([spool.accept(message), spool.accept(newMessage({ accountId: "acc_other" }))]);
      await settleMessage(spool, message.id, NOW_MS, [settlement(0, "delivered")]);
      const count = announced.length;
      assert.deepEqual(announced.at(-1), ["acc_default"]);
      leave();
      await spool.accept(newMessage());
      assert.equal(announced.length, count);
    });
  });
}

/** The events of bound domains. */
export function domainEventsConformance(name: string, open: OpenStore): void {
  it(`${name}: has an event of each change of a domain's standing`, async (t) => {
    const store = await open(t);
    const domain = await store.addDomain(newDomain);
    assert.ok(typeof domain !== "string");
    const sound = checksAt(5, "verified");
    const failing: DomainChecks = { ...sound, mx: { ...sound.mx, state: "failed", failedSinceMs: 6, checkedAtMs: 6 } };
    const save = (checks: DomainChecks, verified: boolean) => store.saveChecks(domain.id, checks, verified, 9);
    await save(checksAt(4), false);
    await save(sound, true);
    await save(failing, true);
    await save(failing, true);
    await save(sound, true);
    await save(failing, false);
    const { events } = await page(store);
    assert.deepEqual(
      events.map(({ type, domain: of, sequence, messageId }) => [type, of, sequence, messageId]),
      ["domain.verified", "domain.failing", "domain.verified", "domain.lost"].map((type) => [
        type,
        "shop.example",
        null,
        null,
      ]),
    );
    assert.equal(events[1]?.atMs, 6);
    assert.deepEqual(await page(store, { withDomains: false }).then((read) => read.events), []);
    assert.deepEqual((await page(store, { filter: { ...ALL, keys: ["key_1"] } })).events, []);
    assert.equal((await page(store, { filter: { ...ALL, domains: ["shop.example"] } })).events.length, 4);
    await store.removeDomain("acc_default", "shop.example", 10);
    await save(sound, true);
    assert.equal((await page(store)).events.length, 4);
    await applyRetention(store, { nowMs: 4 * DAY_MS, contentsBeforeMs: 3 * DAY_MS, resultsBeforeMs: 3 * DAY_MS });
    const left = (await page(store)).events.map(({ type }) => type);
    assert.deepEqual(
      left.filter((type) => type !== "domain.lost"),
      [],
      "all but the last are deleted",
    );
  });
}
