/** Checks and keys of a bound domain. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DueDomainsQuery } from "../../../../src/spool/port/domains.ts";

import { checksAt, NOW_MS, newDomain, type OpenStore } from "./store-suite.ts";

export function domainsConformance(name: string, open: OpenStore): void {
  describe(`${name}: bound domain`, () => {
    it("records each change of a check, the newest first, and nothing for an unchanged check", async (t) => {
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

    it("keeps the newest 200 changes", async (t) => {
      const store = await open(t);
      const domain = await store.addDomain(newDomain);
      assert.ok(typeof domain !== "string");
      for (let i = 1; i <= 50; i += 1) {
        await store.saveChecks(domain.id, checksAt(NOW_MS + i, i % 2 === 0 ? "failed" : "verified"), true, NOW_MS);
      }
      const history = await store.checkHistory("acc_default", "shop.example", 1000);
      assert.deepEqual([history.length, history[0]?.atMs, history.at(-1)?.atMs], [200, NOW_MS + 50, NOW_MS + 11]);
    });

    it("is due earlier if it is due later than it may be", async (t) => {
      const store = await open(t);
      const domain = await store.addDomain(newDomain);
      assert.ok(typeof domain !== "string");
      await store.saveChecks(domain.id, checksAt(NOW_MS), false, NOW_MS + 101);
      assert.equal(await store.shortenCheckWaits(NOW_MS, 101), 0);
      assert.equal(await store.shortenCheckWaits(NOW_MS, 100), 1);
      assert.equal(await store.nextDomainCheckMs(), NOW_MS);
    });

    it("is found by its account and name, and no longer once it is removed", async (t) => {
      const store = await open(t);
      const added = [];
      for (const name of ["a.example", "b.example"]) added.push(await store.addDomain({ ...newDomain, name }));
      const find = () =>
        Promise.all([
          store.domainNamed("acc_default", "a.example"),
          store.domainNamed("acc_default", "b.example"),
          store.domainNamed("acc_other", "b.example"),
          store.domainNamed("acc_default", "c\0.example"),
        ]);
      assert.deepEqual(await find(), [...added, null, null]);
      assert.equal(await store.removeDomain("acc_default", "a.example", NOW_MS), true);
      assert.deepEqual(await find(), [null, added[1], null, null]);
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
      assert.equal(await store.finishRotation(domain.id, "two", NOW_MS), false);
      const next = { selector: "two", publicKey: "second", sealedPrivateKey: Buffer.from("second sealed") };
      await store.startRotation({ domainId: domain.id, ...next, startedAtMs: NOW_MS });
      assert.equal((await store.domainNamed("acc_default", "shop.example"))?.selector, "one");
      const finish = () => store.finishRotation(domain.id, "two", NOW_MS);
      assert.deepEqual((await Promise.all([finish(), finish()])).sort(), [false, true], "once");
      const renewed = await store.domainNamed("acc_default", "shop.example");
      assert.ok(renewed);
      assert.notEqual(renewed.id, domain.id);
      assert.deepEqual([renewed.selector, renewed.verified, renewed.token], ["two", true, "token"]);
      assert.equal((await store.domains("acc_default")).length, 1);
      assert.equal(Buffer.from((await store.signingKey(domain.id)).sealedPrivateKey).toString(), "first sealed");
      assert.equal(Buffer.from((await store.signingKey(renewed.id)).sealedPrivateKey).toString(), "second sealed");
      assert.deepEqual(await store.rotations(), []);
      await assert.rejects(store.signingKey("dom_none"), /no signing key for dom_none/);
    });

    it("does not activate a key that has replaced the one whose record was found", async (t) => {
      const store = await open(t);
      const domain = await store.addDomain(newDomain);
      assert.ok(typeof domain !== "string");
      const next = { domainId: domain.id, publicKey: "next", startedAtMs: NOW_MS };
      await store.startRotation({ ...next, selector: "two", sealedPrivateKey: Buffer.from("second sealed") });
      await store.startRotation({ ...next, selector: "three", sealedPrivateKey: Buffer.from("third sealed") });
      assert.equal(await store.finishRotation(domain.id, "two", NOW_MS), false);
      assert.equal((await store.domainNamed("acc_default", "shop.example"))?.selector, "one");
      const last = { ...next, selector: "three", sealedPrivateKey: Buffer.from("third sealed") };
      assert.deepEqual(await store.rotations(), [last]);
      assert.equal(await store.finishRotation(domain.id, "three", NOW_MS), true);
      assert.equal((await store.domainNamed("acc_default", "shop.example"))?.selector, "three");
    });

    it("returns as a key's successor only that of the verified domain of the same account and name", async (t) => {
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
      await store.finishRotation(second, "three", NOW_MS);
      assert.deepEqual([await successorOf(first), await successorOf(second)], ["third", "third"]);
      assert.equal(await store.successorKey("dom_none"), null);
    });

    it("removes a waiting key on request, and with its domain", async (t) => {
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
      assert.equal(await store.finishRotation(domain.id, "two", NOW_MS), false);
    });
  });
}
