/** Messages of test keys: apart from all others on their way, and left out of what concerns live mail. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HostAttempt } from "../../../../src/message/result/outcome.ts";
import { testRouteOf } from "../../../../src/message/test-route.ts";
import type { DeliveryJob, NewMessage, Settlement } from "../../../../src/spool/port/mail.ts";
import { markMessage, settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, rcptReply, settlement } from "../../../support/messages.ts";
import { acceptMessage, CLAIM, MINUTE_MS, NOW_MS, type OpenStore, type Store } from "./store-suite.ts";
import { allEvents } from "./webhook-suite.ts";

const ACCOUNT = "acc_default";
const DOMAIN = "customers.example";
const ANN = { email: `ann@${DOMAIN}`, domain: DOMAIN };
const ON_ROUTE = { email: ANN.email, domain: testRouteOf(ACCOUNT) };
const BOB_ON_ROUTE = { email: "bob@elsewhere.example", domain: testRouteOf(ACCOUNT) };
const DAY_MS = 24 * HOUR_MS;

const acceptTest = (store: Store, parts: Partial<NewMessage> = {}): Promise<NewMessage> =>
  acceptMessage(store, { test: true, recipients: [ON_ROUTE], ...parts });

/** A refusal that counts against the address. */
const REFUSED: Settlement = {
  ...settlement(0, "failed"),
  tries: [rcptReply({ code: 550, enhanced_code: "5.1.1", message: "No such user" }) as HostAttempt],
};

const claim = async (store: Store, nowMs = NOW_MS + 30 * DAY_MS): Promise<DeliveryJob[]> =>
  (await store.claim({ nowMs, ...CLAIM })).jobs;

