/** Searches, counts and the queue by recipient domain. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { messageIdToken } from "../../../../src/message/ids.ts";
import type { Category } from "../../../../src/message/result/category.ts";
import type { MessageFilter, Reports } from "../../../../src/spool/port/reports.ts";
import { MESSAGE_REPORT_LIMITS } from "../../../../src/spool/records/message-report.ts";
import { markMessage, settleMessage } from "../../../support/attempts.ts";
import { composedMessage } from "../../../support/composed-message.ts";
import { nextIncoming } from "../../../support/incoming.ts";
import { finalDotAt, HOUR_MS, rcptReply, recipientsAt, settlement } from "../../../support/messages.ts";
import { acceptMessage, CLAIM, MINUTE_MS, NOW_MS, newDomain, type OpenStore } from "./store-suite.ts";
import { at } from "./suite.ts";

export function reportsConformance(name: string, open: OpenStore): void {
  describe(`${name}: reports`, () => {
    it("finds messages by each filter, of the same account only, the newest first", async (t) => {
      const store = await open(t);
      const at = (ms: number, email: string, parts = {}) => {
        const domain = email.split("@")[1] ?? "";
        return acceptMessage(store, { createdAtMs: NOW_MS + ms, recipients: [{ email, domain }], ...parts });
      };
      const first = await at(0, "Ann@a.example", { subject: "Your 100% order_1" });
      const second = await at(1000, "ann@ab.example", { keyId: "key_b" });
      const third = await at(2000, "joann@a.example");
      await at(3000, "ann@a.example", { accountId: "acc_other" });
      await settleMessage(store, first.id, NOW_MS + 2000, [settlement(0, "failed")]);
      await settleMessage(store, second.id, NOW_MS + 2000, [settlement(0, "delivered")]);
      const found = async (filter: Partial<Parameters<Reports["find"]>[0]>) => {
        const { messages } = await store.reports.find({ accountId: "acc_default", limit: 10, ...filter });
        return messages.map(({ id }) => [first, second, third].findIndex((message) => message.id === id) + 1);
      };
      assert.deepEqual(await found({}), [3, 2, 1]);
      assert.deepEqual(await found({ recipient: "ann@a" }), [2, 1]);
      assert.deepEqual(await found({ recipient: "ann@a.example" }), [1]);
      assert.deepEqual(await found({ recipient: "ANN" }), [3, 2, 1]);
      assert.deepEqual(await found({ recipient: "@a.example" }), [3, 1]);
      assert.deepEqual(await found({ recipient: "%" }), []);
      assert.deepEqual(await found({ subject: "100% ORDER_" }), [1]);
      assert.deepEqual(await found({ subject: "100_" }), []);
      assert.deepEqual(await found({ keyId: "key_b" }), [2]);
      assert.deepEqual(await found({ senderDomains: ["shop.example"] }), []);
      assert.deepEqual(await found({ result: "failed" }), [1]);
      assert.deepEqual(await found({ result: "delivered" }), [2]);
      assert.deepEqual(await found({ result: "pending" }), [3]);
      assert.deepEqual(await found({ result: "unknown" }), []);
      assert.deepEqual(await found({ result: "failed", recipient: "ann@a" }), [1]);
      assert.deepEqual(await found({ sinceMs: NOW_MS + 1000 }), [3, 2]);
      assert.deepEqual(await found({ untilMs: NOW_MS + 1000 }), [1]);
      assert.deepEqual(await found({ untilMs: NOW_MS + 1000, recipient: "ann" }), [1]);
      assert.deepEqual(await found({ cursor: "'; DROP TABLE messages" }), [3, 2, 1]);
      assert.deepEqual(await found({ recipientIs: "ANN@a.example" }), [1]);
      assert.deepEqual(await found({ recipientIs: "ann@a" }), []);
      assert.deepEqual(await found({ from: "News@shop.example" }), [3, 2, 1]);
      assert.deepEqual(await found({ from: "shop.example" }), []);
    });

    it("finds messages by the domains that they were sent from, which their reports name", async (t) => {
      const store = await open(t);
      const sent: string[] = [];
      for (const [i, name] of ["shop.example", "news.example", "other.example"].entries()) {
        const domain = await store.addDomain({ ...newDomain, name });
        assert.ok(typeof domain === "object");
        const { id } = await acceptMessage(store, { createdAtMs: NOW_MS + i, domainId: domain.id });
        assert.equal((await store.report(id))?.senderDomain, name);
        sent.push(id);
      }
      const found = async (senderDomains: string[], filter: Partial<MessageFilter> = {}) => {
        const { messages } = await store.reports.find({
          accountId: "acc_default",
          limit: 10,
          senderDomains,
          ...filter,
        });
        return messages.map(({ id }) => sent.indexOf(id));
      };
      assert.deepEqual(await found(["shop.example", "other.example"]), [2, 0]);
      assert.deepEqual(await found(["news.example", "none.example"], { result: "pending" }), [1]);
      assert.deepEqual(await found([]), []);
      const unbound = await acceptMessage(store, { createdAtMs: NOW_MS, domainId: "dom_gone" });
      assert.equal((await store.report(unbound.id))?.senderDomain, null);
    });

    it("finds messages by tag, alone and with other filters", async (t) => {
      const store = await open(t);
      const tagged = async (ms: number, tags: string[], parts = {}) =>
        acceptMessage(store, { createdAtMs: NOW_MS + ms, tags, ...parts });
      const recipients = [{ email: "ben@b.example", domain: "b.example" }];
      const first = await tagged(0, ["welcome", "grün"]);
      const second = await tagged(1000, ["welcome"], { recipients, keyId: "key_b" });
      await tagged(2000, ["welcome"], { accountId: "acc_other" });
      const third = await acceptMessage(store, { createdAtMs: NOW_MS + 3000 });
      await settleMessage(store, second.id, NOW_MS + 3000, [settlement(0, "delivered")]);
      const found = async (filter: Partial<Parameters<Reports["find"]>[0]>) => {
        const { messages } = await store.reports.find({ accountId: "acc_default", limit: 10, ...filter });
        return messages.map(({ id }) => [first, second, third].findIndex((message) => message.id === id) + 1);
      };
      assert.deepEqual(await found({ tag: "welcome" }), [2, 1]);
      assert.deepEqual(await found({ tag: "grün" }), [1]);
      assert.deepEqual(await found({ tag: "Welcome" }), []);
      assert.deepEqual(await found({ tag: "welcome", keyId: "key_b" }), [2]);
      assert.deepEqual(await found({ tag: "welcome", result: "delivered" }), [2]);
      assert.deepEqual(await found({ tag: "welcome", result: "pending" }), [1]);
      assert.deepEqual(await found({ tag: "welcome", recipientIs: "ben@b.example" }), [2]);
      assert.deepEqual(await found({ tag: "grün", recipient: "ben@b.example" }), []);
      assert.deepEqual(await found({ tag: "welcome", sinceMs: NOW_MS + 1 }), [2]);
      assert.deepEqual(await found({ tag: "welcome", cursor: second.id }), [1]);
      const { messages } = await store.reports.find({ accountId: "acc_default", limit: 10, tag: "grün" });
      assert.deepEqual([messages[0]?.tags, messages[0]?.messageId], [["welcome", "grün"], first.messageId]);
    });

    it("shows a marked recipient as pending, and counts each result of a message", async (t) => {
      const store = await open(t);
      const message = await acceptMessage(store, { recipients: recipientsAt("a.example", 3) });
      const settled = [settlement(0, "delivered"), settlement(1, "failed")];
      const lease = await markMessage(store, message.id, [2]);
      await store.settle(message.id, NOW_MS, settled, lease);
      const { messages } = await store.reports.find({ accountId: "acc_default", result: "pending", limit: 10 });
      assert.deepEqual(messages[0]?.results, { delivered: 1, failed: 1, unknown: 0, pending: 1 });
      assert.deepEqual([messages[0]?.recipients, messages[0]?.to], [3, "user0@a.example"]);
    });

    it("marks what has come back for a message", async (t) => {
      const store = await open(t);
      const recipients = recipientsAt("a.example", 2);
      const message = await acceptMessage(store, { createdAtMs: NOW_MS, recipients });
      await acceptMessage(store, { createdAtMs: NOW_MS + 1 });
      const listed = async () => {
        const { messages } = await store.reports.find({ accountId: "acc_default", limit: 10 });
        return messages.map(({ feedback }) => feedback?.toSorted());
      };
      assert.deepEqual(await listed(), [undefined, undefined]);
      const unsubscribed = { accountId: "acc_default", messageId: message.id, atMs: NOW_MS + 2 };
      for (const [position, { email }] of recipients.entries())
        await store.recordUnsubscribed({ ...unsubscribed, position, email });
      assert.deepEqual(await listed(), [undefined, ["unsubscribed"]]);
      await store.storeIncoming({
        recipient: "",
        envelopeSender: "",
        ip: "",
        receivedAtMs: NOW_MS,
        content: Buffer.of(),
      });
      const { id } = (await nextIncoming(store, NOW_MS)) ?? assert.fail("no mail is due");
      const effect = { type: "complained", messageId: message.id, position: 0, kind: "abuse" } as const;
      await store.applyIncoming({ id, effect, atMs: NOW_MS + 3 });
      assert.deepEqual(await listed(), [undefined, ["complained", "unsubscribed"]]);
    });

    it("pages through all messages, each once, with every filter", async (t) => {
      const store = await open(t);
      for (let i = 0; i < 25; i += 1) await acceptMessage(store, { createdAtMs: NOW_MS + Math.floor(i / 5) });
      for (const narrowed of [
        {},
        { recipient: "ann" },
        { result: "pending" },
        { subject: "hello" },
        { keyId: "key_a" },
      ] as const) {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const asked = { accountId: "acc_default", limit: 10, ...narrowed, ...(cursor ? { cursor } : {}) };
          const page = await store.reports.find(asked);
          seen.push(...page.messages.map(({ id }) => id));
          cursor = page.cursor ?? undefined;
        } while (cursor !== undefined && seen.length < 100);
        assert.equal(seen.length, 25, JSON.stringify(narrowed));
        assert.equal(new Set(seen).size, 25, JSON.stringify(narrowed));
      }
    });

    it("pages forwards, with every filter, through the messages accepted next after one, the newest first", async (t) => {
      const store = await open(t);
      const ids: string[] = [];
      for (let i = 0; i < 12; i += 1) {
        const createdAtMs = NOW_MS + Math.floor(i / 3) * 36 * HOUR_MS;
        ids.push((await acceptMessage(store, { createdAtMs })).id);
        await acceptMessage(store, { createdAtMs, keyId: "key_b" });
      }
      const newer = async (after: number | string, filter: Partial<MessageFilter> = {}) => {
        const id = typeof after === "string" ? after : (ids[after] ?? "");
        const asked = { accountId: "acc_default", keyId: "key_a", limit: 5, ...filter, after: id };
        const { messages, cursor } = await store.reports.find(asked);
        return { found: messages.map((message) => ids.indexOf(message.id)), cursor: ids.indexOf(cursor ?? "") };
      };
      for (const filter of [
        {},
        { recipient: "ann" },
        { recipient: "ann@" },
        { result: "pending" },
        { text: "hello" },
      ] as const) {
        assert.deepEqual(await newer(0, filter), { found: [5, 4, 3, 2, 1], cursor: 5 }, JSON.stringify(filter));
        assert.deepEqual(await newer(5, filter), { found: [10, 9, 8, 7, 6], cursor: 10 }, JSON.stringify(filter));
        assert.deepEqual(await newer(6, filter), { found: [11, 10, 9, 8, 7], cursor: -1 }, JSON.stringify(filter));
        assert.deepEqual(await newer(11, filter), { found: [], cursor: -1 }, JSON.stringify(filter));
      }
      assert.deepEqual(await newer(10), { found: [11], cursor: -1 });
      const within = { sinceMs: NOW_MS + 36 * HOUR_MS, untilMs: NOW_MS + 72 * HOUR_MS };
      assert.deepEqual(await newer(0, within), { found: [5, 4, 3], cursor: -1 });
      assert.deepEqual(await newer("msg_x"), { found: [], cursor: -1 });
      assert.deepEqual(await newer(0, { keyId: "key_c" }), { found: [], cursor: -1 });
      const other = { accountId: "acc_other", keyId: "key_a", after: at(ids), limit: 5 };
      assert.deepEqual(await store.reports.find(other), { messages: [], cursor: null, searchedBackToMs: null });
    });

    it("finds a text in subjects, recipients' addresses and tags, of any of them", async (t) => {
      const store = await open(t);
      const to = (email: string) => ({ recipients: [{ email, domain: "a.example" }] });
      const first = await acceptMessage(store, { createdAtMs: NOW_MS, subject: 'Your "Grüne" order' });
      const second = await acceptMessage(store, { createdAtMs: NOW_MS + 1, ...to("ORDERS@a.example") });
      const third = await acceptMessage(store, { createdAtMs: NOW_MS + 2, tags: ['say "hi"', "order"] });
      await acceptMessage(store, { createdAtMs: NOW_MS + 3, accountId: "acc_other", subject: "order" });
      const found = async (filter: Partial<MessageFilter>) => {
        const { messages } = await store.reports.find({ accountId: "acc_default", limit: 10, ...filter });
        return messages.map(({ id }) => [first, second, third].findIndex((message) => message.id === id) + 1);
      };
      assert.deepEqual(await found({ text: "Order" }), [3, 2, 1]);
      assert.deepEqual(await found({ text: "orders" }), [2]);
      assert.deepEqual(await found({ text: "rders@A" }), [2]);
      assert.deepEqual(await found({ text: '"grüne"' }), [1]);
      assert.deepEqual(await found({ text: 'say "hi"' }), [3]);
      assert.deepEqual(await found({ text: "say" }), [], "a part of a tag");
      assert.deepEqual(await found({ text: "," }), []);
      assert.deepEqual(await found({ text: "order", tag: "order" }), [3]);
      assert.deepEqual(await found({ text: "order", result: "pending" }), [3, 2, 1]);
      assert.deepEqual(await found({ text: "order", result: "failed" }), []);
      assert.deepEqual(await found({ text: "order", recipient: "orders@" }), [2]);
      assert.deepEqual(await found({ text: "order", cursor: second.id }), [1]);
    });

    it("finds a message by its Message-ID, whether or not Postrider has made it", async (t) => {
      const store = await open(t);
      const token = messageIdToken(NOW_MS, randomBytes);
      const made = await acceptMessage(store, { createdAtMs: NOW_MS, messageId: `<${token}@shop.example>` });
      await acceptMessage(store, { createdAtMs: NOW_MS });
      const own = await acceptMessage(store, { createdAtMs: NOW_MS + HOUR_MS, messageId: "<x@client.example>" });
      // A copy that a client sent later, and the form of an id that says nothing.
      const again = await acceptMessage(store, { createdAtMs: NOW_MS + 2 * HOUR_MS, messageId: made.messageId });
      const other = await acceptMessage(store, { messageId: `<${"a".repeat(24)}@client.example>` });
      const found = async (messageId: string, filter: Partial<MessageFilter> = {}) => {
        const { messages } = await store.reports.find({ accountId: "acc_default", limit: 10, ...filter, messageId });
        return messages.map(({ id }) => id);
      };
      assert.deepEqual(await found(made.messageId), [made.id]);
      assert.deepEqual(await found(made.messageId, { sinceMs: NOW_MS + HOUR_MS }), [again.id]);
      assert.deepEqual(await found("<x@client.example>"), [own.id]);
      assert.deepEqual(await found("<X@client.example>"), []);
      assert.deepEqual(await found(other.messageId), [other.id]);
      assert.deepEqual(await found(made.messageId, { accountId: "acc_other" }), []);
    });

    it("counts the messages of a search, at most COUNT_MAX, and names the newest", async (t) => {
      const store = await open(t);
      const count = (filter: Partial<MessageFilter> = {}) =>
        store.reports.count({ accountId: "acc_default", ...filter });
      assert.deepEqual(await count(), { messages: 0, isExact: true, newest: null });
      const ids: string[] = [];
      for (let i = 0; i < 7; i += 1) {
        const recipients = recipientsAt(i < 3 ? "a.example" : "b.example", 2);
        ids.push((await acceptMessage(store, { createdAtMs: NOW_MS + i, recipients })).id);
      }
      await acceptMessage(store, { createdAtMs: NOW_MS + 9, accountId: "acc_other" });
      assert.deepEqual(await count(), { messages: 7, isExact: true, newest: ids[6] });
      for (const filter of [{ recipient: "@a.example" }, { recipient: "user0@a" }, { text: "@a.ex" }]) {
        assert.deepEqual(await count(filter), { messages: 3, isExact: true, newest: ids[2] }, JSON.stringify(filter));
      }
      assert.deepEqual(await count({ result: "pending", untilMs: NOW_MS + 2 }), {
        messages: 2,
        isExact: true,
        newest: ids[1],
      });
    });

    it("lists the recipients that the filter selects, with the reason of each", async (t) => {
      const store = await open(t);
      const recipients = [
        ...recipientsAt("a.example", 3),
        { email: "cara@b.example", domain: "b.example", field: "cc" as const },
      ];
      const tags = ["welcome"];
      const message = await acceptMessage(store, { createdAtMs: NOW_MS, recipients, tags });
      const smtp = {
        code: 550,
        enhanced_code: "5.1.1",
        message: "No such user",
        mx: "mx.a.example",
        ip: null,
        tls: null,
      };
      const refused = {
        ...settlement(1, "failed"),
        reason: "recipient_refused",
        category: "bad_address" as const,
        smtp,
      };
      await settleMessage(store, message.id, NOW_MS + 5, [settlement(0, "delivered"), refused]);
      const listed = async (filter: Partial<MessageFilter> = {}) => {
        const found = await store.reports.findRecipients({ accountId: "acc_default", limit: 10, ...filter });
        return found.messages;
      };
      const all = at(await listed());
      const { from, subject, messageId, keyId } = message;
      const { recipients: rows, ...head } = all;
      assert.deepEqual(head, {
        id: message.id,
        createdAtMs: NOW_MS,
        from,
        subject,
        messageId,
        keyId,
        tags,
        test: false,
      });
      assert.deepEqual(
        rows.map(({ email, field, result }) => [email, field, result]),
        [
          ["user0@a.example", "to", "delivered"],
          ["user1@a.example", "to", "failed"],
          ["user2@a.example", "to", "pending"],
          ["cara@b.example", "cc", "pending"],
        ],
      );
      const failed = { email: "user1@a.example", field: "to", result: "failed", reason: "recipient_refused" };
      assert.deepEqual(rows[1], { ...failed, category: "bad_address", attempts: 1, updatedAtMs: NOW_MS + 5, smtp });
      const emails = async (filter: Partial<MessageFilter>) =>
        (await listed(filter)).map((found) => found.recipients.map(({ email }) => email));
      assert.deepEqual(await emails({ result: "failed" }), [["user1@a.example"]]);
      assert.deepEqual(await emails({ category: "bad_address" }), [["user1@a.example"]]);
      assert.deepEqual(await emails({ result: "pending" }), [["user2@a.example", "cara@b.example"]]);
      assert.deepEqual(await emails({ recipient: "USER2@" }), [["user2@a.example"]]);
      assert.deepEqual(await emails({ recipient: "@b.example" }), [["cara@b.example"]]);
      assert.deepEqual(await emails({ recipientIs: "Cara@b.example" }), [["cara@b.example"]]);
      assert.deepEqual(await emails({ result: "unknown" }), []);
    });

    it("shows of each message the obstacle that matters most, of the filter's result and category first", async (t) => {
      const store = await open(t);
      const message = await acceptMessage(store, { createdAtMs: NOW_MS, recipients: recipientsAt("a.example", 4) });
      const obstacle = async (filter: Partial<MessageFilter> = {}) => {
        const { messages } = await store.reports.find({ accountId: "acc_default", limit: 1, ...filter });
        return at(messages).obstacle;
      };
      assert.equal(await obstacle(), undefined);
      const smtp = { code: 452, enhanced_code: null, message: "Full", mx: "mx.a.example", ip: null, tls: null };
      const deferred = { ...settlement(1, "pending", NOW_MS + HOUR_MS), reason: "temporarily_refused", smtp };
      await settleMessage(store, message.id, NOW_MS, [
        settlement(0, "delivered"),
        { ...deferred, category: "mailbox_full" },
        { ...settlement(2, "failed"), reason: "recipient_refused", category: "bad_address", smtp: null },
      ]);
      const failed = { email: "user2@a.example", reason: "recipient_refused", category: "bad_address", smtp: null };
      const pending = { email: "user1@a.example", reason: "temporarily_refused", category: "mailbox_full", smtp };
      assert.deepEqual(await obstacle(), failed);
      assert.deepEqual(await obstacle({ result: "pending" }), pending);
      assert.deepEqual(await obstacle({ category: "mailbox_full" }), pending);
    });

    it("shows with the obstacle of a recipient that may have the message when and where it was attempted", async (t) => {
      const store = await open(t);
      const message = await acceptMessage(store, { createdAtMs: NOW_MS, recipients: recipientsAt("a.example", 2) });
      const lost = { reason: "connection_lost_after_final_dot", category: "network" as const };
      const tries = [rcptReply({ code: 450, enhanced_code: null, message: "Later" }), finalDotAt("mx2.a.example")];
      await settleMessage(store, message.id, NOW_MS + 5, [
        { ...settlement(0, "unknown"), ...lost, tries },
        settlement(1, "delivered"),
      ]);
      const obstacle = async () => {
        const { messages } = await store.reports.find({ accountId: "acc_default", limit: 1 });
        return at(messages).obstacle;
      };
      const expected = { email: "user0@a.example", ...lost, smtp: null };
      assert.deepEqual(await obstacle(), { ...expected, attempt: { atMs: NOW_MS + 5, mx: "mx2.a.example" } });
      // It remains the attempt after deferrals of further ones, which are cancelled.
      const decision = { accountId: "acc_default", by: "ann@shop.example", nowMs: NOW_MS + 9 };
      await store.retry({ ...decision, messageId: message.id, positions: [0], result: "unknown" });
      for (let i = 1; i <= 6; i += 1) {
        const deferred = {
          ...settlement(0, "pending", NOW_MS + 10 * i),
          ...lost,
          attemptReason: "temporarily_refused",
        };
        await settleMessage(store, message.id, NOW_MS + 10 * i, [deferred]);
      }
      await store.cancel({ ...decision, recipients: [{ messageId: message.id, positions: [0] }] });
      assert.deepEqual(await obstacle(), { ...expected, attempt: { atMs: NOW_MS + 5, mx: "mx2.a.example" } });
    });

    it("returns content to its own account only", async (t) => {
      const store = await open(t);
      const content = Buffer.from("Reply-To: a@b.example\r\nSubject: Hello\r\n\r\nHi\r\n");
      const { id } = await acceptMessage(store, { content });
      assert.deepEqual(await store.reports.contentOf("acc_default", id), content);
      const bodies = { text: "Hi", html: null, fromName: null, replyTo: ["a@b.example"] };
      assert.deepEqual(await store.reports.bodiesOf("acc_default", id), bodies);
      for (const [account, message] of [
        ["acc_other", id],
        ["acc_default", "msg_x"],
      ] as const) {
        assert.equal(await store.reports.contentOf(account, message), null);
        assert.equal(await store.reports.bodiesOf(account, message), null);
      }
    });

    it("shows what pages read of a content, short or long, and the files in it", async (t) => {
      const store = await open(t);
      const names = ["short.bin", "long.bin"];
      for (const [i, bytes] of [Buffer.from([0, 1, 2, 255]), Buffer.alloc(300_000, "file")].entries()) {
        const file = { filename: names[i], content: bytes.toString("base64") };
        const content = composedMessage({ text: "Hi", html: "<b>Hi</b>", attachments: [file] });
        const { id } = await acceptMessage(store, { content });
        const view = await store.reports.viewOf("acc_default", id);
        assert.deepEqual([view?.text?.text.trim(), view?.sizeBytes], ["Hi", content.length]);
        const { part, sizeBytes } = at(view?.attachments.files ?? []);
        assert.equal(sizeBytes, bytes.length);
        const read = await store.reports.attachmentOf("acc_default", id, part);
        assert.ok(read !== null && Buffer.isBuffer(read.bytes) && read.bytes.equals(bytes));
        assert.equal(read.filename, names[i]);
        const html = await store.reports.htmlOf("acc_default", id);
        assert.equal(html?.toString().trim(), "<b>Hi</b>");
        assert.equal((await store.reports.bodiesOf("acc_default", id))?.html, "<b>Hi</b>");
        assert.equal(await store.reports.attachmentOf("acc_default", id, 99), null);
        assert.equal(await store.reports.attachmentOf("acc_other", id, part), null);
        assert.equal(await store.reports.attachmentOf("acc_default", "msg_x", part), null);
      }
    });

    it("counts each event once, in its interval, and measures delivery times", async (t) => {
      const store = await open(t);
      const hash = Buffer.alloc(32, 1);
      const made = { accountId: "acc_default", name: "k", hash, lastFour: "abcd", createdAtMs: 1, keysMax: 1 };
      const key = await store.createKey(made);
      assert.ok(key !== "too_many");
      const message = await acceptMessage(store, { keyId: key.id, recipients: recipientsAt("a.example", 4) });
      const { lease } = at((await store.claim({ nowMs: NOW_MS, ...CLAIM })).jobs);
      const atMs = NOW_MS + 10 * MINUTE_MS;
      const results = [settlement(0, "delivered"), settlement(1, "failed"), settlement(2, "unknown")];
      await store.settle(message.id, NOW_MS + 3000, results, lease);
      await store.settle(message.id, NOW_MS + 3000, [settlement(0, "failed"), settlement(3, "pending", atMs)], lease);
      await settleMessage(store, message.id, atMs, [settlement(3, "delivered")]);
      const filter = { sinceMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + HOUR_MS, stepMs: MINUTE_MS };
      const { slots, total } = await store.reports.activity({ accountId: "acc_default", ...filter });
      assert.deepEqual(
        slots.map((s) => [s.messages, s.recipients, s.delivered, s.failed, s.unknown, s.deferred]),
        [
          [1, 4, 1, 1, 1, 1],
          [0, 0, 1, 0, 0, 0],
        ],
      );
      assert.deepEqual([total.messages, total.delivered], [1, 2]);
      assert.ok(Math.abs((total.p50Ms ?? 0) - 3000) < 300, `${total.p50Ms}`);
      assert.ok(Math.abs((total.p95Ms ?? 0) - 600_000) < 60_000, `${total.p95Ms}`);
      const wide = await store.reports.activity({ accountId: null, ...filter, stepMs: 60 * MINUTE_MS });
      assert.equal(wide.total.delivered, 2);
      const others = await store.reports.activity({ accountId: "acc_other", ...filter });
      assert.deepEqual([others.slots, others.total.p50Ms], [[], null]);
      assert.equal((await store.keys("acc_default"))[0]?.messagesSent, 1);
    });

    it("counts a recipient once, however often it was unknown before its final result", async (t) => {
      const store = await open(t);
      const filter = { accountId: null, sinceMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + HOUR_MS, stepMs: MINUTE_MS };
      const counted = async () => {
        const { delivered, unknown } = (await store.reports.activity(filter)).total;
        return { delivered, unknown };
      };
      const { id, accountId } = await acceptMessage(store, { recipients: recipientsAt("a.example", 2) });
      const [first] = recipientsAt("a.example", 2);
      assert.ok(first);
      await settleMessage(store, id, NOW_MS, [settlement(0, "unknown"), settlement(1, "unknown")]);
      for (const minute of [5, 10]) {
        const nowMs = NOW_MS + minute * MINUTE_MS;
        assert.equal(await store.retry({ accountId, messageId: id, email: first.email, nowMs }), 1);
        assert.deepEqual(await counted(), { delivered: 0, unknown: 1 });
        await markMessage(store, id, [0]);
        await store.lapse(store);
        assert.equal(await store.recover(nowMs, "unknown"), 1);
        assert.deepEqual(await counted(), { delivered: 0, unknown: 2 });
      }
      const lastMs = NOW_MS + 20 * MINUTE_MS;
      await store.retry({ accountId, messageId: id, nowMs: lastMs });
      await settleMessage(store, id, lastMs, [settlement(0, "delivered"), settlement(1, "delivered")]);
      assert.deepEqual(await counted(), { delivered: 2, unknown: 0 });
    });

    it("counts a recipient once whose result came after it had become unknown", async (t) => {
      const store = await open(t);
      const { id } = await acceptMessage(store, { recipients: recipientsAt("a.example", 1) });
      const lease = await markMessage(store, id, [0]);
      await store.lapse(store);
      await store.recover(NOW_MS + 5 * MINUTE_MS, "unknown");
      await store.settle(id, NOW_MS + 10 * MINUTE_MS, [settlement(0, "delivered")], lease);
      const filter = { accountId: null, sinceMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + HOUR_MS, stepMs: MINUTE_MS };
      const { delivered, unknown } = (await store.reports.activity(filter)).total;
      assert.deepEqual({ delivered, unknown }, { delivered: 1, unknown: 0 });
    });

    it("counts a failed recipient that is sent again once, with its last result", async (t) => {
      const store = await open(t);
      const { id, accountId } = await acceptMessage(store, { recipients: recipientsAt("a.example", 3) });
      await settleMessage(store, id, NOW_MS, [
        settlement(0, "failed"),
        settlement(1, "failed"),
        settlement(2, "failed"),
      ]);
      const nowMs = NOW_MS + 5 * MINUTE_MS;
      const step = { accountId, nowMs, expiresAtMs: nowMs + HOUR_MS, limit: 10, after: null };
      await store.retryFailed({ ...step, dryRun: true });
      await store.retryFailed({ ...step, email: "user0@a.example", dryRun: false });
      await store.retryFailed({ ...step, email: "user1@a.example", dryRun: false });
      await settleMessage(store, id, nowMs, [settlement(0, "delivered"), settlement(1, "failed")]);
      const filter = { accountId: null, sinceMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + HOUR_MS, stepMs: MINUTE_MS };
      const { delivered, failed } = (await store.reports.activity(filter)).total;
      assert.deepEqual({ delivered, failed }, { delivered: 1, failed: 2 });
    });

    it("finds messages by category, of a recipient that has the result too", async (t) => {
      const store = await open(t);
      const [a, b, c] = [
        await acceptMessage(store, { id: "msg_a", recipients: recipientsAt("a.example", 2), tags: ["x"] }),
        await acceptMessage(store, { id: "msg_b", recipients: recipientsAt("a.example", 2) }),
        await acceptMessage(store, { id: "msg_c", recipients: recipientsAt("c.example", 1) }),
      ];
      const of = (position: number, result: "failed" | "pending", category: Category) => ({
        ...settlement(position, result, result === "pending" ? NOW_MS + HOUR_MS : null),
        category,
      });
      await settleMessage(store, a.id, NOW_MS, [of(0, "failed", "reputation"), of(1, "pending", "network")]);
      await settleMessage(store, b.id, NOW_MS, [of(0, "failed", "network"), of(1, "pending", "reputation")]);
      await settleMessage(store, c.id, NOW_MS, [settlement(0, "delivered")]);
      const found = async (filter: Omit<MessageFilter, "accountId" | "limit">) =>
        (await store.reports.find({ accountId: "acc_default", limit: 10, ...filter })).messages.map(({ id }) => id);
      const category = "reputation";
      assert.deepEqual(await found({ category }), [b.id, a.id]);
      assert.deepEqual(await found({ category, result: "failed" }), [a.id]);
      assert.deepEqual(await found({ category, result: "pending" }), [b.id]);
      assert.deepEqual(await found({ category, result: "delivered" }), []);
      assert.deepEqual(await found({ category, tag: "x" }), [a.id]);
      assert.deepEqual(await found({ category: "network", tag: "x", result: "failed" }), []);
      assert.deepEqual(await found({ category, recipient: "user0@" }), [a.id]);
      assert.deepEqual(await found({ category, recipientIs: "user1@a.example", result: "pending" }), [b.id]);
      assert.deepEqual(await found({ category, keyId: "key_a" }), [b.id, a.id]);
      assert.deepEqual(await found({ category: "greylisted" }), []);
      const { messages } = await store.reports.find({ accountId: "acc_default", limit: 10 });
      assert.deepEqual(
        messages.map(({ categories }) => categories),
        [[], ["network", "reputation"], ["network", "reputation"]],
      );
    });

    it("reports a long history as far as its limit allows, the newest events of each recipient", async (t) => {
      const store = await open(t);
      const reply = { code: 451, enhanced_code: "4.7.1", message: "é".repeat(2048) };
      const smtp = { ...reply, mx: "mx.a.example", ip: null, tls: null };
      /** Every recipient was deferred again and again, each time by as many hosts with the longest replies. */
      const deferred = async (recipients: number, hosts: number) => {
        const { id } = await acceptMessage(store, { recipients: recipientsAt("a.example", recipients) });
        const tries = Array.from({ length: hosts }, (_, i) => ({ ...rcptReply(reply), mx: `mx${i}.a.example` }));
        for (let attempt = 1; attempt <= 4; attempt += 1) {
          const pending = (i: number) => ({ ...settlement(i, "pending", NOW_MS + attempt + 1), smtp, tries });
          const settled = Array.from({ length: recipients }, (_, i) => pending(i));
          await settleMessage(store, id, NOW_MS + attempt, settled);
        }
        return (await store.report(id))?.recipients ?? [];
      };
      const many = await deferred(50, 16);
      const shown = JSON.stringify(many.map(({ events }) => events));
      assert.ok(Buffer.byteLength(shown) <= MESSAGE_REPORT_LIMITS.eventsBytesMax + 50 * 100);
      for (const { events, eventsOmitted = 0 } of many) {
        assert.equal(events.length + eventsOmitted, 5);
        const last = events.at(-1);
        assert.equal(last?.at_ms, NOW_MS + 4);
        assert.deepEqual(
          last.type === "deferred" && last.tries.map(({ mx }) => mx),
          ["mx15.a.example"],
          "the decisive try",
        );
      }
      const [one] = await deferred(1, 8);
      assert.deepEqual([one?.events.length, one?.eventsOmitted, one?.smtp], [5, undefined, smtp]);
    });

    it("reports how much waits for each domain and why, of one account or all", async (t) => {
      const store = await open(t);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      const message = await acceptMessage(store, {
        recipients: [...recipientsAt("a.example", 3), ...recipientsAt("b.example", 1)],
      });
      await acceptMessage(store, { accountId: other.id, recipients: recipientsAt("b.example", 9) });
      const smtp = { code: 451, enhanced_code: null, message: "later", mx: "mx", ip: null, tls: null };
      const later = (position: number) => ({
        ...settlement(position, "pending", NOW_MS + HOUR_MS),
        reason: "temporarily_refused",
        category: "greylisted" as const,
        smtp,
      });
      await settleMessage(store, message.id, NOW_MS, [later(0), later(1), settlement(2, "unknown")]);
      await store.pauseDomain("c.example", NOW_MS);
      const own = await store.reports.waiting({ accountId: "acc_default", nowMs: NOW_MS, limit: 10 });
      assert.deepEqual(
        own.domains.map((d) => [d.domain, d.waiting, d.due, d.nextAttemptAtMs, d.reason]),
        [
          ["a.example", 2, 0, NOW_MS + HOUR_MS, "temporarily_refused"],
          ["b.example", 1, 1, NOW_MS, null],
        ],
      );
      assert.deepEqual([own.domains[0]?.category, own.domains[0]?.smtp], ["greylisted", smtp]);
      assert.deepEqual([own.waiting, own.unknown], [3, 1]);
      const all = await store.reports.waiting({ accountId: null, nowMs: NOW_MS, limit: 10 });
      assert.deepEqual(
        all.domains.map((d) => [d.domain, d.waiting, d.pausedAtMs]),
        [
          ["b.example", 10, null],
          ["a.example", 2, null],
          ["c.example", 0, NOW_MS],
        ],
      );
    });

    it("reads fewer reasons of each domain, the more domains wait", async (t) => {
      const store = await open(t);
      const add = async (domains: string[], retries: [position: number, reason: string][]) => {
        const message = await acceptMessage(store, {
          recipients: domains.flatMap((domain) => recipientsAt(domain, 3)),
        });
        const settled = retries.map(([position, reason]) => ({
          ...settlement(position, "pending", NOW_MS + HOUR_MS + position),
          reason,
        }));
        await settleMessage(store, message.id, NOW_MS, settled);
      };
      const first = async () => {
        const { domains } = await store.reports.waiting({ accountId: null, nowMs: NOW_MS, limit: 1000 });
        return domains.find(({ domain }) => domain === "a.example")?.reason;
      };
      await add(
        ["a.example"],
        [
          [0, "temporarily_refused"],
          [1, "temporarily_refused"],
          [2, "no_connection"],
        ],
      );
      assert.equal(await first(), "temporarily_refused");
      const many = Array.from({ length: 501 }, (_, i) => `d${i}.example`);
      await acceptMessage(store, { recipients: many.flatMap((domain) => recipientsAt(domain, 1)) });
      assert.equal(await first(), "no_connection");
    });
  });
}
