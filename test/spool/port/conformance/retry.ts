/** Listing and retrying the queue. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claimMessage, MARK, markMessage, settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../../support/messages.ts";

import { at, claimAll, emails, NOW_MS, type OpenSpool } from "./suite.ts";

export function retryConformance(name: string, open: OpenSpool): void {
  describe(`${name}: queue and retry`, () => {
    it("lists pending and unknown recipients, by account and domain", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: [...recipientsAt("a.example", 2), ...recipientsAt("b.example", 1)] });
      await spool.accept(message);
      await spool.accept(newMessage({ accountId: "acc_other" }));
      await settleMessage(spool, message.id, NOW_MS, [settlement(0, "unknown"), settlement(1, "delivered")]);
      const filter = { accountId: "acc_default", limit: 10 };
      assert.deepEqual(
        (await spool.queue(filter)).map((e) => [e.email, e.result]),
        [
          ["user0@b.example", "pending"],
          ["user0@a.example", "unknown"],
        ],
      );
      assert.equal((await spool.queue({ ...filter, domain: "a.example" })).length, 1);
      const only = async (result: "pending" | "unknown", limit = 10) =>
        (await spool.queue({ ...filter, result, limit })).map((e) => e.email);
      assert.deepEqual([await only("pending"), await only("pending", 1)], [["user0@b.example"], ["user0@b.example"]]);
      assert.deepEqual([await only("unknown"), await only("unknown", 1)], [["user0@a.example"], ["user0@a.example"]]);
    });

    it("lists by due time over all domains, and the first ones at a limit", async (t) => {
      const { spool } = await open(t);
      const order = [3, 1, 0, 2, 4];
      for (let i = 0; i < 100; i += 1) {
        const message = newMessage({ recipients: recipientsAt(`d${i % 5}.example`, 1) });
        await spool.accept(message);
        const dueMs = NOW_MS + HOUR_MS + (order[i % 5] ?? 0) + 5 * Math.floor(i / 5);
        await settleMessage(spool, message.id, NOW_MS, [settlement(0, "pending", dueMs)]);
      }
      for (const limit of [1, 3, 7, 99, 1000]) {
        const listed = await spool.queue({ accountId: "acc_default", limit });
        const due = listed.map(({ nextAttemptAtMs }) => (nextAttemptAtMs ?? 0) - NOW_MS - HOUR_MS);
        assert.deepEqual(
          due,
          Array.from({ length: Math.min(limit, 100) }, (_, i) => i),
        );
      }
    });

    it("lists recipients at the final dot, then those that wait, then unknown ones, with the beginning of long replies", async (t) => {
      const { spool } = await open(t);
      const smtp = { code: 451, enhanced_code: null, message: "é".repeat(600), mx: "mx", ip: null, tls: null };
      const recipients = recipientsAt("a.example", 4);
      const first = newMessage({ recipients, deadlineMs: NOW_MS + HOUR_MS });
      await spool.accept(first);
      await settleMessage(spool, first.id, NOW_MS, [
        settlement(0, "unknown"),
        { ...settlement(1, "pending", NOW_MS + 5), smtp },
        settlement(2, "pending", NOW_MS + HOUR_MS),
        settlement(3, "failed"),
      ]);
      const marked = newMessage({ recipients: recipientsAt("b.example", 1) });
      await spool.accept(marked);
      await markMessage(spool, marked.id, [0]);
      const queue = await spool.queue({ accountId: "acc_default", limit: 9 });
      assert.deepEqual(
        queue.map((e) => [e.email, e.result, e.nextAttemptAtMs, e.failsAtMs]),
        [
          ["user0@b.example", "pending", null, undefined],
          ["user1@a.example", "pending", NOW_MS + 5, undefined],
          ["user2@a.example", "pending", null, NOW_MS + HOUR_MS],
          ["user0@a.example", "unknown", null, undefined],
        ],
      );
      const [, entry] = queue;
      assert.deepEqual(entry?.smtp, { ...smtp, message: `${"é".repeat(499)}…` });
      assert.deepEqual([entry?.reason, entry?.category, entry?.attempts], ["test", "other", 1]);
      assert.deepEqual(await spool.queue({ accountId: "acc_default", limit: 2 }), queue.slice(0, 2));
    });

    it("makes pending and unknown recipients of the same account due", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 3) });
      await spool.accept(message);
      await settleMessage(spool, message.id, NOW_MS, [
        settlement(0, "pending", NOW_MS + HOUR_MS),
        settlement(1, "unknown"),
        settlement(2, "delivered"),
      ]);
      const retry = { messageId: message.id, nowMs: NOW_MS + 1 };
      assert.equal(await spool.retry({ ...retry, accountId: "acc_other" }), 0);
      assert.equal(await spool.retry({ ...retry, accountId: "acc_default", email: "user1@a.example" }), 1);
      const { jobs } = await spool.claim(claimAll(NOW_MS + 1));
      assert.deepEqual(emails(jobs), ["user1@a.example"]);
      await spool.release({ messageId: message.id, positions: [1], lease: at(jobs).lease });
      assert.equal(await spool.retry({ ...retry, accountId: "acc_default" }), 2);
      assert.equal(emails((await spool.claim(claimAll(NOW_MS + 1))).jobs).length, 2);
    });

    it("leaves recipients at the final dot alone, and a deadline that is ahead", async (t) => {
      const { spool } = await open(t);
      const deadlineMs = NOW_MS + HOUR_MS;
      const recipients = [...recipientsAt("a.example", 1), ...recipientsAt("b.example", 1)];
      const message = newMessage({ recipients, deadlineMs });
      await spool.accept(message);
      const [marked, waiting] = await claimMessage(spool, message.id);
      const position = at(marked?.recipients ?? []).position;
      const mark = { ...MARK, messageId: message.id, positions: [position], lease: marked?.lease ?? assert.fail() };
      assert.equal(await spool.mark(mark), "marked");
      const deferral = settlement(1 - position, "pending", deadlineMs + 1);
      await spool.settle(message.id, NOW_MS, [deferral], waiting?.lease ?? assert.fail());
      const retry = { accountId: "acc_default", messageId: message.id, nowMs: NOW_MS + 1 };
      assert.equal(await spool.retry({ ...retry, email: "nobody@a.example" }), 0);
      assert.equal(await spool.retry(retry), 1);
      const job = at((await spool.claim(claimAll(NOW_MS + 1))).jobs);
      assert.deepEqual([job.recipients.map((r) => r.position), job.deadlineMs], [[1 - position], deadlineMs]);
    });

    it("wakes the listener for due recipients, and announces the events", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      await settleMessage(spool, message.id, NOW_MS, [settlement(0, "unknown")]);
      const announced: unknown[] = [];
      const woken = new Promise<void>((resolve) => spool.onDue(resolve));
      spool.onEvents((accounts) => void announced.push(...(accounts ?? [])));
      const retry = { accountId: "acc_default", messageId: message.id, nowMs: NOW_MS + 1 };
      assert.equal(await spool.retry({ ...retry, messageId: "msg_\0" }), 0);
      assert.deepEqual(announced, []);
      assert.equal(await spool.retry(retry), 1);
      await woken;
      assert.deepEqual(announced, ["acc_default"]);
    });
  });
}
