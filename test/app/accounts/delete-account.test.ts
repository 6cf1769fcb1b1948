/** Which accounts can be deleted, and who restores one. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { deleteAccount, isDeletedByOwner, restoreAccount } from "../../../src/app/accounts/delete-account.ts";

const OWNER = { operator: false };
const OPERATOR = { operator: true };
const SHOP = { id: "acc_shop", name: "shop" };

/** A store with the account shop. */
function scene() {
  const values = new Map<string, string>();
  const shop = { ...SHOP, deletedAtMs: null as number | null };
  const registry = {
    async deleteAccount(accountId: string, atMs: number) {
      assert.equal(accountId, shop.id);
      if (shop.deletedAtMs !== null) return "already_deleted" as const;
      shop.deletedAtMs = atMs;
      return "deleted" as const;
    },
    async restoreAccount() {
      const isDeleted = shop.deletedAtMs !== null;
      shop.deletedAtMs = null;
      return isDeleted;
    },
  };
  const spool = {
    readValue: async (name: string) => values.get(name) ?? null,
    writeValue: async (name: string, text: string) => void values.set(name, text),
  };
  return { parts: { registry, spool }, shop };
}

it("all but the default account can be deleted, if the store agrees", async () => {
  const { parts, shop } = scene();
  const home = { id: "acc_default", name: "default" };
  assert.equal(await deleteAccount(parts, home, { by: OPERATOR, nowMs: 7 }), "is_default");
  assert.equal(await deleteAccount(parts, SHOP, { by: OPERATOR, nowMs: 7 }), "deleted");
  assert.equal(shop.deletedAtMs, 7);
});

it("an owner restores what an owner has deleted, and an operator everything", async () => {
  for (const by of [OWNER, OPERATOR]) {
    const { parts, shop } = scene();
    await deleteAccount(parts, SHOP, { by: OWNER, nowMs: 7 });
    assert.equal(await isDeletedByOwner(parts, shop), true);
    assert.equal(await restoreAccount(parts, shop, by), "restored");
    assert.equal(await restoreAccount(parts, shop, OPERATOR), "not_found");
  }
});

it("an operator who deletes what an owner has deleted takes the owner's right to restore it", async () => {
  const { parts, shop } = scene();
  await deleteAccount(parts, SHOP, { by: OWNER, nowMs: 7 });
  assert.equal(await deleteAccount(parts, SHOP, { by: OPERATOR, nowMs: 8 }), "already_deleted");
  assert.equal(await restoreAccount(parts, shop, OWNER), "not_allowed");
});

it("an owner does not restore what an operator has deleted, whatever an owner did before or tries later", async () => {
  const { parts, shop } = scene();
  await deleteAccount(parts, SHOP, { by: OWNER, nowMs: 7 });
  await restoreAccount(parts, shop, OWNER);
  await deleteAccount(parts, SHOP, { by: OPERATOR, nowMs: 8 });
  assert.equal(await restoreAccount(parts, shop, OWNER), "not_allowed");
  assert.equal(await deleteAccount(parts, SHOP, { by: OWNER, nowMs: 9 }), "already_deleted");
  assert.equal(await restoreAccount(parts, shop, OWNER), "not_allowed");
  assert.equal(await restoreAccount(parts, shop, OPERATOR), "restored");
});

it("a deletion without a record is restored by operators alone", async () => {
  const { parts, shop } = scene();
  shop.deletedAtMs = 7;
  assert.equal(await restoreAccount(parts, shop, OWNER), "not_allowed");
  assert.equal(await restoreAccount(parts, shop, OPERATOR), "restored");
});
