/**
 * What every form of the spool must do: the port's promises, tested through the port alone. A form's own test file
 * calls `conformance` with how to open it; `reopen` stands for a crash and a new start on the same store.
 */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Category } from "../../../src/message/category.ts";
import type { HostAttempt } from "../../../src/message/outcome.ts";
import type {
  ClaimRequest,
  DeliveryJob,
  Forgetting,
  NewMessage,
  RecipientReport,
  RetriedFailed,
  RetryFailedStep,
  Settlement,
  Spool,
  SpoolEvent,
  StsPolicy,
  WaitBounds,
} from "../../../src/spool/port/mail.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../support/messages.ts";
import { claimOrder } from "./claim-order.ts";

export interface SpoolUnderTest {
  spool: Spool;
  /** Ends this instance without any farewell and opens the same store again, as after SIGKILL. */
  reopen(): Promise<SpoolUnderTest>;
}

const NOW_MS = 1_000_000;

const claimAll = (nowMs = NOW_MS, parts: Partial<ClaimRequest> = {}): ClaimRequest => ({
  nowMs,
  limit: 1000,
  perDomain: 1000,
  allowance: {},
  ...parts,
});

const emails = (jobs: DeliveryJob[]): string[] => jobs.flatMap((job) => job.recipients.map((r) => r.email));

