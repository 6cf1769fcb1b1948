/** Who may use the management interface: a table made of the document, so that no operation is left out. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FULL_ACCESS } from "../../src/spool/port/api-keys.ts";
import { readReceiverOverrides } from "../../src/spool/port/receiver-limits.ts";
import { bodyOf, type ManageOperation, manageOperations, pathOf } from "../support/manage-story.ts";
import { contractOf } from "../support/openapi.ts";
import { runCli } from "../support/run-cli.ts";
import { SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";

interface NewKey {
  key: string;
  id: string;
}

async function createKey(world: World, ...options: string[]): Promise<NewKey> {
  const created = await runCli(["keys", "create", "--name", "manager", "--json", ...options], world.env);
  assert.equal(created.code, 0, created.stderr);
  return JSON.parse(created.stdout) as NewKey;
}

interface Asked {
  key?: string | undefined;
  params?: Record<string, string>;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

function ask(world: World, operation: ManageOperation, { key, params, query = "", body, headers }: Asked) {
  const { headers: type, ...sent } = bodyOf(operation, body);
  return fetch(world.service.url + pathOf(operation, params) + query, {
    method: operation.method,
    headers: { ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }), ...type, ...headers },
    ...sent,
  });
}

interface Site {
  world: World;
  operations: Map<string, ManageOperation>;
  operator: NewKey;
  /** Existing things of the default account, for the paths of operations. */
  params: Record<string, Record<string, string>>;
}

async function startSite(t: TestContext): Promise<Site> {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h", WEBHOOK_ALLOW_PRIVATE: "true" });
  const operations = manageOperations(await contractOf(world.service.url));
  const operator = await createKey(world, "--permissions", "operate");
  const webhook = await runCli(["webhooks", "create", "http://127.0.0.1:9/", "--json"], world.env);
  const { id: message } = (await (await world.post(sendBody())).json()) as { id: string };
  const params = {
    domains: { name: SENDER_DOMAIN },
    keys: { id: world.keyId },
    webhooks: { id: (JSON.parse(webhook.stdout) as { id: string }).id, number: "1" },
    messages: { id: message },
    accounts: { name: "default" },
    receivers: { name: "gmail" },
    destinations: { domain: "example.org" },
    nodes: { name: "one" },
    addresses: { address: "192.0.2.10" },
    pools: { name: "news" },
    users: { email: "user@example.com" },
    suppressions: { email: "ann@example.org" },
  };
  return { world, operations, operator, params };
}

const paramsOf = ({ params }: Site, { path }: ManageOperation): Record<string, string> =>
  params[path.split("/")[3] ?? ""] ?? {};

/** All that the operations could have changed, without what changes by being used. */
async function stateOf({ world, operations, operator }: Site): Promise<string> {
  const names = [
    "listSuppressions",
    "listDomains",
    "listKeys",
    "listWebhooks",
    "listAccounts",
    "listUsers",
    "listAddresses",
    "listPools",
  ];
  const parts: unknown[] = [];
  for (const name of names) {
    const operation = operations.get(name);
    assert.ok(operation, name);
    const answer = await ask(world, operation, { key: operator.key });
    assert.equal(answer.status, 200, name);
    parts.push(await answer.json());
  }
  const overrides = [...(await readReceiverOverrides(world.service.spool))];
  return JSON.stringify([parts, overrides], (name, value) => (BY_ITSELF.has(name) ? null : value));
}

/** What changes without an operation. */
const BY_ITSELF = new Set(["last_used_at", "next_check_at", "waiting", "state", "failing_since", "last_failure"]);

/** Asks every operation with the key, and requires the problem. */
async function requireOfAll(site: Site, key: string | undefined, [status, code]: [number, string]): Promise<void> {
  const before = await stateOf(site);
  for (const operation of site.operations.values()) {
    const answer = await ask(site.world, operation, { key, params: paramsOf(site, operation) });
    await problemOf(answer, status, code).catch((error: Error) => assert.fail(`${operation.id}: ${error.message}`));
  }
  assert.equal(await stateOf(site), before);
}

test("no operation is done without a key, or with one that is revoked, expired or lacks the permission", async (t) => {
  const site = await startSite(t);
  const { world } = site;
  await requireOfAll(site, undefined, [401, "invalid_api_key"]);

  const revoked = await createKey(world, "--permissions", "manage,operate");
  await runCli(["keys", "revoke", revoked.id], world.env);
  await requireOfAll(site, revoked.key, [401, "invalid_api_key"]);

  const expired = await createKey(world, "--permissions", "manage,operate", "--expires", "1h");
  await world.service.registry.changeKey({
    accountId: "acc_default",
    keyId: expired.id,
    name: "expired",
    access: { ...FULL_ACCESS, permissions: ["manage", "operate"], expiresAtMs: Date.now() - 1 },
  });
  await requireOfAll(site, expired.key, [401, "invalid_api_key"]);

  const elsewhere = await createKey(world, "--permissions", "manage,operate", "--networks", "192.0.2.0/24");
  await requireOfAll(site, elsewhere.key, [403, "permission_denied"]);

  await requireOfAll(site, world.key, [403, "permission_denied"]);
  const test = await world.newTestKey();
  await requireOfAll(site, test.key, [403, "permission_denied"]);
});

