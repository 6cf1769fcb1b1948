/** Return paths of bound domains: the setting, its checks, and to whom mail belongs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReturnPathChecks, Rotation } from "../../../../src/spool/port/domains.ts";
import { checksAt, NOW_MS, newDomain, type OpenStore, type Store } from "./store-suite.ts";

const NAME = newDomain.name;
const ACCOUNT = newDomain.accountId;

const returnPathChecksAt = (atMs: number, state: "verified" | "failed"): ReturnPathChecks => {
  const { mx, spf } = checksAt(atMs, state);
  return { return_path_mx: mx, return_path_spf: spf };
};

async function bind(store: Store, parts: Partial<typeof newDomain> = {}): Promise<string> {
  const domain = await store.addDomain({ ...newDomain, ...parts });
  assert.ok(typeof domain !== "string");
  return domain.id;
}

async function activate(store: Store, accountId = ACCOUNT, domain = NAME): Promise<void> {
  assert.equal(await store.setReturnPath(accountId, domain, true, NOW_MS), true);
  await store.saveReturnPath({ accountId, domain, checks: returnPathChecksAt(NOW_MS, "verified"), active: true });
}

async function otherAccount(store: Store): Promise<string> {
  const account = await store.createAccount("other", NOW_MS);
  assert.ok(account !== "exists");
  return account.id;
}

const rotationOf = (domainId: string): Rotation => ({
  domainId,
  selector: "two",
  publicKey: "second",
  startedAtMs: NOW_MS,
  sealedPrivateKey: Buffer.from("second sealed"),
});

export function returnPathsConformance(name: string, open: OpenStore): void {
  describe(`${name}: return path`, () => {
    it("is off until it is turned on for a bound domain of the account, and has checks that have not run", async (t) => {
      const store = await open(t);
      const other = await otherAccount(store);
      assert.equal(await store.setReturnPath(ACCOUNT, NAME, true, NOW_MS), false, "not bound");
      const id = await bind(store);
      assert.deepEqual([await store.returnPathNamed(ACCOUNT, NAME), await store.returnPath(id)], [null, null]);
      assert.equal(await store.setReturnPath(other, NAME, true, NOW_MS), false, "bound by another account");
      assert.equal(await store.setReturnPath(ACCOUNT, NAME, true, NOW_MS + 5), true);
      const path = await store.returnPathNamed(ACCOUNT, NAME);
      const { checks, ...rest } = path ?? assert.fail();
      assert.deepEqual(rest, { accountId: ACCOUNT, domain: NAME, active: false, sinceMs: NOW_MS + 5 });
      for (const { state, standing, checkedAtMs } of Object.values(checks)) {
        assert.deepEqual([state, standing, checkedAtMs], ["pending", false, null]);
      }
      assert.equal(await store.returnPath(id), null);
      assert.equal(await store.returnPathNamed(other, NAME), null);
    });

    it("is listed for the account's bound domains, by name", async (t) => {
      const store = await open(t);
      for (const domain of ["b.example", "a.example", "c.example"]) await bind(store, { name: domain });
      for (const domain of ["b.example", "a.example"]) await store.setReturnPath(ACCOUNT, domain, true, NOW_MS);
      const listed = (await store.returnPaths(ACCOUNT)).map(({ domain }) => domain);
      assert.deepEqual(listed, ["a.example", "b.example"]);
      assert.deepEqual(await store.returnPaths(await otherAccount(store)), []);
    });

    it("makes its domain due for a check when it is turned on or off, and only then", async (t) => {
      const store = await open(t);
      const id = await bind(store);
      const laterMs = NOW_MS + 1_000_000;
      for (const on of [true, false]) {
        await store.saveChecks(id, checksAt(NOW_MS), false, laterMs);
        await store.setReturnPath(ACCOUNT, NAME, on, NOW_MS + 1);
        assert.equal(await store.nextDomainCheckMs(), NOW_MS + 1);
        await store.saveChecks(id, checksAt(NOW_MS), false, laterMs);
        await store.setReturnPath(ACCOUNT, NAME, on, NOW_MS + 2);
        assert.equal(await store.nextDomainCheckMs(), laterMs);
      }
    });

    it("keeps the results of its checks while it is on, and loses them when it is turned off", async (t) => {
      const store = await open(t);
      const id = await bind(store);
      await activate(store);
      await store.setReturnPath(ACCOUNT, NAME, true, NOW_MS + 9);
      const path = await store.returnPathNamed(ACCOUNT, NAME);
      assert.deepEqual([path?.active, path?.sinceMs], [true, NOW_MS]);
      assert.deepEqual(path?.checks, returnPathChecksAt(NOW_MS, "verified"));
      assert.equal(await store.returnPath(id), NAME);
      assert.equal(await store.setReturnPath(ACCOUNT, NAME, false, NOW_MS), true);
      assert.deepEqual([await store.returnPathNamed(ACCOUNT, NAME), await store.returnPath(id)], [null, null]);
      const late = { accountId: ACCOUNT, domain: NAME, checks: returnPathChecksAt(NOW_MS, "verified"), active: true };
      await store.saveReturnPath(late);
      assert.equal(await store.returnPath(id), null, "a check that was running does not turn it on");
      await store.setReturnPath(ACCOUNT, NAME, true, NOW_MS);
      assert.equal((await store.returnPathNamed(ACCOUNT, NAME))?.checks.return_path_mx.state, "pending");
    });

    it("leaves the domain's own checks as they are, and is in the history of their changes", async (t) => {
      const store = await open(t);
      const id = await bind(store);
      await store.saveChecks(id, checksAt(NOW_MS, "verified"), true, NOW_MS + 7);
      await store.setReturnPath(ACCOUNT, NAME, true, NOW_MS);
      const before = await store.domainNamed(ACCOUNT, NAME);
      const checks = returnPathChecksAt(NOW_MS + 1, "verified");
      checks.return_path_mx = { ...returnPathChecksAt(NOW_MS + 1, "failed").return_path_mx, detail: "no MX" };
      const path = { accountId: ACCOUNT, domain: NAME, checks, active: false };
      await store.saveReturnPath(path);
      await store.saveReturnPath(path);
      assert.deepEqual(await store.domainNamed(ACCOUNT, NAME), before);
      assert.deepEqual((await store.checkHistory(ACCOUNT, NAME, 3)).slice(0, 2), [
        { check: "return_path_spf", state: "verified", detail: "", atMs: NOW_MS + 1 },
        { check: "return_path_mx", state: "failed", detail: "no MX", atMs: NOW_MS + 1 },
      ]);
      assert.equal((await store.checkHistory(ACCOUNT, NAME, 50)).length, 7);
    });

    it("outlives an exchange of the DKIM key, for mail accepted before it and after", async (t) => {
      const store = await open(t);
      const id = await bind(store);
      await activate(store);
      await store.startRotation(rotationOf(id));
      assert.equal(await store.finishRotation(id, "two", NOW_MS), true);
      const renewed = (await store.domainNamed(ACCOUNT, NAME))?.id ?? "";
      assert.notEqual(renewed, id);
      assert.deepEqual([await store.returnPath(id), await store.returnPath(renewed)], [NAME, NAME]);
    });

    it("ends with a removed domain; mail accepted before follows the domain that is bound by the same name again", async (t) => {
      const store = await open(t);
      const other = await otherAccount(store);
      const id = await bind(store);
      await activate(store);
      await store.removeDomain(ACCOUNT, NAME, NOW_MS);
      assert.equal(await store.returnPath(id), null);
      await bind(store, { accountId: other });
      await activate(store, other);
      assert.equal(await store.returnPath(id), null, "another account's");
      const again = await bind(store);
      assert.deepEqual([await store.returnPath(id), await store.returnPathNamed(ACCOUNT, NAME)], [null, null]);
      await activate(store);
      assert.deepEqual([await store.returnPath(id), await store.returnPath(again)], [NAME, NAME]);
      assert.equal(await store.returnPath("dom_none"), null);
    });
  });

  describe(`${name}: mail to a return path`, () => {
    it("belongs to the account that has proven that it controls the domain, a verified one before others", async (t) => {
      const store = await open(t);
      const other = await otherAccount(store);
      const first = await bind(store, { createdAtMs: NOW_MS - 1 });
      const second = await bind(store, { accountId: other });
      const ownerOf = async () => (await store.returnPathOwner(NAME))?.domainId;
      const proven = checksAt(NOW_MS, "failed");
      proven.ownership = { ...proven.ownership, state: "verified", standing: true };
      await store.saveChecks(first, proven, false, NOW_MS);
      assert.equal(await ownerOf(), undefined, "it is off");
      for (const accountId of [ACCOUNT, other]) await store.setReturnPath(accountId, NAME, true, NOW_MS);
      assert.equal(await ownerOf(), first, "the other has proven nothing");
      await store.saveChecks(second, checksAt(NOW_MS, "verified"), true, NOW_MS);
      assert.deepEqual(await store.returnPathOwner(NAME), { accountId: other, domainId: second });
      await store.saveChecks(first, checksAt(NOW_MS, "verified"), true, NOW_MS);
      assert.equal(await ownerOf(), first, "the older one");
      await store.setReturnPath(ACCOUNT, NAME, false, NOW_MS);
      assert.equal(await ownerOf(), second);
      await store.removeDomain(other, NAME, NOW_MS);
      assert.equal(await ownerOf(), undefined);
    });

    it("belongs to nobody while ownership is not proven, and to the successor after an exchange of the DKIM key", async (t) => {
      const store = await open(t);
      const id = await bind(store);
      await activate(store);
      assert.equal(await store.returnPathOwner(NAME), null);
      await store.saveChecks(id, checksAt(NOW_MS, "verified"), true, NOW_MS);
      await store.startRotation(rotationOf(id));
      await store.finishRotation(id, "two", NOW_MS);
      const renewed = (await store.domainNamed(ACCOUNT, NAME))?.id ?? assert.fail();
      assert.deepEqual(await store.returnPathOwner(NAME), { accountId: ACCOUNT, domainId: renewed });
      assert.equal(await store.returnPathOwner("other.example"), null);
    });
  });
}
