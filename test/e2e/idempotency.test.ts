/** Idempotency-Key: a client may repeat a send, and its recipients get one message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bindDomain } from "../../src/app/domains/bind-domain.ts";
import { verifyNow } from "../../src/app/domains/verify-domain.ts";
import { readConfig } from "../../src/config.ts";
import { recordsToPublish } from "../../src/domains/records.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openVault } from "../../src/security/vault.ts";
import { startService } from "../../src/service/service.ts";
import { openDatabase } from "../../src/spool/engine/sqlite/connection/database.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";

interface Accepted {
  id: string;
  text: string;
  replayed: string | null;
  type: string | null;
}

async function accepted(answer: Response): Promise<Accepted> {
  const text = await answer.text();
  assert.equal(answer.status, 202, text);
  const { id } = JSON.parse(text) as { id: string };
  return { id, text, replayed: answer.headers.get("idempotency-replayed"), type: answer.headers.get("content-type") };
}

/** Sends with an idempotency key. */
const keyed = (world: World, idempotencyKey: string, body: unknown = sendBody()): Promise<Response> =>
  world.post(body, { "Idempotency-Key": idempotencyKey });

/** The second response equals the first and is marked as a replay. */
function assertReplay(first: Accepted, second: Accepted): void {
  assert.equal(first.replayed, null);
  assert.deepEqual(second, { ...first, replayed: "true" });
}

async function received(world: World, id: string): Promise<number> {
  const { message_id } = (await (await world.lookUp(id, "?wait=20")).json()) as { message_id: string };
  return world.sink.entries.filter((entry) => entry.message_id === message_id).length;
}

/** Uses the default rate limit, because the key must work with it. */
test("Idempotency-Key", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RATE_PER_SECOND: "", RATE_BURST: "" });

  await t.test("200 concurrent requests create one message", async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => keyed(world, "all-at-once").then(accepted)));
    const [first] = answers;
    for (const { id, text } of answers) assert.deepEqual([id, text], [first?.id, first?.text]);
    assert.equal(answers.filter(({ replayed }) => replayed === null).length, 1);
    assert.equal(answers.filter(({ replayed }) => replayed === "true").length, 199);
    assert.equal(await received(world, first?.id ?? ""), 1);
    assert.equal(world.sink.entries.length, 1);
  });

  await t.test(
    "concurrent requests from two keys of the account create one message while the disk delays the first",
    async () => {
      const { key } = await world.newKey();
      const free = lockSpool(world);
      const others = { "Idempotency-Key": "slow-disk", Authorization: `Bearer ${key}` };
      const sent = Array.from({ length: 100 }, (_, i) =>
        i % 2 ? keyed(world, "slow-disk") : world.post(sendBody(), others),
      );
      await new Promise((resolve) => setTimeout(resolve, SLOW_DISK_MS));
      free();
      const answers = await Promise.all(sent.map(async (answer) => accepted(await answer)));
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.equal(answers.filter(({ replayed }) => replayed === null).length, 1);
      const id = answers[0]?.id ?? "";
      const lookups = await Promise.all([world.lookUp(id, "?wait=20"), world.lookUp(id, "?wait=20", key)]);
      assert.deepEqual(
        lookups.map(({ status }) => status).sort(),
        [200, 404],
        "the message belongs to the key whose request was first",
      );
      assert.equal(world.sink.entries.length, 2);
    },
  );
});

/** Long enough for all requests to arrive. */
const SLOW_DISK_MS = 500;

/** Locks the spool file, as another process in a transaction does. Returns a function that releases it. */
function lockSpool({ env }: World): () => void {
  const db = openDatabase(env.DATA_DIR ?? "", "write");
  db.exec("BEGIN IMMEDIATE");
  return () => db.close();
}

