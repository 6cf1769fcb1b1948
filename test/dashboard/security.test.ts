/** The dashboard's defences, from outside and without a browser. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { bindDomain } from "../../src/app/bind-domain.ts";
import { newApiKey } from "../../src/security/api-key.ts";
import { openVault } from "../../src/security/vault.ts";
import { cheapHash } from "../support/cheap-hash.ts";
import { newMessage } from "../support/messages.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Installation, install, installWithOperator, OPERATOR } from "./installation.ts";
import { type Client, clientOf, clientWith, cookieOf, postForm } from "./sign-in.ts";

const OTHER = { email: "bob@other.example", password: "another long password" };

/** A user of an account of its own, who is no operator. */
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

describe("the first user", () => {
  it("comes by a link that is in the log, works once, and is no other", async (t) => {
    const { url, setupUrl, logged } = await install(t);
    assert.match(setupUrl, new RegExp(`^${url}/dashboard/setup/[\\w-]{32}$`));
    assert.equal((await fetch(`${url}/dashboard/setup/${"x".repeat(32)}`)).status, 404);
    const weak = await postForm(setupUrl, { email: OPERATOR.email, password: "short" });
    assert.equal(weak.status, 400);
    const both = await Promise.all([
      postForm(setupUrl, OPERATOR),
      postForm(setupUrl, { ...OPERATOR, email: "eve@e.example" }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [302, 404]);
    assert.equal((await fetch(setupUrl)).status, 404);
    const token = setupUrl.split("/").at(-1) ?? "";
    assert.equal(logged.join("").split(token).length, 2, "the link is logged once");
  });

  it("comes by the environment, and then there is no link", async (t) => {
    const env = { ADMIN_EMAIL: OPERATOR.email, ADMIN_PASSWORD: OPERATOR.password };
    const { url, setupUrl } = await install(t, { env });
    assert.equal(setupUrl, "");
    await clientOf(url);
  });

  it("comes by the environment with the password in a file", async (t) => {
    const file = join(tempDir(t), "password");
    writeFileSync(file, `${OPERATOR.password}\n`);
    const { url, setupUrl } = await install(t, { env: { ADMIN_EMAIL: OPERATOR.email, ADMIN_PASSWORD_FILE: file } });
    assert.equal(setupUrl, "");
    await clientOf(url);
  });
});

describe("signing in", () => {
  it("answers the same to a wrong password and to nobody's address, and refuses a guesser after a while", async (t) => {
    const { url } = await installWithOperator(t);
    const wrong = (email: string) => postForm(`${url}/dashboard/sign-in`, { email, password: "not this one" });
    const texts = [];
    for (const email of [OPERATOR.email, "nobody@customers.example"]) {
      const answer = await wrong(email);
      assert.equal(answer.status, 401);
      assert.equal(cookieOf(answer), "");
      texts.push((await answer.text()).replaceAll(email, "EMAIL"));
    }
    assert.equal(texts[0], texts[1]);
    for (const email of [OPERATOR.email, "nobody@customers.example"]) {
      const statuses = [];
      for (let i = 0; i < 5; i += 1) statuses.push((await wrong(email)).status);
      assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
    }
    const right = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
    assert.equal(right.status, 429, "not even the right one tells a guesser anything");
  });

  it("gives a cookie that scripts cannot read and other sites do not send, over HTTPS for HTTPS only", async (t) => {
    for (const [publicUrl, secure] of [
      ["", false],
      ["https://mail.shop.example", true],
    ] as const) {
      const env = publicUrl === "" ? {} : { PUBLIC_URL: publicUrl, PORT: "18471" };
      const { url } = await installWithOperator(t, { env });
      const answer = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
      const [cookie = ""] = answer.headers.getSetCookie();
      assert.match(cookie, /^postrider_session=[\w-]{43}; Path=\/dashboard; Max-Age=\d+; HttpOnly; SameSite=Lax/);
      assert.equal(/; Secure/.test(cookie), secure);
    }
  });

  it("goes on to pages of the dashboard only, and names keys so that they can be read", async (t) => {
    const { url, service } = await installWithOperator(t);
    for (const [next, location] of [
      ["/dashboard/messages?result=failed", "/dashboard/messages?result=failed"],
      ["https://evil.example/", "/dashboard"],
      ["//evil.example/dashboard", "/dashboard"],
      ["/dashboard\\@evil.example", "/dashboard"],
    ] as const) {
      const answer = await postForm(`${url}/dashboard/sign-in`, { ...OPERATOR, next });
      assert.equal(answer.headers.get("location"), location);
    }
    const client = await clientOf(url);
    for (const name of ["a\tb", "a\nb", "red \u001b[31mkey", "a\u2028b", "exe\u202egnp"]) {
      const refused = await client.post("/keys", { name });
      assert.equal(refused.status, 400, JSON.stringify(name));
      assert.match(await refused.text(), /id="field-name-error"[\s\S]*control characters/);
    }
    assert.deepEqual(await service.registry.keys("acc_default"), []);
  });

  it("ends with the session: signed out, ended elsewhere, password changed", async (t) => {
    const { url } = await installWithOperator(t);
    const [one, two, three] = [await clientOf(url), await clientOf(url), await clientOf(url)];
    const alive = async (client: typeof one) => (await client.get("/you")).status === 200;
    await one.post("/sign-out");
    assert.deepEqual([await alive(one), await alive(two), await alive(three)], [false, true, true]);
    const wrong = await two.post("/you/password", { current: "not this one", password: "a new long password" });
    assert.equal(wrong.status, 400);
    const changed = await two.post("/you/password", { current: OPERATOR.password, password: "a new long password" });
    assert.equal(changed.status, 302);
    assert.deepEqual([await alive(two), await alive(three)], [true, false]);
    await clientOf(url, { ...OPERATOR, password: "a new long password" });
  });

  it("stores no session that could be used again, and logs no secret", async (t) => {
    const here = await installWithOperator(t);
    const client = await clientOf(here.url);
    const token = client.cookie.split("=")[1] ?? "";
    const created = await client.post("/keys", { name: "web" });
    const page = await (await client.get((created.headers.get("location") ?? "").replace("/dashboard", ""))).text();
    const [key = ""] = /svc_live_[\w-]{43}/.exec(page) ?? [];
    assert.notEqual(key, "");
    const { readFileSync, readdirSync } = await import("node:fs");
    const stored = readdirSync(here.dataDir).map((name) => readFileSync(`${here.dataDir}/${name}`).toString("latin1"));
    for (const secret of [token, key, OPERATOR.password, client.formToken.split(".")[0] ?? ""]) {
      assert.ok(!stored.join("").includes(secret), "stored");
      assert.ok(!here.logged.join("").includes(secret), "logged");
    }
  });
});

describe("forms", () => {
  it("are refused without their session's token, and from other sites", async (t) => {
    const { url, service } = await installWithOperator(t);
    const [client, other] = [await clientOf(url), await clientOf(url)];
    const add = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      postForm(`${url}/dashboard/domains`, { name: "shop.example", ...fields }, { Cookie: client.cookie, ...headers });
    const good = { form_token: client.formToken };
    assert.equal((await add({})).status, 403);
    assert.equal((await add({ form_token: other.formToken })).status, 403);
    assert.equal((await add(good, { "Sec-Fetch-Site": "cross-site" })).status, 403);
    assert.equal((await add(good, { "Sec-Fetch-Site": "same-site" })).status, 403);
    assert.equal((await add(good, { Origin: "https://evil.example" })).status, 403);
    assert.equal((await add(good, { Origin: "null" })).status, 403);
    assert.deepEqual(await service.registry.domains("acc_default"), []);
    assert.equal((await add(good, { Origin: url, "Sec-Fetch-Site": "same-origin" })).status, 302);
    assert.equal((await service.registry.domains("acc_default")).length, 1);
  });

  it("act on the account they were made for, or on none", async (t) => {
    const { url, service, certsDir } = await installWithOperator(t);
    const { registry } = service;
    const rival = await registry.createAccount("rival", 1);
    assert.ok(rival !== "exists");
    for (const accountId of ["acc_default", rival.id]) {
      await bindDomain(registry, openVault(certsDir), {
        accountId,
        name: "both.example",
        nowMs: Date.now(),
        domainsMax: 10,
      });
    }
    const bound = async () => [
      (await registry.domains("acc_default")).length,
      (await registry.domains(rival.id)).length,
    ];
    const tab1 = await clientOf(url);
    assert.equal((await tab1.get("/domains/both.example/remove")).status, 200);
    const tab2 = await clientWith(url, tab1.cookie);
    assert.equal((await tab2.post("/operator/look", { account: rival.id })).status, 302);
    const refused = await tab1.post("/domains/both.example/remove", { name: "both.example" });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /made for another account/);
    assert.deepEqual(await bound(), [1, 1]);
    const [proof = ""] = tab1.formToken.split(".");
    assert.equal((await tab1.post("/domains/both.example/remove", { form_token: proof })).status, 403);

    const reloaded = await clientWith(url, tab1.cookie);
    assert.equal((await reloaded.post("/domains/both.example/remove", { name: "both.example" })).status, 302);
    assert.deepEqual(await bound(), [1, 0]);
    assert.equal((await tab1.post("/sign-out")).status, 302, "leaving is nobody's account's matter");
    assert.equal((await reloaded.get("/you")).status, 302);
  });
});

test("pages", async (t) => {
  const { url } = await installWithOperator(t);
  await t.test("come with a policy that allows no inline script or style, and use none", async () => {
    const client = await clientOf(url);
    for (const path of [
      "/start",
      "/domains",
      "/keys",
      "/messages",
      "/you",
      "/?range=24h",
      "/operator/queue",
      "/operator/accounts",
    ]) {
      const answer = await client.get(path);
      assert.equal(answer.status, 200, path);
      const policy = answer.headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.ok(!policy.includes("unsafe"), path);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.get("x-frame-options"), "DENY");
      const html = await answer.text();
      assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|\sstyle=|<style|\son\w+=/, path);
    }
  });

  await t.test("are for those who are signed in", async () => {
    for (const path of ["", "/start", "/domains", "/keys", "/messages", "/you", "/operator/queue", "/data/overview"]) {
      const answer = await fetch(`${url}/dashboard${path}`, { redirect: "manual" });
      assert.equal(answer.status, 302, path);
      assert.match(answer.headers.get("location") ?? "", /^\/dashboard\/sign-in/);
    }
    const stranger = await clientWith(url, `postrider_session=${"x".repeat(43)}`);
    assert.equal((await stranger.get("/messages")).status, 302);
    assert.equal((await stranger.post("/keys", { name: "web" })).status, 302);
  });

  await t.test("send browsers from the front door to the dashboard, and leave the API's answers alone", async () => {
    const browser = await fetch(`${url}/`, { redirect: "manual", headers: { Accept: "text/html,*/*" } });
    assert.equal(browser.headers.get("location"), "/dashboard");
    assert.equal((await fetch(`${url}/`)).headers.get("content-type"), "application/problem+json");
    assert.equal((await fetch(`${url}/dashboards`)).headers.get("content-type"), "application/problem+json");
  });

  await t.test("forms are read within a bound", async () => {
    const answer = await postForm(`${url}/dashboard/sign-in`, { email: "x".repeat(100_000), password: "x" });
    assert.equal(answer.status, 413);
    const json = await fetch(`${url}/dashboard/sign-in`, {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": "application/json" },
    });
    assert.equal(json.status, 415);
  });
});

describe("accounts", () => {
  it("are separate worlds: another's ids give 404 at every address, and change nothing", async (t) => {
    const here = await installWithOperator(t);
    const { registry, spool } = here.service;
    await addOther(here);
    const nowMs = Date.now();
    const bound = await bindDomain(registry, openVault(`${here.dataDir}/../certs`), {
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
    const operator = (await here.service.people.userNamed(OPERATOR.email))?.id ?? "";

    const owner = await clientOf(here.url);
    const other = await clientOf(here.url, OTHER);
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
      "/start/test",
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

  it("are looked at by an operator, who creates them with their users and quota", async (t) => {
    const { url, service } = await installWithOperator(t);
    const operator = await clientOf(url);
    const created = await operator.post("/operator/accounts", { name: "second" });
    const path = (created.headers.get("location") ?? "").replace("/dashboard", "");
    assert.match(path, /^\/operator\/accounts\/acc_/);
    assert.equal((await operator.post("/operator/accounts", { name: "second" })).status, 400);
    assert.equal((await operator.post("/operator/accounts", { name: "No Name" })).status, 400);
    assert.equal((await operator.post(`${path}/users`, OTHER)).status, 302);
    assert.equal((await operator.post(`${path}/users`, OTHER)).status, 400);
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