export function testMessagesConformance(name: string, open: OpenStore): void {
  describe(`${name}: test messages`, () => {
    it("have all recipients on the test route of their account, and other messages none", async (t) => {
      const store = await open(t);
      const other = { email: ANN.email, domain: testRouteOf("acc_other") };
      for (const parts of [
        { test: true, recipients: [ANN] },
        { test: true, recipients: [ON_ROUTE, ANN] },
        { test: true, recipients: [other] },
        { recipients: [ON_ROUTE] },
        { test: false, recipients: [ANN, other] },
      ]) {
        const message = newMessage(parts);
        await assert.rejects(store.accept(message), /must not be at/);
        assert.equal(await store.report(message.id), null);
      }
      assert.equal(await store.backlog(), 0);
    });

    it("are claimed apart from live messages to the same address, all recipients in one job", async (t) => {
      const store = await open(t);
      const live = await acceptMessage(store, { recipients: [ANN] });
      const test = await acceptTest(store, { recipients: [ON_ROUTE, BOB_ON_ROUTE] });
      await store.pauseDomain(DOMAIN, NOW_MS);
      const jobs = await claim(store);
      assert.deepEqual(
        jobs.map(({ messageId, domain, recipients }) => [messageId, domain, recipients.map(({ email }) => email)]),
        [[test.id, testRouteOf(ACCOUNT), [ANN.email, BOB_ON_ROUTE.email]]],
      );
      await store.resumeDomain(DOMAIN);
      assert.deepEqual(
        (await claim(store)).map(({ messageId, domain }) => [messageId, domain]),
        [[live.id, DOMAIN]],
      );
      const report = await store.report(test.id);
      assert.deepEqual(
        report?.recipients.map(({ email, domain }) => [email, domain]),
        [
          [ANN.email, DOMAIN],
          [BOB_ON_ROUTE.email, "elsewhere.example"],
        ],
      );
    });

    it("stay on their route, whatever is retried", async (t) => {
      const store = await open(t);
      const [deferred, unknown, failed] = [await acceptTest(store), await acceptTest(store), await acceptTest(store)];
      await settleMessage(store, deferred.id, NOW_MS, [settlement(0, "pending", NOW_MS + HOUR_MS)]);
      await settleMessage(store, unknown.id, NOW_MS, [settlement(0, "unknown")]);
      await settleMessage(store, failed.id, NOW_MS, [settlement(0, "failed")]);
      const nowMs = NOW_MS + MINUTE_MS;
      for (const { id } of [deferred, unknown])
        assert.equal(await store.retry({ accountId: ACCOUNT, messageId: id, nowMs }), 1);
      const step = { accountId: ACCOUNT, nowMs, expiresAtMs: nowMs + DAY_MS, limit: 10, after: null, dryRun: false };
      assert.deepEqual((await store.retryFailed(step)).recipients, []);
      assert.deepEqual((await store.retryFailed({ ...step, domain: DOMAIN })).recipients, []);
      assert.equal((await store.retryFailed({ ...step, messageId: failed.id })).recipients.length, 1);
      const jobs = await claim(store);
      assert.deepEqual(jobs.map(({ messageId }) => messageId).sort(), [deferred.id, unknown.id, failed.id].sort());
      assert.ok(jobs.every(({ domain }) => domain === testRouteOf(ACCOUNT)));
    });

    it("use no quota, and are accepted although it is used up", async (t) => {
      const store = await open(t);
      const quotaDaily = 1;
      await acceptTest(store, { quotaDaily, recipients: [ON_ROUTE, BOB_ON_ROUTE] });
      assert.equal(await store.quotaUsed(ACCOUNT, NOW_MS), 0);
      await acceptMessage(store, { quotaDaily, recipients: [ANN] });
      await acceptTest(store, { quotaDaily });
      assert.equal(await store.quotaUsed(ACCOUNT, NOW_MS), 1);
      await store.setQuota(ACCOUNT, 1);
      await acceptTest(store);
      const live = newMessage({ recipients: [ANN], createdAtMs: NOW_MS });
      assert.deepEqual(await store.accept(live), { type: "quota_exceeded" });
    });

    it("neither add nor clear refusals of an address, and are not suppressed", async (t) => {
      const store = await open(t);
      const suppressed = async (nowMs: number) =>
        (await store.suppressions({ accountId: ACCOUNT, after: 1, nowMs, limit: 10 })).addresses.map(
          ({ email }) => email,
        );
      for (const atMs of [NOW_MS, NOW_MS + DAY_MS, NOW_MS + 2 * DAY_MS]) {
        const { id } = await acceptTest(store, { createdAtMs: atMs });
        await settleMessage(store, id, atMs, [REFUSED]);
      }
      const laterMs = NOW_MS + 2 * DAY_MS;
      assert.deepEqual(await suppressed(laterMs), []);
      const live = await acceptMessage(store, { createdAtMs: laterMs, recipients: [ANN], suppressAfter: 1 });
      assert.equal((await store.report(live.id))?.recipients[0]?.result, "pending");
      await settleMessage(store, live.id, laterMs, [REFUSED]);
      assert.deepEqual(await suppressed(laterMs), [ANN.email]);
      const test = await acceptTest(store, { createdAtMs: laterMs, suppressAfter: 1 });
      assert.equal((await store.report(test.id))?.recipients[0]?.result, "pending");
      await settleMessage(store, test.id, laterMs, [settlement(0, "delivered")]);
      assert.deepEqual(await suppressed(laterMs), [ANN.email]);
      const again = await acceptMessage(store, { createdAtMs: laterMs, recipients: [ANN], suppressAfter: 1 });
      assert.equal((await store.report(again.id))?.recipients[0]?.reason, "suppressed");
    });

    it("count for their key alone: neither in the activity nor among what waits", async (t) => {
      const store = await open(t);
      const made = { accountId: ACCOUNT, name: "k", hash: Buffer.alloc(32, 1), lastFour: "abcd", createdAtMs: 1 };
      const key = await store.createKey({ ...made, keysMax: 1, test: true });
      assert.ok(key !== "too_many");
      const messages: NewMessage[] = [];
      for (let i = 0; i < 5; i += 1) messages.push(await acceptTest(store, { keyId: key.id }));
      const [delivered = "", failed = "", unknown = "", deferred = "", marked = ""] = messages.map(({ id }) => id);
      await settleMessage(store, delivered, NOW_MS + 1000, [settlement(0, "delivered")]);
      await settleMessage(store, failed, NOW_MS + 1000, [settlement(0, "failed")]);
      await settleMessage(store, unknown, NOW_MS + 1000, [settlement(0, "unknown")]);
      await settleMessage(store, deferred, NOW_MS + 1000, [settlement(0, "pending", NOW_MS + HOUR_MS)]);
      await markMessage(store, marked, [0]);
      const filter = { sinceMs: NOW_MS - DAY_MS, untilMs: NOW_MS + DAY_MS, stepMs: MINUTE_MS };
      const shown = async () => {
        const { slots, total } = await store.reports.activity({ accountId: ACCOUNT, ...filter });
        const waiting = await store.reports.waiting({ accountId: null, nowMs: NOW_MS, limit: 10 });
        return { slots, delivered: total.delivered, ...waiting };
      };
      const nothing = { slots: [], delivered: 0, domains: [], waiting: 0, unknown: 0, oldestAtMs: null };
      assert.deepEqual(await shown(), nothing);
      await store.lapse(store);
      assert.equal(await store.recover(NOW_MS + 2000, "unknown"), 1);
      // What is retried must not be subtracted either.
      await acceptMessage(store, { recipients: [ANN] });
      const nowMs = NOW_MS + 3000;
      for (const messageId of [unknown, marked]) await store.retry({ accountId: ACCOUNT, messageId, nowMs });
      const step = { accountId: ACCOUNT, messageId: failed, nowMs, expiresAtMs: nowMs, limit: 10, after: null };
      await store.retryFailed({ ...step, dryRun: false });
      const { slots, waiting, domains } = await shown();
      assert.deepEqual([waiting, domains.map(({ domain }) => domain)], [1, [DOMAIN]]);
      assert.deepEqual(
        slots.map((slot) => [slot.recipients, slot.delivered, slot.failed, slot.unknown, slot.deferred]),
        [[1, 0, 0, 0, 0]],
      );
      assert.equal((await store.keys(ACCOUNT))[0]?.messagesSent, 5);
    });

    it("are marked as such in reports, lists and events, and found or left out by a filter", async (t) => {
      const store = await open(t);
      const live = await acceptMessage(store, { recipients: [ANN], subject: "Hello" });
      const test = await acceptTest(store, { subject: "Hello" });
      await settleMessage(store, test.id, NOW_MS, [settlement(0, "unknown")]);
      assert.deepEqual([(await store.report(live.id))?.test, (await store.report(test.id))?.test], [false, true]);
      for (const narrowed of [{}, { subject: "hello" }, { recipientIs: ANN.email }, { keyId: "key_a" }]) {
        const find = async (filter: { test?: boolean }) =>
          (await store.reports.find({ accountId: ACCOUNT, limit: 10, ...narrowed, ...filter })).messages;
        assert.deepEqual(
          (await find({})).map((message) => [message.id, message.test]).sort(),
          [
            [live.id, false],
            [test.id, true],
          ].sort(),
        );
        assert.deepEqual(
          [await find({ test: true }), await find({ test: false })].map((found) => found.map(({ id }) => id)),
          [[test.id], [live.id]],
        );
      }
      const queue = async (filter: { test?: boolean; domain?: string }) =>
        (await store.queue({ accountId: ACCOUNT, limit: 10, ...filter })).map((entry) => [entry.messageId, entry.test]);
      const [ofLive, ofTest] = [
        [live.id, false],
        [test.id, true],
      ];
      assert.deepEqual(await queue({}), [ofLive, ofTest]);
      assert.deepEqual([await queue({ test: true }), await queue({ test: false })], [[ofTest], [ofLive]]);
      assert.deepEqual(await queue({ domain: DOMAIN }), [ofLive]);
      assert.deepEqual(
        (await allEvents(store)).map((event) => [event.messageId, event.test]),
        [ofLive, ofTest, ofTest],
      );
    });
  });
}
