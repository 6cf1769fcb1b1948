/**
 * Retention of contents and results. A form may delete up to a day later than asked, and per day of acceptance, so the
 * messages here are days apart.
 */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { NewMessage, Settlement } from "../../../../src/spool/port/mail.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { newMessage, recipientsAt, settlement } from "../../../support/messages.ts";

import { applyRetention, claimAll, DAY_MS, NOW_MS, type OpenSpool } from "./suite.ts";

const dayMs = (day: number): number => NOW_MS + day * DAY_MS;

/** What is left of each message. */
async function leftOf(spool: Spool, messages: NewMessage[]): Promise<string[]> {
  return Promise.all(
    messages.map(async ({ id }) => {
      const content = await spool.content(id).then(
        () => "content",
        () => "no content",
      );
      return (await spool.report(id)) === null ? "gone" : content;
    }),
  );
}

/** Accepts a message on each of these days. */
async function acceptedOn(spool: Spool, days: number[]): Promise<NewMessage[]> {
  const messages = days.map((day) =>
    newMessage({
      createdAtMs: dayMs(day),
      expiresAtMs: dayMs(day + 2),
      recipients: recipientsAt("a.example", 1),
      tags: ["a"],
    }),
  );
  for (const message of messages) await spool.accept(message);
  return messages;
}

/** Settles each message as given, on its day of acceptance unless another is given. */
async function settleAll(spool: Spool, messages: NewMessage[], settlements: [Settlement, onDay?: number][]) {
  for (const [i, [settled, onDay]] of settlements.entries()) {
    const message = messages[i] ?? assert.fail();
    await settleMessage(spool, message.id, onDay === undefined ? message.createdAtMs : dayMs(onDay), [settled]);
  }
}

/** Accepts a message on each of the first days 0, 3, 6 …, settles them, and opens the store anew, so that nothing is in memory. */
async function settledInTurn(t: TestContext, open: OpenSpool, settlements: [Settlement, onDay?: number][]) {
  const first = await open(t);
  const days = settlements.map((_, i) => 3 * i);
  const messages = await acceptedOn(first.spool, days);
  await settleAll(first.spool, messages, settlements);
  const { spool } = await first.reopen();
  await spool.recover(NOW_MS, "unknown");
  return { messages, spool };
}

export function retentionConformance(name: string, open: OpenSpool): void {
  describe(`${name}: retention`, () => {
    it("deletes contents, then results, counted from the last final result", async (t) => {
      const { spool, messages } = await settledInTurn(t, open, [
        [settlement(0, "delivered")],
        [settlement(0, "failed")],
        [settlement(0, "delivered"), 20],
        [settlement(0, "delivered")],
      ]);
      await applyRetention(spool, { nowMs: dayMs(30), contentsBeforeMs: dayMs(2.5), resultsBeforeMs: 0 });
      assert.deepEqual(await leftOf(spool, messages), ["no content", "content", "content", "content"]);
      const [first] = messages;
      assert.equal((await spool.report(first?.id ?? ""))?.recipients[0]?.result, "delivered");
      await applyRetention(spool, { nowMs: dayMs(30), contentsBeforeMs: dayMs(15), resultsBeforeMs: dayMs(2.5) });
      assert.deepEqual(await leftOf(spool, messages), ["gone", "no content", "content", "no content"]);
      await applyRetention(spool, { nowMs: dayMs(30), contentsBeforeMs: dayMs(15), resultsBeforeMs: dayMs(15) });
      assert.deepEqual(await leftOf(spool, messages), ["gone", "gone", "content", "gone"]);
    });

    it("skips and keeps messages dated in the future", async (t) => {
      const { spool } = await open(t);
      const messages = await acceptedOn(spool, [0, 40, 3, 20]);
      await settleAll(
        spool,
        messages,
        messages.map(() => [settlement(0, "delivered")]),
      );
      const beforeMs = dayMs(6);
      await applyRetention(spool, { nowMs: dayMs(10), contentsBeforeMs: beforeMs, resultsBeforeMs: beforeMs });
      assert.deepEqual(await leftOf(spool, messages), ["gone", "content", "gone", "content"]);
    });

    it("keeps everything of a message with a pending or unknown recipient, however old", async (t) => {
      const { spool, messages } = await settledInTurn(t, open, [
        [settlement(0, "unknown")],
        [settlement(0, "pending", dayMs(3))],
        [settlement(0, "delivered")],
      ]);
      const all = { nowMs: dayMs(1000), contentsBeforeMs: dayMs(900), resultsBeforeMs: dayMs(900) };
      await applyRetention(spool, all);
      assert.deepEqual(await leftOf(spool, messages), ["content", "content", "gone"]);
      assert.equal((await spool.claim(claimAll(dayMs(4)))).jobs.length, 1);
    });

    it("deletes in its next pass what became final meanwhile", async (t) => {
      const { spool, messages } = await settledInTurn(t, open, [[settlement(0, "unknown")], [settlement(0, "failed")]]);
      const contents = { nowMs: dayMs(1000), contentsBeforeMs: dayMs(900), resultsBeforeMs: 0 };
      await applyRetention(spool, contents);
      assert.deepEqual(await leftOf(spool, messages), ["content", "no content"]);
      const [first] = messages;
      await spool.retry({ accountId: "acc_default", messageId: first?.id ?? "", nowMs: dayMs(5) });
      await settleMessage(spool, first?.id ?? "", dayMs(5), [settlement(0, "delivered")]);
      await applyRetention(spool, contents);
      assert.deepEqual(await leftOf(spool, messages), ["no content", "no content"]);
    });
  });
}
