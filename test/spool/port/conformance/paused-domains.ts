/** Paused recipient domains, and retrying one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claimMessage, settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, recipientsAt, settlement } from "../../../support/messages.ts";

import { acceptMessage, CLAIM, NOW_MS, type OpenStore, type Store } from "./store-suite.ts";

export function pausedDomainsConformance(name: string, open: OpenStore): void {
  describe(`${name}: paused domain`, () => {
    const claimed = async (store: Store, nowMs: number) =>
      (await store.claim({ nowMs, ...CLAIM })).jobs.map(({ domain }) => domain).sort();

    it("claims nothing for a paused domain, of any account, and everything once it is resumed", async (t) => {
      const store = await open(t);
      await store.pauseDomain("a.example", NOW_MS);
      await store.pauseDomain("a.example", NOW_MS + 1);
      await acceptMessage(store, { recipients: [...recipientsAt("a.example", 1), ...recipientsAt("b.example", 1)] });
      await acceptMessage(store, { accountId: "acc_other", recipients: recipientsAt("a.example", 1) });
      assert.deepEqual(await store.pausedDomains(), [{ domain: "a.example", atMs: NOW_MS }]);
      assert.deepEqual(await claimed(store, NOW_MS), ["b.example"]);
      assert.deepEqual(await store.claim({ nowMs: NOW_MS, ...CLAIM }), { jobs: [], nextDueMs: null });
      const woken = new Promise<void>((resolve) => store.onDue(resolve));
      assert.equal(await store.resumeDomain("a.example"), true);
      await woken;
      assert.equal(await store.resumeDomain("a.example"), false);
      assert.deepEqual(await claimed(store, NOW_MS), ["a.example", "a.example"]);
    });

    it("makes one account's pending recipients at a domain due, in bounded steps", async (t) => {
      const store = await open(t);
      for (const accountId of ["acc_default", "acc_other"]) {
        const message = await acceptMessage(store, { accountId, recipients: recipientsAt("a.example", 3) });
        const later = [0, 1, 2].map((position) => settlement(position, "pending", NOW_MS + HOUR_MS));
        await settleMessage(store, message.id, NOW_MS, later);
      }
      const retry = { accountId: "acc_default", domain: "a.example", nowMs: NOW_MS + 1, limit: 2 };
      const woken = new Promise<void>((resolve) => store.onDue(resolve));
      assert.equal(await store.retryDomain(retry), 2);
      await woken;
      const atOnce = await Promise.all([store.retryDomain(retry), store.retryDomain(retry)]);
      assert.deepEqual(atOnce.sort(), [0, 1]);
      const { jobs } = await store.claim({ nowMs: NOW_MS + 1, ...CLAIM });
      assert.deepEqual(
        jobs.map((job) => [job.accountId, job.recipients.length]),
        [["acc_default", 3]],
      );
    });

    it("has a retry in each history, beside the last reply, and no event; recipients in an attempt have none", async (t) => {
      const store = await open(t);
      const smtp = { code: 451, enhanced_code: "4.7.1", message: "later", mx: "mx.a.example", ip: null, tls: null };
      const message = await acceptMessage(store, { recipients: recipientsAt("a.example", 1) });
      await settleMessage(store, message.id, NOW_MS, [{ ...settlement(0, "pending", NOW_MS + HOUR_MS), smtp }]);
      const attempted = await acceptMessage(store, { recipients: recipientsAt("a.example", 1) });
      await claimMessage(store, attempted.id);
      const all = { accountId: "acc_default", afterNumber: null, withDomains: true, limit: 100 };
      const events = () => store.events({ ...all, filter: { types: null, keys: null, domains: null } });
      const before = Object(await events()).events;
      const retry = { accountId: "acc_default", domain: "a.example", nowMs: NOW_MS + 1, limit: 10 };
      assert.equal(await store.retryDomain(retry), 1);
      assert.deepEqual(Object(await events()).events, before);
      const [retried] = (await store.report(message.id))?.recipients ?? [];
      assert.deepEqual([retried?.smtp, retried?.reason, retried?.attempts], [smtp, "test", 1]);
      assert.deepEqual(retried?.events.at(-1)?.type, "retried");
      assert.equal((await store.report(attempted.id))?.recipients[0]?.events.at(-1)?.type, "accepted");
    });
  });
}
