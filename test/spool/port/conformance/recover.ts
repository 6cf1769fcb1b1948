/** Recovery after a crash. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MARK, markMessage } from "../../../support/attempts.ts";
import { newMessage, recipientsAt, settlement } from "../../../support/messages.ts";

import { at, claimAll, emails, NOW_MS, type OpenSpool } from "./suite.ts";

export function recoverConformance(name: string, open: OpenSpool): void {
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
      await markMessage(first.spool, message.id, [1]);
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
        [MARK.mx, MARK.ip, "final_dot"],
      );
      assert.deepEqual(emails((await spool.claim(claimAll())).jobs), ["user0@a.example"]);
    });

    it("puts a marked attempt back in the queue if the policy is retry", async (t) => {
      const first = await open(t);
      const message = newMessage();
      await first.spool.accept(message);
      await markMessage(first.spool, message.id, [0]);
      const { spool } = await first.reopen();
      assert.equal(await spool.recover(NOW_MS, "pending"), 1);
      assert.equal((await spool.claim(claimAll())).jobs.length, 1);
    });

    for (const limit of ["deadlineMs", "expiresAtMs"]) {
      it(`leaves a marked attempt unknown whatever the policy once its ${limit} is over`, async (t) => {
        const first = await open(t);
        const message = newMessage({ recipients: recipientsAt("a.example", 1), [limit]: NOW_MS + 100 });
        await first.spool.accept(message);
        await markMessage(first.spool, message.id, [0]);
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
      const first = at((await spool.claim(claimAll())).jobs);
      assert.equal(first.recipients[0]?.reason, null);
      const deferred = { ...settlement(0, "pending", NOW_MS), reason: "no_reply_to_final_dot" };
      await spool.settle(message.id, NOW_MS, [deferred], first.lease);
      const second = at((await spool.claim(claimAll())).jobs);
      assert.equal(second.recipients[0]?.reason, "no_reply_to_final_dot");
    });

    it("settles a marked recipient by its reply, and does not recover it", async (t) => {
      const first = await open(t);
      const message = newMessage();
      await first.spool.accept(message);
      const lease = await markMessage(first.spool, message.id, [0]);
      assert.equal(await first.spool.settle(message.id, NOW_MS, [settlement(0, "delivered")], lease), "settled");
      const { spool } = await first.reopen();
      assert.equal(await spool.recover(NOW_MS, "unknown"), 0);
      assert.equal((await spool.report(message.id))?.recipients[0]?.result, "delivered");
    });
  });
}
