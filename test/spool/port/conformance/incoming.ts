/** Mail that comes back: its way through the store, and what it changes. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { clientNetwork } from "../../../../src/lib/client-address.ts";
import type { Result } from "../../../../src/message/result/outcome.ts";
import { testRouteOf } from "../../../../src/message/test-route.ts";
import type { OutboxEvent } from "../../../../src/spool/port/events.ts";
import {
  EARLY_MS,
  type IncomingEffect,
  type NewIncomingMail,
  POSTPONED_MAX_MS,
  QUEUED_MAX,
  SET_ASIDE_KEPT_MS,
  SET_ASIDE_MAX,
  SET_ASIDE_OCTETS_MAX,
  SIZE_DELAY_MAX_MS,
  type Unsubscription,
} from "../../../../src/spool/port/incoming.ts";
import type { NewMessage } from "../../../../src/spool/port/mail.ts";
import type { RecipientReport } from "../../../../src/spool/port/results.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { markMessage, settleMessage } from "../../../support/attempts.ts";
import { nextIncoming } from "../../../support/incoming.ts";
import { newMessage, settlement } from "../../../support/messages.ts";
import { applyRetention, at, DAY_MS, NOW_MS, type OpenSpool } from "./suite.ts";

const ANN = { email: "Ann@customers.example", domain: "customers.example" };
const BOUNCE = { status: "5.1.1", category: "bad_address", permanent: true, diagnostic: "550 No such user" } as const;
const MAIL: NewIncomingMail = {
  recipient: "b-abc@bounces.shop.example",
  envelopeSender: "",
  ip: "192.0.2.1",
  receivedAtMs: NOW_MS,
  content: Buffer.from([0, 13, 10, 128, 255]),
};
const EVENTS = { accountId: "acc_default", afterNumber: null, withDomains: true, limit: 100 };
const ALL = { types: null, keys: null, domains: null };
const LISTED = { accountId: "acc_default", after: 1, nowMs: NOW_MS + 1000, limit: 10 };

async function accepted(spool: Spool, parts: Partial<NewMessage> = {}): Promise<NewMessage> {
  const message = newMessage({ recipients: [ANN], ...parts });
  await spool.accept(message);
  return message;
}

/** A message whose only recipient has this result. */
async function settled(spool: Spool, result: Result, parts: Partial<NewMessage> = {}): Promise<NewMessage> {
  const message = await accepted(spool, parts);
  const next = result === "pending" ? NOW_MS + DAY_MS : null;
  await settleMessage(spool, message.id, NOW_MS, [settlement(0, result, next)]);
  return message;
}

/** Stores a mail and applies this effect of it. */
async function apply(spool: Spool, effect: IncomingEffect, atMs = NOW_MS + 10) {
  await spool.storeIncoming(MAIL);
  const { id } = (await nextIncoming(spool, atMs)) ?? assert.fail("no mail is due");
  return spool.applyIncoming({ id, effect, atMs });
}

const bounced = ({ id: messageId }: NewMessage): IncomingEffect & { type: "bounced" } => ({
  type: "bounced",
  messageId,
  position: 0,
  bounce: BOUNCE,
  blamesAddress: true,
  rule: "enhanced code 5.1.1",
});

const complained = ({ id: messageId }: NewMessage): IncomingEffect => ({
  type: "complained",
  messageId,
  position: 0,
  kind: "abuse",
});

async function recipientOf(spool: Spool, { id }: NewMessage): Promise<RecipientReport> {
  return at((await spool.report(id))?.recipients ?? []);
}

async function eventsOf(spool: Spool, { id }: NewMessage): Promise<OutboxEvent[]> {
  const page = await spool.events({ ...EVENTS, filter: ALL });
  assert.ok(page !== "expired");
  return page.events.filter(({ messageId }) => messageId === id);
}

const typesOf = (events: OutboxEvent[]): string[] => events.map(({ type }) => type.replace("recipient.", ""));

const suppressed = async (spool: Spool): Promise<[string, string][]> =>
  (await spool.suppressions(LISTED)).addresses.map(({ email, cause }) => [email, cause]);

