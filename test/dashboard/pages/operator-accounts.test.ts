/** Isolation of accounts, and the operator's actions on them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bindDomain } from "../../../src/app/domains/bind-domain.ts";
import { newApiKey } from "../../../src/security/api-key-format.ts";
import { openVault } from "../../../src/security/vault.ts";
import { cheapHash } from "../../support/cheap-hash.ts";
import { type Installation, installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { type Client, clientOf, clientWith } from "../../support/dashboard/sign-in.ts";
import { newMessage } from "../../support/messages.ts";

const OTHER = { email: "bob@other.example", password: "another long password" };

/** Adds another account with a user who is not an operator. Returns the account's id. */
async function addOther({ service: { registry } }: Installation): Promise<string> {
  const account = await registry.createAccount("other", 1);
  assert.ok(account !== "exists");
  const passwordHash = cheapHash(OTHER.password);
  await registry.createUser({
    email: OTHER.email,
    accountId: account.id,
    passwordHash,
    operator: false,
    createdAtMs: 1,
    usersMax: 10,
  });
  return account.id;
}

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

describe("accounts", () => {
  it("are isolated: ids of another account give 404 on every route, and change nothing", async (t) => {
    const installation = await installWithOperator(t);
    const { registry, spool } = installation.service;
    await addOther(installation);
    const nowMs = Date.now();
    const bound = await bindDomain(registry, openVault(`${installation.dataDir}/../certs`), {
      accountId: "acc_default",
      name: "shop.example",
      nowMs,
      domainsMax: 10,
    });
    assert.equal(bound.type, "bound");
    const { hash, lastFour } = newApiKey();
    const made = { accountId: "acc_default", name: "web", hash, lastFour, createdAtMs: nowMs, keysMax: 10 };
    const key = await registry.createKey(made);
    assert.ok(key !== "too_many");
    const message = newMessage({ id: "msg_000000000000000000000001", createdAtMs: nowMs, expiresAtMs: nowMs + 1e9 });
    await spool.pauseDomain("customers.example", nowMs);
    await spool.accept(message);
    const operator = (await installation.service.people.userNamed(OPERATOR.email))?.id ?? "";

    const owner = await clientOf(installation.url);
    const other = await clientOf(installation.url, OTHER);
    const email = message.recipients[0]?.email ?? "";
    const mine = [`/messages/${message.id}`, `/messages/${message.id}/state`, `/messages/${message.id}/source`];
    for (const path of [...mine, "/domains/shop.example", "/domains/shop.example/remove", `/keys/${key.id}/revoke`]) {
      assert.equal((await owner.get(path)).status, 200, path);
      assert.equal((await other.get(path)).status, 404, path);
    }
    assert.equal((await other.get(`/messages/${message.id}/html`)).status, 404);
    assert.equal((await other.get(`/messages/${message.id}/send-again?email=${email}`)).status, 404);
    assert.ok(!(await textOf(other, `/messages?q=${message.id}`)).includes("customers.example"));
    assert.ok(!(await textOf(other, `/messages?key=${key.id}`)).includes("customers.example"));
    assert.ok(!(await textOf(other, "/?range=24h")).includes("customers.example"));
    const theirs = [
      `/messages/${message.id}/try-now`,
      `/messages/${message.id}/send-again`,
      "/domains/shop.example/verify",
      "/domains/shop.example/rotate",
      "/domains/shop.example/rotate/cancel",
      "/domains/shop.example/remove",
      `/keys/${key.id}/revoke`,
      "/operator/look",
      "/operator/queue/pause",
      "/operator/queue/resume",
      "/operator/queue/try-now",
      "/operator/accounts",
      "/operator/accounts/acc_default/quota",
      "/operator/accounts/acc_default/users",
      `/operator/users/${operator}/remove`,
      `/operator/users/${operator}/second-factor-off`,
      `/operator/users/${operator}/end-sessions`,
      "/operator/host",
    ];
    for (const path of theirs) {
      const fields = { email, domain: "shop.example", account: "acc_default", name: "x", quota: "1" };
      assert.equal((await other.post(path, fields)).status, 404, path);
    }
    const sent = await other.post("/start", { local: "hello", domain: "shop.example", to: email });
    assert.equal(sent.status, 400, "nothing is sent from another account's domain");
    const theirUser = `/operator/users/${operator}`;
    const pages = ["/operator/queue", "/operator/accounts", "/operator/accounts/acc_default", "/operator/host"];
    for (const path of [...pages, `${theirUser}/remove`, `${theirUser}/second-factor-off`]) {
      assert.equal((await other.get(path)).status, 404, path);
    }
    const ended = await other.post("/you/sessions/end", { session: "00".repeat(32) });
    assert.equal(ended.status, 404);
    assert.equal((await registry.domains("acc_default"))[0]?.checks.mx.checkedAtMs, null);
    assert.equal((await registry.keys("acc_default"))[0]?.revokedAtMs, null);
    assert.deepEqual(
      (await spool.report(message.id))?.recipients[0]?.events.map(({ type }) => type),
      ["accepted"],
    );
    assert.equal((await owner.get("/you")).status, 200);
  });

  it("are created by an operator, who sets their quota, adds users and can switch to them", async (t) => {
    const { url, service } = await installWithOperator(t);
    const operator = await clientOf(url);
    const created = await operator.post("/operator/accounts", { name: "second" });
    const path = (created.headers.get("location") ?? "").replace("/dashboard", "");
    assert.match(path, /^\/operator\/accounts\/acc_/);
    assert.equal((await operator.post("/operator/accounts", { name: "second" })).status, 400);
    assert.equal((await operator.post("/operator/accounts", { name: "No Name" })).status, 400);
    const bob = { ...OTHER, current: OPERATOR.password };
    assert.equal((await operator.post(`${path}/users`, bob)).status, 302);
    assert.match(await (await operator.post(`${path}/users`, bob)).text(), /already exists/);
    assert.equal((await operator.post(`${path}/quota`, { quota: "many" })).status, 400);
    assert.equal((await operator.post(`${path}/quota`, { quota: "2" })).status, 302);

    const id = path.split("/").at(-1) ?? "";
    const recipients = ["a", "b", "c"].map((local) => ({
      email: `${local}@nowhere.invalid`,
      domain: "nowhere.invalid",
    }));
    const over = await service.spool.accept(newMessage({ accountId: id, recipients }));
    assert.equal(over.type, "quota_exceeded");
    const elsewhere = await service.spool.accept(newMessage({ recipients }));
    assert.equal(elsewhere.type, "accepted");

    const user = await clientOf(url, OTHER);
    assert.equal((await user.post("/keys", { name: "theirs" })).status, 302);
    assert.doesNotMatch(await (await operator.get("/keys")).text(), /theirs/);
    assert.equal((await operator.post("/operator/look", { account: id })).status, 302);
    assert.equal((await operator.get("/?all=1")).status, 200);
    assert.match(await textOf(operator, "/?all=1"), /Overview of all accounts/);
    assert.doesNotMatch(await textOf(user, "/?all=1"), /Overview of all accounts/);
    const looked = await (await operator.get("/keys")).text();
    assert.match(looked, /theirs/);
    assert.match(looked, /which is not your own/);

    const found = await service.people.userNamed(OTHER.email);
    const now = await clientWith(url, operator.cookie);
    const current = OPERATOR.password;
    assert.equal((await now.post(`/operator/users/${found?.id}/remove`, { current })).status, 302);
    assert.equal((await user.get("/keys")).status, 302);
    const self = await service.people.userNamed(OPERATOR.email);
    assert.equal((await now.post(`/operator/users/${self?.id}/remove`, { current })).status, 404);
  });
});
