/** Suppressed addresses. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HostAttempt } from "../../../../src/message/result/outcome.ts";
import type { NewMessage } from "../../../../src/spool/port/mail.ts";
import type { RecipientReport } from "../../../../src/spool/port/results.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, rcptReply, settlement } from "../../../support/messages.ts";

import { at, claimAll, DAY_MS, emails, NOW_MS, type OpenSpool } from "./suite.ts";

export function suppressionsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: suppression`, () => {
    const AFTER = 3;
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
      const text = code === "5.1.1" ? "No such user" : "Rejected";
      const reply = { code: isDelivered ? 250 : 550, enhanced_code: code, message: text };
      const place = { mx: "mx.customers.example", ip: "192.0.2.1" };
      const said = { ...place, tls: null, stage: isDelivered ? "final_dot" : "rcpt", reply, error: null, note: null };
      const tries = [{ ...said, policy: "none" } as HostAttempt];
      await settleMessage(spool, message.id, atMs, [{ ...settlement(0, isDelivered ? "delivered" : "failed"), tries }]);
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

    it("fails a recipient at acceptance after three refusals, and reports them, also after a crash", async (t) => {
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
          cause: "refusals",
          since_ms: endMs,
          until_ms: NOW_MS + 30 * DAY_MS,
          refusals,
        },
      ]);
      const { result, reason, category, attempts, nextAttemptAtMs, smtp, updatedAtMs } = recipient;
      assert.deepEqual([result, reason, category], ["failed", "suppressed", "bad_address"]);
      assert.deepEqual([attempts, nextAttemptAtMs, smtp], [0, null, null]);
      assert.equal(updatedAtMs, endMs + 1);
      assert.deepEqual((await spool.suppressions({ ...listed, nowMs: endMs + 1 })).addresses, [
        { email: ANN.email, cause: "refusals", sinceMs: endMs, untilMs: NOW_MS + 30 * DAY_MS, refusals },
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

    it("uses the number given with the message; 0 disables suppression", async (t) => {
      const { spool } = await open(t);
      await settled(spool);
      assert.deepEqual(results(await accepted(spool, { suppressAfter: 0 })), [["pending", null]]);
      assert.deepEqual(results(await accepted(spool, { suppressAfter: 1 })), [["failed", "suppressed"]]);
      assert.deepEqual((await spool.suppressions({ ...listed, after: 0 })).addresses, []);
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

    it("clears the count after a delivery, and after 30 days", async (t) => {
      const { spool } = await open(t);
      await refused(spool);
      await settled(spool, ANN, { code: "2.0.0" });
      await settled(spool, ANN, { atMs: NOW_MS - 2 * APART_MS });
      assert.deepEqual(results(await accepted(spool)), [["pending", null]]);
      for (const atMs of [NOW_MS - APART_MS, NOW_MS]) await settled(spool, ANN, { atMs });
      const lapsedMs = NOW_MS - 2 * APART_MS + 30 * DAY_MS;
      assert.deepEqual(results(await accepted(spool, { createdAtMs: lapsedMs - 1 })), [["failed", "suppressed"]]);
      assert.deepEqual(results(await accepted(spool, { createdAtMs: lapsedMs })), [["pending", null]]);
      assert.deepEqual((await spool.suppressions({ ...listed, nowMs: lapsedMs })).addresses, []);
    });

    it("counts a refusal once, whatever is settled after it", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: [ANN] });
      await spool.accept(message);
      const reply = { code: 550, enhanced_code: "5.1.1", message: "" };
      const said = rcptReply(reply);
      const { lease } = at((await spool.claim(claimAll())).jobs);
      for (let i = 0; i < AFTER; i += 1) {
        await spool.settle(message.id, NOW_MS + i * APART_MS, [{ ...settlement(0, "failed"), tries: [said] }], lease);
      }
      assert.deepEqual(results(await accepted(spool)), [["pending", null]]);
    });

    it("lists an account's addresses, the last refused first, and removes one on request", async (t) => {
      const { spool } = await open(t);
      const others = ["ben", "bücher"].map((local) => ({
        email: `${local}@bücher.example`,
        domain: "xn--bcher-kva.example",
      }));
      for (const [i, recipient] of [ANN, ...others].entries()) {
        await refused(spool, recipient, { atMs: NOW_MS + i });
      }
      const emailsOf = async (parts = {}) =>
        (await spool.suppressions({ ...listed, nowMs: NOW_MS + 9, ...parts })).addresses.map(({ email }) => email);
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

    it("lists many addresses, those of one moment by name", async (t) => {
      const { spool } = await open(t);
      const names = Array.from({ length: 250 }, (_, i) => `user${1000 + i}@customers.example`);
      const reply = { code: 550, enhanced_code: "5.1.1", message: "No such user" };
      // Three addresses of each moment.
      for (let i = 0; i < names.length; i += 3) {
        const recipients = names.slice(i, i + 3).map((email) => ({ email, domain: "customers.example" }));
        const message = newMessage({ recipients });
        await spool.accept(message);
        const results = recipients.map((_, place) => ({ ...settlement(place, "failed"), tries: [rcptReply(reply)] }));
        await settleMessage(spool, message.id, NOW_MS - i / 3, results);
      }
      const emailsOf = async (limit: number, after = 1) =>
        (await spool.suppressions({ ...listed, after, limit })).addresses.map(({ email }) => email);
      assert.deepEqual(await emailsOf(1000), names);
      assert.deepEqual(await emailsOf(101), names.slice(0, 101));
      assert.deepEqual(await emailsOf(1000, 2), []);
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
}