export function incomingConformance(name: string, open: OpenSpool): void {
  storeConformance(name, open);
  effectConformance(name, open);
  unverifiedConformance(name, open);
  lateEvidenceConformance(name, open);
  suppressionConformance(name, open);
}

function storeConformance(name: string, open: OpenSpool): void {
  describe(`${name}: mail that comes back`, () => {
    it("is kept across a crash, returned the longest due first, and gone once it is applied", async (t) => {
      const first = await open(t);
      await first.spool.storeIncoming({ ...MAIL, receivedAtMs: NOW_MS + 1, recipient: "second@x.example" });
      await first.spool.storeIncoming(MAIL);
      const { spool } = await first.reopen();
      assert.equal(await nextIncoming(spool, NOW_MS - 1), null);
      const { id, ...mail } = (await nextIncoming(spool, NOW_MS + 5)) ?? assert.fail();
      assert.deepEqual({ ...mail, content: Buffer.from(mail.content) }, MAIL);
      const effect = { type: "none" } as const;
      assert.equal(await spool.applyIncoming({ id, effect, atMs: NOW_MS }), "applied");
      assert.equal(await spool.applyIncoming({ id, effect, atMs: NOW_MS }), "gone");
      const second = (await nextIncoming(spool, NOW_MS + 5)) ?? assert.fail();
      assert.equal(second.recipient, "second@x.example");
      await spool.postponeIncoming(second.id, NOW_MS + 100);
      assert.equal(await nextIncoming(spool, NOW_MS + 99), null);
      assert.equal((await nextIncoming(spool, NOW_MS + 100))?.id, second.id);
    });

    it("is returned at once if the clock was set back after it was stored or postponed", async (t) => {
      const { spool } = await open(t);
      await spool.storeIncoming(MAIL);
      const beforeMs = NOW_MS - POSTPONED_MAX_MS;
      assert.equal(await nextIncoming(spool, beforeMs), null);
      const { id } = (await nextIncoming(spool, beforeMs - 1)) ?? assert.fail("it waits for the clock");
      await spool.postponeIncoming(id, NOW_MS + POSTPONED_MAX_MS);
      assert.equal(await nextIncoming(spool, NOW_MS), null);
      assert.equal((await nextIncoming(spool, NOW_MS - 1))?.id, id);
    });

    it("finds a sent message by its Message-ID near its time, of its account alone", async (t) => {
      const { spool } = await open(t);
      const { id } = await accepted(spool, { messageId: "<token@shop.example>", createdAtMs: NOW_MS + 700 });
      await accepted(spool, { messageId: "<other@shop.example>", createdAtMs: NOW_MS + 700 });
      const query = { accountId: "acc_default", messageId: "<token@shop.example>", aboutMs: NOW_MS };
      assert.equal(await spool.sentMessage(query), id);
      for (const other of [
        { accountId: "acc_other" },
        { messageId: "<none@shop.example>" },
        { aboutMs: NOW_MS + 5000 },
        { aboutMs: NOW_MS - 100_000 },
      ]) {
        assert.equal(await spool.sentMessage({ ...query, ...other }), null);
      }
    });

    it("is queued with domains in turn, and within one the smaller first, but none for more than an hour", async (t) => {
      const { spool } = await open(t);
      const store = (name: string, domain: string, octets: number, afterMs = 0) =>
        spool.storeIncoming({
          ...MAIL,
          recipient: `${name}@bounces.${domain}`,
          receivedAtMs: NOW_MS + afterMs,
          content: Buffer.alloc(octets, 1),
        });
      for (let i = 0; i < 3; i += 1) await store(`large${i}`, "shop.example", 1_000_000, i);
      await store("small", "Shop.example", 2000, SIZE_DELAY_MAX_MS - 20_001);
      await store("late", "shop.example", 2000, SIZE_DELAY_MAX_MS + 3);
      await store("other", "other.example", 1_000_000, 1000);
      const queued = await spool.incomingQueue(NOW_MS + SIZE_DELAY_MAX_MS + 10);
      const names = queued.map(({ recipient }) => recipient.split("@")[0]);
      assert.deepEqual(names, ["small", "other", "large0", "large1", "large2", "late"]);
      assert.deepEqual(
        queued.slice(0, 2).map(({ octets, ip, receivedAtMs }) => [octets, ip, receivedAtMs]),
        [
          [2000, MAIL.ip, NOW_MS + SIZE_DELAY_MAX_MS - 20_001],
          [1_000_000, MAIL.ip, NOW_MS + 1000],
        ],
      );
    });

    it("that is large is stored in parts, and due as a whole", async (t) => {
      const first = await open(t);
      const content = randomBytes(2 * 256 * 1024 + 1);
      await first.spool.storeIncoming({ ...MAIL, content });
      const { spool } = await first.reopen();
      const [queued] = await spool.incomingQueue(NOW_MS + SIZE_DELAY_MAX_MS);
      assert.equal(queued?.octets, content.length);
      assert.equal((await spool.incomingBacklog()).octets, content.length);
      const mail = (await spool.incomingMail(queued.id)) ?? assert.fail();
      assert.ok(mail.content.equals(content));
      assert.deepEqual({ ...mail, content: MAIL.content }, { ...MAIL, id: mail.id });
      assert.equal(await spool.applyIncoming({ id: mail.id, effect: { type: "none" }, atMs: NOW_MS }), "applied");
      assert.equal(await spool.incomingMail(mail.id), null);
      assert.deepEqual(await spool.incomingBacklog(), { mails: 0, octets: 0, networks: [] });
    });

    it("that is set aside is kept for a time, and not queued again", async (t) => {
      const first = await open(t);
      for (let i = 0; i < 3; i += 1) {
        await first.spool.storeIncoming({ ...MAIL, receivedAtMs: NOW_MS + i });
        const { id } = (await nextIncoming(first.spool, NOW_MS + 10)) ?? assert.fail();
        await first.spool.setAsideIncoming(id, NOW_MS + i * DAY_MS);
      }
      const { spool } = await first.reopen();
      for (const nowMs of [NOW_MS + 10, NOW_MS - 10 * DAY_MS]) assert.deepEqual(await spool.incomingQueue(nowMs), []);
      const shown = await spool.setAsideMails();
      assert.deepEqual(
        shown.map(({ setAsideAtMs }) => setAsideAtMs),
        [2, 1, 0].map((days) => NOW_MS + days * DAY_MS),
      );
      const { id } = at(shown);
      assert.deepEqual(shown[0], {
        id,
        recipient: MAIL.recipient,
        envelopeSender: "",
        ip: MAIL.ip,
        receivedAtMs: NOW_MS + 2,
        octets: 5,
        setAsideAtMs: NOW_MS + 2 * DAY_MS,
      });
      assert.deepEqual(Buffer.from((await spool.incomingMail(id))?.content ?? []), MAIL.content);
      await spool.trimSetAside(NOW_MS + SET_ASIDE_KEPT_MS + DAY_MS + 1);
      assert.deepEqual(
        (await spool.setAsideMails()).map((mail) => mail.id),
        [id],
      );
    });

    it("that is set aside leaves the oldest out beyond a number and a size", async (t) => {
      const { spool } = await open(t);
      const setAside = async (content: Buffer, atMs: number) => {
        await spool.storeIncoming({ ...MAIL, content });
        const { id } = (await nextIncoming(spool, NOW_MS)) ?? assert.fail();
        await spool.setAsideIncoming(id, atMs);
      };
      for (let i = 0; i < SET_ASIDE_MAX + 5; i += 1) await setAside(MAIL.content, NOW_MS + i);
      assert.equal((await spool.setAsideMails()).length, SET_ASIDE_MAX);
      assert.equal((await spool.incomingBacklog()).mails, SET_ASIDE_MAX);
      for (let i = 0; i < 3; i += 1) await setAside(Buffer.alloc(SET_ASIDE_OCTETS_MAX / 2, 1), NOW_MS + 100 + i);
      assert.deepEqual(
        (await spool.setAsideMails()).map(({ setAsideAtMs }) => setAsideAtMs),
        [NOW_MS + 102, NOW_MS + 101],
      );
    });

    it("is counted while it waits", async (t) => {
      const { spool } = await open(t);
      assert.deepEqual(await spool.incomingBacklog(), { mails: 0, octets: 0, networks: [] });
      for (const length of [5, 300_000]) await spool.storeIncoming({ ...MAIL, content: Buffer.alloc(length, 1) });
      for (const host of [1, 2, 3]) await spool.storeIncoming({ ...MAIL, ip: `2001:db8::${host}` });
      const { networks, ...all } = await spool.incomingBacklog();
      const octets = 3 * MAIL.content.length;
      assert.deepEqual(all, { mails: 5, octets: 300_005 + octets });
      assert.deepEqual(
        networks.toSorted((one, other) => one.mails - other.mails),
        [
          { network: MAIL.ip, mails: 2, octets: 300_005 },
          { network: clientNetwork("2001:db8::"), mails: 3, octets },
        ],
      );
      const { id } = (await nextIncoming(spool, NOW_MS)) ?? assert.fail();
      await spool.applyIncoming({ id, effect: { type: "none" }, atMs: NOW_MS });
      assert.equal((await spool.incomingBacklog()).mails, 4);
    });

    it("is counted by the networks that have a hundredth of it", async (t) => {
      const { spool } = await open(t);
      const store = (ip: string, octets: number) => spool.storeIncoming({ ...MAIL, ip, content: Buffer.alloc(octets) });
      await Promise.all(Array.from({ length: 197 }, (_, i) => store(`192.0.2.${i}`, 1)));
      await Promise.all([store("198.51.100.1", 1), store("198.51.100.1", 1), store("198.51.100.2", 2000)]);
      const { networks } = await spool.incomingBacklog();
      assert.deepEqual(networks.map(({ network }) => network).toSorted(), ["198.51.100.1", "198.51.100.2"]);
    });

    it("is queued up to a number, with each domain's first mails among them", async (t) => {
      const { spool } = await open(t);
      const stored = Array.from({ length: QUEUED_MAX + 100 }, (_, i) => ({ domain: "full.example", i }));
      for (const domain of ["a.example", "z.example"]) for (const i of [0, 1]) stored.push({ domain, i });
      // A pool of connections serves some hundred at once in time.
      while (stored.length > 0) {
        await Promise.all(
          stored
            .splice(0, 50)
            .map(({ domain, i }) =>
              spool.storeIncoming({ ...MAIL, recipient: `b-${i}@${domain}`, receivedAtMs: NOW_MS + i }),
            ),
        );
      }
      const queued = (await spool.incomingQueue(NOW_MS + QUEUED_MAX + 100)).map(({ recipient }) => recipient);
      assert.equal(queued.length, QUEUED_MAX);
      const rounds = [0, 1].map((i) => ["a", "full", "z"].map((name) => `b-${i}@${name}.example`));
      assert.deepEqual([queued.slice(0, 3).toSorted(), queued.slice(3, 6).toSorted()], rounds);
      const later = Array.from({ length: QUEUED_MAX - 6 }, (_, i) => `b-${i + 2}@full.example`);
      assert.deepEqual(queued.slice(6), later);
    });

    it("wakes the listener", async (t) => {
      const { spool } = await open(t);
      let calls = 0;
      spool.onIncoming(() => {
        calls += 1;
      });
      await spool.storeIncoming(MAIL);
      assert.equal(calls, 1);
    });

    it("about a message or a recipient that the spool does not have changes nothing", async (t) => {
      const { spool } = await open(t);
      const message = await settled(spool, "delivered");
      assert.equal(await apply(spool, { ...bounced(message), messageId: "msg_unknown" }), "applied");
      assert.equal(await apply(spool, { ...bounced(message), position: 1 }), "applied");
      assert.deepEqual(typesOf(await eventsOf(spool, message)), ["message.accepted", "delivered"]);
      assert.deepEqual(await suppressed(spool), []);
    });
  });
}

