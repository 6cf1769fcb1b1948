/** Sends to two nodes of one installation: the rate, keys and idempotency keys are those of the installation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingPostgres } from "../support/postgres/installation.ts";
import { startTwoServices, type TwoServices } from "../support/postgres/two-services.ts";
import { RECIPIENT_DOMAIN, sendBody } from "../support/world.ts";
import { problemOf } from "./problem.ts";

const SEND = "/api/sending/send";
const options = { skip: missingPostgres(), timeout: 60_000 };

/** Sends to the nodes by turns, all at the same time. */
const sendToBoth = ({ urls, ask }: TwoServices, count: number): Promise<Response[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(urls[i % 2] ?? "", SEND, { body: sendBody() })));

test("both nodes together accept what the rate of a key allows, and a single node all of it", options, async (t) => {
  // The account has ten times as much.
  const services = await startTwoServices(t, { RATE_PER_SECOND: "0.0001", RATE_BURST: "16" });
  const { world, urls, second } = services;
  const statuses = (await sendToBoth(services, 60)).map(({ status }) => status);
  assert.deepEqual([statuses.filter((s) => s === 202).length, statuses.filter((s) => s === 429).length], [16, 44]);
  for (const url of urls) {
    const answer = await services.ask(url, SEND, { body: sendBody() });
    assert.match(answer.headers.get("ratelimit") ?? "", /^"send";r=0;/);
    assert.ok(Number(answer.headers.get("retry-after")) > 9000);
    await problemOf(answer, 429, "rate_limit_exceeded");
  }
  const { key } = await world.newKey();
  const headers = { Authorization: `Bearer ${key}` };
  for (let i = 0; i < 16; i += 1) {
    assert.equal((await services.ask(second.url, SEND, { body: sendBody(), headers })).status, 202);
  }
  assert.equal((await services.ask(world.service.url, SEND, { body: sendBody(), headers })).status, 429);
});

test("rejected and replayed sends return their tokens, whichever node took them", options, async (t) => {
  const { urls, ask } = await startTwoServices(t, { RATE_PER_SECOND: "0.0001", RATE_BURST: "2" });
  const headers = { "Idempotency-Key": "one" };
  for (let i = 0; i < 10; i += 1) {
    assert.equal((await ask(urls[i % 2] ?? "", SEND, { body: sendBody(), headers })).status, 202);
    assert.equal((await ask(urls[i % 2] ?? "", SEND, { body: sendBody({ from: "a@other.example" }) })).status, 403);
  }
});

test("a key that one node revokes is rejected by the other from the next request on", options, async (t) => {
  const { world, second, urls, ask } = await startTwoServices(t);
  for (const url of urls) assert.equal((await ask(url, SEND, { body: sendBody() })).status, 202);
  await second.registry.revokeKey("acc_default", world.keyId, Date.now());
  for (const url of urls) await problemOf(await ask(url, SEND, { body: sendBody() }), 401, "invalid_api_key");
});

test("a domain that one node removes sends no more through the other", options, async (t) => {
  const { second, urls, ask } = await startTwoServices(t);
  for (const url of urls) assert.equal((await ask(url, SEND, { body: sendBody() })).status, 202);
  await second.registry.removeDomain("acc_default", "shop.example", Date.now());
  for (const url of urls) await problemOf(await ask(url, SEND, { body: sendBody() }), 403, "sender_not_allowed");
});

test("of sends with one idempotency key to both nodes at the same time, one is accepted", options, async (t) => {
  const services = await startTwoServices(t);
  const { world, urls, ask } = services;
  await world.service.spool.pauseDomain(RECIPIENT_DOMAIN, Date.now());
  for (let round = 0; round < 20; round += 1) {
    const headers = { "Idempotency-Key": `same ${round}` };
    const answers = await Promise.all([...urls, ...urls].map((url) => ask(url, SEND, { body: sendBody(), headers })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202, 202, 202],
    );
    const replays = answers.filter((answer) => answer.headers.get("idempotency-replayed") === "true");
    assert.equal(replays.length, 3);
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
    assert.equal(new Set(ids).size, 1);
  }
  assert.equal(await world.service.spool.backlog(), 20);
  for (let round = 0; round < 20; round += 1) {
    const headers = { "Idempotency-Key": `other ${round}` };
    const answers = await Promise.all(
      urls.map((url, i) => ask(url, SEND, { body: sendBody({ subject: `Hello ${i}` }), headers })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
    const reused = answers.find(({ status }) => status === 409) ?? assert.fail();
    await problemOf(reused, 409, "idempotency_key_reused");
  }
  assert.equal(await world.service.spool.backlog(), 40);
});
