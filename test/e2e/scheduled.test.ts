/** Messages that are sent later, through the whole service: at their time, at another one, or never. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { FULL_ACCESS } from "../../src/spool/port/api-keys.ts";
import { headerField } from "../../src/testing/sink/header.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";

const HOUR_MS = 3_600_000;

interface Report {
  created_at: string;
  send_at?: string;
  expires_at: string;
  message_id: string;
  recipients: {
    result: string;
    reason: string | null;
    attempts: number;
    next_attempt_at: string | null;
    events: { type: string; send_at?: string; by?: string }[];
  }[];
}

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function accepted(world: World, parts: Record<string, unknown>, headers = {}): Promise<string> {
  const response = await world.post(sendBody(parts), headers);
  assert.equal(response.status, 202, await response.clone().text());
  return ((await response.json()) as { id: string }).id;
}

const report = async (world: World, id: string, query = ""): Promise<Report> =>
  (await (await world.lookUp(id, query)).json()) as Report;

function change(
  world: World,
  method: string,
  path: string,
  { key = world.key, body }: { key?: string; body?: unknown } = {},
) {
  return fetch(`${world.service.url}/api/sending/messages/${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The time in the Date field of a message as the sink has it. */
function dateOf(world: World, messageId: string): number {
  const entry = world.sink.entries.find((each) => each.message_id === messageId);
  const content = readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", entry?.file ?? ""));
  return Date.parse(headerField(content, "Date") ?? "");
}