function effectConformance(name: string, open: OpenSpool): void {
  describe(`${name}: feedback`, () => {
    it("a bounce is reported with the delivery, which stays true, also after a crash", async (t) => {
      const first = await open(t);
      const message = await settled(first.spool, "delivered");
      assert.equal(await apply(first.spool, bounced(message)), "applied");
      const { spool } = await first.reopen();
      const recipient = await recipientOf(spool, message);
      assert.equal(recipient.result, "delivered");
      assert.deepEqual(recipient.bounce, { atMs: NOW_MS + 10, ...BOUNCE });
      assert.deepEqual(recipient.events.at(-1), {
        at_ms: NOW_MS + 10,
        type: "bounced",
        ...BOUNCE,
        rule: "enhanced code 5.1.1",
      });
      const events = await eventsOf(spool, message);
      assert.deepEqual(typesOf(events), ["message.accepted", "delivered", "bounced"]);
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        [1, 2, 3],
      );
      const { email, result, attempts } = events.at(-1)?.recipient ?? assert.fail();
      assert.deepEqual([email, result, attempts], [ANN.email, "delivered", 1]);
      const members = ["attempts", "category", "email", "reason", "result", "smtp"];
      assert.deepEqual(Object.keys(events.at(-1)?.recipient ?? {}).toSorted(), members);
      assert.deepEqual(
        events.map(({ bounce }) => bounce),
        [undefined, undefined, { atMs: NOW_MS + 10, ...BOUNCE }],
      );
    });

    it("of a kind that the recipient has had changes nothing more", async (t) => {
      const { spool } = await open(t);
      const message = await settled(spool, "delivered");
      for (const effect of [bounced(message), bounced(message), complained(message), complained(message)])
        assert.equal(await apply(spool, effect), "applied");
      const types = ["message.accepted", "delivered", "bounced", "complained"];
      assert.deepEqual(typesOf(await eventsOf(spool, message)), types);
      const { bounce, complaint } = await recipientOf(spool, message);
      assert.equal(bounce?.atMs, NOW_MS + 10);
      assert.deepEqual(complaint, { atMs: NOW_MS + 10, kind: "abuse" });
      const last = (await eventsOf(spool, message)).at(-1);
      assert.deepEqual([last?.bounce, last?.complaint], [undefined, { atMs: NOW_MS + 10, kind: "abuse" }]);
    });

    it("a recipient that waits goes on waiting", async (t) => {
      const { spool } = await open(t);
      const message = await settled(spool, "pending");
      await apply(spool, bounced(message));
      const { result, nextAttemptAtMs, bounce } = await recipientOf(spool, message);
      assert.deepEqual([result, nextAttemptAtMs, bounce?.permanent], ["pending", NOW_MS + DAY_MS, true]);
    });

    it("about a recipient at its final dot waits for the result", async (t) => {
      const { spool } = await open(t);
      const message = await accepted(spool);
      const lease = await markMessage(spool, message.id, [0]);
      assert.equal(await apply(spool, bounced(message)), "early");
      assert.equal(await nextIncoming(spool, NOW_MS + 10), null);
      await spool.settle(message.id, NOW_MS + 11, [settlement(0, "delivered")], lease);
      const { id } = (await nextIncoming(spool, NOW_MS + 10 + EARLY_MS)) ?? assert.fail();
      const atMs = NOW_MS + 20;
      assert.equal(await spool.applyIncoming({ id, effect: bounced(message), atMs }), "applied");
      assert.deepEqual(typesOf(await eventsOf(spool, message)), ["message.accepted", "delivered", "bounced"]);
    });

    it("is deleted with its message", async (t) => {
      const { spool } = await open(t);
      const message = await settled(spool, "delivered", { createdAtMs: NOW_MS });
      await apply(spool, bounced(message));
      const nowMs = NOW_MS + 10 * DAY_MS;
      await applyRetention(spool, { nowMs, contentsBeforeMs: nowMs, resultsBeforeMs: nowMs });
      assert.equal(await spool.report(message.id), null);
      assert.equal(await apply(spool, bounced(message), nowMs), "applied");
    });
  });
}