test("a key that manages its account does nothing in another one, and nothing that takes an operator", async (t) => {
  const site = await startSite(t);
  const { world, operations, operator } = site;
  const createAccount = operations.get("createAccount");
  assert.ok(createAccount);
  await ask(world, createAccount, { key: operator.key, body: { name: "other" } });
  const { key } = await createKey(world, "--permissions", "manage", "--account", "other");
  const before = await stateOf(site);
  for (const operation of operations.values()) {
    const { id, path, permission, method } = operation;
    const params = paramsOf(site, operation);
    if (permission === "operate") {
      await problemOf(await ask(world, operation, { key, params }), 403, "permission_denied");
      continue;
    }
    const named = await ask(world, operation, { key, params, query: "?account=default" });
    await problemOf(named, 404, "not_found").catch((error: Error) => assert.fail(`${id}: ${error.message}`));
    if (path.includes("{")) {
      const answer = await ask(world, operation, { key, params });
      await problemOf(answer, 404, "not_found").catch((error: Error) => assert.fail(`${id}: ${error.message}`));
    } else if (method === "GET" && !["getUsage", "exportSuppressions"].includes(id)) {
      const { data } = (await (await ask(world, operation, { key })).json()) as { data: { id?: string }[] };
      assert.ok(
        data.every((each) => each.id !== world.keyId),
        id,
      );
    }
  }
  assert.equal(await stateOf(site), before);
});

test("an operator's key manages the account that the request names", async (t) => {
  const { world, operations, operator } = await startSite(t);
  const of = (id: string): ManageOperation => operations.get(id) ?? assert.fail(id);
  await ask(world, of("createAccount"), { key: operator.key, body: { name: "other" } });
  const added = await ask(world, of("addDomain"), { key: operator.key, query: "?account=other" });
  assert.equal(added.status, 201);
  const listed = await ask(world, of("listDomains"), { key: operator.key, query: "?account=other" });
  const { data } = (await listed.json()) as { data: { domain: string }[] };
  assert.deepEqual(
    data.map(({ domain }) => domain),
    ["example.com"],
  );
  await ask(world, of("deleteAccount"), { key: operator.key, params: { name: "other" } });
  const late = await ask(world, of("addDomain"), { key: operator.key, query: "?account=other" });
  await problemOf(late, 409, "account_deleted");
});

test("a key cannot give another one more than an operator allows", async (t) => {
  const { world, operations } = await startSite(t);
  const { key } = await createKey(world, "--permissions", "manage");
  const create = operations.get("createKey") ?? assert.fail();
  const refused = await ask(world, create, { key, body: { name: "more", permissions: ["operate"] } });
  const { errors } = await problemOf(refused, 400, "invalid_request");
  assert.deepEqual(errors, [{ field: "permissions", detail: "Only an operator gives a key the permission operate." }]);
});

test("a change with the entity tag of an earlier state is not done", async (t) => {
  const { world, operations, operator, params } = await startSite(t);
  const of = (id: string): ManageOperation => operations.get(id) ?? assert.fail(id);
  const { key } = operator;
  const tagOf = async (): Promise<string> =>
    (await ask(world, of("getWebhook"), { key, params: params.webhooks ?? {} })).headers.get("etag") ?? assert.fail();
  const change = (tag: string, body: unknown) =>
    ask(world, of("changeWebhook"), { key, params: params.webhooks ?? {}, body, headers: { "If-Match": tag } });
  const first = await tagOf();
  const changed = await change(first, { events: ["recipient.failed"] });
  assert.equal(changed.status, 200);
  assert.equal(changed.headers.get("etag"), await tagOf());
  assert.notEqual(await tagOf(), first);
  const late = await change(first, { events: ["recipient.bounced"] });
  assert.equal(late.headers.get("etag"), await tagOf());
  await problemOf(late, 412, "precondition_failed");
  assert.equal((await change(`${first}, ${await tagOf()}`, { paused: true })).status, 200);
  assert.equal((await change("*", { paused: false })).status, 200);
});

test("a faulty body is rejected with each fault, and null in an optional field is absent", async (t) => {
  const { world, operations, operator } = await startSite(t);
  const { key } = operator;
  const create = operations.get("createKey") ?? assert.fail();
  const refused = await ask(world, create, { key, body: { nmae: "a", permissions: "send", test: 1 } });
  const { errors = [] } = await problemOf(refused, 400, "invalid_request");
  assert.deepEqual(errors.map(({ field, detail }) => `${field}: ${detail}`).sort(), [
    "name: This field is required.",
    "nmae: There is no such field. Did you mean name?",
    "permissions: This must be a list.",
    "test: This must be true or false.",
  ]);
  const absent = await ask(world, create, { key, body: { name: "a", domains: null, expires_at: null } });
  assert.equal(absent.status, 201);
  const nothing = await ask(world, create, { key, body: { name: null } });
  assert.deepEqual((await problemOf(nothing, 400, "invalid_request")).errors, [
    { field: "name", detail: "This must be a string." },
  ]);
});

test("a list is read in pages, and a page is not moved by what is removed meanwhile", async (t) => {
  const { world, operations, operator } = await startSite(t);
  const { key } = operator;
  const of = (id: string): ManageOperation => operations.get(id) ?? assert.fail(id);
  const made: string[] = [];
  for (const name of ["a", "b", "c"]) {
    const answer = await ask(world, of("createKey"), { key, body: { name } });
    made.push(((await answer.json()) as { id: string }).id);
  }
  const names: string[] = [];
  let after = "";
  for (;;) {
    const answer = await ask(world, of("listKeys"), { key, query: `?limit=1${after}` });
    const { data, next } = (await answer.json()) as { data: { name: string }[]; next: string | null };
    names.push(...data.map(({ name }) => name));
    if (next === null) break;
    after = `&after=${encodeURIComponent(next)}`;
  }
  assert.deepEqual(names.slice(-3), made.length === 3 ? ["a", "b", "c"] : []);
  const wrong = await ask(world, of("listKeys"), { key, query: "?after=%00" });
  await problemOf(wrong, 400, "invalid_request");
});
