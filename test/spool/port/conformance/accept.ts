/** Accepting a message. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HOUR_MS, newMessage, recipientsAt } from "../../../support/messages.ts";
import { largeContent, partsOf, wholeContent } from "../../../support/whole-content.ts";

import { claimAll, NOW_MS, type OpenSpool, type SpoolUnderTest } from "./suite.ts";

export function acceptConformance(name: string, open: OpenSpool): void {
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
      assert.deepEqual(await wholeContent(spool, message.id), message.content);
      assert.equal((await spool.report(message.id, message.accountId))?.id, message.id);
      assert.equal(await spool.report(message.id, "acc_other"), null);
      assert.equal((await spool.content(message.id)).bodyHash, message.bodyHash);
      assert.equal(await spool.backlog(), 3);
    });

    it("keeps a large content, in parts of which the first has the header, across a crash", async (t) => {
      const first = await open(t);
      const headers = ["Subject: Large\r\n", "X-Long: x\r\n".repeat(30_000)];
      const messages = headers.map((header) => newMessage({ content: largeContent(1_000_000, header) }));
      const accepted = await Promise.all(messages.map((message) => first.spool.accept(message)));
      assert.deepEqual(
        accepted,
        messages.map(({ id }) => ({ type: "accepted", id })),
      );
      for (const { id, content } of messages) assert.ok((await wholeContent(first.spool, id)).equals(content));
      const { spool } = await first.reopen();
      for (const [i, { id, content, bodyHash }] of messages.entries()) {
        const parts = await partsOf(spool, id);
        assert.ok(parts.length > 1 && Buffer.concat(parts).equals(content));
        assert.ok((parts[0]?.length ?? 0) >= (headers[i]?.length ?? 0) + 2);
        assert.equal((await spool.content(id)).bodyHash, bodyHash);
      }
      await spool.recover(NOW_MS, "unknown");
      const { jobs } = await spool.claim(claimAll());
      assert.deepEqual(
        jobs.map(({ sizeBytes }) => sizeBytes),
        [1_000_000, 1_000_000],
      );
    });

    it("stores a content that is a view of a larger buffer, and leaves the buffer as it is", async (t) => {
      const first = await open(t);
      const large = largeContent(2_000_000);
      const messages = [4000, 100_000, 1_000_000].map((sizeBytes) =>
        newMessage({ content: large.subarray(0, sizeBytes) }),
      );
      for (const message of messages) await first.spool.accept(message);
      assert.ok(large.equals(largeContent(2_000_000)));
      const { spool } = await first.reopen();
      for (const { id, content } of messages) assert.ok((await wholeContent(spool, id)).equals(content));
    });

    it("keeps the request's id and the client's idempotency key", async (t) => {
      const { spool } = await open(t);
      const idempotency = { key: "\u0001derived", payloadHash: "hash" };
      const keyed = newMessage({ requestId: "req_1", clientKey: "order 17", idempotency });
      const derived = newMessage({ requestId: "req_2", idempotency: { ...idempotency, key: "\u0001other" } });
      const neither = newMessage();
      const shown = [];
      for (const message of [keyed, derived, neither]) {
        await spool.accept(message);
        const report = await spool.report(message.id);
        shown.push([report?.requestId, report?.idempotencyKey]);
      }
      assert.deepEqual(shown, [
        ["req_1", "order 17"],
        ["req_2", null],
        [null, null],
      ]);
    });

    it("keeps tags and metadata, and the field of each recipient", async (t) => {
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
      await spool.recover(NOW_MS, "unknown");
      const [job] = (await spool.claim(claimAll())).jobs;
      assert.equal(job?.deadlineMs, deadlineMs);
      const plain = newMessage({ recipients: recipientsAt("b.example", 1) });
      await spool.accept(plain);
      const plainReport = await spool.report(plain.id);
      assert.deepEqual([plainReport?.tags, plainReport?.metadata], [[], {}]);
      assert.equal((await spool.claim(claimAll())).jobs[0]?.deadlineMs, undefined);
    });

    it("keeps whether the body has bytes above 127", async (t) => {
      const first = await open(t);
      const messages = [
        newMessage({ recipients: recipientsAt("a.example", 1), eightBit: true }),
        newMessage({ recipients: recipientsAt("b.example", 1) }),
      ];
      for (const message of messages) await first.spool.accept(message);
      const claimed = async ({ spool }: SpoolUnderTest) => {
        const { jobs } = await spool.claim(claimAll());
        return jobs.map(({ domain, eightBit }) => [domain, eightBit]).sort();
      };
      const expected = [
        ["a.example", true],
        ["b.example", false],
      ];
      assert.deepEqual(await claimed(first), expected);
      const second = await first.reopen();
      await second.spool.recover(NOW_MS, "unknown");
      assert.deepEqual(await claimed(second), expected);
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
      assert.deepEqual(await spool.idempotencyRecord("acc_default", "k", NOW_MS), { id: first.id, payloadHash: "h" });
      assert.equal(await spool.idempotencyRecord("acc_other", "k", NOW_MS), null);
      assert.equal(await spool.backlog(), 1);
    });

    it("accepts one of many simultaneous duplicates", async (t) => {
      const { spool } = await open(t);
      const idempotency = { key: "k", payloadHash: "h" };
      const answers = await Promise.all(Array.from({ length: 200 }, () => spool.accept(newMessage({ idempotency }))));
      assert.equal(answers.filter((a) => a.type === "accepted").length, 1);
      assert.equal(new Set(answers.map((a) => "id" in a && a.id)).size, 1);
      assert.equal(await spool.backlog(), 1);
    });

    it("expires an idempotency key after 24 hours", async (t) => {
      const { spool } = await open(t);
      const idempotency = { key: "k", payloadHash: "h" };
      await spool.accept(newMessage({ idempotency }));
      const laterMs = NOW_MS + 24 * HOUR_MS;
      assert.notEqual(await spool.idempotencyRecord("acc_default", "k", laterMs - 1), null);
      assert.equal(await spool.idempotencyRecord("acc_default", "k", laterMs), null);
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
}
