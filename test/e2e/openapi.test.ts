/** /openapi.json: a valid document, and true of every answer that the API gives. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Contract, contractOf } from "../support/openapi.ts";
import { holdAll } from "../support/waits.ts";
import { letter, RECIPIENT_DOMAIN, startWorld, type World } from "../support/world.ts";

const SEND = "/api/sending/send";
const LIST = "/api/sending/messages";

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

interface Asked {
  body?: unknown;
  headers?: Record<string, string>;
}

/** Asks and holds the answer against the document. */
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

/** The test's time limit ends what never comes true. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Every answer that a working service gives. */
async function everyAnswer(t: TestContext): Promise<Contract> {
  const limits = { RECIPIENTS_MAX: "6", MESSAGE_BYTES_MAX: "65536", RETRY_SCHEDULE: "1h", SUPPRESS_AFTER: "1" };
  const world = await startWorld(t, { ...limits, RATE_PER_SECOND: "0.0002", RATE_BURST: "6" });
  const contract = await contractOf(world.service.url);
  const send = (asked: Asked) => ask(world, contract, `POST ${SEND}`, asked);
  const none = { Authorization: "Bearer nonsense" };
  const once = { "Idempotency-Key": "once" };

  await send({ body: letter({ to: at("nobody") }), headers: once });
  await send({ body: letter({ to: at("nobody") }), headers: once });
  await send({ body: letter(), headers: once });
  await until(async () => {
    const answer = await ask(world, contract, `GET ${LIST}?result=failed`);
    return ((await answer.json()) as { messages: unknown[] }).messages.length > 0;
  });
  const to = [at("delivered"), at("5xx-550"), at("4xx-451"), at("drop-after-dot"), at("nobody")];
  const parts = { to, cc: `ann@gone.${RECIPIENT_DOMAIN}`, tags: ["a"], metadata: { order: "1" }, expires_in: 600 };
  const { id } = (await (await send({ body: letter(parts) })).json()) as { id: string };
  await until(async () => {
    const looked = await ask(world, contract, `GET ${LIST}/${id}`);
    const { recipients } = (await looked.json()) as { recipients: { events: unknown[] }[] };
    return recipients.every(({ events }) => events.length > 1);
  });
  await ask(world, contract, `GET ${LIST}?limit=1`);
  await until(async () => {
    const crowd = Array.from({ length: 40 }, () => ask(world, contract, `GET ${LIST}`));
    return (await Promise.all(crowd)).some(({ status }) => status === 429);
  });
  const letGo = await holdAll(world, id, async () => {
    return (await ask(world, contract, `GET ${LIST}/${id}?wait=1`)).status === 429;
  });
  letGo();
  await send({ body: "{" });
  await send({ body: letter({ subject: 1, colour: "red" }) });
  await send({ body: letter({ to: Array.from({ length: 7 }, (_, i) => at(`u${i}`)) }) });
  await send({ body: letter(), headers: { "Idempotency-Key": '"' } });
  await send({ body: letter(), headers: none });
  await send({ body: letter({ from: "a@elsewhere.example" }) });
  await send({ body: letter({ text: "x".repeat(70_000) }) });
  await send({ body: letter(), headers: { "Content-Type": "text/plain" } });
  for (let i = 0; i < 5; i += 1) await send({ body: letter() });
  for (const target of [`${LIST}?limit=0`, `${LIST}/${id}?wait=x`, `${LIST}/msg_x`]) {
    await ask(world, contract, `GET ${target}`);
  }
  for (const target of [LIST, `${LIST}/msg_x`]) await ask(world, contract, `GET ${target}`, { headers: none });
  for (const target of ["/healthz", "/readyz", "/metrics", "/openapi.json"])
    await ask(world, contract, `GET ${target}`);
  return contract;
}

/** And those of one that has lost its spool. */
async function everyOutage(t: TestContext): Promise<Contract> {
  const world = await startWorld(t);
  const contract = await contractOf(world.service.url);
  await world.service.spool.close();
  await ask(world, contract, `POST ${SEND}`, { body: letter() });
  for (const target of [LIST, `${LIST}/msg_x`]) await ask(world, contract, `GET ${target}`);
  await until(async () => (await ask(world, contract, "GET /readyz")).status === 503);
  return contract;
}

test("every answer is as /openapi.json describes it, and every answer it describes was given", {
  timeout: 60_000,
}, async (t) => {
  const { document, seen } = await everyAnswer(t);
  const outage = await everyOutage(t);
  const described = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`))
    .filter((answer) => !answer.endsWith(" default"));
  assert.deepEqual(described.toSorted(), [...seen, ...outage.seen].toSorted());
});

test("the document holds the request as it is read", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t);
  const { document } = await contractOf(world.service.url);
  assert.match(document.openapi, /^3\.1\./);
  const request = document.components.schemas?.SendRequest as { properties: object } | undefined;
  const names = Object.keys(request?.properties ?? {});
  assert.ok(names.length > 5);
  for (const name of names) {
    const answer = await world.post(letter({ [name]: { not: ["valid"] } }));
    assert.equal(answer.status, 400, name);
    assert.doesNotMatch(await answer.text(), /no such field/i, name);
  }
});

const validator = "@seriousme/openapi-schema-validator";
const linter: { Validator: new () => Linter } | null = await import(validator).catch(() => null);

interface Linter {
  validate(document: object): Promise<{ valid: boolean; errors?: unknown }>;
}

test("the document is valid OpenAPI 3.1", {
  timeout: 30_000,
  skip: linter === null && `${validator} is not installed`,
}, async (t) => {
  const world = await startWorld(t);
  const { document } = await contractOf(world.service.url);
  assert.ok(linter);
  const { valid, errors } = await new linter.Validator().validate(document);
  assert.ok(valid, JSON.stringify(errors, null, 1));
});
