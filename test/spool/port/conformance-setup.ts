/**
 * What every form of the spool must do for people: users and sessions, a hand on a whole destination, keys that take
 * over, what is found again and counted. Tested through the ports alone, as conformance.ts does for delivery.
 */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Category } from "../../../src/message/category.ts";
import type { Registry } from "../../../src/spool/port/accounts.ts";
import type { DomainChecks, DueDomainsQuery } from "../../../src/spool/port/domains.ts";
import { type People, SESSIONS_MAX, type Session } from "../../../src/spool/port/people.ts";
import type { MessageFilter, Reports } from "../../../src/spool/port/reports.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../support/messages.ts";

export type Store = Spool & Registry & { people: People; reports: Reports };

const NOW_MS = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const CLAIM = { limit: 1000, perDomain: 1000, allowance: {} };

export function setupConformance(name: string, open: (t: TestContext) => Promise<Store>): void {
  const accept = async (store: Store, parts: Parameters<typeof newMessage>[0] = {}) => {
    const message = newMessage({ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 48 * HOUR_MS, ...parts });
    assert.equal((await store.accept(message)).type, "accepted");
    return message;
  };

  describe(`${name}: a hand on a destination`, () => {
    const claimed = async (store: Store, nowMs: number) =>
      (await store.claim({ nowMs, ...CLAIM })).jobs.map(({ domain }) => domain).sort();

    it("claims nothing for a paused domain, of any account, and everything once it is resumed", async (t) => {
      const store = await open(t);
      await store.pauseDomain("a.example", NOW_MS);
      await store.pauseDomain("a.example", NOW_MS + 1);
      await accept(store, { recipients: [...recipientsAt("a.example", 1), ...recipientsAt("b.example", 1)] });
      await accept(store, { accountId: "acc_other", recipients: recipientsAt("a.example", 1) });
      assert.deepEqual(await store.pausedDomains(), [{ domain: "a.example", atMs: NOW_MS }]);
      assert.deepEqual(await claimed(store, NOW_MS), ["b.example"]);
      assert.deepEqual(await store.claim({ nowMs: NOW_MS, ...CLAIM }), { jobs: [], nextDueMs: null });
      const woken = new Promise<void>((resolve) => store.onDue(resolve));
      assert.equal(await store.resumeDomain("a.example"), true);
      await woken;
      assert.equal(await store.resumeDomain("a.example"), false);
      assert.deepEqual(await claimed(store, NOW_MS), ["a.example", "a.example"]);
    });

    it("makes what waits for a domain due, in bounded steps and of one account only", async (t) => {
      const store = await open(t);
      for (const accountId of ["acc_default", "acc_other"]) {
        const message = await accept(store, { accountId, recipients: recipientsAt("a.example", 3) });
        await store.claim({ nowMs: NOW_MS, ...CLAIM });
        const later = [0, 1, 2].map((position) => settlement(position, "pending", NOW_MS + HOUR_MS));
        await store.settle(message.id, NOW_MS, later);
      }
      const retry = { accountId: "acc_default", domain: "a.example", nowMs: NOW_MS + 1, limit: 2 };
      assert.equal(await store.retryDomain(retry), 2);
      assert.equal(await store.retryDomain(retry), 1);
      assert.equal(await store.retryDomain(retry), 0);
      const { jobs } = await store.claim({ nowMs: NOW_MS + 1, ...CLAIM });
      assert.deepEqual(
        jobs.map((job) => [job.accountId, job.recipients.length]),
        [["acc_default", 3]],
      );
    });
  });

  describe(`${name}: accounts' quota`, () => {
    it("goes by the account's own where it has one", async (t) => {
      const store = await open(t);
      const send = async (quotaDaily: number) =>
        (await store.accept(newMessage({ createdAtMs: NOW_MS, recipients: recipientsAt("a.example", 2), quotaDaily })))
          .type;
      await store.setQuota("acc_default", 3);
      assert.equal(await send(0), "accepted");
      assert.equal(await store.quotaUsed("acc_default", NOW_MS), 2);
      assert.equal(await send(0), "quota_exceeded");
      await store.setQuota("acc_default", 0);
      assert.equal(await send(1), "accepted");
      await store.setQuota("acc_default", null);
      assert.equal(await send(1), "quota_exceeded");
      assert.equal((await store.accountNamed("default"))?.quotaDaily, null);
    });
  });

  const newUserParts = {
    email: "ann@shop.example",
    accountId: "acc_default",
    passwordHash: "hash",
    operator: false,
    createdAtMs: NOW_MS,
    usersMax: 10,
  };

  const check = {
    state: "pending",
    detail: "",
    expected: "",
    found: [],
    standing: false,
    failedSinceMs: null,
  } as const;
  const checksAt = (atMs: number, state: "pending" | "verified" | "failed" = "pending"): DomainChecks => {
    const one = () => ({ ...check, found: [], state, checkedAtMs: atMs });
    return { ownership: one(), mx: one(), spf: one(), dkim: one(), dmarc: one() };
  };
  const newDomain: Parameters<Registry["addDomain"]>[0] = {
    accountId: "acc_default",
    name: "shop.example",
    token: "token",
    createdAtMs: NOW_MS,
    checks: checksAt(NOW_MS),
    selector: "one",
    publicKey: "first",
    sealedPrivateKey: Buffer.from("first sealed"),
    domainsMax: 10,
  };

  describe(`${name}: what an account may have at most`, () => {
    const outcomes = async (made: Promise<unknown>[]): Promise<string[]> =>
      (await Promise.all(made)).map((one) => (typeof one === "string" ? one : "made"));

    it("creates users up to the limit, each account by itself, however many are asked for at once", async (t) => {
      const store = await open(t);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      const emails = ["a@shop.example", "b@shop.example", "c@shop.example"];
      const create = (email: string, accountId = "acc_default") =>
        store.createUser({ ...newUserParts, email, accountId, usersMax: 2 });
      assert.deepEqual(await outcomes(emails.map((email) => create(email))), ["made", "made", "too_many"]);
      assert.equal(await create("A@shop.example"), "exists");
      assert.notEqual(await create("c@shop.example", other.id), "too_many");
      await store.people.removeUser((await store.people.userNamed("a@shop.example"))?.id ?? "");
      assert.notEqual(await create("d@shop.example"), "too_many");
      assert.deepEqual((await store.people.users("acc_default")).length, 2);
    });

    it("creates keys up to the limit, revoked ones not counted", async (t) => {
      const store = await open(t);
      let made = 0;
      const create = (accountId = "acc_default") => {
        made += 1;
        const hash = Buffer.alloc(32, made);
        return store.createKey({ accountId, name: "k", hash, lastFour: "abcd", createdAtMs: NOW_MS, keysMax: 2 });
      };
      assert.deepEqual(await outcomes([create(), create(), create()]), ["made", "made", "too_many"]);
      const [first] = await store.keys("acc_default");
      await store.revokeKey("acc_default", first?.id ?? "", NOW_MS);
      assert.deepEqual(await outcomes([create(), create()]), ["made", "too_many"]);
      assert.equal((await store.keys("acc_default")).length, 3);
    });

    it("binds domains up to the limit, removed ones not counted", async (t) => {
      const store = await open(t);
      const add = (name: string) => store.addDomain({ ...newDomain, name, domainsMax: 2 });
      const names = ["a.example", "b.example", "c.example"];
      assert.deepEqual(await outcomes(names.map(add)), ["made", "made", "too_many"]);
      assert.equal(await add("a.example"), "exists");
      await store.removeDomain("acc_default", "a.example", NOW_MS);
      assert.deepEqual(await outcomes([add("c.example"), add("d.example")]), ["made", "too_many"]);
    });
  });

  describe(`${name}: people`, () => {
    const newUser = async (store: Store, email = "Ann@shop.example") => {
      const created = await store.createUser({ ...newUserParts, email });
      assert.ok(typeof created !== "string");
      return created.id;
    };
    const sessionOf = (userId: string, byte: number, seenAtMs = NOW_MS): Session => ({
      hash: Buffer.alloc(32, byte),
      userId,
      accountId: "acc_default",
      createdAtMs: NOW_MS,
      seenAtMs,
      agent: "Browser",
      ip: "192.0.2.1",
    });

    it("finds a user whatever the letter case, and no session of a removed one", async (t) => {
      const store = await open(t);
      const id = await newUser(store);
      assert.equal((await store.people.userNamed("aNN@SHOP.example"))?.id, id);
      assert.equal(await store.people.userNamed("ben@shop.example"), null);
      await store.people.startSession(sessionOf(id, 1));
      assert.equal((await store.people.session(Buffer.alloc(32, 1)))?.user.email, "Ann@shop.example");
      assert.equal(await store.people.removeUser(id), true);
      assert.equal(await store.people.session(Buffer.alloc(32, 1)), null);
      assert.equal(await store.people.removeUser(id), false);
    });

    it("ends sessions one by one, all but one, and those of too long ago", async (t) => {
      const store = await open(t);
      const [ann, ben] = [await newUser(store), await newUser(store, "ben@shop.example")];
      for (let byte = 1; byte <= 4; byte += 1) await store.people.startSession(sessionOf(ann, byte, NOW_MS + byte));
      await store.people.startSession(sessionOf(ben, 9));
      const left = async () => (await store.people.sessions(ann)).map(({ hash }) => hash[0]);
      assert.deepEqual(await left(), [4, 3, 2, 1]);
      assert.equal(await store.people.endSession(ben, Buffer.alloc(32, 1)), false);
      assert.equal(await store.people.endSession(ann, Buffer.alloc(32, 1)), true);
      assert.deepEqual(await left(), [4, 3, 2]);
      const times = { nowMs: NOW_MS + HOUR_MS, idleSinceMs: NOW_MS + 4, begunSinceMs: NOW_MS };
      await store.people.touchSession(Buffer.alloc(32, 2), times);
      assert.deepEqual(await left(), [2, 4]);
      assert.equal(await store.people.session(Buffer.alloc(32, 9)), null);
      assert.equal(await store.people.endSessions(ann, Buffer.alloc(32, 4)), 1);
      assert.deepEqual(await left(), [4]);
    });

    it("keeps a user's newest sessions, the one that is started among them", async (t) => {
      const store = await open(t);
      const [ann, ben] = [await newUser(store), await newUser(store, "ben@shop.example")];
      const begun = (byte: number, createdAtMs: number) => ({ ...sessionOf(ann, byte), createdAtMs });
      await store.people.startSession(sessionOf(ben, 200));
      for (let byte = 1; byte <= SESSIONS_MAX; byte += 1) await store.people.startSession(begun(byte, NOW_MS + byte));
      assert.equal((await store.people.sessions(ann)).length, SESSIONS_MAX);
      // A clock that was put back makes the newest one look like the oldest.
      await store.people.startSession(begun(201, NOW_MS));
      const left = (await store.people.sessions(ann)).map(({ hash }) => hash[0] ?? 0).sort((a, b) => a - b);
      assert.deepEqual(left, [...Array.from({ length: SESSIONS_MAX - 1 }, (_, i) => i + 2), 201]);
      assert.equal((await store.people.sessions(ben)).length, 1);
    });

    it("spends a time step once and never an older one, and a recovery code once", async (t) => {
      const store = await open(t);
      const id = await newUser(store);
      const recoveryHashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      await store.people.setTotp(id, { sealed: Buffer.from("sealed"), recoveryHashes });
      assert.equal((await store.people.user(id))?.sealedTotp?.toString(), "sealed");
      assert.equal(await store.people.spendTotpStep(id, 10), true);
      assert.equal(await store.people.spendTotpStep(id, 10), false);
      assert.equal(await store.people.spendTotpStep(id, 9), false);
      assert.equal(await store.people.spendTotpStep(id, 11), true);
      // Set back by so much as no code reaches, the clock shuts nobody out until its former time.
      assert.equal(await store.people.spendTotpStep(id, 1000), true);
      assert.equal(await store.people.spendTotpStep(id, 998), false);
      assert.equal(await store.people.spendTotpStep(id, 12), true);
      assert.equal(await store.people.spendTotpStep(id, 12), false);
      assert.equal(await store.people.spendRecoveryCode(id, Buffer.alloc(32, 1)), true);
      assert.equal(await store.people.spendRecoveryCode(id, Buffer.alloc(32, 1)), false);
      assert.equal(await store.people.recoveryCodesLeft(id), 1);
      await store.people.setTotp(id, null);
      assert.equal(await store.people.recoveryCodesLeft(id), 0);
      assert.equal((await store.people.user(id))?.sealedTotp, null);
    });
  });

  describe(`${name}: a domain's life`, () => {
    it("keeps each change of a check, the newest first, and no look that changed nothing", async (t) => {
      const store = await open(t);
      const domain = await store.addDomain(newDomain);
      assert.ok(typeof domain !== "string");
      await store.saveChecks(domain.id, checksAt(NOW_MS + 1, "verified"), true, NOW_MS + 2);
      const failing = {
        ...checksAt(NOW_MS + 2, "verified"),
        mx: { ...checksAt(NOW_MS + 2, "failed").mx, detail: "no MX" },
      };
      await store.saveChecks(domain.id, failing, true, NOW_MS + 3);
      await store.saveChecks(domain.id, failing, true, NOW_MS + 4);
      const history = await store.checkHistory("acc_default", "shop.example", 10);
      assert.equal(history.length, 6);
      assert.deepEqual(history[0], { check: "mx", state: "failed", detail: "no MX", atMs: NOW_MS + 2 });
      assert.deepEqual(await store.checkHistory("acc_other", "shop.example", 10), []);
    });

    it("returns due domains by account: the first of each before the second of any, the turn after an account's", async (t) => {
      const store = await open(t);
      const accounts = ["acc_default"];
      for (const name of ["second", "third"]) {
        const account = await store.createAccount(name, NOW_MS);
        assert.ok(account !== "exists");
        accounts.push(account.id);
      }
      accounts.sort();
      for (const [number, accountId] of accounts.entries()) {
        for (let place = 0; place < 4 - number; place += 1) {
          const name = `d${place}.a${number}.example`;
          const domain = await store.addDomain({ ...newDomain, accountId, name });
          assert.ok(typeof domain !== "string");
          // The last ones of an account are due for longest.
          await store.saveChecks(domain.id, checksAt(NOW_MS), false, NOW_MS - 10 * place - number);
        }
      }
      const due = async (asked: Partial<DueDomainsQuery> = {}) => {
        const all = { nowMs: NOW_MS, afterAccountId: "", perAccount: 2, limit: 10 };
        return (await store.domainsDue({ ...all, ...asked })).map(({ name }) => name.slice(0, 5));
      };
      assert.deepEqual(await due(), ["d3.a0", "d2.a1", "d1.a2", "d2.a0", "d1.a1", "d0.a2"]);
      const [first = "", second = ""] = accounts;
      assert.deepEqual(await due({ afterAccountId: first, limit: 4 }), ["d2.a1", "d1.a2", "d3.a0", "d1.a1"]);
      assert.deepEqual(await due({ afterAccountId: second, perAccount: 1 }), ["d1.a2", "d3.a0", "d2.a1"]);
      assert.deepEqual(await due({ nowMs: NOW_MS - 20 }), ["d3.a0", "d2.a1", "d2.a0"]);
      await store.removeDomain(first, "d3.a0.example", NOW_MS);
      assert.deepEqual(await due({ perAccount: 1, limit: 1 }), ["d2.a0"]);
      assert.equal(await store.nextDomainCheckMs(), NOW_MS - 21);
    });

    it("lets a waiting key take over under a new id; mail accepted before keeps the former key", async (t) => {
      const store = await open(t);
      const domain = await store.addDomain(newDomain);
      assert.ok(typeof domain !== "string");
      await store.saveChecks(domain.id, checksAt(NOW_MS, "verified"), true, NOW_MS + 2);
      assert.equal(await store.finishRotation(domain.id, NOW_MS), false);
      const next = { selector: "two", publicKey: "second", sealedPrivateKey: Buffer.from("second sealed") };
      await store.startRotation({ domainId: domain.id, ...next, startedAtMs: NOW_MS });
      assert.equal((await store.domainNamed("acc_default", "shop.example"))?.selector, "one");
      assert.equal(await store.finishRotation(domain.id, NOW_MS), true);
      const renewed = await store.domainNamed("acc_default", "shop.example");
      assert.ok(renewed);
      assert.notEqual(renewed.id, domain.id);
      assert.deepEqual([renewed.selector, renewed.verified, renewed.token], ["two", true, "token"]);
      assert.equal((await store.domains("acc_default")).length, 1);
      assert.equal(Buffer.from((await store.signingKey(domain.id)).sealedPrivateKey).toString(), "first sealed");
      assert.equal(Buffer.from((await store.signingKey(renewed.id)).sealedPrivateKey).toString(), "second sealed");
      assert.deepEqual(await store.rotations(), []);
    });

    it("names as a key's successor only that of the verified domain of the same account and name", async (t) => {
      const store = await open(t);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      const bind = async (parts: Partial<typeof newDomain>): Promise<string> => {
        const domain = await store.addDomain({ ...newDomain, ...parts });
        assert.ok(typeof domain !== "string");
        return domain.id;
      };
      const verify = (id: string, isVerified: boolean) =>
        store.saveChecks(id, checksAt(NOW_MS, "verified"), isVerified, NOW_MS + 2);
      const successorOf = async (id: string) => (await store.successorKey(id))?.sealedPrivateKey.toString();
      const first = await bind({ sealedPrivateKey: Buffer.from("first") });
      await verify(first, true);
      await verify(await bind({ accountId: other.id, sealedPrivateKey: Buffer.from("another account's") }), true);
      await verify(await bind({ name: "shop2.example", sealedPrivateKey: Buffer.from("another name's") }), true);
      assert.equal(await successorOf(first), undefined, "it is the present one");
      await store.removeDomain("acc_default", "shop.example", NOW_MS);
      assert.equal(await successorOf(first), undefined, "its name is not bound");
      const second = await bind({ selector: "two", sealedPrivateKey: Buffer.from("second") });
      assert.equal(await successorOf(first), undefined, "the present one is not verified");
      await verify(second, true);
      const { domain, selector } = (await store.successorKey(first)) ?? {};
      assert.deepEqual([domain, selector, await successorOf(first)], ["shop.example", "two", "second"]);
      const third = { selector: "three", publicKey: "third", sealedPrivateKey: Buffer.from("third") };
      await store.startRotation({ domainId: second, ...third, startedAtMs: NOW_MS });
      assert.equal(await successorOf(first), "second", "the next key still waits");
      await store.finishRotation(second, NOW_MS);
      assert.deepEqual([await successorOf(first), await successorOf(second)], ["third", "third"]);
      assert.equal(await store.successorKey("dom_none"), null);
    });

    it("drops a waiting key when asked, and with its domain", async (t) => {
      const store = await open(t);
      const domain = await store.addDomain(newDomain);
      assert.ok(typeof domain !== "string");
      const next = { selector: "two", publicKey: "second", sealedPrivateKey: Buffer.from("x"), startedAtMs: NOW_MS };
      await store.startRotation({ domainId: domain.id, ...next });
      assert.equal(await store.cancelRotation(domain.id), true);
      assert.equal(await store.cancelRotation(domain.id), false);
      await store.startRotation({ domainId: domain.id, ...next });
      await store.removeDomain("acc_default", "shop.example", NOW_MS);
      assert.deepEqual(await store.rotations(), []);
      assert.equal(await store.finishRotation(domain.id, NOW_MS), false);
    });
  });

  describe(`${name}: reports`, () => {
    it("finds messages by each thing that is asked, of the own account, the newest first", async (t) => {
      const store = await open(t);
      const at = (ms: number, email: string, parts = {}) => {
        const domain = email.split("@")[1] ?? "";
        return accept(store, { createdAtMs: NOW_MS + ms, recipients: [{ email, domain }], ...parts });
      };
      const first = await at(0, "Ann@a.example", { subject: "Your 100% order_1" });
      const second = await at(1000, "ann@ab.example", { keyId: "key_b" });
      const third = await at(2000, "joann@a.example");
      await at(3000, "ann@a.example", { accountId: "acc_other" });
      await store.claim({ nowMs: NOW_MS + 2000, ...CLAIM });
      await store.settle(first.id, NOW_MS + 2000, [settlement(0, "failed")]);
      await store.settle(second.id, NOW_MS + 2000, [settlement(0, "delivered")]);
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
      assert.deepEqual(await found({ senderDomain: "shop.example" }), []);
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

    it("finds messages by tag, alone and with anything else", async (t) => {
      const store = await open(t);
      const tagged = async (ms: number, tags: string[], parts = {}) =>
        accept(store, { createdAtMs: NOW_MS + ms, tags, ...parts });
      const recipients = [{ email: "ben@b.example", domain: "b.example" }];
      const first = await tagged(0, ["welcome", "grün"]);
      const second = await tagged(1000, ["welcome"], { recipients, keyId: "key_b" });
      await tagged(2000, ["welcome"], { accountId: "acc_other" });
      const third = await accept(store, { createdAtMs: NOW_MS + 3000 });
      await store.claim({ nowMs: NOW_MS + 3000, ...CLAIM });
      await store.settle(second.id, NOW_MS + 3000, [settlement(0, "delivered")]);
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
      const message = await accept(store, { recipients: recipientsAt("a.example", 3) });
      await store.claim({ nowMs: NOW_MS, ...CLAIM });
      await store.settle(message.id, NOW_MS, [settlement(0, "delivered"), settlement(1, "pending", NOW_MS + 9)]);
      await store.mark({ messageId: message.id, positions: [2], atMs: NOW_MS, mx: "mx", ip: null });
      await store.settle(message.id, NOW_MS, [settlement(1, "failed")]);
      const { messages } = await store.reports.find({ accountId: "acc_default", result: "pending", limit: 10 });
      assert.deepEqual(messages[0]?.results, { delivered: 1, failed: 1, unknown: 0, pending: 1 });
      assert.deepEqual([messages[0]?.recipients, messages[0]?.to], [3, "user0@a.example"]);
    });

    it("pages through everything, each message once, whichever way it is found", async (t) => {
      const store = await open(t);
      for (let i = 0; i < 25; i += 1) await accept(store, { createdAtMs: NOW_MS + Math.floor(i / 5) });
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

    it("gives content to its own account only", async (t) => {
      const store = await open(t);
      const { id, content } = await accept(store);
      assert.deepEqual(await store.reports.contentOf("acc_default", id), content);
      assert.equal(await store.reports.contentOf("acc_other", id), null);
      assert.equal(await store.reports.contentOf("acc_default", "msg_x"), null);
    });

    it("counts what happened when, once each, and how long deliveries took", async (t) => {
      const store = await open(t);
      const hash = Buffer.alloc(32, 1);
      const made = { accountId: "acc_default", name: "k", hash, lastFour: "abcd", createdAtMs: 1, keysMax: 1 };
      const key = await store.createKey(made);
      assert.ok(key !== "too_many");
      const message = await accept(store, { keyId: key.id, recipients: recipientsAt("a.example", 4) });
      await store.claim({ nowMs: NOW_MS, ...CLAIM });
      const atMs = NOW_MS + 10 * MINUTE_MS;
      const results = [settlement(0, "delivered"), settlement(1, "failed"), settlement(2, "unknown")];
      await store.settle(message.id, NOW_MS + 3000, results);
      await store.settle(message.id, NOW_MS + 3000, [settlement(0, "failed"), settlement(3, "pending", atMs)]);
      await store.settle(message.id, atMs, [settlement(3, "delivered")]);
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

    it("counts a recipient once, however often it came into doubt before its final result", async (t) => {
      const store = await open(t);
      const filter = { accountId: null, sinceMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + HOUR_MS, stepMs: MINUTE_MS };
      const counted = async () => {
        const { delivered, unknown } = (await store.reports.activity(filter)).total;
        return { delivered, unknown };
      };
      const { id, accountId } = await accept(store, { recipients: recipientsAt("a.example", 2) });
      const [first] = recipientsAt("a.example", 2);
      assert.ok(first);
      await store.settle(id, NOW_MS, [settlement(0, "unknown"), settlement(1, "unknown")]);
      for (const minute of [5, 10]) {
        const nowMs = NOW_MS + minute * MINUTE_MS;
        assert.equal(await store.retry({ accountId, messageId: id, email: first.email, nowMs }), 1);
        assert.deepEqual(await counted(), { delivered: 0, unknown: 1 });
        await store.mark({ messageId: id, positions: [0], mx: "mx", ip: null, atMs: nowMs });
        assert.equal(await store.recover(nowMs, "unknown"), 1);
        assert.deepEqual(await counted(), { delivered: 0, unknown: 2 });
      }
      const lastMs = NOW_MS + 20 * MINUTE_MS;
      await store.retry({ accountId, messageId: id, nowMs: lastMs });
      await store.settle(id, lastMs, [settlement(0, "delivered"), settlement(1, "delivered")]);
      assert.deepEqual(await counted(), { delivered: 2, unknown: 0 });
    });

    it("counts a failed recipient that is sent again once, with its last result", async (t) => {
      const store = await open(t);
      const { id, accountId } = await accept(store, { recipients: recipientsAt("a.example", 3) });
      await store.settle(id, NOW_MS, [settlement(0, "failed"), settlement(1, "failed"), settlement(2, "failed")]);
      const nowMs = NOW_MS + 5 * MINUTE_MS;
      const step = { accountId, nowMs, expiresAtMs: nowMs + HOUR_MS, limit: 10, after: null };
      await store.retryFailed({ ...step, dryRun: true });
      await store.retryFailed({ ...step, email: "user0@a.example", dryRun: false });
      await store.retryFailed({ ...step, email: "user1@a.example", dryRun: false });
      await store.settle(id, nowMs, [settlement(0, "delivered"), settlement(1, "failed")]);
      const filter = { accountId: null, sinceMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + HOUR_MS, stepMs: MINUTE_MS };
      const { delivered, failed } = (await store.reports.activity(filter)).total;
      assert.deepEqual({ delivered, failed }, { delivered: 1, failed: 2 });
    });

    it("finds messages by category, of a recipient that has the result too", async (t) => {
      const store = await open(t);
      const [a, b, c] = [
        await accept(store, { id: "msg_a", recipients: recipientsAt("a.example", 2), tags: ["x"] }),
        await accept(store, { id: "msg_b", recipients: recipientsAt("a.example", 2) }),
        await accept(store, { id: "msg_c", recipients: recipientsAt("c.example", 1) }),
      ];
      const of = (position: number, result: "failed" | "pending", category: Category) => ({
        ...settlement(position, result, result === "pending" ? NOW_MS + HOUR_MS : null),
        category,
      });
      await store.settle(a.id, NOW_MS, [of(0, "failed", "reputation"), of(1, "pending", "network")]);
      await store.settle(b.id, NOW_MS, [of(0, "failed", "network"), of(1, "pending", "reputation")]);
      await store.settle(c.id, NOW_MS, [settlement(0, "delivered")]);
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

    it("tells what waits where and why, of one account or all", async (t) => {
      const store = await open(t);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      const message = await accept(store, {
        recipients: [...recipientsAt("a.example", 3), ...recipientsAt("b.example", 1)],
      });
      await accept(store, { accountId: other.id, recipients: recipientsAt("b.example", 9) });
      const smtp = { code: 451, enhanced_code: null, message: "later", mx: "mx", ip: null, tls: null };
      const later = (position: number) => ({
        ...settlement(position, "pending", NOW_MS + HOUR_MS),
        reason: "temporarily_refused",
        category: "greylisted" as const,
        smtp,
      });
      await store.settle(message.id, NOW_MS, [later(0), later(1), settlement(2, "unknown")]);
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
  });
}
