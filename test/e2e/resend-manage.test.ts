/** Domains and API keys of Resend's API: the same things as in the management interface, in Resend's shapes. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manageClient } from "../support/manage-client.ts";
import { email, ResendApi } from "../support/resend-api.ts";
import { SENDER_DOMAIN, startWorld } from "../support/world.ts";

interface ShownDomain {
  id: string;
  name: string;
  status: string;
  records: { record: string; name: string; type: string; status: string; value: string; priority?: number }[];
}

interface List {
  has_more: boolean;
  data: { id: string; name: string; status?: string }[];
}

async function begin(t: TestContext) {
  const world = await startWorld(t, { RATE_PER_SECOND: "0" });
  const manager = await manageClient(world, "--permissions", "manage");
  return { world, manager, api: new ResendApi(world, { key: manager.key }) };
}

test("a domain is bound, shown with its records, verified and removed", async (t) => {
  const { api, manager } = await begin(t);
  const body = { name: "News.Example.com", region: "eu-west-1", open_tracking: false };
  const made = await api.ok<ShownDomain>("POST /domains", { body });
  assert.deepEqual([made.name, made.status], ["news.example.com", "not_started"]);
  const shown = await api.ok<ShownDomain>(`GET /domains/${made.id}`);
  assert.deepEqual(shown, made);
  const dkim = shown.records.find(({ record }) => record === "DKIM");
  assert.match(dkim?.name ?? "", /^[\w-]+\._domainkey\.news$/);
  const mx = shown.records.find(({ type }) => type === "MX");
  assert.deepEqual([mx?.name, mx?.priority, mx?.value], ["news", 10, "mail.news.example.com"]);
  const { records } = (await (await manager.ask("GET", "/domains/news.example.com")).json()) as { records: object[] };
  assert.equal(records.length, shown.records.length);

  await api.ok(`POST /domains/${made.id}/verify`);
  assert.notEqual((await api.ok<ShownDomain>(`GET /domains/${made.id}`)).status, "not_started");
  assert.deepEqual(await api.ok(`DELETE /domains/${made.id}`), { object: "domain", id: made.id, deleted: true });
  await api.error(`GET /domains/${made.id}`, 404, "not_found");
  await api.error(`DELETE /domains/${made.id}`, 404, "not_found");
  const { data } = await api.ok<List>("GET /domains");
  assert.deepEqual(
    data.map(({ name, status }) => [name, status]),
    [[SENDER_DOMAIN, "verified"]],
  );
});

test("lists are read in pages, the newest first", async (t) => {
  const { api } = await begin(t);
  const { data: before } = await api.ok<List>("GET /api-keys");
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) ids.push((await api.ok<{ id: string }>("POST /api-keys", { body: { name } })).id);
  const all = (await api.ok<List>("GET /api-keys")).data.map(({ id }) => id);
  assert.deepEqual([...all].sort(), [...ids, ...before.map(({ id }) => id)].sort());
  const first = await api.ok<List>("GET /api-keys", { query: "?limit=2" });
  assert.deepEqual([first.data.map(({ id }) => id), first.has_more], [all.slice(0, 2), true]);
  const next = await api.ok<List>("GET /api-keys", { query: `?limit=100&after=${all[1]}` });
  assert.deepEqual([next.data.map(({ id }) => id), next.has_more], [all.slice(2), false]);
  const newer = await api.ok<List>("GET /api-keys", { query: `?limit=1&before=${all[2]}` });
  assert.deepEqual([newer.data.map(({ id }) => id), newer.has_more], [[all[1]], true]);
  for (const query of ["?limit=0", "?after=nothing", `?after=${all[0]}&before=${all[1]}`])
    await api.error("GET /api-keys", 422, "validation_error", { query });
});

test("a created key sends from its domain alone, and is rejected once it is deleted", async (t) => {
  const { api, world, manager } = await begin(t);
  const { data } = await api.ok<List>("GET /domains");
  const body = { name: "shop", permission: "sending_access", domain_id: data[0]?.id };
  const { id, token } = await api.ok<{ id: string; token: string }>("POST /api-keys", { body });
  const shop = new ResendApi(world, { key: token });
  await shop.send();
  await shop.error("POST /emails", 403, "validation_error", { body: email({ from: "a@elsewhere.example" }) });
  await shop.error("GET /domains", 401, "restricted_api_key");
  const shown = (await (await manager.ask("GET", `/keys/${id}`)).json()) as object;
  assert.deepEqual({ ...shown, permissions: ["send"], domains: [SENDER_DOMAIN] }, shown);
  assert.deepEqual(await api.ok(`DELETE /api-keys/${id}`), { object: "api_key", id, deleted: true });
  await api.error(`DELETE /api-keys/${id}`, 404, "not_found");
  await shop.error("POST /emails", 403, "invalid_api_key", { body: email() });
  const full = await api.ok<{ token: string }>("POST /api-keys", { body: { name: "all" } });
  await new ResendApi(world, { key: full.token }).ok("GET /domains");
});

test("what is not valid, or not of the account, is rejected in Resend's form", async (t) => {
  const { api, world } = await begin(t);
  for (const [body, name] of [
    [{}, "missing_required_field"],
    [{ name: "no domain" }, "validation_error"],
    [{ name: "a.example", region: "mars" }, "validation_error"],
    [{ name: "a.example", open_tracking: true }, "validation_error"],
    [{ name: "a.example", tls: "enforced" }, "validation_error"],
    [{ name: "a.example", custom_return_path: "out" }, "validation_error"],
    [{ name: "a.example", capabilities: { receiving: "enabled" } }, "validation_error"],
  ] as const)
    await api.error("POST /domains", 422, name, { body });
  await api.error("POST /domains", 409, "validation_error", { body: { name: SENDER_DOMAIN } });
  for (const body of [
    { name: "a", permission: "root" },
    { name: "a", permission: "sending_access", domain_id: "unknown" },
    { name: "a", permission: "full_access", domain_id: "unknown" },
  ])
    await api.error("POST /api-keys", 422, "validation_error", { body });
  const sender = new ResendApi(world);
  const { data } = await api.ok<List>("GET /domains");
  assert.equal(data.length, 1);
  const id = data[0]?.id;
  const requests = ["POST /domains", "GET /domains", `GET /domains/${id}`, `POST /domains/${id}/verify`];
  for (const request of [...requests, `DELETE /domains/${id}`, "POST /api-keys", "GET /api-keys", "DELETE /api-keys/x"])
    await sender.error(request, 401, "restricted_api_key");
  assert.equal((await api.ok<List>("GET /domains")).data.length, 1);
});

test("a key of another account sees and changes nothing", async (t) => {
  const { api, world } = await begin(t);
  const operator = await manageClient(world);
  await operator.ask("POST", "/accounts", { name: "other" });
  const { key } = await manageClient(world, "--permissions", "manage", "--account", "other");
  const stranger = new ResendApi(world, { key });
  const { data } = await api.ok<List>("GET /domains");
  const id = data[0]?.id;
  assert.deepEqual((await stranger.ok<List>("GET /domains")).data, []);
  for (const request of [`GET /domains/${id}`, `POST /domains/${id}/verify`, `DELETE /domains/${id}`])
    await stranger.error(request, 404, "not_found");
  await stranger.error(`DELETE /api-keys/${world.keyId}`, 404, "not_found");
  const body = { name: "a", permission: "sending_access", domain_id: id };
  await stranger.error("POST /api-keys", 422, "validation_error", { body });
  assert.equal((await api.ok<List>("GET /domains")).data.length, 1);
});