function unverifiedConformance(name: string, open: OpenSpool): void {
  describe(`${name}: a complaint without proof`, () => {
    for (const result of ["delivered", "unknown", "pending"] as const) {
      it(`of a ${result} recipient is shown once, and changes nothing`, async (t) => {
        const { spool } = await open(t);
        const message = await settled(spool, result);
        const before = await eventsOf(spool, message);
        const effect = { type: "reported", messageId: message.id, position: 0, kind: "abuse" } as const;
        for (let i = 0; i < 2; i += 1) assert.equal(await apply(spool, effect), "applied");
        const shown = await recipientOf(spool, message);
        assert.deepEqual([shown.result, shown.complaint], [result, undefined]);
        const types = shown.events.map(({ type }) => type);
        assert.equal(types.filter((type) => type === "complaint_unverified").length, 1);
        assert.deepEqual(await eventsOf(spool, message), before);
        assert.deepEqual(await suppressed(spool), []);
        // Evidence still settles it.
        await apply(spool, { type: "confirmed", messageId: message.id, position: 0 }, NOW_MS + 20);
        assert.equal((await recipientOf(spool, message)).result, result === "unknown" ? "delivered" : result);
      });
    }
  });
}

function lateEvidenceConformance(name: string, open: OpenSpool): void {
  describe(`${name}: late evidence`, () => {
    it("a bounce fails an unknown recipient", async (t) => {
      const { spool } = await open(t);
      const message = await settled(spool, "unknown");
      await apply(spool, bounced(message));
      const { result, reason, category, nextAttemptAtMs } = await recipientOf(spool, message);
      assert.deepEqual([result, reason, category, nextAttemptAtMs], ["failed", "bounced", "bad_address", null]);
      assert.deepEqual(typesOf(await eventsOf(spool, message)), ["message.accepted", "unknown", "failed", "bounced"]);
      assert.deepEqual(await spool.queue({ accountId: "acc_default", limit: 10 }), []);
      assert.equal(await spool.retry({ accountId: "acc_default", messageId: message.id, nowMs: NOW_MS }), 0);
    });

    it("a complaint, and a report of the delivery, show that an unknown recipient has the message", async (t) => {
      const { spool } = await open(t);
      const first = await settled(spool, "unknown");
      await apply(spool, complained(first));
      assert.deepEqual(typesOf(await eventsOf(spool, first)), [
        "message.accepted",
        "unknown",
        "delivered",
        "complained",
      ]);
      const second = await settled(spool, "unknown", { recipients: [{ ...ANN, email: "bob@customers.example" }] });
      const confirmed: IncomingEffect = { type: "confirmed", messageId: second.id, position: 0 };
      for (const _ of [1, 2]) await apply(spool, confirmed);
      assert.deepEqual(typesOf(await eventsOf(spool, second)), ["message.accepted", "unknown", "delivered"]);
      const { result, reason, events } = await recipientOf(spool, second);
      assert.deepEqual([result, reason, events.at(-1)?.type], ["delivered", null, "confirmed"]);
    });

    it("a report of the delivery changes no other result", async (t) => {
      const { spool } = await open(t);
      const message = await settled(spool, "failed");
      await apply(spool, { type: "confirmed", messageId: message.id, position: 0 });
      assert.equal((await recipientOf(spool, message)).result, "failed");
      assert.deepEqual(typesOf(await eventsOf(spool, message)), ["message.accepted", "failed"]);
    });

    it("a late reply does not change what the bounce has settled", async (t) => {
      const under = await open(t);
      const { spool } = under;
      const message = await accepted(spool);
      const lease = await markMessage(spool, message.id, [0]);
      await under.lapse(spool);
      assert.equal(await spool.recover(NOW_MS + 5, "unknown"), 1);
      await apply(spool, bounced(message));
      assert.equal(await spool.settle(message.id, NOW_MS + 20, [settlement(0, "delivered")], lease), "lease_lost");
      assert.equal((await recipientOf(spool, message)).result, "failed");
    });
  });
}

