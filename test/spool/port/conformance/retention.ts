/** Retention of contents and results. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { NewMessage, Settlement } from "../../../../src/spool/port/mail.ts";
import type { RetentionStep } from "../../../../src/spool/port/operations.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../../support/messages.ts";

import { claimAll, NOW_MS, type OpenSpool } from "./suite.ts";

export function retentionConformance(name: string, open: OpenSpool): void {
  describe(`${name}: retention`, () => {
    const step = (parts: Partial<RetentionStep> = {}): RetentionStep => {
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

    it("deletes contents, then results, counted from the last final result", async (t) => {
      const { spool, messages } = await three(t, [settlement(0, "delivered"), settlement(0, "failed")]);
      assert.deepEqual(await spool.applyRetention(step()), { contents: 1, messages: 0, isMore: false });
      assert.deepEqual(await of(spool, messages), ["no content", "content", "content"]);
      const [first] = messages;
      assert.equal((await spool.report(first?.id ?? ""))?.recipients[0]?.result, "delivered");
      assert.deepEqual(await spool.applyRetention(step({ contentsBeforeMs: NOW_MS + 101 })), {
        contents: 1,
        messages: 0,
        isMore: false,
      });
      const later = step({ resultsBeforeMs: NOW_MS + 101 });
      assert.deepEqual(await spool.applyRetention(later), { contents: 0, messages: 2, isMore: false });
      assert.deepEqual(await of(spool, messages), ["gone", "gone", "content"]);
    });

    it("skips and keeps messages dated in the future", async (t) => {
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
      assert.deepEqual(await spool.applyRetention(now), { contents: 2, messages: 2, isMore: false });
      assert.deepEqual(await of(spool, messages), ["gone", "content", "gone", "content"]);
    });

    it("keeps everything of a message with a pending or unknown recipient, however old", async (t) => {
      const { spool, messages } = await three(t, [settlement(0, "unknown"), settlement(0, "pending", NOW_MS)]);
      const laterMs = NOW_MS + 1000 * HOUR_MS;
      const all = step({ contentsBeforeMs: laterMs, resultsBeforeMs: laterMs });
      assert.deepEqual(await spool.applyRetention(all), { contents: 0, messages: 0, isMore: false });
      assert.deepEqual(await of(spool, messages), ["content", "content", "content"]);
      assert.equal((await spool.claim(claimAll())).jobs.length, 2);
    });

    it("works in bounded steps, and the next pass includes messages that became final meanwhile", async (t) => {
      const { spool, messages } = await three(t, [settlement(0, "unknown"), settlement(0, "delivered")]);
      const laterMs = NOW_MS + 1000 * HOUR_MS;
      const one = step({ contentsBeforeMs: laterMs, resultsBeforeMs: 0, limit: 1 });
      const steps = [await spool.applyRetention(one), await spool.applyRetention(one), await spool.applyRetention(one)];
      assert.deepEqual(
        steps.map(({ contents, isMore }) => [contents, isMore]),
        [
          [0, true],
          [1, true],
          [0, true],
        ],
      );
      assert.equal((await spool.applyRetention(one)).isMore, false);
      const [first] = messages;
      await spool.retry({ accountId: "acc_default", messageId: first?.id ?? "", nowMs: NOW_MS });
      await spool.claim(claimAll());
      await spool.settle(first?.id ?? "", NOW_MS, [settlement(0, "delivered")]);
      assert.equal((await spool.applyRetention(one)).contents, 1);
    });
  });
}
