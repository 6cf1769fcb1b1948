/** Deleting and restoring an account. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { newApiKey } from "../../../src/security/api-key-format.ts";
import { addUser, type Installation, installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { clientOf } from "../../support/dashboard/sign-in.ts";

async function addKey({ service }: Installation, account: string): Promise<string> {
  const { key, hash, lastFour } = newApiKey();
  const accountId = (await service.registry.accountNamed(account))?.id ?? "";
  await service.registry.createKey({ accountId, name: "web", hash, lastFour, createdAtMs: 1, keysMax: 10 });
  return key;
}

const statusOf = async ({ url }: Installation, key: string): Promise<number> =>
  (await fetch(`${url}/api/sending/events`, { headers: { Authorization: `Bearer ${key}` } })).status;

it("an owner deletes and restores the account, and its keys are rejected between", async (t) => {
  const installation = await installWithOperator(t);
  const ann = await addUser(installation, "shop", "ann@shop.example");
  const key = await addKey(installation, "shop");
  const owner = await clientOf(installation.url, ann);
  assert.equal(await statusOf(installation, key), 200);
  assert.equal((await owner.post("/account/delete", { name: "other", current: ann.password })).status, 400);
  assert.equal((await owner.post("/account/delete", { name: "shop", current: "wrong" })).status, 400);
  assert.equal(await statusOf(installation, key), 200);
  const page = await owner.submit("/account/delete", { name: "shop", current: ann.password });
  assert.match(page, /The account <strong>shop<\/strong> is deleted.*Restore account/s);
  assert.equal(await statusOf(installation, key), 401);
  const rejected = await owner.post("/keys", { name: "new" });
  assert.equal(rejected.status, 403);
  assert.match(await rejected.text(), /This account is deleted/);
  assert.doesNotMatch(await (await owner.get("/keys")).text(), /Create a key/);
  assert.match(await (await owner.get("/keys")).text(), /Suspended/);
  assert.equal((await owner.post("/you/sessions/end-others")).status, 302, "the own user can still be changed");
  assert.match(await owner.submit("/account/restore"), /Account restored/);
  assert.equal(await statusOf(installation, key), 200);
});

it("an operator deletes any account but the default one, and no owner restores it", async (t) => {
  const installation = await installWithOperator(t);
  const owner = await clientOf(installation.url, await addUser(installation, "shop", "ann@shop.example"));
  const id = (await installation.service.registry.accountNamed("shop"))?.id;
  const operator = await clientOf(installation.url);
  const current = { current: OPERATOR.password };
  const refused = await operator.post("/operator/accounts/acc_default/delete", { name: "default", ...current });
  assert.equal(refused.status, 409);
  assert.match(await refused.text(), /default account cannot be deleted/);
  await operator.submit(`/operator/accounts/${id}/delete`, { name: "shop", ...current });
  assert.match(await (await operator.get("/operator/accounts")).text(), /shop<\/a>.*Deleted/s);
  const notice = await (await owner.get("/account")).text();
  assert.match(notice, /only an operator can restore it/);
  assert.doesNotMatch(notice, /Restore account/);
  assert.equal((await owner.post("/account/restore")).status, 403);
  assert.match(await (await owner.get("/account")).text(), /<strong>shop<\/strong> is deleted/);
  assert.match(await operator.submit(`/operator/accounts/${id}/restore`), /Account restored/);
  assert.doesNotMatch(await (await owner.get("/account")).text(), /is deleted/);
});

it("finds accounts by a part of the name, and switches to the only one that has it", async (t) => {
  const installation = await installWithOperator(t);
  for (const name of ["shop", "shop-test", "blog"]) await installation.service.registry.createAccount(name, 1);
  const operator = await clientOf(installation.url);
  const names = await (await operator.get("/operator/accounts/names?find=shop")).json();
  assert.deepEqual(names, { names: ["shop", "shop-test"] });
  await operator.post("/operator/look", { name: "shop" });
  assert.match(await (await operator.get("/keys")).text(), /<strong>shop<\/strong>/);
  const again = await clientOf(installation.url);
  await again.post("/operator/look", { name: "shop-" });
  assert.match(await (await again.get("/keys")).text(), /<strong>shop-test<\/strong>/);
  const ambiguous = await clientOf(installation.url);
  const answer = await ambiguous.post("/operator/look", { name: "o" });
  assert.equal(answer.headers.get("location"), "/dashboard/operator/accounts?find=o");
  const kept = await ambiguous.post(
    "/operator/look",
    { name: "blog" },
    { Referer: `${installation.url}/dashboard/keys` },
  );
  assert.equal(kept.headers.get("location"), "/dashboard/keys");
  assert.match(kept.headers.get("set-cookie") ?? "", /postrider_recent=acc_[\w-]+\.acc_default; Path=\/dashboard/);
});