function suppressionConformance(name: string, open: OpenSpool): void {
  const resultOfNext = async (spool: Spool, parts: Partial<NewMessage> = {}) => {
    const message = await accepted(spool, { suppressAfter: 1, createdAtMs: NOW_MS + 100, ...parts });
    const { result, reason, category } = await recipientOf(spool, message);
    return [result, reason, category];
  };

  describe(`${name}: suppression by feedback`, () => {
    it("a permanent bounce that blames the address counts as a refusal, and no delivery clears it", async (t) => {
      const { spool } = await open(t);
      await apply(spool, bounced(await settled(spool, "delivered")));
      await settled(spool, "delivered");
      assert.deepEqual(await suppressed(spool), [["Ann@customers.example", "refusals"]]);
      assert.deepEqual(await resultOfNext(spool), ["failed", "suppressed", "bad_address"]);
    });

    it("a bounce that does not blame the address, or is temporary, does not count", async (t) => {
      const { spool } = await open(t);
      const [first, second] = [await settled(spool, "delivered"), await settled(spool, "delivered")];
      await apply(spool, { ...bounced(first), blamesAddress: false });
      await apply(spool, { ...bounced(second), bounce: { ...BOUNCE, permanent: false } });
      assert.deepEqual(await suppressed(spool), []);
      assert.deepEqual(await resultOfNext(spool), ["pending", null, null]);
    });

    it("a complaint suppresses at once, for its account alone, also where refusals suppress nothing", async (t) => {
      const { spool } = await open(t);
      await apply(spool, complained(await settled(spool, "delivered")));
      assert.deepEqual(await suppressed(spool), [["Ann@customers.example", "complaint"]]);
      assert.deepEqual(await resultOfNext(spool, { suppressAfter: 0 }), ["failed", "suppressed", "policy"]);
      assert.deepEqual(await resultOfNext(spool, { accountId: "acc_other" }), ["pending", null, null]);
      assert.equal(await spool.unsuppress("acc_default", "Ann@Customers.example"), true);
      assert.equal(await spool.unsuppress("acc_default", "Ann@customers.example"), false);
      assert.deepEqual(await resultOfNext(spool), ["pending", null, null]);
    });

    it("an unsubscription suppresses, with its event, and also once the message is gone", async (t) => {
      const { spool } = await open(t);
      const message = await settled(spool, "delivered");
      const { id: messageId } = message;
      const request: Unsubscription = {
        accountId: "acc_default",
        email: ANN.email,
        messageId,
        position: 0,
        atMs: NOW_MS + 10,
      };
      for (const _ of [1, 2]) await spool.recordUnsubscribed(request);
      assert.deepEqual(typesOf(await eventsOf(spool, message)), ["message.accepted", "delivered", "unsubscribed"]);
      assert.equal((await recipientOf(spool, message)).unsubscribedAtMs, NOW_MS + 10);
      assert.deepEqual(await suppressed(spool), [["Ann@customers.example", "unsubscribed"]]);
      const gone = { ...request, email: "bob@customers.example", messageId: "msg_gone" };
      await spool.recordUnsubscribed(gone);
      assert.equal((await suppressed(spool)).length, 2);
      const suppression = (await recipientOf(spool, await accepted(spool, { createdAtMs: NOW_MS + 100 }))).events.at(
        -1,
      );
      assert.deepEqual(suppression, {
        at_ms: NOW_MS + 100,
        type: "suppressed",
        cause: "unsubscribed",
        since_ms: NOW_MS + 10,
        until_ms: null,
        refusals: [],
      });
    });

    it("feedback about test messages is reported, and suppresses nothing", async (t) => {
      const { spool } = await open(t);
      const recipients = [{ email: ANN.email, domain: testRouteOf("acc_default") }];
      const message = await settled(spool, "delivered", { test: true, recipients });
      await apply(spool, bounced(message));
      await apply(spool, complained(message));
      const { bounce, complaint } = await recipientOf(spool, message);
      assert.deepEqual([bounce?.status, complaint?.kind], ["5.1.1", "abuse"]);
      const named = { accountId: "acc_default", email: ANN.email, position: 0, test: true as const, atMs: NOW_MS + 20 };
      for (const messageId of [message.id, "msg_gone"]) await spool.recordUnsubscribed({ ...named, messageId });
      assert.equal((await recipientOf(spool, message)).unsubscribedAtMs, NOW_MS + 20);
      assert.deepEqual(await suppressed(spool), []);
      assert.equal((await eventsOf(spool, message)).at(-1)?.test, true);
    });
  });
}
