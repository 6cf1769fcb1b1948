/** Which accounts can be deleted. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { deleteAccount } from "../../src/app/delete-account.ts";

it("all but the default account, if the store agrees", async () => {
  const asked: [string, number][] = [];
  const registry = {
    async deleteAccount(accountId: string, atMs: number) {
      asked.push([accountId, atMs]);
      return "deleted" as const;
    },
  };
  assert.equal(await deleteAccount(registry, { id: "acc_default", name: "default" }, 7), "is_default");
  assert.equal(await deleteAccount(registry, { id: "acc_shop", name: "shop" }, 7), "deleted");
  assert.deepEqual(asked, [["acc_shop", 7]]);
});
