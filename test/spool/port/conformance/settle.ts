/** Settling attempts, and what a report shows of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpoolEvent } from "../../../../src/spool/port/results.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { newMessage, recipientsAt, settlement } from "../../../support/messages.ts";

import { at, claimAll, emails, NOW_MS, type OpenSpool } from "./suite.ts";

export function settleConformance(name: string, open: OpenSpool): void {
  describe(`${name}: settle`, () => {
    it("keeps each recipient's result, reply and history across a crash", async (t) => {
      const first = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 4) });
      await first.spool.accept(message);
      const smtp = { code: 250, enhanced_code: "2.0.0", message: "ok", mx: "mx.a.example", ip: "192.0.2.1", tls: null };
      await settleMessage(first.spool, message.id, NOW_MS + 5, [
        { ...settlement(0, "delivered"), smtp },
        settlement(1, "failed"),
        settlement(2, "unknown"),
        settlement(3, "pending", NOW_MS + 60_000),
      ]);
      const { spool } = await first.reopen();
      const report = await spool.report(message.id);
      assert.deepEqual(
        report?.recipients.map((r) => r.result),
        ["delivered", "failed", "unknown", "pending"],
      );
      assert.deepEqual(
        report.recipients.map((r) => r.events.map((e) => e.type).join()),
        ["accepted,delivered", "accepted,failed", "accepted,unknown", "accepted,deferred"],
      );
      assert.deepEqual(report.recipients[0]?.smtp, smtp);
      assert.equal(report.recipients[3]?.nextAttemptAtMs, NOW_MS + 60_000);
      assert.equal(report.updatedAtMs, NOW_MS + 5);
      const { jobs, nextDueMs } = await spool.claim(claimAll(NOW_MS + 59_999));
      assert.deepEqual(jobs, []);
      // Earlier where another look at the database is wanted.
      assert.ok(nextDueMs !== null && nextDueMs <= NOW_MS + 60_000);
      assert.deepEqual(emails((await spool.claim(claimAll(NOW_MS + 60_000))).jobs), ["user3@a.example"]);
    });

    it("never changes a final result", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      const { lease } = at((await spool.claim(claimAll())).jobs);
      assert.equal(await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")], lease), "settled");
      assert.equal(await spool.settle(message.id, NOW_MS, [settlement(0, "failed")], lease), "lease_lost");
      const report = await spool.report(message.id);
      assert.equal(report?.recipients[0]?.result, "delivered");
      assert.equal(report.recipients[0]?.attempts, 1);
    });

    it("stores the results of the recipients under the lease, although others have theirs already", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2) });
      await spool.accept(message);
      const { lease } = at((await spool.claim(claimAll())).jobs);
      await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")], lease);
      const both = [settlement(0, "failed"), settlement(1, "failed")];
      assert.equal(await spool.settle(message.id, NOW_MS, both, lease), "settled");
      const report = await spool.report(message.id);
      assert.deepEqual(
        report?.recipients.map(({ result }) => result),
        ["delivered", "failed"],
      );
    });

    it("keeps the last reply when a later attempt had none", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      const smtp = { code: 451, enhanced_code: null, message: "later", mx: "mx", ip: null, tls: null };
      await settleMessage(spool, message.id, NOW_MS, [{ ...settlement(0, "pending", NOW_MS), smtp }]);
      const job = at((await spool.claim(claimAll())).jobs);
      assert.deepEqual(job.recipients[0]?.smtp, smtp);
      await spool.settle(message.id, NOW_MS, [settlement(0, "failed")], job.lease);
      assert.deepEqual((await spool.report(message.id))?.recipients[0]?.smtp, smtp);
    });

    it("counts no attempt if none was made, and a retry lifts a past deadline", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2), deadlineMs: NOW_MS + 10 });
      await spool.accept(message);
      const expired = {
        ...settlement(0, "failed"),
        outcome: "deferred" as const,
        reason: "expired",
        untried: true as const,
      };
      await settleMessage(spool, message.id, NOW_MS + 10, [expired, settlement(1, "unknown")]);
      const [first] = (await spool.report(message.id))?.recipients ?? [];
      assert.deepEqual([first?.result, first?.attempts, first?.events.at(-1)?.type], ["failed", 0, "expired"]);
      const retry = { accountId: "acc_default", messageId: message.id };
      assert.equal(await spool.retry({ ...retry, nowMs: NOW_MS + 10 }), 1);
      const [job] = (await spool.claim(claimAll(NOW_MS + 10))).jobs;
      assert.deepEqual([job?.recipients[0]?.position, job?.deadlineMs], [1, undefined]);
    });

    it("shows no next attempt if a recipient only waits for its deadline", async (t) => {
      const { spool } = await open(t);
      const deadlineMs = NOW_MS + 10;
      const message = newMessage({ recipients: recipientsAt("a.example", 2), deadlineMs });
      await spool.accept(message);
      const again = settlement(0, "pending", deadlineMs - 1);
      await settleMessage(spool, message.id, NOW_MS, [again, settlement(1, "pending", deadlineMs)]);
      const shown = (await spool.report(message.id))?.recipients.map((r) => {
        const event = r.events.at(-1) as Extract<SpoolEvent, { next_attempt_at_ms: unknown }>;
        return [r.result, r.nextAttemptAtMs, r.failsAtMs, event.next_attempt_at_ms];
      });
      assert.deepEqual(shown, [
        ["pending", deadlineMs - 1, undefined, deadlineMs - 1],
        ["pending", null, deadlineMs, null],
      ]);
      const queue = await spool.queue({ accountId: "acc_default", limit: 9 });
      assert.deepEqual(
        queue.map((entry) => [entry.nextAttemptAtMs, entry.failsAtMs]),
        [
          [deadlineMs - 1, undefined],
          [null, deadlineMs],
        ],
      );
      assert.equal((await spool.claim(claimAll(deadlineMs))).jobs[0]?.recipients.length, 2);
    });

    for (const way of ["retry", "retryFailed"] as const) {
      it(`keeps the history as it was after ${way} beyond the deadline`, async (t) => {
        const { spool } = await open(t);
        const deadlineMs = NOW_MS + 10;
        const message = newMessage({ recipients: recipientsAt("a.example", 2), deadlineMs, expiresAtMs: deadlineMs });
        await spool.accept(message);
        await settleMessage(spool, message.id, NOW_MS, [
          settlement(0, "pending", deadlineMs - 1),
          settlement(1, "pending", deadlineMs),
        ]);
        const expired = { outcome: "deferred", reason: "expired", untried: true } as const;
        if (way === "retryFailed") {
          const settlements = [0, 1].map((position) => ({ ...settlement(position, "failed"), ...expired }));
          await settleMessage(spool, message.id, deadlineMs, settlements);
        }
        const histories = async () => (await spool.report(message.id))?.recipients.map(({ events }) => events) ?? [];
        const before = await histories();
        assert.deepEqual(
          before.map(([, event]) => event?.type !== "accepted" && Object(event).next_attempt_at_ms),
          [deadlineMs - 1, null],
        );
        const ref = { accountId: "acc_default", messageId: message.id, nowMs: deadlineMs + 1 };
        const step = { ...ref, expiresAtMs: deadlineMs + 100, limit: 9, after: null, dryRun: false };
        const count = way === "retry" ? await spool.retry(ref) : (await spool.retryFailed(step)).recipients.length;
        assert.equal(count, 2);
        const after = await histories();
        assert.deepEqual(
          after.map((events) => events.at(-1)?.type),
          ["retried", "retried"],
        );
        assert.deepEqual(
          after.map((events) => events.slice(0, -1)),
          before,
        );
      });
    }

    it("calls the message's watchers", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      let told = 0;
      const stop = spool.watch(message.id, () => {
        told += 1;
      });
      await settleMessage(spool, message.id, NOW_MS, [settlement(0, "pending", NOW_MS)]);
      stop();
      await settleMessage(spool, message.id, NOW_MS, [settlement(0, "delivered")]);
      assert.equal(told, 1);
    });
  });
}
