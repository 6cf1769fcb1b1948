/** Quotas and limits of an account. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FULL_ACCESS, type KeyAccess } from "../../../../src/spool/port/api-keys.ts";
import { newMessage, recipientsAt } from "../../../support/messages.ts";

import { NOW_MS, newDomain, newUserParts, type OpenStore } from "./store-suite.ts";

export function accountsConformance(name: string, open: OpenStore): void {
  describe(`${name}: accounts' quota`, () => {
    it("uses the account's own quota if it has one", async (t) => {
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

  describe(`${name}: status pages`, () => {
    it("are on until an account turns them off", async (t) => {
      const store = await open(t);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      assert.equal(await store.hasStatusPages("acc_default"), true);
      for (let i = 0; i < 2; i += 1) await store.setStatusPages("acc_default", false);
      assert.equal(await store.hasStatusPages("acc_default"), false);
      assert.equal(await store.hasStatusPages(other.id), true);
      for (let i = 0; i < 2; i += 1) await store.setStatusPages("acc_default", true);
      assert.equal(await store.hasStatusPages("acc_default"), true);
    });
  });

  describe(`${name}: a revoked key`, () => {
    it("has nothing accepted any more, and its earlier sends are still replayed", async (t) => {
      const store = await open(t);
      const key = await store.createKey({
        accountId: "acc_default",
        name: "k",
        hash: Buffer.alloc(32, 1),
        lastFour: "abcd",
        createdAtMs: NOW_MS,
        keysMax: 2,
      });
      assert.ok(key !== "too_many");
      const message = (idempotencyKey: string) =>
        newMessage({
          keyId: key.id,
          createdAtMs: NOW_MS,
          recipients: recipientsAt("a.example", 2),
          quotaDaily: 10,
          idempotency: { key: idempotencyKey, payloadHash: "same" },
        });
      assert.equal((await store.accept(message("one"))).type, "accepted");
      await store.revokeKey("acc_default", key.id, NOW_MS);
      assert.equal((await store.accept(message("one"))).type, "replayed");
      const rejected = message("two");
      assert.deepEqual(await store.accept(rejected), { type: "key_revoked" });
      assert.equal(await store.report(rejected.id), null);
      assert.equal(await store.idempotencyRecord("acc_default", "two", NOW_MS), null);
      assert.equal(await store.quotaUsed("acc_default", NOW_MS), 2);
    });
  });

  describe(`${name}: a key with restrictions`, () => {
    const parts = { accountId: "acc_default", name: "k", lastFour: "abcd", createdAtMs: NOW_MS, keysMax: 9 };
    const hash = Buffer.alloc(32, 1);
    const SEND_ONE: KeyAccess = {
      permissions: ["send"],
      domains: ["a.example"],
      networks: ["192.0.2.0/24"],
      expiresAtMs: NOW_MS + 5000,
    };
    const accessOf = ({ permissions, domains, networks, expiresAtMs }: KeyAccess): KeyAccess => ({
      permissions,
      domains,
      networks,
      expiresAtMs,
    });

    it("has them wherever it is read, and one that names none has full access", async (t) => {
      const store = await open(t);
      const made = [
        await store.createKey({ ...parts, hash, access: SEND_ONE }),
        await store.createKey({ ...parts, hash: Buffer.alloc(32, 2) }),
      ];
      const read = await Promise.all([1, 2].map((byte) => store.activeKey(Buffer.alloc(32, byte))));
      for (const keys of [made, read, await store.keys("acc_default")]) {
        const shown = keys.map((key) => (key === null || key === "too_many" ? assert.fail() : accessOf(key)));
        assert.deepEqual(
          shown.sort((a, b) => a.permissions.length - b.permissions.length),
          [SEND_ONE, FULL_ACCESS],
        );
      }
    });

    it("is found by its own hash alone, before and after each change", async (t) => {
      const store = await open(t);
      const key = await store.createKey({ ...parts, hash });
      assert.ok(key !== "too_many");
      const READ: KeyAccess = { ...FULL_ACCESS, permissions: ["read"] };
      const MANAGE: KeyAccess = { ...FULL_ACCESS, permissions: ["manage", "operate"] };
      const ENDING: KeyAccess = { ...FULL_ACCESS, expiresAtMs: NOW_MS + 1 };
      for (const [i, access] of [SEND_ONE, READ, MANAGE, FULL_ACCESS, ENDING, SEND_ONE].entries()) {
        const name = `k${i}`;
        assert.equal(await store.changeKey({ accountId: "acc_default", keyId: key.id, name, access }), "changed");
        const found = await store.activeKey(hash);
        assert.deepEqual(found, { ...key, name, ...access });
        assert.equal(await store.activeKey(Buffer.from(hash.map((byte) => ~byte))), null);
      }
      assert.equal((await store.keys("acc_default")).length, 1);
    });

    it("is not changed for another account, nor after it was revoked", async (t) => {
      const store = await open(t);
      const key = await store.createKey({ ...parts, hash });
      assert.ok(key !== "too_many");
      const change = { accountId: "acc_default", keyId: key.id, name: "new", access: SEND_ONE };
      assert.equal(await store.changeKey({ ...change, accountId: "acc_other" }), "not_found");
      assert.equal(await store.changeKey({ ...change, keyId: "key_x" }), "not_found");
      await store.revokeKey("acc_default", key.id, NOW_MS);
      assert.equal(await store.changeKey(change), "revoked");
      assert.deepEqual(
        (await store.keys("acc_default")).map((each) => [each.name, each.permissions]),
        [["k", FULL_ACCESS.permissions]],
      );
    });
  });

  describe(`${name}: a key with an end`, () => {
    it("does not count as active once it has passed", async (t) => {
      const store = await open(t);
      const parts = { accountId: "acc_default", name: "k", lastFour: "abcd", keysMax: 1 };
      const access = { ...FULL_ACCESS, expiresAtMs: NOW_MS + 10 };
      const create = (byte: number, createdAtMs: number) =>
        store.createKey({ ...parts, hash: Buffer.alloc(32, byte), createdAtMs, access });
      assert.notEqual(await create(1, NOW_MS), "too_many");
      assert.equal(await create(2, NOW_MS + 9), "too_many");
      assert.notEqual(await create(3, NOW_MS + 10), "too_many");
    });
  });

  describe(`${name}: a test key`, () => {
    it("is marked as one wherever keys are read, and a live key is not", async (t) => {
      const store = await open(t);
      const hashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      for (const [i, hash] of hashes.entries()) {
        const key = await store.createKey({
          accountId: "acc_default",
          name: `${i}`,
          hash,
          lastFour: "abcd",
          createdAtMs: NOW_MS,
          keysMax: 2,
          ...(i === 0 ? { test: true } : {}),
        });
        assert.ok(key !== "too_many");
        assert.equal(key.test, i === 0);
      }
      const active = await Promise.all(hashes.map((hash) => store.activeKey(hash)));
      assert.deepEqual(
        active.map((key) => key?.test),
        [true, false],
      );
      const listed = (await store.keys("acc_default")).map(({ name: shown, test }) => [shown, test]);
      assert.deepEqual(listed.sort(), [
        ["0", true],
        ["1", false],
      ]);
    });
  });

  describe(`${name}: the first user`, () => {
    const first = (email: string) => {
      const { usersMax: _, ...user } = newUserParts;
      return { ...user, email };
    };

    it("is created once, however many are requested at once, and only while there is none", async (t) => {
      const store = await open(t);
      const made = await Promise.all(["a@shop.example", "b@shop.example"].map((e) => store.createFirstUser(first(e))));
      assert.equal(made.filter((one) => one === "has_users").length, 1);
      assert.equal((await store.people.users(null)).length, 1);
      assert.equal(await store.createFirstUser(first("c@shop.example")), "has_users");
    });

    it("has a seed before, the same for all, which never returns", async (t) => {
      const store = await open(t);
      const [seed, again] = await Promise.all([store.setupSeed(), store.setupSeed()]);
      assert.match(seed ?? "", /^[\w-]{22}$/);
      assert.equal(again, seed);
      assert.equal(await store.setupSeed(), seed);
      const created = await store.createFirstUser(first("a@shop.example"));
      assert.ok(created !== "has_users");
      assert.equal(await store.setupSeed(), null);
      await store.people.removeUser(created.id);
      const other = await store.setupSeed();
      assert.ok(other !== null && other !== seed);
      assert.ok(typeof (await store.createUser(newUserParts)) !== "string");
      assert.equal(await store.setupSeed(), null);
    });
  });

  describe(`${name}: limits of an account`, () => {
    /** Sorted: which of several requests at once are refused is not defined. */
    const outcomes = async (made: Promise<unknown>[]): Promise<string[]> =>
      (await Promise.all(made)).map((one) => (typeof one === "string" ? one : "made")).sort();

    it("creates users up to the limit, for each account separately, however many are requested at once", async (t) => {
      const store = await open(t);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      const emails = ["a@shop.example", "b@shop.example", "c@shop.example"];
      const create = (email: string, accountId = "acc_default") =>
        store.createUser({ ...newUserParts, email, accountId, usersMax: 2 });
      assert.deepEqual(await outcomes(emails.map((email) => create(email))), ["made", "made", "too_many"]);
      const [first] = await store.people.users("acc_default");
      assert.ok(first);
      assert.equal(await create(first.email.toUpperCase()), "exists");
      const oneAddress = ["acc_default", other.id].map((id) => store.createUser({ ...newUserParts, accountId: id }));
      assert.deepEqual(await outcomes(oneAddress), ["exists", "made"]);
      await store.people.removeUser((await store.people.userNamed(newUserParts.email))?.id ?? assert.fail());
      assert.equal(await create("d@shop.example"), "too_many");
      assert.notEqual(await create("d@shop.example", other.id), "too_many");
      await store.people.removeUser(first.id);
      assert.notEqual(await create("e@shop.example"), "too_many");
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
      const [{ name: first } = { name: "" }] = await store.domains("acc_default");
      assert.equal(await add(first), "exists");
      await store.removeDomain("acc_default", first, NOW_MS);
      assert.deepEqual(await outcomes([add("d.example"), add("e.example")]), ["made", "too_many"]);
    });

    it("gives a name to one account, and to one domain of an account, although two are requested at once", async (t) => {
      const store = await open(t);
      const named = () => store.createAccount("other", NOW_MS);
      assert.deepEqual(await outcomes([named(), named()]), ["exists", "made"]);
      assert.equal((await store.accounts()).length, 2);
      assert.deepEqual(await outcomes([store.addDomain(newDomain), store.addDomain(newDomain)]), ["exists", "made"]);
      assert.equal((await store.domains("acc_default")).length, 1);
    });
  });
}