test("messages that are sent later", { timeout: 90_000 }, async (t) => {
  const world = await startWorld(t, { QUOTA_DAILY: "100" });

  await t.test("wait with their reason and time, and expire by it", async () => {
    const sendAt = inMs(HOUR_MS);
    const id = await accepted(world, { send_at: sendAt, expires_in: "10m" });
    const { recipients, ...message } = await report(world, id);
    const [recipient] = recipients;
    assert.deepEqual(
      [recipient?.result, recipient?.reason, recipient?.attempts, recipient?.next_attempt_at],
      ["pending", "scheduled", 0, sendAt],
    );
    assert.deepEqual(
      recipient?.events.map(({ type }) => type),
      ["accepted", "scheduled"],
    );
    assert.equal(message.send_at, sendAt);
    assert.equal(Date.parse(message.expires_at), Date.parse(sendAt) + 600_000);
  });

  await t.test("are delivered at their time, and not before", async () => {
    const sendAt = inMs(1500);
    const id = await accepted(world, { send_at: sendAt });
    const { recipients, message_id } = await report(world, id, "?wait=30");
    assert.equal(recipients[0]?.result, "delivered");
    const entry = world.sink.entries.find((each) => each.message_id === message_id);
    assert.ok(entry !== undefined && Date.parse(String(entry.at)) >= Date.parse(sendAt) - 5, JSON.stringify(entry));
    assert.equal(dateOf(world, message_id), Math.floor(Date.parse(sendAt) / 1000) * 1000);
  });

  await t.test("are sent at once if their time has passed, or is null", async () => {
    for (const send_at of [inMs(-HOUR_MS), null]) {
      const { recipients, ...message } = await report(world, await accepted(world, { send_at }), "?wait=20");
      assert.equal(recipients[0]?.result, "delivered");
      assert.equal(message.send_at, undefined);
    }
  });

  await t.test("need a time with an offset, at most 30 days ahead", async () => {
    for (const send_at of ["tomorrow", "2030-01-01", inMs(31 * 24 * HOUR_MS), 7, "", "x".repeat(50)]) {
      const problem = await problemOf(await world.post(sendBody({ send_at })), 400, "invalid_request");
      assert.deepEqual(fieldsOf(problem), ["send_at"], String(send_at));
    }
  });

  await t.test("count the time for the idempotency key", async () => {
    const headers = { "Idempotency-Key": "later" };
    const send_at = inMs(HOUR_MS);
    const id = await accepted(world, { send_at }, headers);
    assert.equal(await accepted(world, { send_at }, headers), id);
    await problemOf(await world.post(sendBody({ send_at: inMs(2 * HOUR_MS) }), headers), 409, "idempotency_key_reused");
  });

  await t.test("get another time, and then are delivered at it", async () => {
    const id = await accepted(world, { send_at: inMs(HOUR_MS) });
    const later = inMs(2 * HOUR_MS);
    const moved = await change(world, "PATCH", id, { body: { send_at: later } });
    assert.equal(moved.status, 200, await moved.clone().text());
    const body = (await moved.json()) as Report;
    assert.deepEqual([body.send_at, body.recipients[0]?.next_attempt_at], [later, later]);
    const last = body.recipients[0]?.events.at(-1);
    assert.deepEqual([last?.type, last?.send_at], ["scheduled", later]);
    assert.match(last?.by ?? "", new RegExp(`^key .+ \\(${world.keyId}\\)$`));
    assert.equal((await change(world, "PATCH", id, { body: { send_at: inMs(-1) } })).status, 200);
    const { recipients, message_id, send_at } = await report(world, id, "?wait=20");
    assert.equal(recipients[0]?.result, "delivered");
    assert.equal(dateOf(world, message_id), Math.floor(Date.parse(send_at ?? "") / 1000) * 1000);
    await problemOf(await change(world, "PATCH", id, { body: { send_at: later } }), 409, "not_scheduled");
  });

  await t.test("are not sent to an address that was suppressed meanwhile", async () => {
    const to = [`left@${RECIPIENT_DOMAIN}`, `stays@${RECIPIENT_DOMAIN}`];
    const id = await accepted(world, { to, send_at: inMs(HOUR_MS) });
    const unsubscribed = { cause: "unsubscribed", atMs: Date.now(), untilMs: null, messageId: null } as const;
    await world.service.spool.addSuppressions({
      accountId: "acc_default",
      suppressions: [{ ...unsubscribed, address: `left@${RECIPIENT_DOMAIN}` }],
      nowMs: Date.now(),
    });
    assert.equal((await change(world, "PATCH", id, { body: { send_at: inMs(-1) } })).status, 200);
    const { recipients, message_id } = await report(world, id, "?wait=20");
    assert.deepEqual(
      recipients.map(({ result, reason, attempts, events }) => [result, reason, attempts, events.at(-1)?.type]),
      [
        ["failed", "suppressed", 0, "suppressed"],
        ["delivered", null, 1, "delivered"],
      ],
    );
    const sent = world.sink.entries.filter((each) => each.message_id === message_id);
    assert.deepEqual(
      sent.flatMap(({ rcpt_to: rcpt }) => rcpt),
      [`stays@${RECIPIENT_DOMAIN}`],
    );
    const events = (await (
      await fetch(`${world.service.url}/api/sending/events?limit=100`, {
        headers: { Authorization: `Bearer ${world.key}` },
      })
    ).json()) as { events: { type: string; message_id: string }[] };
    const types = events.events.filter((event) => event.message_id === id).map(({ type }) => type);
    assert.deepEqual(types.sort(), ["message.accepted", "recipient.delivered", "recipient.suppressed"]);
  });

  await t.test("are cancelled once", async () => {
    const id = await accepted(world, { send_at: inMs(HOUR_MS) });
    const cancelled = await change(world, "POST", `${id}/cancel`);
    assert.equal(cancelled.status, 200, await cancelled.clone().text());
    const [recipient] = ((await cancelled.json()) as Report).recipients;
    assert.deepEqual([recipient?.result, recipient?.reason], ["failed", "cancelled"]);
    assert.match(recipient?.events.at(-1)?.by ?? "", /^key /);
    await problemOf(await change(world, "POST", `${id}/cancel`), 409, "not_cancellable");
    await problemOf(await change(world, "PATCH", id, { body: { send_at: inMs(HOUR_MS) } }), 409, "not_scheduled");
  });

  await t.test("deferred ones are cancelled too, delivered ones are not", async () => {
    const deferred = await accepted(world, { to: `4xx-451@${RECIPIENT_DOMAIN}` });
    while ((await report(world, deferred)).recipients[0]?.attempts === 0)
      await new Promise((done) => setTimeout(done, 50));
    assert.equal((await change(world, "POST", `${deferred}/cancel`)).status, 200);
    const delivered = await accepted(world, {});
    await report(world, delivered, "?wait=20");
    await problemOf(await change(world, "POST", `${delivered}/cancel`), 409, "not_cancellable");
  });

  await t.test("are not found with another key, and need both permissions", async () => {
    const id = await accepted(world, { send_at: inMs(HOUR_MS) });
    const { key } = await world.newKey();
    const body = { send_at: inMs(HOUR_MS) };
    await problemOf(await change(world, "POST", `${id}/cancel`, { key }), 404, "not_found");
    await problemOf(await change(world, "PATCH", id, { key, body }), 404, "not_found");
    await problemOf(await change(world, "POST", "msg_none/cancel"), 404, "not_found");
    await problemOf(await change(world, "PATCH", id, { key: "svc_live_x", body }), 401, "invalid_api_key");
    for (const body of [
      {},
      { send_at: null },
      { send_at: 5 },
      { send_at: "soon" },
      { send_at: inMs(1), colour: 1 },
      [],
    ])
      await problemOf(await change(world, "PATCH", id, { body }), 400, "invalid_request");
    const { registry } = world.service;
    const access = { ...FULL_ACCESS, permissions: ["read"] as const };
    await registry.changeKey({ accountId: "acc_default", keyId: world.keyId, name: "reads", access });
    await problemOf(await change(world, "POST", `${id}/cancel`), 403, "permission_denied");
    await problemOf(await change(world, "PATCH", id, { body }), 403, "permission_denied");
  });
});
