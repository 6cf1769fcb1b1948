/** Waits after the clock was set back. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ShortenWaitsStep } from "../../../../src/spool/port/operations.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../../support/messages.ts";

import { claimAll, NOW_MS, type OpenSpool } from "./suite.ts";

export function shortenWaitsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: after the clock was set back`, () => {
    /** As the schedule could have said for who was tried once, and more often. */
    const bounds = (nowMs: number): ShortenWaitsStep => ({
      nowMs,
      longestMs: [0, 60_000, 300_000],
      after: null,
      limit: 2,
    });
    const passAt = async (spool: Spool, nowMs: number): Promise<number> => {
      let shortened = 0;
      for (let step: ShortenWaitsStep | null = bounds(nowMs); step !== null; ) {
        const { recipients, next } = await spool.shortenWaits(step);
        shortened += recipients;
        step = next === null ? null : { ...step, after: next };
      }
      return shortened;
    };

    it("brings forward recipients that would wait too long for their number of attempts, and no others", async (t) => {
      const { spool } = await open(t);
      const ahead = NOW_MS + 2 * HOUR_MS;
      const messages = ["untried", "once", "twice", "in time"].map(() =>
        newMessage({ createdAtMs: ahead, recipients: recipientsAt("a.example", 1) }),
      );
      const [untried = "", once = "", twice = "", inTime = ""] = messages.map(({ id }) => id);
      for (const message of messages) await spool.accept(message);
      const settle = (id: string, dueMs: number): Promise<void> =>
        settleMessage(spool, id, ahead, [settlement(0, "pending", dueMs)]);
      await settle(once, ahead + 60_000);
      await settle(twice, ahead);
      await settle(twice, ahead + 300_000);
      await settle(inTime, NOW_MS + 50_000);

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

    it("claims messages accepted afterwards as the newest", async (t) => {
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
}
