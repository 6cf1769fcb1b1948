/** Claims of expired mail: what limits other claims does not apply, and each message is found in a bounded number of calls. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../../support/messages.ts";
import { at, claimAll, NOW_MS, type OpenSpool } from "./suite.ts";

const END_MS = NOW_MS + HOUR_MS;

/** The messages that some calls return; more calls than one pass needs. */
async function expiredIds(spool: Spool, nowMs: number, limit = 100): Promise<string[]> {
  const ids: string[] = [];
  for (let call = 0; call < 8; call += 1)
    for (const { messageId } of await spool.claimExpired({ nowMs, limit })) ids.push(messageId);
  return ids;
}

export function claimExpiredConformance(name: string, open: OpenSpool): void {
  describe(`${name}: claim of expired mail`, () => {
    it("returns messages at their deadline or maximum age, once, and no others", async (t) => {
      const { spool, acceptForAny } = await open(t);
      const aged = newMessage({ expiresAtMs: END_MS, recipients: recipientsAt("a.example", 2) });
      const overdue = newMessage({ expiresAtMs: END_MS + HOUR_MS, deadlineMs: END_MS });
      const young = newMessage({ expiresAtMs: END_MS + 1, deadlineMs: END_MS + 1 });
      for (const message of [aged, overdue]) await spool.accept(message);
      await acceptForAny(young);
      const shared = newMessage({ expiresAtMs: END_MS, recipients: recipientsAt("b.example", 1) });
      await acceptForAny(shared);
      assert.deepEqual(await expiredIds(spool, END_MS - 1), []);
      assert.deepEqual((await expiredIds(spool, END_MS)).sort(), [aged.id, overdue.id, shared.id].sort());
      assert.deepEqual(await expiredIds(spool, END_MS), [], "they are leased");
      const { jobs } = await spool.claim(claimAll(END_MS));
      assert.deepEqual(
        jobs.map(({ messageId }) => messageId),
        [young.id],
      );
    });

    it("leases them like a claim: they are settled or released, and returned again if they are released", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ expiresAtMs: END_MS, recipients: recipientsAt("a.example", 2) });
      await spool.accept(message);
      await settleMessage(spool, message.id, NOW_MS, [
        settlement(0, "pending", END_MS),
        settlement(1, "pending", END_MS),
      ]);
      const first = at(await spool.claimExpired({ nowMs: END_MS, limit: 100 }));
      assert.deepEqual(
        first.recipients.map(({ position, attempts }) => [position, attempts]),
        [
          [0, 1],
          [1, 1],
        ],
      );
      assert.deepEqual((await spool.claim(claimAll(END_MS))).jobs, []);
      await spool.release({ messageId: message.id, positions: [0, 1], lease: first.lease, destination: "mx.example" });
      const [again] = await spool.claimExpired({ nowMs: END_MS, limit: 100 });
      assert.ok(again !== undefined);
      const failed = [0, 1].map((position) => settlement(position, "failed"));
      assert.equal(await spool.settle(message.id, END_MS, failed, again.lease), "settled");
      assert.deepEqual(await spool.claim(claimAll(END_MS)), { jobs: [], nextDueMs: null });
    });

    it("returns at most so many at a time, and all of many in the end", async (t) => {
      const { spool } = await open(t);
      const ids: string[] = [];
      for (let i = 0; i < 12; i += 1) {
        const message = newMessage({ expiresAtMs: END_MS, recipients: recipientsAt(`d${i % 3}.example`, 1) });
        await spool.accept(message);
        ids.push(message.id);
      }
      assert.equal((await spool.claimExpired({ nowMs: END_MS, limit: 5 })).length, 5);
      assert.equal((await expiredIds(spool, END_MS, 5)).length, 7);
    });

    it("leaves out paused domains", async (t) => {
      const { spool } = await open(t);
      await spool.pauseDomain("a.example", NOW_MS);
      const paused = newMessage({ expiresAtMs: END_MS, recipients: recipientsAt("a.example", 1) });
      await spool.accept(paused);
      assert.deepEqual(await expiredIds(spool, END_MS), []);
      await spool.resumeDomain("a.example");
      assert.deepEqual(await expiredIds(spool, END_MS), [paused.id]);
    });
  });
}
