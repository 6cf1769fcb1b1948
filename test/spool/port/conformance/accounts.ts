/** Quotas and limits of an account. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
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

  describe(`${name}: limits of an account`, () => {
    const outcomes = async (made: Promise<unknown>[]): Promise<string[]> =>
      (await Promise.all(made)).map((one) => (typeof one === "string" ? one : "made"));

    it("creates users up to the limit, for each account separately, however many are requested at once", async (t) => {
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
}