export function conformance(name: string, open: (t: TestContext) => Promise<SpoolUnderTest>): void {
  describe(`${name}: accept`, () => {
    it("keeps message, recipients and content across a crash", async (t) => {
      const first = await open(t);
      const message = newMessage({ recipients: recipientsAt("customers.example", 3), subject: "Grüße ✓" });
      assert.deepEqual(await first.spool.accept(message), { type: "accepted", id: message.id });
      const { spool } = await first.reopen();
      const report = await spool.report(message.id);
      assert.equal(report?.subject, "Grüße ✓");
      assert.deepEqual(
        report.recipients.map((r) => [r.position, r.email, r.result, r.attempts, r.events.map((e) => e.type)]),
        message.recipients.map((r, i) => [i, r.email, "pending", 0, ["accepted"]]),
      );
      assert.deepEqual(await spool.content(message.id), message.content);
      assert.equal(await spool.backlog(), 3);
    });

    it("keeps what the sender noted, and the field each recipient stood in", async (t) => {
      const first = await open(t);
      const [to, cc, bcc] = recipientsAt("customers.example", 3);
      assert.ok(to && cc && bcc);
      const recipients = [to, { ...cc, field: "cc" as const }, { ...bcc, field: "bcc" as const }];
      const metadata = JSON.parse('{"order":"1042","__proto__":"x"}') as Record<string, string>;
      const deadlineMs = NOW_MS + 600_000;
      const noted = newMessage({ recipients, tags: ["welcome", "grün"], metadata, deadlineMs });
      await first.spool.accept(noted);
      const { spool } = await first.reopen();
      const report = await spool.report(noted.id);
      assert.deepEqual(report?.tags, ["welcome", "grün"]);
      assert.equal(JSON.stringify(report?.metadata), JSON.stringify(metadata));
      assert.deepEqual(
        report?.recipients.map((r) => r.field),
        ["to", "cc", "bcc"],
      );
      const [job] = (await spool.claim(claimAll())).jobs;
      assert.equal(job?.deadlineMs, deadlineMs);
      const plain = newMessage({ recipients: recipientsAt("b.example", 1) });
      await spool.accept(plain);
      const plainReport = await spool.report(plain.id);
      assert.deepEqual([plainReport?.tags, plainReport?.metadata], [[], {}]);
      assert.equal((await spool.claim(claimAll())).jobs[0]?.deadlineMs, undefined);
    });

    it("answers a repeated idempotency key with the first message, and stores nothing", async (t) => {
      const { spool } = await open(t);
      const idempotency = { key: "k", payloadHash: "h" };
      const first = newMessage({ idempotency });
      await spool.accept(first);
      const again = newMessage({ idempotency });
      assert.deepEqual(await spool.accept(again), { type: "replayed", id: first.id });
      assert.equal(await spool.report(again.id), null);
      const other = newMessage({ idempotency: { key: "k", payloadHash: "other" } });
      assert.deepEqual(await spool.accept(other), { type: "idempotency_key_reused" });
      assert.deepEqual(await spool.remembered("acc_default", "k", NOW_MS), { id: first.id, payloadHash: "h" });
      assert.equal(await spool.remembered("acc_other", "k", NOW_MS), null);
      assert.equal(await spool.backlog(), 1);
    });

    it("lets one of many simultaneous duplicates through", async (t) => {
      const { spool } = await open(t);
      const idempotency = { key: "k", payloadHash: "h" };
      const answers = await Promise.all(Array.from({ length: 200 }, () => spool.accept(newMessage({ idempotency }))));
      assert.equal(answers.filter((a) => a.type === "accepted").length, 1);
      assert.equal(new Set(answers.map((a) => "id" in a && a.id)).size, 1);
      assert.equal(await spool.backlog(), 1);
    });

    it("forgets an idempotency key after 24 hours", async (t) => {
      const { spool } = await open(t);
      const idempotency = { key: "k", payloadHash: "h" };
      await spool.accept(newMessage({ idempotency }));
      const laterMs = NOW_MS + 24 * HOUR_MS;
      assert.notEqual(await spool.remembered("acc_default", "k", laterMs - 1), null);
      assert.equal(await spool.remembered("acc_default", "k", laterMs), null);
      const later = newMessage({ idempotency: { key: "k", payloadHash: "other" }, createdAtMs: laterMs });
      assert.deepEqual(await spool.accept(later), { type: "accepted", id: later.id });
    });

    it("counts the daily quota in recipients, per account and UTC day, and never for a refusal or a replay", async (t) => {
      const { spool } = await open(t);
      const of = (count: number, parts = {}) =>
        spool.accept(newMessage({ recipients: recipientsAt("c.example", count), quotaDaily: 5, ...parts }));
      const idempotency = { key: "k", payloadHash: "h" };
      assert.equal((await of(3, { idempotency })).type, "accepted");
      assert.equal((await of(3, { idempotency })).type, "replayed");
      assert.equal((await of(3)).type, "quota_exceeded");
      assert.equal((await of(2)).type, "accepted");
      assert.equal((await of(1)).type, "quota_exceeded");
      assert.equal((await of(1, { createdAtMs: NOW_MS + 24 * HOUR_MS })).type, "accepted");
      assert.equal((await of(5, { accountId: "acc_other" })).type, "accepted");
    });
  });

  describe(`${name}: claim`, () => {
    it("gives one work for each message and recipient domain, with all its recipients", async (t) => {
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

    it("never gives a leased recipient twice, until it is released or settled", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      assert.equal((await spool.claim(claimAll())).jobs.length, 1);
      assert.equal((await spool.claim(claimAll(NOW_MS + HOUR_MS))).jobs.length, 0);
      await spool.release({ messageId: message.id, positions: [0] });
      assert.equal((await spool.claim(claimAll())).jobs.length, 1);
      await spool.settle(message.id, NOW_MS, [settlement(0, "pending", NOW_MS + 500)]);
      assert.deepEqual(await spool.claim(claimAll(NOW_MS + 499)), { jobs: [], nextDueMs: NOW_MS + 500 });
      const [job] = (await spool.claim(claimAll(NOW_MS + 500))).jobs;
      assert.equal(job?.recipients[0]?.attempts, 1);
      await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")]);
      assert.deepEqual(await spool.claim(claimAll(NOW_MS + HOUR_MS)), { jobs: [], nextDueMs: null });
    });

    it("keeps to the limits in all and for each domain", async (t) => {
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

    it("serves accounts and domains in turn, whatever one of them has waiting", async (t) => {
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

    it("gives a recipient of a leased message that fell due meanwhile, once the lease ends", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2) });
      await spool.accept(message);
      await spool.claim(claimAll());
      await spool.settle(message.id, NOW_MS, [
        settlement(0, "pending", NOW_MS + 100),
        settlement(1, "pending", NOW_MS + 200),
      ]);
      assert.deepEqual(emails((await spool.claim(claimAll(NOW_MS + 100))).jobs), ["user0@a.example"]);
      assert.deepEqual((await spool.claim(claimAll(NOW_MS + 300))).jobs, []);
      await spool.settle(message.id, NOW_MS + 300, [settlement(0, "delivered")]);
      assert.deepEqual(emails((await spool.claim(claimAll(NOW_MS + 300))).jobs), ["user1@a.example"]);
    });

    it("wakes the loop when a message is accepted", async (t) => {
      const { spool } = await open(t);
      const woken = new Promise<void>((resolve) => spool.onDue(resolve));
      await spool.accept(newMessage());
      await woken;
    });
  });

  claimOrder(name, open);

  describe(`${name}: settle`, () => {
    it("keeps each recipient's result, reply and history across a crash", async (t) => {
      const first = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 4) });
      await first.spool.accept(message);
      await first.spool.claim(claimAll());
      const smtp = { code: 250, enhanced_code: "2.0.0", message: "ok", mx: "mx.a.example", ip: "192.0.2.1", tls: null };
      await first.spool.settle(message.id, NOW_MS + 5, [
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
      assert.deepEqual(await spool.claim(claimAll(NOW_MS + 59_999)), { jobs: [], nextDueMs: NOW_MS + 60_000 });
      assert.deepEqual(emails((await spool.claim(claimAll(NOW_MS + 60_000))).jobs), ["user3@a.example"]);
    });

    it("never changes a final result", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      await spool.claim(claimAll());
      await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")]);
      await spool.settle(message.id, NOW_MS, [settlement(0, "failed")]);
      const report = await spool.report(message.id);
      assert.equal(report?.recipients[0]?.result, "delivered");
      assert.equal(report.recipients[0]?.attempts, 1);
    });

    it("keeps the last reply when a later attempt had none", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      const smtp = { code: 451, enhanced_code: null, message: "later", mx: "mx", ip: null, tls: null };
      await spool.claim(claimAll());
      await spool.settle(message.id, NOW_MS, [{ ...settlement(0, "pending", NOW_MS), smtp }]);
      const [job] = (await spool.claim(claimAll())).jobs;
      assert.deepEqual(job?.recipients[0]?.smtp, smtp);
      await spool.settle(message.id, NOW_MS, [settlement(0, "failed")]);
      assert.deepEqual((await spool.report(message.id))?.recipients[0]?.smtp, smtp);
    });

    it("counts no attempt where none was made, and a person's retry lifts a deadline that is over", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2), deadlineMs: NOW_MS + 10 });
      await spool.accept(message);
      await spool.claim(claimAll());
      const expired = {
        ...settlement(0, "failed"),
        outcome: "deferred" as const,
        reason: "expired",
        untried: true as const,
      };
      await spool.settle(message.id, NOW_MS + 10, [expired, settlement(1, "unknown")]);
      const [first] = (await spool.report(message.id))?.recipients ?? [];
      assert.deepEqual([first?.result, first?.attempts, first?.events.at(-1)?.type], ["failed", 0, "expired"]);
      const retry = { accountId: "acc_default", messageId: message.id };
      assert.equal(await spool.retry({ ...retry, nowMs: NOW_MS + 10 }), 1);
      const [job] = (await spool.claim(claimAll(NOW_MS + 10))).jobs;
      assert.deepEqual([job?.recipients[0]?.position, job?.deadlineMs], [1, undefined]);
    });

    it("shows no next attempt where a recipient waits for its deadline alone", async (t) => {
      const { spool } = await open(t);
      const deadlineMs = NOW_MS + 10;
      const message = newMessage({ recipients: recipientsAt("a.example", 2), deadlineMs });
      await spool.accept(message);
      await spool.claim(claimAll());
      const again = settlement(0, "pending", deadlineMs - 1);
      await spool.settle(message.id, NOW_MS, [again, settlement(1, "pending", deadlineMs)]);
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
        await spool.claim(claimAll());
        await spool.settle(message.id, NOW_MS, [
          settlement(0, "pending", deadlineMs - 1),
          settlement(1, "pending", deadlineMs),
        ]);
        const expired = { outcome: "deferred", reason: "expired", untried: true } as const;
        if (way === "retryFailed") {
          await spool.claim(claimAll(deadlineMs));
          const settlements = [0, 1].map((position) => ({ ...settlement(position, "failed"), ...expired }));
          await spool.settle(message.id, deadlineMs, settlements);
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

    it("tells who watches the message", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      await spool.claim(claimAll());
      let told = 0;
      const stop = spool.watch(message.id, () => {
        told += 1;
      });
      await spool.settle(message.id, NOW_MS, [settlement(0, "pending", NOW_MS)]);
      stop();
      await spool.claim(claimAll());
      await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")]);
      assert.equal(told, 1);
    });
  });

  describe(`${name}: a clock that was set back`, () => {
    /** As the schedule could have said for who was tried once, and more often. */
    const bounds = (nowMs: number): WaitBounds => ({ nowMs, longestMs: [0, 60_000, 300_000], after: null, limit: 2 });
    const passAt = async (spool: Spool, nowMs: number): Promise<number> => {
      let shortened = 0;
      for (let step: WaitBounds | null = bounds(nowMs); step !== null; ) {
        const { recipients, next } = await spool.shortenWaits(step);
        shortened += recipients;
        step = next === null ? null : { ...step, after: next };
      }
      return shortened;
    };

    it("brings forward what would wait longer than it may, each by its attempts, and nothing else", async (t) => {
      const { spool } = await open(t);
      const ahead = NOW_MS + 2 * HOUR_MS;
      const messages = ["untried", "once", "twice", "in time"].map(() =>
        newMessage({ createdAtMs: ahead, recipients: recipientsAt("a.example", 1) }),
      );
      const [untried = "", once = "", twice = "", inTime = ""] = messages.map(({ id }) => id);
      for (const message of messages) await spool.accept(message);
      const settle = async (id: string, dueMs: number): Promise<void> => {
        await spool.claim(claimAll(ahead));
        await spool.settle(id, ahead, [settlement(0, "pending", dueMs)]);
      };
      await settle(once, ahead + 60_000);
      await settle(twice, ahead);
      await settle(twice, ahead + 300_000);
      await settle(inTime, NOW_MS + 50_000);
      await spool.release({ messageId: untried, positions: [0] });

      assert.equal(await passAt(spool, NOW_MS), 3);
      const reports = await Promise.all([untried, once, twice, inTime].map((id) => spool.report(id)));
      assert.deepEqual(
        reports.map((report) => report?.recipients[0]?.nextAttemptAtMs),
        [NOW_MS, NOW_MS + 60_000, NOW_MS + 300_000, NOW_MS + 50_000],
      );
      assert.equal(await passAt(spool, NOW_MS), 0);
      const claimed = async (nowMs: number) => (await spool.claim(claimAll(nowMs))).jobs.map((job) => job.messageId);
      assert.deepEqual(await claimed(NOW_MS), [untried]);
      assert.deepEqual(await claimed(NOW_MS + 60_000), [inTime, once]);
      assert.deepEqual(await claimed(NOW_MS + 300_000), [twice]);
    });

    it("serves what is accepted afterwards as the newest", async (t) => {
      const { spool } = await open(t);
      const ahead = NOW_MS + 2 * HOUR_MS;
      for (let i = 0; i < 300; i += 1) await spool.accept(newMessage({ createdAtMs: ahead }));
      await passAt(spool, NOW_MS);
      const fresh = newMessage({ createdAtMs: NOW_MS + 5 });
      await spool.accept(fresh);
      const { jobs } = await spool.claim(claimAll(NOW_MS + 10, { limit: 1 }));
      assert.equal(jobs[0]?.messageId, fresh.id);
    });
  });

  describe(`${name}: retention`, () => {
    const step = (parts: Partial<Forgetting> = {}): Forgetting => {
      return {
        nowMs: NOW_MS + 2000 * HOUR_MS,
        contentsBeforeMs: NOW_MS + 100,
        resultsBeforeMs: 0,
        limit: 100,
        ...parts,
      };
    };
    const of = async (spool: Spool, messages: NewMessage[]): Promise<string[]> => {
      const found = await Promise.all(
        messages.map(async ({ id }) => {
          const content = await spool.content(id).then(
            () => "content",
            () => "no content",
          );
          return (await spool.report(id)) === null ? "gone" : content;
        }),
      );
      return found;
    };
    /** Accepts three, settles what is given, and opens the store anew, so that nothing is held in memory. */
    const three = async (t: TestContext, settlements: Settlement[]) => {
      const first = await open(t);
      const messages = [0, 1, 2].map(() => newMessage({ recipients: recipientsAt("a.example", 1), tags: ["a"] }));
      for (const message of messages) await first.spool.accept(message);
      await first.spool.claim(claimAll());
      for (const [i, settled] of settlements.entries()) {
        await first.spool.settle(messages[i]?.id ?? "", NOW_MS + i * 100, [settled]);
      }
      return { messages, spool: (await first.reopen()).spool };
    };

    it("drops contents, then results, counted from the last final result", async (t) => {
      const { spool, messages } = await three(t, [settlement(0, "delivered"), settlement(0, "failed")]);
      assert.deepEqual(await spool.forget(step()), { contents: 1, messages: 0, isMore: false });
      assert.deepEqual(await of(spool, messages), ["no content", "content", "content"]);
      const [first] = messages;
      assert.equal((await spool.report(first?.id ?? ""))?.recipients[0]?.result, "delivered");
      assert.deepEqual(await spool.forget(step({ contentsBeforeMs: NOW_MS + 101 })), {
        contents: 1,
        messages: 0,
        isMore: false,
      });
      const later = step({ resultsBeforeMs: NOW_MS + 101 });
      assert.deepEqual(await spool.forget(later), { contents: 0, messages: 2, isMore: false });
      assert.deepEqual(await of(spool, messages), ["gone", "gone", "content"]);
    });

    it("goes past messages that are dated in the future, and keeps them", async (t) => {
      const { spool } = await open(t);
      const dates = [NOW_MS, NOW_MS + 5 * HOUR_MS, NOW_MS, NOW_MS + HOUR_MS];
      const messages = dates.map((createdAtMs) =>
        newMessage({ createdAtMs, recipients: recipientsAt("a.example", 1) }),
      );
      for (const message of messages) {
        await spool.accept(message);
        await spool.claim(claimAll(message.createdAtMs));
        await spool.settle(message.id, message.createdAtMs, [settlement(0, "delivered")]);
      }
      const now = step({ nowMs: NOW_MS + 200, resultsBeforeMs: NOW_MS + 100 });
      assert.deepEqual(await spool.forget(now), { contents: 2, messages: 2, isMore: false });
      assert.deepEqual(await of(spool, messages), ["gone", "content", "gone", "content"]);
    });

    it("keeps everything of what is pending or unknown, however old", async (t) => {
      const { spool, messages } = await three(t, [settlement(0, "unknown"), settlement(0, "pending", NOW_MS)]);
      const laterMs = NOW_MS + 1000 * HOUR_MS;
      const all = step({ contentsBeforeMs: laterMs, resultsBeforeMs: laterMs });
      assert.deepEqual(await spool.forget(all), { contents: 0, messages: 0, isMore: false });
      assert.deepEqual(await of(spool, messages), ["content", "content", "content"]);
      assert.equal((await spool.claim(claimAll())).jobs.length, 2);
    });

    it("goes in bounded steps, and comes back to those that became final meanwhile", async (t) => {
      const { spool, messages } = await three(t, [settlement(0, "unknown"), settlement(0, "delivered")]);
      const laterMs = NOW_MS + 1000 * HOUR_MS;
      const one = step({ contentsBeforeMs: laterMs, resultsBeforeMs: 0, limit: 1 });
      const steps = [await spool.forget(one), await spool.forget(one), await spool.forget(one)];
      assert.deepEqual(
        steps.map(({ contents, isMore }) => [contents, isMore]),
        [
          [0, true],
          [1, true],
          [0, true],
        ],
      );
      assert.equal((await spool.forget(one)).isMore, false);
      const [first] = messages;
      await spool.retry({ accountId: "acc_default", messageId: first?.id ?? "", nowMs: NOW_MS });
      await spool.claim(claimAll());
      await spool.settle(first?.id ?? "", NOW_MS, [settlement(0, "delivered")]);
      assert.equal((await spool.forget(one)).contents, 1);
    });
  });

  describe(`${name}: crash`, () => {
    it("finds an unmarked attempt pending and due", async (t) => {
      const first = await open(t);
      const message = newMessage();
      await first.spool.accept(message);
      await first.spool.claim(claimAll());
      const { spool } = await first.reopen();
      assert.equal(await spool.recover(NOW_MS, "unknown"), 0);
      assert.equal((await spool.claim(claimAll())).jobs[0]?.messageId, message.id);
    });

    it("finds a marked attempt unknown, with its evidence, and never claims it", async (t) => {
      const first = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2) });
      await first.spool.accept(message);
      await first.spool.claim(claimAll());
      await first.spool.mark({
        messageId: message.id,
        positions: [1],
        atMs: NOW_MS,
        mx: "mx.a.example",
        ip: "192.0.2.1",
      });
      const marked = await first.spool.report(message.id);
      assert.deepEqual(
        marked?.recipients.map((r) => r.result),
        ["pending", "pending"],
      );
      const { spool } = await first.reopen();
      assert.equal(await spool.recover(NOW_MS + 9, "unknown"), 1);
      const report = await spool.report(message.id);
      assert.deepEqual(
        report?.recipients.map((r) => r.result),
        ["pending", "unknown"],
      );
      const event = report.recipients[1]?.events.at(-1);
      assert.ok(event?.type === "recovered");
      assert.deepEqual(
        [event.tries[0]?.mx, event.tries[0]?.ip, event.tries[0]?.stage],
        ["mx.a.example", "192.0.2.1", "final_dot"],
      );
      assert.deepEqual(emails((await spool.claim(claimAll())).jobs), ["user0@a.example"]);
    });

    it("puts a marked attempt back in the queue where the policy is to retry", async (t) => {
      const first = await open(t);
      const message = newMessage();
      await first.spool.accept(message);
      await first.spool.claim(claimAll());
      await first.spool.mark({ messageId: message.id, positions: [0], atMs: NOW_MS, mx: "mx", ip: null });
      const { spool } = await first.reopen();
      assert.equal(await spool.recover(NOW_MS, "pending"), 1);
      assert.equal((await spool.claim(claimAll())).jobs.length, 1);
    });

    for (const limit of ["deadlineMs", "expiresAtMs"]) {
      it(`leaves a marked attempt unknown whatever the policy once its ${limit} is over`, async (t) => {
        const first = await open(t);
        const message = newMessage({ recipients: recipientsAt("a.example", 1), [limit]: NOW_MS + 100 });
        await first.spool.accept(message);
        await first.spool.claim(claimAll());
        await first.spool.mark({ messageId: message.id, positions: [0], atMs: NOW_MS, mx: "mx", ip: null });
        const { spool } = await first.reopen();
        assert.equal(await spool.recover(NOW_MS + 100, "pending"), 1);
        const [recipient] = (await spool.report(message.id))?.recipients ?? [];
        assert.deepEqual([recipient?.result, recipient?.reason], ["unknown", "interrupted_after_final_dot"]);
      });
    }

    it("claims a recipient with the reason of its last attempt", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 1) });
      await spool.accept(message);
      const reasonOf = async () => (await spool.claim(claimAll())).jobs[0]?.recipients[0]?.reason;
      assert.equal(await reasonOf(), null);
      const deferred = { ...settlement(0, "pending", NOW_MS), reason: "no_reply_to_final_dot" };
      await spool.settle(message.id, NOW_MS, [deferred]);
      assert.equal(await reasonOf(), "no_reply_to_final_dot");
    });

    it("settles a marked recipient by the reply that came after all", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      await spool.claim(claimAll());
      await spool.mark({ messageId: message.id, positions: [0], atMs: NOW_MS, mx: "mx", ip: null });
      await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")]);
      assert.equal((await spool.report(message.id))?.recipients[0]?.result, "delivered");
      assert.equal(await spool.recover(NOW_MS, "unknown"), 0);
    });

    it("refuses to mark what is not pending", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      await spool.claim(claimAll());
      await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")]);
      await assert.rejects(spool.mark({ messageId: message.id, positions: [0], atMs: NOW_MS, mx: "mx", ip: null }));
    });
  });

  describe(`${name}: MTA-STS policies`, () => {
    const policy = (parts: Partial<StsPolicy> = {}): StsPolicy => ({
      domain: "customers.example",
      id: "20240101",
      mode: "enforce",
      mx: ["mx1.customers.example", "*.backup.example"],
      fetchedAtMs: NOW_MS,
      expiresAtMs: NOW_MS + HOUR_MS,
      ...parts,
    });

    it("keeps one for each domain across a crash, the newest", async (t) => {
      const first = await open(t);
      assert.equal(await first.spool.stsPolicy("customers.example"), null);
      await first.spool.storeStsPolicy(policy());
      await first.spool.storeStsPolicy(policy({ domain: "other.example", mode: "none", mx: [] }));
      const newer = policy({ id: "20240202", mode: "testing", fetchedAtMs: NOW_MS + 1, expiresAtMs: NOW_MS + 2 });
      await first.spool.storeStsPolicy(newer);
      const { spool } = await first.reopen();
      assert.deepEqual(await spool.stsPolicy("customers.example"), newer);
      assert.deepEqual(
        await spool.stsPolicy("other.example"),
        policy({ domain: "other.example", mode: "none", mx: [] }),
      );
    });

    it("lets none go before its time", async (t) => {
      const { spool } = await open(t);
      await spool.storeStsPolicy(policy());
      const fetchedAtMs = NOW_MS + HOUR_MS - 1;
      await spool.storeStsPolicy(policy({ domain: "other.example", fetchedAtMs, expiresAtMs: fetchedAtMs + 1 }));
      assert.deepEqual(await spool.stsPolicy("customers.example"), policy());
    });
  });

  describe(`${name}: notes`, () => {
    it("keeps the newest text under a name across a crash", async (t) => {
      const first = await open(t);
      assert.equal(await first.spool.note("windows"), null);
      await first.spool.writeNote("windows", "[1]");
      await first.spool.writeNote("windows", "[2]");
      const { spool } = await first.reopen();
      assert.equal(await spool.note("windows"), "[2]");
    });
  });

  describe(`${name}: suppression`, () => {
    const AFTER = 3;
    const DAY_MS = 24 * HOUR_MS;
    const APART_MS = 8 * HOUR_MS;
    const ANN = { email: "Ann@customers.example", domain: "customers.example" };
    const listed = { accountId: "acc_default", after: AFTER, nowMs: NOW_MS, limit: 10 };

    /** Accepts a message to the recipient and settles it as refused, or delivered. */
    async function settled(
      spool: Spool,
      recipient = ANN,
      parts: { atMs?: number; accountId?: string; code?: string } = {},
    ) {
      const { atMs = NOW_MS, accountId = "acc_default", code = "5.1.1" } = parts;
      const message = newMessage({ recipients: [recipient], accountId, createdAtMs: atMs });
      await spool.accept(message);
      const isDelivered = code.startsWith("2");
      const reply = { code: isDelivered ? 250 : 550, enhanced_code: code, message: "No such user" };
      const place = { mx: "mx.customers.example", ip: "192.0.2.1" };
      const said = { ...place, tls: null, stage: isDelivered ? "final_dot" : "rcpt", reply, error: null, note: null };
      const tries = [{ ...said, policy: "none" } as HostAttempt];
      await spool.settle(message.id, atMs, [{ ...settlement(0, isDelivered ? "delivered" : "failed"), tries }]);
    }

    /** As many refusals as suppress, 8 hours apart, the last at `atMs`. */
    async function refused(
      spool: Spool,
      recipient = ANN,
      parts: { atMs?: number; accountId?: string; code?: string } = {},
    ) {
      const { atMs = NOW_MS } = parts;
      for (let i = AFTER - 1; i >= 0; i -= 1) await settled(spool, recipient, { ...parts, atMs: atMs - i * APART_MS });
    }

    async function accepted(spool: Spool, parts: Partial<NewMessage> = {}): Promise<RecipientReport[]> {
      const message = newMessage({ recipients: [ANN], suppressAfter: AFTER, ...parts });
      const acceptance = await spool.accept(message);
      const recipients = (await spool.report(message.id))?.recipients ?? [];
      const suppressed = recipients.filter(({ reason }) => reason === "suppressed").length;
      const told = suppressed === 0 ? {} : { suppressed };
      assert.deepEqual(acceptance, { type: "accepted", id: message.id, ...told });
      return recipients;
    }

    const results = (recipients: RecipientReport[]) => recipients.map(({ result, reason }) => [result, reason]);

    it("fails a recipient at acceptance for three refusals, and says which, also after a crash", async (t) => {
      const first = await open(t);
      const endMs = NOW_MS + 2 * APART_MS;
      for (const atMs of [NOW_MS, NOW_MS + APART_MS]) await settled(first.spool, ANN, { atMs });
      assert.deepEqual(results(await accepted(first.spool, { createdAtMs: endMs })), [["pending", null]]);
      await settled(first.spool, ANN, { atMs: endMs });
      const { spool } = await first.reopen();
      const [recipient] = await accepted(spool, { createdAtMs: endMs + 1 });
      const refusals = [0, 1, 2].map((i) => ({
        at_ms: NOW_MS + i * APART_MS,
        code: 550,
        enhanced_code: "5.1.1",
        message: "No such user",
        mx: "mx.customers.example",
        ip: "192.0.2.1",
      }));
      assert.deepEqual(recipient?.events, [
        { at_ms: endMs + 1, type: "accepted" },
        {
          at_ms: endMs + 1,
          type: "suppressed",
          since_ms: endMs,
          until_ms: NOW_MS + 30 * DAY_MS,
          refusals,
        },
      ]);
      const { result, reason, category, attempts, nextAttemptAtMs, smtp, updatedAtMs } = recipient;
      assert.deepEqual([result, reason, category], ["failed", "suppressed", "bad_address"]);
      assert.deepEqual([attempts, nextAttemptAtMs, smtp], [0, null, null]);
      assert.equal(updatedAtMs, endMs + 1);
      assert.deepEqual(await spool.suppressions({ ...listed, nowMs: endMs + 1 }), [
        { email: ANN.email, sinceMs: endMs, untilMs: NOW_MS + 30 * DAY_MS, refusals },
      ]);
    });

    it("never claims a suppressed recipient, and delivers to the others of its message", async (t) => {
      const { spool } = await open(t);
      await refused(spool);
      const bob = { email: "bob@customers.example", domain: "customers.example" };
      assert.deepEqual(results(await accepted(spool, { recipients: [ANN, bob] })), [
        ["failed", "suppressed"],
        ["pending", null],
      ]);
      assert.deepEqual(emails((await spool.claim(claimAll())).jobs), [bob.email]);
      await accepted(spool);
      assert.deepEqual(await spool.claim(claimAll(NOW_MS, { limit: 0 })), { jobs: [], nextDueMs: null });
      assert.deepEqual(await spool.claim(claimAll()), { jobs: [], nextDueMs: null });
      assert.equal(await spool.backlog(), 1);
    });

    it("counts by account, exact local part and domain, and only refusals as not existing", async (t) => {
      const { spool } = await open(t);
      await refused(spool, ANN, { accountId: "acc_other" });
      await refused(spool, { ...ANN, email: "ann@customers.example" });
      await refused(spool, { email: "Ann@other.example", domain: "other.example" });
      await refused(spool, ANN, { code: "5.7.1" });
      assert.deepEqual(results(await accepted(spool)), [["pending", null]]);
      const written = { email: "ann@CUSTOMERS.example", domain: "customers.example" };
      assert.deepEqual(results(await accepted(spool, { recipients: [written] })), [["failed", "suppressed"]]);
      assert.deepEqual(results(await accepted(spool, { accountId: "acc_other" })), [["failed", "suppressed"]]);
    });

    it("goes by the number given with the message; 0 is never", async (t) => {
      const { spool } = await open(t);
      await settled(spool);
      assert.deepEqual(results(await accepted(spool, { suppressAfter: 0 })), [["pending", null]]);
      assert.deepEqual(results(await accepted(spool, { suppressAfter: 1 })), [["failed", "suppressed"]]);
      assert.deepEqual(await spool.suppressions({ ...listed, after: 0 }), []);
    });

    it("needs refusals on different days, or spread over one: any number at one time counts as one", async (t) => {
      const { spool } = await open(t);
      const atOnce = async (atMs: number): Promise<void> => {
        for (let i = 0; i < 10; i += 1) await settled(spool, ANN, { atMs: atMs + i });
      };
      await atOnce(NOW_MS);
      assert.deepEqual(results(await accepted(spool, { createdAtMs: NOW_MS + 600 })), [["pending", null]]);
      await atOnce(NOW_MS + APART_MS);
      const beforeMs = NOW_MS + DAY_MS - 1;
      assert.deepEqual(results(await accepted(spool, { createdAtMs: beforeMs })), [["pending", null]]);
      const other = { email: "bob@customers.example", domain: "customers.example" };
      await settled(spool, other, { atMs: NOW_MS });
      for (let i = 0; i < 30; i += 1) await settled(spool, other, { atMs: NOW_MS + DAY_MS - 1 });
      assert.deepEqual(results(await accepted(spool, { recipients: [other], createdAtMs: NOW_MS + DAY_MS })), [
        ["pending", null],
      ]);
      await settled(spool, other, { atMs: NOW_MS + DAY_MS });
      const after = { createdAtMs: NOW_MS + DAY_MS };
      assert.deepEqual(results(await accepted(spool, { ...after, recipients: [other] })), [["failed", "suppressed"]]);
    });

    it("lets a delivery clear the count, and 30 days", async (t) => {
      const { spool } = await open(t);
      await refused(spool);
      await settled(spool, ANN, { code: "2.0.0" });
      await settled(spool, ANN, { atMs: NOW_MS - 2 * APART_MS });
      assert.deepEqual(results(await accepted(spool)), [["pending", null]]);
      for (const atMs of [NOW_MS - APART_MS, NOW_MS]) await settled(spool, ANN, { atMs });
      const lapsedMs = NOW_MS - 2 * APART_MS + 30 * DAY_MS;
      assert.deepEqual(results(await accepted(spool, { createdAtMs: lapsedMs - 1 })), [["failed", "suppressed"]]);
      assert.deepEqual(results(await accepted(spool, { createdAtMs: lapsedMs })), [["pending", null]]);
      assert.deepEqual(await spool.suppressions({ ...listed, nowMs: lapsedMs }), []);
    });

    it("counts a refusal once, whatever is settled after it", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: [ANN] });
      await spool.accept(message);
      const reply = { code: 550, enhanced_code: "5.1.1", message: "" };
      const said: HostAttempt = {
        mx: "mx",
        ip: null,
        tls: null,
        stage: "rcpt",
        reply,
        error: null,
        note: null,
        policy: null,
      };
      for (let i = 0; i < AFTER; i += 1) {
        await spool.settle(message.id, NOW_MS + i * APART_MS, [{ ...settlement(0, "failed"), tries: [said] }]);
      }
      assert.deepEqual(results(await accepted(spool)), [["pending", null]]);
    });

    it("lists an account's addresses, those refused last first, and forgets one when asked", async (t) => {
      const { spool } = await open(t);
      const others = ["ben", "bücher"].map((local) => ({
        email: `${local}@bücher.example`,
        domain: "xn--bcher-kva.example",
      }));
      for (const [i, recipient] of [ANN, ...others].entries()) {
        await refused(spool, recipient, { atMs: NOW_MS + i });
      }
      const emailsOf = async (parts = {}) =>
        (await spool.suppressions({ ...listed, nowMs: NOW_MS + 9, ...parts })).map(({ email }) => email);
      const all = ["bücher@xn--bcher-kva.example", "ben@xn--bcher-kva.example", ANN.email];
      assert.deepEqual(await emailsOf(), all);
      assert.deepEqual(await emailsOf({ limit: 2 }), all.slice(0, 2));
      assert.deepEqual(await emailsOf({ accountId: "acc_other" }), []);

      assert.equal(await spool.unsuppress("acc_other", ANN.email), false);
      assert.equal(await spool.unsuppress("acc_default", "ann@customers.example"), false);
      assert.equal(await spool.unsuppress("acc_default", "no address"), false);
      assert.equal(await spool.unsuppress("acc_default", "ben@Bücher.example"), true);
      assert.equal(await spool.unsuppress("acc_default", "ben@Bücher.example"), false);
      assert.equal(await spool.unsuppress("acc_default", "bücher@xn--bcher-kva.example"), true);
      assert.deepEqual(await emailsOf(), [ANN.email]);
      assert.deepEqual(results(await accepted(spool, { recipients: others })), [
        ["pending", null],
        ["pending", null],
      ]);
    });

    it("counts suppressed recipients in the quota", async (t) => {
      const { spool } = await open(t);
      await refused(spool);
      // The refusals before the last were on the day before.
      const quotaDaily = 2;
      await accepted(spool, { quotaDaily });
      const beyond = newMessage({ recipients: [ANN], suppressAfter: AFTER, quotaDaily });
      assert.equal((await spool.accept(beyond)).type, "quota_exceeded");
    });
  });

  describe(`${name}: the category`, () => {
    const REPUTATION = { category: "reputation" } as const;

    it("is kept with the recipient and with each attempt, across a crash, and is none once delivered", async (t) => {
      const first = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 3) });
      await first.spool.accept(message);
      const accepted = await first.spool.report(message.id);
      assert.deepEqual(
        accepted?.recipients.map(({ category }) => category),
        [null, null, null],
      );
      await first.spool.claim(claimAll());
      await first.spool.settle(message.id, NOW_MS, [
        { ...settlement(0, "failed"), ...REPUTATION },
        { ...settlement(1, "pending", NOW_MS + HOUR_MS), category: "greylisted" },
        { ...settlement(2, "pending", NOW_MS + HOUR_MS), ...REPUTATION },
      ]);
      const { spool } = await first.reopen();
      assert.deepEqual(
        (await spool.queue({ accountId: "acc_default", limit: 9 })).map(({ category }) => category),
        ["greylisted", "reputation"],
      );
      const [job] = (await spool.claim(claimAll(NOW_MS + HOUR_MS))).jobs;
      assert.deepEqual(
        job?.recipients.map(({ category }) => category),
        ["greylisted", "reputation"],
      );
      await spool.settle(message.id, NOW_MS + HOUR_MS, [settlement(1, "delivered"), settlement(2, "delivered")]);
      const recipients = (await spool.report(message.id))?.recipients ?? [];
      assert.deepEqual(
        recipients.map(({ category }) => category),
        ["reputation", null, null],
      );
      assert.deepEqual(
        recipients.map(({ events }) => events.map((event) => ("category" in event ? event.category : "-"))),
        [
          ["-", "reputation"],
          ["-", "greylisted", null],
          ["-", "reputation", null],
        ],
      );
    });

    it("of what was at the final dot when the process died is other: nobody refused it", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      await spool.claim(claimAll());
      await spool.mark({ messageId: message.id, positions: [0], atMs: NOW_MS, mx: "mx", ip: null });
      await spool.recover(NOW_MS, "unknown");
      const [recipient] = (await spool.report(message.id))?.recipients ?? [];
      assert.deepEqual([recipient?.result, recipient?.category], ["unknown", "other"]);
    });
  });

  describe(`${name}: failed recipients, tried again`, () => {
    const LATER_MS = NOW_MS + HOUR_MS;
    const STEP: RetryFailedStep = {
      accountId: "acc_default",
      nowMs: LATER_MS,
      expiresAtMs: LATER_MS + 48 * HOUR_MS,
      limit: 100,
      after: null,
      dryRun: false,
    };
    const smtp = { code: 550, enhanced_code: "5.7.1", message: "no", mx: "mx", ip: null, tls: null };

    /** A message whose recipients failed, with these categories. */
    async function failed(spool: Spool, categories: Category[], parts: Partial<NewMessage> & { atMs?: number } = {}) {
      const { atMs = NOW_MS, ...rest } = parts;
      const message = newMessage({ recipients: recipientsAt("a.example", categories.length), ...rest });
      await spool.accept(message);
      await spool.claim(claimAll(Math.max(NOW_MS, atMs)));
      const settlements = categories.map((category, i) => ({ ...settlement(i, "failed"), category, smtp }));
      await spool.settle(message.id, atMs, settlements);
      return message;
    }

    const emailsOf = ({ recipients }: RetriedFailed): string[] => recipients.map(({ email }) => email);

    it("are due now, as new mail with its history and time to expiry, also after a crash", async (t) => {
      const first = await open(t);
      const message = await failed(first.spool, ["reputation"], { expiresAtMs: NOW_MS + 1 });
      const retried = await first.spool.retryFailed(STEP);
      assert.deepEqual(retried, {
        recipients: [{ messageId: message.id, email: "user0@a.example", category: "reputation" }],
        contentDeleted: 0,
        pastDeadline: 0,
        unreadable: 0,
        next: null,
      });
      const { spool } = await first.reopen();
      const report = await spool.report(message.id);
      const [recipient] = report?.recipients ?? [];
      assert.ok(report && recipient);
      const { result, reason, category, attempts, nextAttemptAtMs, events } = recipient;
      assert.deepEqual([result, reason, category, recipient.smtp], ["pending", null, null, null]);
      assert.deepEqual([attempts, nextAttemptAtMs, report.expiresAtMs], [1, LATER_MS, STEP.expiresAtMs]);
      assert.deepEqual(
        events.map(({ type }) => type),
        ["accepted", "failed", "retried"],
      );
      const [job] = (await spool.claim(claimAll(LATER_MS))).jobs;
      assert.deepEqual([job?.recipients[0]?.attempts, job?.expiresAtMs], [1, STEP.expiresAtMs]);
      await spool.settle(message.id, LATER_MS, [settlement(0, "delivered")]);
      assert.deepEqual(emailsOf(await spool.retryFailed(STEP)), []);
    });

    it("are those as well that failed while the clock was ahead", async (t) => {
      const { spool } = await open(t);
      await failed(spool, ["reputation"], { atMs: LATER_MS + 365 * 24 * HOUR_MS });
      assert.deepEqual(emailsOf(await spool.retryFailed(STEP)), ["user0@a.example"]);
    });

    it("wake whoever waits for due mail", async (t) => {
      const { spool } = await open(t);
      await failed(spool, ["reputation"]);
      const woken = new Promise<void>((resolve) => spool.onDue(resolve));
      await spool.retryFailed(STEP);
      await woken;
      assert.equal(emails((await spool.claim(claimAll(LATER_MS))).jobs).length, 1);
    });

    it("are those that the filters name, and no other", async (t) => {
      const { spool } = await open(t);
      const one = await failed(spool, ["reputation", "mailbox_full"]);
      const two = await failed(spool, ["reputation"], { recipients: recipientsAt("b.example", 1), atMs: NOW_MS + 5 });
      await failed(spool, ["reputation"], { accountId: "acc_other" });
      await spool.accept(newMessage());
      const doubtful = newMessage();
      await spool.accept(doubtful);
      await spool.claim(claimAll());
      await spool.settle(doubtful.id, NOW_MS, [settlement(0, "unknown")]);
      const found = async (filter: Partial<RetryFailedStep>) =>
        emailsOf(await spool.retryFailed({ ...STEP, dryRun: true, ...filter }));
      const all = ["user0@a.example", "user1@a.example", "user0@b.example"];
      assert.deepEqual(await found({}), all);
      assert.deepEqual(await found({ reason: "test" }), all);
      assert.deepEqual(await found({ reason: "expired" }), []);
      assert.deepEqual(await found({ category: "reputation" }), [all[0], all[2]]);
      assert.deepEqual(await found({ category: "mailbox_full", domain: "b.example" }), []);
      assert.deepEqual(await found({ domain: "b.example" }), [all[2]]);
      assert.deepEqual(await found({ sinceMs: NOW_MS + 1 }), [all[2]]);
      assert.deepEqual(await found({ nowMs: NOW_MS + 1 }), all.slice(0, 2));
      assert.deepEqual(await found({ messageId: two.id }), [all[2]]);
      assert.deepEqual(await found({ messageId: one.id, email: all[1] ?? "" }), [all[1]]);
      assert.deepEqual(await found({ messageId: "msg_none" }), []);
      assert.deepEqual(await found({}), all, "a dry run changes nothing");
      assert.equal((await spool.retryFailed({ ...STEP, category: "reputation" })).recipients.length, 2);
      assert.deepEqual(await found({}), [all[1]]);
    });

    it("are not the suppressed ones, unless their reason is named", async (t) => {
      const { spool } = await open(t);
      const reply = { code: 550, enhanced_code: "5.1.1", message: "" };
      const said: HostAttempt = {
        mx: "mx",
        ip: null,
        tls: null,
        stage: "rcpt",
        reply,
        error: null,
        note: null,
        policy: null,
      };
      const refused = newMessage();
      await spool.accept(refused);
      await spool.settle(refused.id, NOW_MS, [{ ...settlement(0, "failed"), tries: [said] }]);
      const suppressed = newMessage({ suppressAfter: 1 });
      await spool.accept(suppressed);
      assert.deepEqual(
        (await spool.retryFailed(STEP)).recipients.map(({ messageId }) => messageId),
        [refused.id],
      );
      const named = await spool.retryFailed({ ...STEP, reason: "suppressed" });
      assert.deepEqual(
        named.recipients.map(({ messageId }) => messageId),
        [suppressed.id],
      );
      assert.equal(emails((await spool.claim(claimAll(LATER_MS))).jobs).length, 2);
    });

    it("stay failed without their content, or beyond the sender's own limit unless their message is named", async (t) => {
      const { spool } = await open(t);
      await failed(spool, ["reputation"]);
      const forgetting = { contentsBeforeMs: NOW_MS + 1, resultsBeforeMs: 0, nowMs: NOW_MS + 1, limit: 10 };
      assert.equal((await spool.forget(forgetting)).contents, 1);
      const late = await failed(spool, ["reputation"], { deadlineMs: LATER_MS });
      const none = { recipients: [], contentDeleted: 1, pastDeadline: 1, unreadable: 0, next: null };
      assert.deepEqual(await spool.retryFailed(STEP), none);
      assert.equal((await spool.retryFailed({ ...STEP, messageId: late.id })).recipients.length, 1);
      const [job] = (await spool.claim(claimAll(LATER_MS))).jobs;
      assert.deepEqual([job?.messageId, job?.deadlineMs], [late.id, undefined]);
      const kept = await failed(spool, ["reputation"], { deadlineMs: LATER_MS + 1 });
      await spool.retryFailed(STEP);
      const [inTime] = (await spool.claim(claimAll(LATER_MS))).jobs;
      assert.deepEqual([inTime?.messageId, inTime?.deadlineMs], [kept.id, LATER_MS + 1]);
    });

    it("are looked at in bounded steps, each recipient once", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 3; i += 1) await failed(spool, ["reputation", "policy", "reputation"]);
      const steps: RetriedFailed[] = [];
      let after: string | null = null;
      do {
        const step: RetriedFailed = await spool.retryFailed({ ...STEP, category: "reputation", limit: 2, after });
        steps.push(step);
        after = step.next;
      } while (after !== null);
      assert.ok(steps.every(({ recipients }) => recipients.length <= 2));
      assert.equal(steps.flatMap(({ recipients }) => recipients).length, 6);
      assert.equal(await spool.backlog(), 6);
    });
  });

  describe(`${name}: a person's hand`, () => {
    it("lists what waits or is in doubt, by account and domain", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: [...recipientsAt("a.example", 2), ...recipientsAt("b.example", 1)] });
      await spool.accept(message);
      await spool.accept(newMessage({ accountId: "acc_other" }));
      await spool.claim(claimAll());
      await spool.settle(message.id, NOW_MS, [settlement(0, "unknown"), settlement(1, "delivered")]);
      const filter = { accountId: "acc_default", limit: 10 };
      assert.deepEqual(
        (await spool.queue(filter)).map((e) => [e.email, e.result]),
        [
          ["user0@b.example", "pending"],
          ["user0@a.example", "unknown"],
        ],
      );
      assert.equal((await spool.queue({ ...filter, domain: "a.example" })).length, 1);
    });

    it("makes pending and unknown recipients due, of the own account only", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 3) });
      await spool.accept(message);
      await spool.claim(claimAll());
      await spool.settle(message.id, NOW_MS, [
        settlement(0, "pending", NOW_MS + HOUR_MS),
        settlement(1, "unknown"),
        settlement(2, "delivered"),
      ]);
      const retry = { messageId: message.id, nowMs: NOW_MS + 1 };
      assert.equal(await spool.retry({ ...retry, accountId: "acc_other" }), 0);
      assert.equal(await spool.retry({ ...retry, accountId: "acc_default", email: "user1@a.example" }), 1);
      assert.deepEqual(emails((await spool.claim(claimAll(NOW_MS + 1))).jobs), ["user1@a.example"]);
      await spool.release({ messageId: message.id, positions: [1] });
      assert.equal(await spool.retry({ ...retry, accountId: "acc_default" }), 2);
      assert.equal(emails((await spool.claim(claimAll(NOW_MS + 1))).jobs).length, 2);
    });
  });
}
