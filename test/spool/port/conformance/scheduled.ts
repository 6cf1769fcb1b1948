/** Scheduled messages: not claimed before their time, whatever else is due or retried, and moved to another time until then. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settlementOfSuppressed } from "../../../../src/delivery/dispatch/retry-decision.ts";
import type { Suppression } from "../../../../src/message/result/suppression.ts";
import type { NewMessage } from "../../../../src/spool/port/mail.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../../support/messages.ts";
import type { OpenStore } from "./store-suite.ts";
import { at, claimAll, DAY_MS, emails, NOW_MS, type OpenSpool } from "./suite.ts";

const SEND_AT_MS = NOW_MS + DAY_MS;
const ACCOUNT = "acc_default";

const scheduled = (parts: Partial<NewMessage> = {}): NewMessage =>
  newMessage({ sendAtMs: SEND_AT_MS, expiresAtMs: SEND_AT_MS + 48 * HOUR_MS, ...parts });

const change = (messageId: string, sendAtMs: number, nowMs = NOW_MS + 1) => ({
  accountId: ACCOUNT,
  messageId,
  sendAtMs,
  by: "key a (key_a)",
  nowMs,
});

export function scheduledConformance(name: string, open: OpenSpool): void {
  describe(`${name}: scheduled messages`, () => {
    it("are pending with their reason and time, and are claimed when that has come, also after a restart", async (t) => {
      const { spool, reopen } = await open(t);
      const message = scheduled({ recipients: [...recipientsAt("a.example", 2), ...recipientsAt("b.example", 1)] });
      await spool.accept(message);
      const other = newMessage({ recipients: recipientsAt("a.example", 1) });
      await spool.accept(other);
      const report = await spool.report(message.id);
      assert.equal(report?.sendAtMs, SEND_AT_MS);
      for (const recipient of report?.recipients ?? []) {
        const { result, reason, category, attempts, nextAttemptAtMs, events } = recipient;
        assert.deepEqual(
          { result, reason, category, attempts, nextAttemptAtMs },
          { result: "pending", reason: "scheduled", category: null, attempts: 0, nextAttemptAtMs: SEND_AT_MS },
        );
        assert.deepEqual(events, [
          { at_ms: NOW_MS, type: "accepted" },
          { at_ms: NOW_MS, type: "scheduled", send_at_ms: SEND_AT_MS },
        ]);
      }
      const claimed = (await spool.claim(claimAll(SEND_AT_MS - 1))).jobs;
      assert.deepEqual(
        claimed.map(({ messageId }) => messageId),
        [other.id],
      );
      assert.equal(
        (await spool.queue({ accountId: ACCOUNT, limit: 10 })).filter((e) => e.reason === "scheduled").length,
        3,
      );

      const { spool: again } = await reopen();
      const early = await again.claim(claimAll(SEND_AT_MS - 1));
      assert.deepEqual(
        early.jobs.filter(({ messageId }) => messageId === message.id),
        [],
      );
      const { jobs } = await again.claim(claimAll(SEND_AT_MS));
      const own = jobs.filter(({ messageId }) => messageId === message.id);
      assert.equal(emails(own).length, 3);
      for (const job of own) assert.deepEqual([job.sendAtMs, job.expiresAtMs], [SEND_AT_MS, message.expiresAtMs]);
      const job = at(own.filter(({ domain }) => domain === "b.example"));
      await again.settle(message.id, SEND_AT_MS + 5, [settlement(2, "delivered")], job.lease);
      assert.equal((await again.report(message.id))?.recipients[2]?.result, "delivered");
    });

    it("have the event and the entry of a suppression, if their address is suppressed at their time", async (t) => {
      const { spool } = await open(t);
      const message = scheduled({ recipients: recipientsAt("a.example", 2) });
      await spool.accept(message);
      const job = at((await spool.claim(claimAll(SEND_AT_MS))).jobs);
      const suppression: Suppression = { cause: "complaint", sinceMs: NOW_MS + 7, untilMs: null, refusals: [] };
      const settled = [settlementOfSuppressed(at(job.recipients), suppression), settlement(1, "delivered")];
      await spool.settle(message.id, SEND_AT_MS + 5, settled, job.lease);
      const [first, second] = (await spool.report(message.id))?.recipients ?? [];
      assert.deepEqual(
        [first?.result, first?.reason, first?.category, first?.attempts],
        ["failed", "suppressed", "policy", 0],
      );
      assert.deepEqual(first?.events.at(-1), {
        at_ms: SEND_AT_MS + 5,
        type: "suppressed",
        cause: "complaint",
        since_ms: NOW_MS + 7,
        until_ms: null,
        refusals: [],
      });
      assert.equal(second?.result, "delivered");
    });

    it("announce their time to an idle claimant", async (t) => {
      const { spool } = await open(t);
      await spool.claim(claimAll());
      await spool.accept(scheduled());
      const { jobs, nextDueMs } = await spool.claim(claimAll());
      assert.deepEqual(jobs, []);
      assert.ok(nextDueMs !== null && nextDueMs <= SEND_AT_MS);
    });

    it("are moved by another time as long as theirs has not come, with the time for their delivery", async (t) => {
      const { spool } = await open(t);
      const message = scheduled({ deadlineMs: SEND_AT_MS + HOUR_MS });
      await spool.accept(message);
      const sooner = NOW_MS + HOUR_MS;
      assert.equal(await spool.reschedule(change(message.id, sooner)), true);
      const report = await spool.report(message.id);
      assert.deepEqual([report?.sendAtMs, report?.expiresAtMs], [sooner, sooner + 48 * HOUR_MS]);
      const recipient = at(report?.recipients ?? []);
      assert.deepEqual([recipient.reason, recipient.nextAttemptAtMs], ["scheduled", sooner]);
      assert.deepEqual(recipient.events.at(-1), {
        at_ms: NOW_MS + 1,
        type: "scheduled",
        send_at_ms: sooner,
        by: "key a (key_a)",
      });
      assert.equal(await spool.reschedule(change(message.id, sooner + 7)), true);
      assert.deepEqual((await spool.claim(claimAll(sooner + 6))).jobs, []);
      const job = at((await spool.claim(claimAll(sooner + 7))).jobs);
      assert.deepEqual([job.sendAtMs, job.deadlineMs], [sooner + 7, sooner + 7 + HOUR_MS]);
      assert.equal(await spool.reschedule(change(message.id, SEND_AT_MS, sooner + 7)), false);
    });

    it("can be moved to now, and are not moved if they are another account's, unknown, or not scheduled", async (t) => {
      const { spool } = await open(t);
      const [message, plain] = [scheduled(), newMessage({ recipients: recipientsAt("c.example", 1) })];
      for (const each of [message, plain]) await spool.accept(each);
      assert.equal(await spool.reschedule({ ...change(message.id, SEND_AT_MS + 1), accountId: "acc_other" }), false);
      for (const id of [plain.id, "msg_none"]) assert.equal(await spool.reschedule(change(id, SEND_AT_MS)), false);
      assert.equal(await spool.reschedule(change(message.id, 1)), true);
      const { jobs } = await spool.claim(claimAll(NOW_MS + 1));
      assert.ok(jobs.some(({ messageId }) => messageId === message.id));
    });

    it("are cancelled, and then neither claimed nor moved", async (t) => {
      const { spool } = await open(t);
      const message = scheduled();
      await spool.accept(message);
      const recipients = [{ messageId: message.id, positions: [0] }];
      const { cancelled } = await spool.cancel({ accountId: ACCOUNT, recipients, by: "key a (key_a)", nowMs: NOW_MS });
      assert.equal(cancelled, 1);
      assert.equal(await spool.reschedule(change(message.id, SEND_AT_MS + 1)), false);
      assert.deepEqual((await spool.claim(claimAll(SEND_AT_MS))).jobs, []);
    });

    it("keep their time when a domain's mail is tried now, and when waits are shortened", async (t) => {
      const { spool } = await open(t);
      const recipients = recipientsAt("a.example", 1);
      const [message, deferred] = [scheduled({ recipients }), newMessage({ recipients })];
      for (const each of [message, deferred]) await spool.accept(each);
      const { lease } = at((await spool.claim(claimAll())).jobs);
      await spool.settle(deferred.id, NOW_MS, [settlement(0, "pending", NOW_MS + HOUR_MS)], lease);
      const retried = await spool.retryDomain({ accountId: ACCOUNT, domain: "a.example", nowMs: NOW_MS, limit: 10 });
      assert.equal(retried, 1);
      const shortened = await spool.shortenWaits({ nowMs: NOW_MS, longestMs: [0], after: null, limit: 10 });
      assert.equal(shortened.recipients, 0);
      const { jobs } = await spool.claim(claimAll());
      assert.deepEqual(
        jobs.map(({ messageId }) => messageId),
        [deferred.id],
      );
      assert.equal((await spool.report(message.id))?.recipients[0]?.nextAttemptAtMs, SEND_AT_MS);
    });

    it("are due at once if somebody retries them, and have the reason no more", async (t) => {
      const { spool } = await open(t);
      const message = scheduled();
      await spool.accept(message);
      assert.equal(await spool.retry({ accountId: ACCOUNT, messageId: message.id, nowMs: NOW_MS + 1 }), 1);
      const recipient = at((await spool.report(message.id))?.recipients ?? []);
      assert.deepEqual([recipient.reason, recipient.nextAttemptAtMs], [null, NOW_MS + 1]);
      assert.equal(await spool.reschedule(change(message.id, SEND_AT_MS + 1, NOW_MS + 2)), false);
      assert.equal(at((await spool.claim(claimAll(NOW_MS + 1))).jobs).messageId, message.id);
    });

    it("expire by the time from which they are sent, and mail behind them expires too", async (t) => {
      const { spool, acceptForAny } = await open(t);
      const later = scheduled({ recipients: recipientsAt("a.example", 3) });
      const old = newMessage({ expiresAtMs: NOW_MS + 1, recipients: recipientsAt("b.example", 1) });
      for (const each of [later, old]) await acceptForAny(each);
      const ids = async (nowMs: number) => {
        const jobs = [];
        for (let call = 0; call < 4; call += 1) jobs.push(...(await spool.claimExpired({ nowMs, limit: 10 })));
        return jobs.map(({ messageId }) => messageId);
      };
      assert.deepEqual(await ids(NOW_MS + 10), [old.id]);
      assert.deepEqual(await ids(later.expiresAtMs), [later.id]);
    });

    it("are kept by retention while they wait", async (t) => {
      const { spool } = await open(t);
      const message = scheduled();
      await spool.accept(message);
      const limits = { nowMs: SEND_AT_MS - 1, contentsBeforeMs: SEND_AT_MS - 1, resultsBeforeMs: SEND_AT_MS - 1 };
      for (let isMore = true; isMore; ) ({ isMore } = await spool.applyRetention({ ...limits, limit: 100 }));
      assert.ok((await spool.content(message.id)).first.equals(message.content));
      assert.equal(at((await spool.claim(claimAll(SEND_AT_MS))).jobs).messageId, message.id);
    });
  });
}

/** Of the reports, beside. */
export function scheduledReportsConformance(name: string, open: OpenStore): void {
  it(`${name}: a scheduled message is no old message of the queue before it is due`, async (t) => {
    const store = await open(t);
    await store.accept(scheduled({ recipients: recipientsAt("a.example", 1) }));
    const oldest = async (nowMs: number) =>
      (await store.reports.waiting({ accountId: null, nowMs, limit: 10 })).oldestAtMs;
    assert.equal(await oldest(SEND_AT_MS - 1), null);
    const plain = newMessage({ createdAtMs: NOW_MS + 5, recipients: recipientsAt("a.example", 1) });
    await store.accept(plain);
    assert.equal(await oldest(SEND_AT_MS - 1), NOW_MS + 5);
    const { domains, waiting } = await store.reports.waiting({ accountId: ACCOUNT, nowMs: SEND_AT_MS, limit: 10 });
    assert.deepEqual([waiting, domains[0]?.oldestAtMs], [2, SEND_AT_MS]);
  });
}
