/** API keys of both kinds in the dashboard, and the messages of test keys apart from live ones. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { testRouteOf } from "../../../src/message/test-route.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { newMessage } from "../../support/messages.ts";

const ACCOUNT = "acc_default";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

const pathOf = (answer: Response): string => (answer.headers.get("location") ?? "").replace("/dashboard", "");

/** The names in the list of keys. */
const namesIn = (page: string): string[] =>
  [...page.matchAll(/<th scope="row"[^>]*>\s*<a [^>]*>(\w+)/g)].map(([, name = ""]) => name);

it("creates a live key or a test key, as chosen, shows how to use it, and lists either kind", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  assert.doesNotMatch(await textOf(client, "/keys"), /class="tabs"/);
  for (const [kind, heading, prefix] of [
    ["live", /Key “website” created/, "svc_live_"],
    ["test", /Test key “suite” created/, "svc_test_"],
  ] as const) {
    const name = kind === "live" ? "website" : "suite";
    const page = await textOf(client, pathOf(await client.post("/keys", { name, kind })));
    assert.match(page, heading);
    assert.match(page, new RegExp(`<code>${prefix}[\\w-]{43}</code>`));
    assert.equal(page.includes("delivered@example.com"), kind === "test");
  }
  const stored = (await service.registry.keys(ACCOUNT)).map(({ name, test }) => [name, test]).sort();
  assert.deepEqual(stored, [
    ["suite", true],
    ["website", false],
  ]);
  const all = await textOf(client, "/keys");
  assert.deepEqual(namesIn(all).sort(), ["suite", "website"]);
  assert.equal(all.match(/badge quiet[^<]*>(?:<svg.*?<\/svg>)?Test</gs)?.length, 1);
  assert.deepEqual(namesIn(await textOf(client, "/keys?kind=test")), ["suite"]);
  assert.deepEqual(namesIn(await textOf(client, "/keys?kind=live")), ["website"]);
  const rejected = await (await client.post("/keys", { name: "", kind: "test" })).text();
  assert.match(rejected, /<option value="test" selected/);
});

it("labels messages of test keys, filters them, and leaves them out of the figures and the first steps", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  const times = { createdAtMs: Date.now(), expiresAtMs: Date.now() + 1e9 };
  const recipients = [{ email: "4xx-451@customers.example", domain: testRouteOf(ACCOUNT) }];
  const test = newMessage({ ...times, recipients, subject: "From the suite", test: true });
  await service.spool.accept(test);
  assert.equal(pathOf(await client.get("/")), "", "the overview");
  assert.doesNotMatch(await textOf(client, "/start"), /card step good" id="step-4"/);

  await service.spool.pauseDomain("customers.example", Date.now());
  await service.spool.accept(newMessage({ ...times, subject: "From the website" }));
  const found = async (query: string): Promise<boolean[]> => {
    const page = await textOf(client, `/messages${query}`);
    return ["From the suite", "From the website"].map((subject) => page.includes(subject));
  };
  assert.deepEqual(
    [await found(""), await found("?kind=test"), await found("?kind=live")],
    [
      [true, true],
      [true, false],
      [false, true],
    ],
  );
  const page = await textOf(client, `/messages/${test.id}`);
  assert.match(page, /Test message: it was sent with a test key/);
  assert.doesNotMatch(page, /An operator has paused/);
  const overview = await textOf(client, "/?range=24h");
  assert.match(overview, /Waiting now<\/a><\/dt><dd><span class="figure-value">1</);
  assert.doesNotMatch(overview, /test\.\./);
  assert.doesNotMatch(await textOf(client, "/operator/queue"), /test\.\./);
});

