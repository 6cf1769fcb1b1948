/** Claims: leases and their limits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../../support/messages.ts";

import { at, claimAll, emails, NOW_MS, type OpenSpool } from "./suite.ts";

export function claimConformance(name: string, open: OpenSpool): void {
  describe(`${name}: claim`, () => {
    it("returns one job for each message and recipient domain, with all its recipients", async (t) => {
      const { spool } = await open(t);
      const recipients = [...recipientsAt("a.example", 3), ...recipientsAt("b.example", 2)];
      const message = newMessage({ recipients });
      await spool.accept(message);
      const { jobs } = await spool.claim(claimAll());
      assert.deepEqual(jobs.map((w) => [w.messageId, w.domain, w.recipients.map((r) => r.position)]).sort(), [
        [message.id, "a.example", [0, 1, 2]],
        [message.id, "b.example", [3, 4]],
      ]);
      assert.equal(jobs[0]?.from, message.from);
      assert.equal(jobs[0]?.domainId, message.domainId);
      assert.equal(jobs[0]?.sizeBytes, message.content.length);
      assert.equal(jobs[0]?.expiresAtMs, message.expiresAtMs);
    });

    it("returns the key and the tags of a message, also once it was released or read again", async (t) => {
      const { spool, reopen } = await open(t);
      const tagged = newMessage({ tags: ["reset", "é"], keyId: "key_tagged" });
      const plain = newMessage({ keyId: "key_plain" });
      for (const message of [tagged, plain]) await spool.accept(message);
      const claimed = async (from: typeof spool): Promise<unknown[]> => {
        const { jobs } = await from.claim(claimAll());
        for (const { messageId, lease } of jobs) await from.release({ messageId, positions: [0], lease });
        return jobs.map(({ keyId, tags }) => [keyId, tags]).sort();
      };
      const wanted = [
        ["key_plain", undefined],
        ["key_tagged", ["reset", "é"]],
      ];
      assert.deepEqual(await claimed(spool), wanted);
      assert.deepEqual(await claimed(spool), wanted);
      assert.deepEqual(await claimed((await reopen()).spool), wanted);
    });

    it("never returns a leased recipient again until it is released or settled", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      const first = at((await spool.claim(claimAll())).jobs);
      assert.equal((await spool.claim(claimAll(NOW_MS + HOUR_MS))).jobs.length, 0);
      await spool.release({ messageId: message.id, positions: [0], lease: first.lease });
      const second = at((await spool.claim(claimAll())).jobs);
      await spool.settle(message.id, NOW_MS, [settlement(0, "pending", NOW_MS + 500)], second.lease);
      assert.deepEqual(await spool.claim(claimAll(NOW_MS + 499)), { jobs: [], nextDueMs: NOW_MS + 500 });
      const third = at((await spool.claim(claimAll(NOW_MS + 500))).jobs);
      assert.equal(third.recipients[0]?.attempts, 1);
      await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")], third.lease);
      assert.deepEqual(await spool.claim(claimAll(NOW_MS + HOUR_MS)), { jobs: [], nextDueMs: null });
    });

    it("observes the limits in total and for each domain", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 10; i += 1) {
        await spool.accept(newMessage({ recipients: recipientsAt("a.example", 1) }));
        await spool.accept(newMessage({ recipients: recipientsAt("b.example", 1) }));
      }
      const first = await spool.claim(claimAll(NOW_MS, { perDomain: 3, allowance: { "b.example": 1 } }));
      assert.deepEqual(first.jobs.map((w) => w.domain).sort(), ["a.example", "a.example", "a.example", "b.example"]);
      const none = await spool.claim(claimAll(NOW_MS, { allowance: { "a.example": 0, "b.example": 0 } }));
      assert.deepEqual(none, { jobs: [], nextDueMs: null });
      const five = await spool.claim(claimAll(NOW_MS, { limit: 5 }));
      assert.equal(five.jobs.length, 5);
      const rest = await spool.claim(claimAll());
      assert.equal(rest.jobs.length, 11);
    });

    it("alternates between accounts and domains, however much one of them has waiting", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 100; i += 1) {
        await spool.accept(newMessage({ accountId: "acc_big", recipients: recipientsAt(`d${i % 2}.example`, 1) }));
      }
      await spool.accept(newMessage({ accountId: "acc_small" }));
      const { jobs } = await spool.claim(claimAll(NOW_MS, { limit: 16 }));
      assert.equal(jobs.filter((w) => w.accountId === "acc_small").length, 1);
      assert.deepEqual([...new Set(jobs.map((w) => w.domain))].sort(), [
        "customers.example",
        "d0.example",
        "d1.example",
      ]);
    });

    it("returns a recipient of a leased message that fell due meanwhile once the lease ends", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2) });
      await spool.accept(message);
      await settleMessage(spool, message.id, NOW_MS, [
        settlement(0, "pending", NOW_MS + 100),
        settlement(1, "pending", NOW_MS + 200),
      ]);
      const { jobs } = await spool.claim(claimAll(NOW_MS + 100));
      assert.deepEqual(emails(jobs), ["user0@a.example"]);
      assert.deepEqual((await spool.claim(claimAll(NOW_MS + 300))).jobs, []);
      await spool.settle(message.id, NOW_MS + 300, [settlement(0, "delivered")], at(jobs).lease);
      assert.deepEqual(emails((await spool.claim(claimAll(NOW_MS + 300))).jobs), ["user1@a.example"]);
    });

    it("wakes the loop when a message is accepted", async (t) => {
      const { spool } = await open(t);
      const woken = new Promise<void>((resolve) => spool.onDue(resolve));
      await spool.accept(newMessage());
      await woken;
    });
  });
}
