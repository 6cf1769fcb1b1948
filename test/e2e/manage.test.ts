/** The management interface through the whole service: every operation of the document, on both databases. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { bodyOf, type Left, manageOperations, manageStory, pathOf } from "../support/manage-story.ts";
import { type Contract, contractOf } from "../support/openapi.ts";
import { startTwoServices } from "../support/postgres/two-services.ts";
import { runCli } from "../support/run-cli.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";

const ENV = { RETRY_SCHEDULE: "1h", WEBHOOK_ALLOW_PRIVATE: "true", RATE_PER_SECOND: "100", RATE_BURST: "200" };

/** Creates a key by the command line, and returns its text. */
async function createKey(world: World, options: readonly string[]): Promise<string> {
  const created = await runCli(["keys", "create", "--name", "manager", "--json", ...options], world.env);
  assert.equal(created.code, 0, created.stderr);
  return (JSON.parse(created.stdout) as { key: string }).key;
}

const createUser = (world: World) =>
  runCli(["users", "create", "user@example.com", "--password-stdin"], world.env, "a password of length\n");

interface Place {
  world: World;
  contract: Contract;
  /** The nodes, which are asked in turns. */
  urls: readonly string[];
  key: string;
  left: Left;
}

async function begin(t: TestContext, world: World, urls: readonly string[]): Promise<Place> {
  const contract = await contractOf(world.service.url);
  const key = await createKey(world, ["--permissions", "operate"]);
  await createUser(world);
  const sent = await world.post(sendBody({ to: `4xx-451@${RECIPIENT_DOMAIN}` }));
  const { id: message } = (await sent.json()) as { id: string };
  t.diagnostic(`message ${message}`);
  return { world, contract, urls, key, left: { message } };
}

/** Runs every operation. Each is asked of another node than the one before it, which sees its change. */
async function runStory(t: TestContext, place: Place, hasNodes: boolean): Promise<void> {
  const { contract, urls, key, left } = place;
  const receiver = await startWebhookReceiver(t);
  const story = manageStory({ webhookUrl: receiver.url, hasNodes });
  const operations = manageOperations(contract);
  assert.deepEqual(story.map(({ id }) => id).sort(), [...operations.keys()].sort());
  for (const [i, step] of story.entries()) {
    const operation = operations.get(step.id);
    assert.ok(operation);
    const path = pathOf(operation, step.params?.(left));
    const { headers, ...sent } = bodyOf(operation, step.body);
    const answer = await fetch(`${urls[i % urls.length]}${path}`, {
      method: operation.method,
      headers: { Authorization: `Bearer ${key}`, ...headers },
      ...sent,
    });
    const text = await answer.clone().text();
    assert.equal(answer.status, step.status ?? operation.status, `${step.id}: ${text}`);
    await contract.hold(`${operation.method} ${path}`, answer);
    if (step.keep !== undefined) step.keep(JSON.parse(text), left);
  }
  await requireAudit(place);
}

/** Each change is in the audit trail as the key's, without the secrets that the responses showed. */
async function requireAudit({ urls, key, left }: Place): Promise<void> {
  const answer = await fetch(`${urls[0]}/api/manage/audit?limit=100`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await answer.text();
  const { data } = JSON.parse(text) as {
    data: { action: string; ip: string; actor: { type: string; name: string } }[];
  };
  const done = data.filter(({ actor }) => actor.type === "key");
  assert.deepEqual([...new Set(done.map(({ actor, ip }) => `${actor.name} ${ip}`))], ["manager 127.0.0.1"]);
  const actions = new Set(done.map(({ action }) => action));
  for (const action of [
    "domain.added",
    "domain.return_path_set",
    "domain.dkim_rotation_started",
    "domain.removed",
    "key.created",
    "key.changed",
    "key.revoked",
    "key.fuse_set",
    "webhook.created",
    "webhook.secret_rotated",
    "suppression.added",
    "suppression.removed",
    "message.retried",
    "message.cancelled",
    "account.created",
    "account.quota_set",
    "invitation.created",
    "user.removed",
    "receiver.limits_set",
    "destination.paused",
    "address.added",
    "address.paused",
    "address.removed",
    "pool.created",
    "pool.changed",
    "pool.removed",
  ])
    assert.ok(actions.has(action), action);
  for (const secret of [left.keyText ?? "svc_live_", "whsec_", "/dashboard/invitation/"])
    assert.ok(!text.includes(secret));
}

test("every operation works with the examples of the document, on SQLite", async (t) => {
  const world = await startWorld(t, ENV);
  await runStory(t, await begin(t, world, [world.service.url]), false);
});

test("every operation works on PostgreSQL, and each node sees the changes of the other at once", async (t) => {
  const { world, urls } = await startTwoServices(t, ENV);
  const place = await begin(t, world, urls);
  await runStory(t, { ...place, left: { ...place.left, node: "two" } }, true);
});

test("a request with an idempotency key that is sent again, to any node, is done once and gets the same response", async (t) => {
  const { world, urls, client } = await startTwoServices(t, ENV);
  const { key } = await begin(t, world, urls);
  let asked = 0;
  const create = (body: unknown, idempotencyKey: string): Promise<Response> => {
    asked += 1;
    return fetch(`${urls[asked % 2]}/api/manage/keys`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "Idempotency-Key": idempotencyKey,
      },
      body: JSON.stringify(body),
    });
  };
  const first = await create({ name: "web" }, "one");
  const again = await create({ name: "web" }, "one");
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.deepEqual(
    [first, again].map(({ headers }) => headers.get("idempotency-replayed")),
    [null, "true"],
  );
  const made = (await first.json()) as { id: string; key: string };
  assert.deepEqual(await again.json(), made);
  const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: "many" }, "two")));
  const statuses = answers.map(({ status }) => status);
  assert.ok(
    statuses.every((status) => status === 201 || status === 429),
    statuses.join(),
  );
  const listed = await runCli(["keys", "list", "--json"], world.env);
  const names = (JSON.parse(listed.stdout) as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name === "web" || name === "many").sort(), ["many", "web"]);
  await problemOf(await create({ name: "other" }, "one"), 409, "idempotency_key_reused");
  await problemOf(await create({ name: "" }, "three"), 400, "invalid_request");
  assert.equal((await create({ name: "third" }, "three")).status, 201);
  const { rows } = await client.query("SELECT sealed FROM request_answers WHERE sealed IS NOT NULL");
  for (const { sealed } of rows as { sealed: Buffer }[]) assert.ok(!sealed.includes("svc_live_"));
});
