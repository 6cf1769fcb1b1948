/** Retrying failed recipients. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Category } from "../../../../src/message/result/category.ts";
import type { NewMessage } from "../../../../src/spool/port/mail.ts";
import type { RetryFailedResult, RetryFailedStep } from "../../../../src/spool/port/operations.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, rcptReply, recipientsAt, settlement } from "../../../support/messages.ts";

import { applyRetention, at, claimAll, DAY_MS, emails, NOW_MS, type OpenSpool } from "./suite.ts";

export function retryFailedConformance(name: string, open: OpenSpool): void {
  describe(`${name}: retried failed recipients`, () => {
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
      const settlements = categories.map((category, i) => ({ ...settlement(i, "failed"), category, smtp }));
      await settleMessage(spool, message.id, atMs, settlements);
      return message;
    }

    const emailsOf = ({ recipients }: RetryFailedResult): string[] => recipients.map(({ email }) => email);

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
      const job = at((await spool.claim(claimAll(LATER_MS))).jobs);
      assert.deepEqual([job.recipients[0]?.attempts, job.expiresAtMs], [1, STEP.expiresAtMs]);
      await spool.settle(message.id, LATER_MS, [settlement(0, "delivered")], job.lease);
      assert.deepEqual(emailsOf(await spool.retryFailed(STEP)), []);
    });

    it("include those that failed while the clock was ahead", async (t) => {
      const { spool } = await open(t);
      await failed(spool, ["reputation"], { atMs: LATER_MS + 365 * 24 * HOUR_MS });
      assert.deepEqual(emailsOf(await spool.retryFailed(STEP)), ["user0@a.example"]);
    });

    it("wake the listener for due recipients, and announce their events", async (t) => {
      const { spool } = await open(t);
      await failed(spool, ["reputation"]);
      const announced: unknown[] = [];
      const woken = new Promise<void>((resolve) => spool.onDue(resolve));
      spool.onEvents((accounts) => void announced.push(...(accounts ?? [])));
      await spool.retryFailed({ ...STEP, dryRun: true });
      assert.deepEqual(announced, []);
      await spool.retryFailed(STEP);
      await woken;
      assert.deepEqual(announced, ["acc_default"]);
      assert.equal(emails((await spool.claim(claimAll(LATER_MS))).jobs).length, 1);
    });

    it("are those that match the filters, and no others", async (t) => {
      const { spool } = await open(t);
      const one = await failed(spool, ["reputation", "mailbox_full"]);
      const two = await failed(spool, ["reputation"], { recipients: recipientsAt("b.example", 1), atMs: NOW_MS + 5 });
      await failed(spool, ["reputation"], { accountId: "acc_other" });
      await spool.accept(newMessage());
      const unknown = newMessage();
      await spool.accept(unknown);
      await settleMessage(spool, unknown.id, NOW_MS, [settlement(0, "unknown")]);
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
      const said = rcptReply(reply);
      const refused = newMessage();
      await spool.accept(refused);
      await settleMessage(spool, refused.id, NOW_MS, [{ ...settlement(0, "failed"), tries: [said] }]);
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
      // Later messages are days younger: a form may delete per day of acceptance.
      const createdAtMs = NOW_MS + 5 * DAY_MS;
      const nowMs = createdAtMs + HOUR_MS;
      await applyRetention(spool, { nowMs, contentsBeforeMs: NOW_MS + 3 * DAY_MS, resultsBeforeMs: 0 });
      const step = { ...STEP, nowMs, expiresAtMs: nowMs + 48 * HOUR_MS };
      const young = { createdAtMs, atMs: createdAtMs, expiresAtMs: step.expiresAtMs };
      const late = await failed(spool, ["reputation"], { ...young, deadlineMs: nowMs });
      const none = { recipients: [], contentDeleted: 1, pastDeadline: 1, unreadable: 0, next: null };
      assert.deepEqual(await spool.retryFailed(step), none);
      assert.equal((await spool.retryFailed({ ...step, messageId: late.id })).recipients.length, 1);
      const [job] = (await spool.claim(claimAll(nowMs))).jobs;
      assert.deepEqual([job?.messageId, job?.deadlineMs], [late.id, undefined]);
      const kept = await failed(spool, ["reputation"], { ...young, deadlineMs: nowMs + 1 });
      await spool.retryFailed(step);
      const [inTime] = (await spool.claim(claimAll(nowMs))).jobs;
      assert.deepEqual([inTime?.messageId, inTime?.deadlineMs], [kept.id, nowMs + 1]);
    });

    it("are looked at in bounded steps, each recipient once", async (t) => {
      const { spool } = await open(t);
      const categories: Category[] = ["reputation", "policy", "reputation"];
      const messages: NewMessage[] = [];
      // Two of one day, and one of the day after.
      for (const createdAtMs of [NOW_MS, NOW_MS + DAY_MS, NOW_MS]) {
        messages.push(await failed(spool, categories, { createdAtMs, atMs: NOW_MS }));
      }
      const steps: RetryFailedResult[] = [];
      let after: string | null = null;
      do {
        const step: RetryFailedResult = await spool.retryFailed({ ...STEP, category: "reputation", limit: 2, after });
        steps.push(step);
        after = step.next;
      } while (after !== null);
      assert.ok(steps.every(({ recipients }) => recipients.length <= 2));
      const found = steps.flatMap(({ recipients }) => recipients);
      assert.equal(found.length, 6);
      assert.equal(new Set(found.map(({ messageId, email }) => messageId + email)).size, 6);
      assert.deepEqual(new Set(found.map(({ messageId }) => messageId)), new Set(messages.map(({ id }) => id)));
      assert.equal(await spool.backlog(), 6);
    });
  });
}
