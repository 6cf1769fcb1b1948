/** Failed recipients by reason and by recipient domain, and the search for their messages. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testRouteOf } from "../../../../src/message/test-route.ts";
import type { MessageFilter } from "../../../../src/spool/port/reports.ts";
import { markMessage, settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, recipientsAt, settlement } from "../../../support/messages.ts";
import { acceptMessage, MINUTE_MS, NOW_MS, type OpenStore } from "./store-suite.ts";
import { DAY_MS } from "./suite.ts";

const failed = (position: number, reason: string, category: "bad_address" | "reputation") => ({
  ...settlement(position, "failed"),
  reason,
  category,
});

const RANGE = { sinceMs: NOW_MS, untilMs: NOW_MS + HOUR_MS, limit: 10 };
const OWN = { ...RANGE, accountId: "acc_default" };

export function failuresConformance(name: string, open: OpenStore): void {
  describe(`${name}: failures`, () => {
    it("counts by reason and by domain what failed in the time range, of one account or all", async (t) => {
      const store = await open(t);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      // Accepted before the range: the time of failure counts.
      const early = { createdAtMs: NOW_MS - 40 * HOUR_MS };
      const own = await acceptMessage(store, {
        ...early,
        recipients: [...recipientsAt("a.example", 3), ...recipientsAt("b.example", 1)],
      });
      await settleMessage(store, own.id, NOW_MS - 1, [failed(0, "no_such_user", "bad_address")]);
      await settleMessage(store, own.id, NOW_MS, [
        failed(1, "no_such_user", "bad_address"),
        failed(2, "blocked", "reputation"),
        failed(3, "blocked", "reputation"),
      ]);
      const theirs = await acceptMessage(store, { accountId: other.id, recipients: recipientsAt("b.example", 1) });
      await settleMessage(store, theirs.id, NOW_MS + HOUR_MS - 1, [failed(0, "blocked", "reputation")]);
      assert.deepEqual(await store.reports.failures(OWN), {
        recipients: 3,
        reasons: [
          { reason: "blocked", category: "reputation", recipients: 2 },
          { reason: "no_such_user", category: "bad_address", recipients: 1 },
        ],
        domains: [
          { domain: "a.example", recipients: 2 },
          { domain: "b.example", recipients: 1 },
        ],
        otherReasons: 0,
        otherDomains: 0,
        isPartial: false,
      });
      const all = await store.reports.failures({ ...RANGE, accountId: null, limit: 1 });
      assert.deepEqual([all.recipients, all.otherReasons, all.otherDomains], [4, 1, 2]);
      assert.deepEqual(all.reasons, [{ reason: "blocked", category: "reputation", recipients: 3 }]);
    });

    it("leaves out retried recipients and test messages", async (t) => {
      const store = await open(t);
      const { id, accountId } = await acceptMessage(store, { recipients: recipientsAt("a.example", 2) });
      await settleMessage(store, id, NOW_MS, [settlement(0, "failed"), settlement(1, "failed")]);
      const test = await acceptMessage(store, {
        test: true,
        recipients: [{ email: "bad@t.example", domain: testRouteOf("acc_default") }],
      });
      await settleMessage(store, test.id, NOW_MS, [settlement(0, "failed")]);
      const retry = { accountId, nowMs: NOW_MS + MINUTE_MS, expiresAtMs: NOW_MS + HOUR_MS, limit: 10, after: null };
      await store.retryFailed({ ...retry, email: "user0@a.example", dryRun: false });
      assert.equal((await store.reports.failures(OWN)).recipients, 1);
      // It fails again, later: it counts once, at that time.
      await settleMessage(store, id, NOW_MS + 2 * HOUR_MS, [settlement(0, "failed")]);
      assert.equal((await store.reports.failures(OWN)).recipients, 1);
      const later = { ...OWN, sinceMs: NOW_MS + HOUR_MS, untilMs: NOW_MS + 3 * HOUR_MS };
      assert.equal((await store.reports.failures(later)).recipients, 1);
    });

    it("counts each of many failures once, whatever day the message was accepted", async (t) => {
      const store = await open(t);
      const { id } = await acceptMessage(store, { recipients: recipientsAt("a.example", 1500) });
      const all = Array.from({ length: 1500 }, (_, i) => settlement(i, "failed"));
      await settleMessage(store, id, NOW_MS, all);
      for (const days of [0, 1, 2, 9, 40]) {
        const createdAtMs = NOW_MS - days * DAY_MS;
        const small = await acceptMessage(store, { createdAtMs, recipients: recipientsAt("b.example", 2) });
        await settleMessage(store, small.id, NOW_MS, [settlement(0, "failed"), settlement(1, "delivered")]);
      }
      const { domains, reasons } = await store.reports.failures(OWN);
      assert.deepEqual(domains, [
        { domain: "a.example", recipients: 1500 },
        { domain: "b.example", recipients: 5 },
      ]);
      assert.deepEqual(reasons, [{ reason: "test", category: "other", recipients: 1505 }]);
    });

    it("finds messages by the reason and the time of a result, of one recipient", async (t) => {
      const store = await open(t);
      const a = await acceptMessage(store, { id: "msg_a", recipients: recipientsAt("a.example", 2), tags: ["x"] });
      const b = await acceptMessage(store, { id: "msg_b", recipients: recipientsAt("a.example", 2), tags: ["x"] });
      const c = await acceptMessage(store, { id: "msg_c", recipients: recipientsAt("c.example", 1) });
      await settleMessage(store, a.id, NOW_MS, [failed(0, "blocked", "reputation"), settlement(1, "delivered")]);
      await settleMessage(store, b.id, NOW_MS, [settlement(1, "delivered")]);
      await settleMessage(store, b.id, NOW_MS + HOUR_MS, [failed(0, "blocked", "reputation")]);
      await settleMessage(store, c.id, NOW_MS + HOUR_MS, [failed(0, "no_such_user", "bad_address")]);
      const found = async (filter: Omit<MessageFilter, "accountId" | "limit">) =>
        (await store.reports.find({ accountId: "acc_default", limit: 10, ...filter })).messages.map(({ id }) => id);
      const [reason, result] = ["blocked", "failed" as const];
      const [resultSinceMs, resultUntilMs] = [NOW_MS + HOUR_MS, NOW_MS + 1];
      assert.deepEqual(await found({ reason }), [b.id, a.id]);
      assert.deepEqual(await found({ result, resultSinceMs }), [c.id, b.id]);
      assert.deepEqual(await found({ result, resultUntilMs }), [a.id]);
      assert.deepEqual(await found({ result, reason, resultSinceMs, category: "reputation" }), [b.id]);
      assert.deepEqual(await found({ result: "delivered", resultSinceMs }), []);
      assert.deepEqual(await found({ result: "delivered", resultUntilMs }), [b.id, a.id]);
      assert.deepEqual(await found({ resultSinceMs, tag: "x" }), [b.id]);
      assert.deepEqual(await found({ resultSinceMs, recipient: "@a.example" }), [b.id]);
      assert.deepEqual(await found({ resultSinceMs, result, recipientIs: "user1@a.example" }), []);
      assert.deepEqual(await found({ reason, keyId: "key_a", resultUntilMs }), [a.id]);
      assert.deepEqual(await found({ reason: "' OR 1" }), []);
    });

    it("reports the oldest message and the accounts that wait for each domain", async (t) => {
      const store = await open(t);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      await acceptMessage(store, { createdAtMs: NOW_MS - 3000, recipients: recipientsAt("a.example", 1) });
      const marked = await acceptMessage(store, {
        createdAtMs: NOW_MS - 2000,
        recipients: recipientsAt("b.example", 1),
      });
      await acceptMessage(store, {
        accountId: other.id,
        createdAtMs: NOW_MS - 1000,
        recipients: recipientsAt("b.example", 2),
      });
      await markMessage(store, marked.id, [0]);
      await store.pauseDomain("c.example", NOW_MS);
      const { domains, oldestAtMs } = await store.reports.waiting({ accountId: null, nowMs: NOW_MS, limit: 10 });
      assert.deepEqual(
        domains.map((d) => [d.domain, d.due, d.oldestAtMs, d.accountIds.includes(other.id)]),
        [
          ["b.example", 3, NOW_MS - 2000, true],
          ["a.example", 1, NOW_MS - 3000, false],
          ["c.example", 0, null, false],
        ],
      );
      assert.equal(oldestAtMs, NOW_MS - 3000);
    });
  });
}
