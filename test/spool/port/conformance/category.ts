/** The category of results and attempts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { markMessage, settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../../support/messages.ts";

import { at, claimAll, NOW_MS, type OpenSpool } from "./suite.ts";

export function categoryConformance(name: string, open: OpenSpool): void {
  describe(`${name}: the category`, () => {
    const REPUTATION = { category: "reputation" } as const;

    it("is kept with the recipient and with each attempt, across a crash, and is null once delivered", async (t) => {
      const first = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 3) });
      await first.spool.accept(message);
      const accepted = await first.spool.report(message.id);
      assert.deepEqual(
        accepted?.recipients.map(({ category }) => category),
        [null, null, null],
      );
      await settleMessage(first.spool, message.id, NOW_MS, [
        { ...settlement(0, "failed"), ...REPUTATION },
        { ...settlement(1, "pending", NOW_MS + HOUR_MS), category: "greylisted" },
        { ...settlement(2, "pending", NOW_MS + HOUR_MS), ...REPUTATION },
      ]);
      const { spool } = await first.reopen();
      assert.deepEqual(
        (await spool.queue({ accountId: "acc_default", limit: 9 })).map(({ category }) => category),
        ["greylisted", "reputation"],
      );
      const job = at((await spool.claim(claimAll(NOW_MS + HOUR_MS))).jobs);
      assert.deepEqual(
        job.recipients.map(({ category }) => category),
        ["greylisted", "reputation"],
      );
      const settlements = [settlement(1, "delivered"), settlement(2, "delivered")];
      await spool.settle(message.id, NOW_MS + HOUR_MS, settlements, job.lease);
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

    it("of a recipient at the final dot when the process died is other, because no server refused it", async (t) => {
      const first = await open(t);
      const message = newMessage();
      await first.spool.accept(message);
      await markMessage(first.spool, message.id, [0]);
      const { spool } = await first.reopen();
      await spool.recover(NOW_MS, "unknown");
      const [recipient] = (await spool.report(message.id))?.recipients ?? [];
      assert.deepEqual([recipient?.result, recipient?.category], ["unknown", "other"]);
    });
  });
}
