/** /openapi.json is a valid document and describes every response of the API. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { eventView } from "../../src/app/webhooks/event-view.ts";
import { PROBLEM_CODES } from "../../src/http/response/problems.ts";
import { REASONS } from "../../src/message/result/reasons.ts";
import { EVENT_TYPES } from "../../src/spool/port/events.ts";
import { holdUntilRejected } from "../support/held-lookups.ts";
import { type Contract, contractOf } from "../support/openapi.ts";
import { runCli } from "../support/run-cli.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

/** Where links lead. Without it, no live message has a status page. */
const PUBLIC_URL = "https://mail.shop.example";

const SEND = "/api/sending/send";
const LIST = "/api/sending/messages";
const FEED = "/api/sending/events";
const BATCH = "/api/sending/batch";

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

interface Asked {
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request and checks the response against the document. */
async function ask(
  world: World,
  contract: Contract,
  request: string,
  { body, headers = {} }: Asked = {},
): Promise<Response> {
  const [method = "", target = ""] = request.split(" ");
  const answer = await fetch(world.service.url + target, {
    method,
    headers: { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  await contract.hold(request, answer);
  return answer;
}

/** The test's time limit ends a condition that never becomes true. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Every response of a working service. */
async function everyAnswer(t: TestContext): Promise<Contract> {
  const limits = { RECIPIENTS_MAX: "6", MESSAGE_BYTES_MAX: "65536", RETRY_SCHEDULE: "1h", SUPPRESS_AFTER: "1" };
  const world = await startWorld(t, { ...limits, PUBLIC_URL, RATE_PER_SECOND: "0.0002", RATE_BURST: "12" });
  const contract = await contractOf(world.service.url);
  const send = (asked: Asked) => ask(world, contract, `POST ${SEND}`, asked);
  const none = { Authorization: "Bearer nonsense" };
  const once = { "Idempotency-Key": "once" };

  await send({ body: sendBody({ to: at("nobody") }), headers: once });
  await send({ body: sendBody({ to: at("nobody") }), headers: once });
  await send({ body: sendBody(), headers: once });
  await until(async () => {
    const answer = await ask(world, contract, `GET ${LIST}?result=failed`);
    return ((await answer.json()) as { messages: unknown[] }).messages.length > 0;
  });
  const to = [at("delivered"), at("5xx-550"), at("4xx-451"), at("drop-after-dot"), at("nobody")];
  const parts = { to, cc: `ann@gone.${RECIPIENT_DOMAIN}`, tags: ["a"], metadata: { order: "1" }, expires_in: 600 };
  const { id } = (await (await send({ body: sendBody(parts) })).json()) as { id: string };
  await until(async () => {
    const report = await ask(world, contract, `GET ${LIST}/${id}`);
    const { recipients } = (await report.json()) as { recipients: { events: unknown[] }[] };
    return recipients.every(({ events }) => events.length > 1);
  });
  await ask(world, contract, `GET ${LIST}?limit=1`);
  await until(async () => {
    const requests = Array.from({ length: 40 }, () => ask(world, contract, `GET ${LIST}`));
    return (await Promise.all(requests)).some(({ status }) => status === 429);
  });
  const next = await followToEnd(world, contract);
  const release = await holdUntilRejected(world, id, async () => {
    return (await ask(world, contract, `GET ${LIST}/${id}?wait=1`)).status === 429;
  });
  assert.equal((await ask(world, contract, `GET ${FEED}?wait=1&after=${next}`)).status, 429);
  release();
  await changeMessages(world, contract);
  await readStatusPages(world, contract, id);
  await sendBatches(world, contract);
  await send({ body: "{" });
  await send({ body: sendBody({ subject: 1, colour: "red" }) });
  await send({ body: sendBody({ to: Array.from({ length: 7 }, (_, i) => at(`u${i}`)) }) });
  await send({ body: sendBody(), headers: { "Idempotency-Key": '"' } });
  await send({ body: sendBody(), headers: none });
  await send({ body: sendBody({ from: "a@elsewhere.example" }) });
  await send({ body: sendBody({ text: "x".repeat(70_000) }) });
  await send({ body: sendBody(), headers: { "Content-Type": "text/plain" } });
  for (let i = 0; i < 12; i += 1) await send({ body: sendBody() });
  await ask(world, contract, `POST ${BATCH}`, { body: { messages: [sendBody()] } });
  for (const target of [`${LIST}?limit=0`, `${LIST}/${id}?wait=x`, `${LIST}/msg_x`, `${FEED}?after=x`]) {
    await ask(world, contract, `GET ${target}`);
  }
  await expireEvents(world);
  await ask(world, contract, `GET ${FEED}?after=p0`);
  const sender = await runCli(["keys", "create", "--name", "a", "--permissions", "send", "--json"], world.env);
  const sending = { Authorization: `Bearer ${(JSON.parse(sender.stdout) as { key: string }).key}` };
  for (const headers of [none, sending]) {
    for (const target of [LIST, `${LIST}/msg_x`, FEED]) await ask(world, contract, `GET ${target}`, { headers });
    await ask(world, contract, `PATCH ${LIST}/msg_x`, { headers, body: {} });
    await ask(world, contract, `POST ${LIST}/msg_x/cancel`, { headers });
    await ask(world, contract, `POST ${LIST}/msg_x/status-link`, { headers });
  }
  const reader = await runCli(["keys", "create", "--name", "b", "--permissions", "read", "--json"], world.env);
  const reading = { Authorization: `Bearer ${(JSON.parse(reader.stdout) as { key: string }).key}` };
  await ask(world, contract, `POST ${BATCH}`, { headers: reading, body: { messages: [sendBody()] } });
  for (const target of ["/healthz", "/readyz", "/metrics", "/openapi.json"])
    await ask(world, contract, `GET ${target}`);
  return contract;
}

async function changeMessages(world: World, contract: Contract): Promise<void> {
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const sent = await ask(world, contract, `POST ${SEND}`, { body: sendBody({ send_at }) });
  const { id } = (await sent.json()) as { id: string };
  const change = (body: unknown, of = id, headers = {}) =>
    ask(world, contract, `PATCH ${LIST}/${of}`, { body, headers });
  const cancel = (of = id) => ask(world, contract, `POST ${LIST}/${of}/cancel`);
  for (const body of [{ send_at }, {}, "x".repeat(5000)]) await change(body);
  await change({ send_at }, "msg_x");
  await change({ send_at }, id, { "Content-Type": "text/plain" });
  for (const of of [id, id, "msg_x"]) await cancel(of);
  await change({ send_at });
}

async function readStatusPages(world: World, contract: Contract, idOfSeveral: string): Promise<void> {
  const sent = await ask(world, contract, `POST ${SEND}`, { body: sendBody({ status_page: true }) });
  const { id, status_url = "" } = (await sent.json()) as { id: string; status_url?: string };
  for (const of of [id, idOfSeveral, "msg_x"]) await ask(world, contract, `POST ${LIST}/${of}/status-link`);
  const path = new URL(status_url).pathname;
  for (const target of [path, `${path}?wait=x`, "/status/x"]) {
    await ask(world, contract, `GET ${target}`, { headers: { Accept: "application/json" } });
  }
}

async function sendBatches(world: World, contract: Contract): Promise<void> {
  const batch = (asked: Asked) => ask(world, contract, `POST ${BATCH}`, asked);
  const headers = { "Idempotency-Key": "batch" };
  const messages = [sendBody(), sendBody({ subject: 1 })];
  await batch({ body: { messages }, headers });
  await batch({ body: { messages: [sendBody({ subject: "other" })] }, headers });
  await batch({ body: {} });
  await batch({ body: { messages }, headers: { Authorization: "Bearer nonsense" } });
  await batch({ body: { messages: [sendBody({ text: "x".repeat(70_000) })] } });
  await batch({ body: { messages }, headers: { "Content-Type": "text/plain" } });
}

/** Reads the events so far; returns the last cursor. Each event is also valid as a webhook. */
async function followToEnd(world: World, contract: Contract): Promise<string> {
  const types = new Set<string>();
  for (let query = ""; ; ) {
    const answer = await ask(world, contract, `GET ${FEED}${query}`);
    const { events, next } = (await answer.json()) as { events: { type: string; at: string }[]; next: string };
    for (const data of events) {
      types.add(data.type);
      contract.holdWebhook({ type: data.type, timestamp: data.at, data } as { type: string });
    }
    if (events.length === 0) {
      const results = ["deferred", "delivered", "failed", "suppressed", "unknown"].map(
        (result) => `recipient.${result}`,
      );
      assert.deepEqual([...types].toSorted(), ["message.accepted", ...results]);
      return next;
    }
    query = `?after=${next}`;
  }
}

/** Deletes the events of final messages, as at the end of RETENTION_RESULTS. */
async function expireEvents({ service: { spool } }: World): Promise<void> {
  const nowMs = Date.now() + 1000;
  const periods = { contentsBeforeMs: nowMs, resultsBeforeMs: nowMs };
  await until(async () => (await spool.applyRetention({ nowMs, ...periods, limit: 100 })).messages > 0);
}

/** The responses of a service that has lost its spool. */
async function responsesWithoutSpool(t: TestContext): Promise<Contract> {
  const world = await startWorld(t, { PUBLIC_URL });
  const contract = await contractOf(world.service.url);
  const sent = await world.post(sendBody({ status_page: true }));
  const { status_url = "" } = (await sent.json()) as { status_url?: string };
  const statusPath = new URL(status_url).pathname;
  await world.service.spool.close();
  await ask(world, contract, `POST ${SEND}`, { body: sendBody() });
  await ask(world, contract, `POST ${BATCH}`, { body: { messages: [sendBody()] } });
  await ask(world, contract, `PATCH ${LIST}/msg_x`, { body: { send_at: new Date().toISOString() } });
  await ask(world, contract, `POST ${LIST}/msg_x/cancel`);
  await ask(world, contract, `POST ${LIST}/msg_x/status-link`);
  await ask(world, contract, `GET ${statusPath}`, { headers: { Accept: "application/json" } });
  for (const target of [LIST, `${LIST}/msg_x`, FEED]) await ask(world, contract, `GET ${target}`);
  await until(async () => (await ask(world, contract, "GET /readyz")).status === 503);
  return contract;
}

test("every response matches /openapi.json, and every response in it occurs", {
  timeout: 300_000,
}, async (t) => {
  const { document, seen } = await everyAnswer(t);
  const outage = await responsesWithoutSpool(t);
  const described = Object.entries(document.paths)
    // test/e2e/manage.test.ts has those of the management interface.
    .flatMap(([path, methods]) => (path.startsWith("/api/manage/") ? [] : Object.values(methods)))
    .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`))
    .filter((answer) => !answer.endsWith(" default"))
    // Large responses that wait are rejected as the lookup's, which occur; test/e2e/status-page.test.ts has those of status pages.
    .filter((answer) => !/^((change|cancel)Message|createStatusLink|readStatusPage) 429$/.test(answer));
  assert.deepEqual(described.toSorted(), [...seen, ...outage.seen].toSorted());
});

test("every webhook is as /openapi.json describes it", { timeout: 300_000 }, async (t) => {
  const world = await startWorld(t, { WEBHOOK_ALLOW_PRIVATE: "true", RETRY_SCHEDULE: "1h" });
  const contract = await contractOf(world.service.url);
  const receiver = await startWebhookReceiver(t);
  const created = await runCli(["webhooks", "create", receiver.url, "--json"], world.env);
  const { id } = JSON.parse(created.stdout) as { id: string };
  assert.equal((await runCli(["webhooks", "test", id], world.env)).code, 0);
  const to = ["delivered", "5xx-550", "4xx-451", "drop-after-dot"].map(at);
  assert.equal((await world.post(sendBody({ to, tags: ["a"], metadata: { order: "1" } }))).status, 202);
  // The test event, the acceptance, and one event of each recipient.
  await until(async () => receiver.received.length >= 6);
  for (const { body, headers } of receiver.received) {
    const webhook = JSON.parse(body) as { type: string };
    contract.holdWebhook(webhook);
    const { parameters } = contract.document.webhooks[webhook.type]?.post ?? assert.fail();
    for (const { name } of parameters) assert.ok(headers[name], name);
  }
});

test("the document", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t);
  await t.test("describes the request as it is parsed", () => holdsRequest(world));
  await t.test("is valid OpenAPI 3.1, and every part has a description", () => isWhole(world));
  await t.test("limits every string of a request, and requires html or text", () => limitsRequests(world));
  await t.test("enumerates reasons and codes", () => enumeratesCodes(world));
  await t.test("describes a webhook for each type of event", () => describesWebhooks(world));
  await t.test("describes the error of paths without an operation", () => describesProblem(world));
});

async function holdsRequest(world: World): Promise<void> {
  const { document } = await contractOf(world.service.url);
  assert.match(document.openapi, /^3\.1\./);
  const request = document.components.schemas?.SendTextRequest as { properties: object } | undefined;
  const names = Object.keys(request?.properties ?? {});
  assert.ok(names.length > 5);
  for (const name of names) {
    const answer = await world.post(sendBody({ [name]: { not: ["valid"] } }));
    assert.equal(answer.status, 400, name);
    assert.doesNotMatch(await answer.text(), /field is unknown/i, name);
  }
}

async function limitsRequests(world: World): Promise<void> {
  const { document } = await contractOf(world.service.url);
  const { components } = document;
  const ajv = new Ajv2020({ strictSchema: false, allowUnionTypes: true });
  const matches = ajv.compile({ components, $ref: "#/components/schemas/SendRequest" });
  const neither = sendBody({ text: undefined });
  const nulls = { cc: null, headers: null, metadata: { a: null }, expires_in: null, unsubscribe: null, html: null };
  for (const body of [sendBody(), { ...neither, html: "<p>" }, sendBody({ html: "<p>" }), sendBody(nulls)]) {
    assert.ok(matches(body), JSON.stringify(body));
    assert.equal((await world.post(body)).status, 202);
  }
  for (const body of [
    neither,
    sendBody({ text: null }),
    sendBody({ subject: null }),
    sendBody({ subject: "x".repeat(999) }),
    sendBody({ to: "x".repeat(1001) }),
    42,
    { frm: "a" },
  ])
    assert.ok(!matches(body), JSON.stringify(body).slice(0, 100));

  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { parameters = [] } of operations as unknown as Told[]) {
    for (const { name, in: place, schema } of parameters) {
      const isBounded = schema.type !== "string" || "enum" in schema || "maxLength" in schema;
      assert.ok(isBounded || place === "path", name);
    }
  }
}

async function enumeratesCodes(world: World): Promise<void> {
  const { document } = await contractOf(world.service.url);
  const { Reason, Recipient, AttemptEvent, Problem } = document.components.schemas as unknown as Record<string, Shape>;
  assert.deepEqual(Reason?.enum, REASONS);
  const nullable = [{ $ref: "#/components/schemas/Reason" }, { type: "null" }];
  assert.deepEqual(Recipient?.properties?.reason?.anyOf, nullable);
  assert.deepEqual(AttemptEvent?.properties?.reason?.anyOf, nullable);
  assert.deepEqual(Problem?.properties?.code?.enum, PROBLEM_CODES);
}

interface Shape {
  enum?: string[];
  anyOf?: object[];
  properties?: Record<string, Shape>;
}

async function isWhole(world: World): Promise<void> {
  const { document } = await contractOf(world.service.url);
  const { valid, errors } = await new Validator().validate({ ...document });
  assert.ok(valid, JSON.stringify(errors, null, 1));

  const whole = JSON.stringify(document);
  for (const [, ref = ""] of whole.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = ref
      .split("/")
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
    assert.ok(found, `#/${ref} does not exist`);
  }
  for (const [kind, parts] of Object.entries(document.components)) {
    if (kind === "securitySchemes") continue;
    for (const name of Object.keys(parts))
      assert.ok(whole.includes(`"#/components/${kind}/${name}"`), `${name} is not used`);
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...(operation as unknown as Told) })),
  );
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  const tags = (document as unknown as { tags: { name: string }[] }).tags.map(({ name }) => name);
  for (const { path, operationId, summary, tags: own, parameters = [], requestBody } of operations) {
    assert.ok(summary && own?.every((tag) => tags.includes(tag)), operationId);
    for (const { name, description } of parameters) assert.ok(description, `${operationId} ${name}`);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const names = parameters.filter(({ in: place }) => place === "path").map(({ name }) => name);
    assert.deepEqual(names, inPath, operationId);
    // test/e2e/manage.test.ts runs the examples of the management interface.
    if (path.startsWith("/api/manage/")) continue;
    for (const { example } of Object.values(requestBody?.content ?? {})) {
      // The example's domain is not bound here, and its message does not exist; everything else in the example is valid.
      assert.equal(await statusOfExample(world, operationId, example), operationId === "changeMessage" ? 404 : 403);
    }
  }
}

/** The status of a request with the example of an operation; of each message of a batch. */
async function statusOfExample(world: World, operationId: string, example: unknown): Promise<number> {
  const [method, path] =
    operationId === "changeMessage" ? ["PATCH", `${LIST}/msg_x`] : ["POST", operationId === "send" ? SEND : BATCH];
  const headers = { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json" };
  const answer = await fetch(world.service.url + path, { method, headers, body: JSON.stringify(example) });
  if (operationId !== "sendBatch") return answer.status;
  const { messages } = (await answer.json()) as { messages: { error: { status: number } }[] };
  const [first, ...others] = new Set(messages.map(({ error }) => error.status));
  assert.equal(others.length, 0);
  return first ?? assert.fail();
}

interface Told {
  operationId: string;
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; description?: string; schema: { type: string } }[];
  requestBody?: { content: Record<string, { example: unknown }> };
}

async function describesWebhooks(world: World): Promise<void> {
  const contract = await contractOf(world.service.url);
  const { webhooks, components } = contract.document;
  assert.deepEqual(Object.keys(webhooks), EVENT_TYPES);
  assert.deepEqual((components.schemas as Record<string, Shape>).Event?.properties?.type?.enum, EVENT_TYPES);
  const shared = { id: "evt_a", accountId: "acc_a", number: 1, atMs: 0, orderKey: 0, domain: "shop.example" };
  const ofDomain = {
    sequence: null,
    messageId: null,
    keyId: null,
    recipient: null,
    tags: [],
    metadata: {},
    test: false,
  };
  for (const type of EVENT_TYPES.filter((type) => type.startsWith("domain."))) {
    const data = eventView({ ...shared, ...ofDomain, type });
    contract.holdWebhook({ type, timestamp: data.at, data } as { type: string });
    const other = { type: "message.accepted", timestamp: data.at };
    assert.throws(() => contract.holdWebhook(other), /must have required property 'data'/);
  }
}

async function describesProblem(world: World): Promise<void> {
  const { url, port } = world.service;
  const { document } = await contractOf(url);
  const isProblem = new Ajv2020({ strictSchema: false }).compile(document.components.schemas?.Problem ?? {});
  const hold = (where: string, status: number, body: unknown, requestId: unknown): void => {
    const problem = body as { status: number; request_id: string };
    assert.ok(isProblem(body), `${where}: ${JSON.stringify(isProblem.errors)}`);
    assert.deepEqual([problem.status, problem.request_id], [status, requestId], where);
  };
  const asked: [string, string, number][] = [
    ["GET", "/nowhere", 404],
    ["GET", SEND, 405],
    ["DELETE", `${LIST}/msg_x`, 405],
    ["PUT", "/metrics", 405],
    ["POST", "/openapi.json", 405],
  ];
  for (const [method, path, status] of asked) {
    const answer = await fetch(url + path, { method });
    assert.equal(answer.status, status, `${method} ${path}`);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
    hold(`${method} ${path}`, status, await answer.json(), answer.headers.get("x-request-id"));
  }
  const raw: [string, number][] = [
    ["GARBAGE\r\n\r\n", 400],
    [`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(40_000)}\r\n\r\n`, 431],
  ];
  for (const [bytes, status] of raw) {
    const { head, body } = await exchange(port, bytes);
    assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
    hold(String(status), status, JSON.parse(body), /^X-Request-Id: (\S+)/im.exec(head)?.[1]);
  }
}

/** Returns the response to these bytes, up to the end of the connection. */
async function exchange(port: number, bytes: string): Promise<{ head: string; body: string }> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(bytes);
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
  return { head, body };
}