test("Idempotency-Key, sequential requests", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);

  await t.test("the same key and payload get the same response, and one message is sent", async () => {
    const first = await accepted(await keyed(world, "twice"));
    for (let i = 0; i < 3; i += 1) assertReplay(first, await accepted(await keyed(world, "twice")));
    assert.equal(await received(world, first.id), 1);
    assertReplay(first, await accepted(await keyed(world, "twice")));
    assert.equal(world.sink.entries.length, 1);
  });

  await t.test("a request without a key, or with another key, creates another message", async () => {
    const ids = [
      await accepted(await keyed(world, "one")),
      await accepted(await keyed(world, "other")),
      await accepted(await keyed(world, "ONE")),
      await accepted(await world.post(sendBody())),
      await accepted(await world.post(sendBody())),
    ];
    assert.equal(new Set(ids.map(({ id }) => id)).size, 5);
    for (const { replayed } of ids) assert.equal(replayed, null);
  });

  await t.test("bare and quoted forms are the same key", async () => {
    const first = await accepted(await keyed(world, "order 17; a\\b"));
    assertReplay(first, await accepted(await keyed(world, '"order 17; a\\\\b"')));
    const quoted = await accepted(await keyed(world, '"k-\\"18\\""'));
    assertReplay(quoted, await accepted(await keyed(world, '"k-\\"18\\""')));
  });

  await t.test("accepts a key of 256 characters, bare and quoted", async () => {
    const key = "~".repeat(256);
    assertReplay(await accepted(await keyed(world, key)), await accepted(await keyed(world, `"${key}"`)));
  });

  await t.test("payloads that differ only in JSON formatting are equal", async () => {
    const to = `delivered@${RECIPIENT_DOMAIN}`;
    const first = await accepted(await keyed(world, "words", sendBody({ to })));
    const others = [
      sendBody({ to: [to] }),
      sendBody({ to: [to, to] }),
      JSON.stringify(sendBody({ to }), null, 4),
      Object.fromEntries(Object.entries(sendBody({ to })).reverse()),
    ];
    for (const body of others) assertReplay(first, await accepted(await keyed(world, "words", body)));
  });

  await t.test("rejects another payload with 409, and the first message stays", async () => {
    const first = await accepted(await keyed(world, "payload"));
    const to = `delivered@${RECIPIENT_DOMAIN}`;
    const others = [{ subject: "Hello!" }, { text: "Hi" }, { html: "<p>" }, { to: [to, `b@${RECIPIENT_DOMAIN}`] }];
    for (const other of [...others, { from: "hello@shop.example" }]) {
      await problemOf(await keyed(world, "payload", sendBody(other)), 409, "idempotency_key_reused");
    }
    assertReplay(first, await accepted(await keyed(world, "payload")));
  });

  await t.test("of two concurrent payloads with one key, one is sent and the other rejected", async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => sendBody({ subject: i % 2 ? "Odd" : "Even" }));
    const answers = await Promise.all(bodies.map((body) => keyed(world, "race", body)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(10).fill(202), ...Array(10).fill(409)]);
    const ids = await Promise.all(
      answers.filter(({ status }) => status === 202).map(async (a) => (await accepted(a)).id),
    );
    assert.equal(new Set(ids).size, 1);
    assert.equal(await received(world, ids[0] ?? ""), 1);
  });

  await t.test("remembers only a 202", async () => {
    const accountId = (await world.service.registry.accountNamed("default"))?.id ?? "";
    const vault = openVault(world.env.CERTS_DIR ?? "");
    const { registry } = world.service;
    const bound = await bindDomain(registry, vault, {
      accountId,
      name: "late.example",
      nowMs: Date.now(),
      domainsMax: 10,
    });
    assert.ok(bound.type === "bound");
    const body = sendBody({ from: "a@late.example" });
    await problemOf(await keyed(world, "only-202", { ...body, subject: 7 }), 400, "invalid_request");
    await problemOf(await keyed(world, "only-202", body), 403, "domain_not_verified");
    await problemOf(await keyed(world, "only-202", body), 403, "domain_not_verified");

    const context = { resolver: world.resolver, hostname: "mta.shop.example", sendingIps: ["127.0.0.1"] };
    for (const record of recordsToPublish(bound.domain, context)) {
      world.zone.set(record.name, record.type, [record.value]);
    }
    await verifyNow(registry, bound.domain, { context, nowMs: Date.now() });
    assertReplay(
      await accepted(await keyed(world, "only-202", body)),
      await accepted(await keyed(world, "only-202", body)),
    );
  });

  await t.test(
    "the scope is the account: another key of the account gets a replay, but cannot look the message up",
    async () => {
      const { key } = await world.newKey();
      const first = await accepted(await keyed(world, "account"));
      const second = await world.post(sendBody(), { "Idempotency-Key": "account", Authorization: `Bearer ${key}` });
      assertReplay(first, await accepted(second));
      await problemOf(await world.lookUp(first.id, "", key), 404, "not_found");
      assert.equal((await world.lookUp(first.id)).status, 200);
    },
  );

  await t.test("the message's report has the key as the client wrote it, and the id of the first request", async () => {
    const answer = await keyed(world, '"order 17"');
    const requestId = answer.headers.get("x-request-id");
    const { id } = await accepted(answer);
    await accepted(await keyed(world, "order 17"));
    const plain = await accepted(await world.post(sendBody()));
    const reports = [await world.service.spool.report(id), await world.service.spool.report(plain.id)];
    assert.deepEqual([reports[0]?.requestId, reports[0]?.idempotencyKey], [requestId, "order 17"]);
    assert.match(reports[1]?.requestId ?? "", /^req_/);
    assert.equal(reports[1]?.idempotencyKey, null);
  });

  // The last test, because it stops the world's service.
  await t.test("replays survive a restart", async (t) => {
    const body = sendBody({ subject: "Before and after" });
    const first = await accepted(await keyed(world, "restart", body));
    assert.equal(await received(world, first.id), 1);
    await world.service.stop();
    const restarted = await startService(readConfig(world.env), silentLog, {
      onFatal(error) {
        throw error;
      },
    });
    t.after(() => restarted.stop());
    const send = (parts: Record<string, unknown> = {}): Promise<Response> =>
      fetch(`${restarted.url}/api/sending/send`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${world.key}`,
          "Content-Type": "application/json",
          "Idempotency-Key": "restart",
        },
        body: JSON.stringify({ ...body, ...parts }),
      });
    assertReplay(first, await accepted(await send()));
    await problemOf(await send({ subject: "Another" }), 409, "idempotency_key_reused");
    assert.equal(world.sink.entries.filter(({ subject }) => subject === "Before and after").length, 1);
  });
});