it("creates a key with restrictions, shows them with its recent uses, and changes them", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  for (const name of ["shop.example", "other.example"]) await client.post("/domains", { name });
  const form = { name: "news", kind: "live", permissions: "send", all_domains: "no", domains: "shop.example" };
  const created = await textOf(client, pathOf(await client.post("/keys", form)));
  const [key = ""] = /svc_live_[\w-]{43}/.exec(created) ?? [];
  const [{ id, permissions, domains } = assert.fail()] = await service.registry.keys(ACCOUNT);
  assert.deepEqual([permissions, domains], [["send"], ["shop.example"]]);
  assert.match(await textOf(client, "/keys"), /Send, from shop\.example/);

  const denied = await fetch(`${url}/api/sending/messages`, { headers: { Authorization: `Bearer ${key}` } });
  assert.equal(denied.status, 403);
  const requestId = denied.headers.get("x-request-id") ?? "";
  // The log is written every now and then.
  let page = "";
  for (; !page.includes(requestId); page = await textOf(client, `/keys/${id}`));
  assert.match(page, /<dt>Permissions<\/dt><dd>Send messages only<\/dd>/);
  assert.match(page, /<dt>Domains<\/dt><dd>shop\.example<\/dd>/);
  assert.match(page, /permission_denied/);
  assert.ok(page.includes(`href="/dashboard/requests?key=${id}"`));
  assert.ok((await textOf(client, `/requests?key=${id}`)).includes(requestId));

  const changed = await client.post(`/keys/${id}`, { name: "all news", permissions: "read", all_domains: "yes" });
  assert.match(await textOf(client, pathOf(changed)), /Key changed.*Read only: the messages of all keys/s);
  const [now] = await service.registry.keys(ACCOUNT);
  assert.deepEqual([now?.name, now?.permissions, now?.domains], ["all news", ["read"], null]);
});

it("rejects restrictions that make no sense with what was typed, and keys of other accounts", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  await client.post("/keys", { name: "web" });
  const [{ id } = assert.fail()] = await service.registry.keys(ACCOUNT);
  const none = { name: "typed <b>", permissions: "send", all_domains: "no" };
  for (const path of ["/keys", `/keys/${id}`]) {
    const rejected = await client.post(path, none);
    assert.equal(rejected.status, 400);
    const page = await rejected.text();
    assert.match(page, /Select at least one domain/);
    assert.match(page, /value="typed &lt;b>"/);
    assert.match(page, /<option value="send" selected/);
  }
  assert.match(await (await client.post(`/keys/${id}`, { ...none, name: "" })).text(), /The name /);
  const other = await service.registry.createAccount("other", 0);
  assert.ok(other !== "exists");
  const key = { accountId: other.id, name: "theirs", hash: Buffer.alloc(32, 1), lastFour: "abcd", createdAtMs: 0 };
  const theirs = await service.registry.createKey({ ...key, keysMax: 9 });
  assert.ok(theirs !== "too_many");
  assert.equal((await client.get(`/keys/${theirs.id}`)).status, 404);
  assert.equal((await client.post(`/keys/${theirs.id}`, { name: "mine" })).status, 404);
  await service.registry.revokeKey(ACCOUNT, id, 1);
  const revoked = await textOf(client, `/keys/${id}`);
  assert.match(revoked, /Revoked/);
  assert.doesNotMatch(revoked, /Save changes/);
});

it("shows why a key is held, and releases it", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  const { registry } = service;
  await client.post("/keys", { name: "website", kind: "live" });
  const [key] = await registry.keys(ACCOUNT);
  assert.ok(key);
  const path = `/keys/${key.id}`;
  assert.doesNotMatch(await textOf(client, path), /Release key/);
  const cause = { kind: "rate", count: 201, limit: 200, per: "span" } as const;
  await registry.holdKey({ keyId: key.id, accountId: ACCOUNT, atMs: Date.now(), cause });
  const page = (await textOf(client, path)).replace(/\s+/g, " ");
  assert.match(page, /201 recipients in ten minutes, where its limit is 200/);
  assert.match(page, new RegExp(`/dashboard/messages\\?key=${key.id}&amp;reason=held`));
  const answer = await client.post(`${path}/release`, {});
  assert.equal(pathOf(answer), `${path}?done=released`);
  assert.match(await textOf(client, pathOf(answer)), /Key released/);
  assert.equal((await registry.keyFuses())[0]?.held, null);
  assert.doesNotMatch(await textOf(client, path), /Release key/);
});
