/** Webhooks of a running service, as a website's receiver sees them. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readConfig } from "../../src/config.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openVault } from "../../src/security/vault.ts";
import { wireWebhooks } from "../../src/service/webhook-parts.ts";
import type { SqliteStore } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const GIVE_UP_MS = 30_000;

interface Body {
  type: string;
  data: { id: string; sequence: number; message_id: string; recipient: { email: string; result: string } | null };
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpMs = Date.now() + GIVE_UP_MS;
  while (!(await holds())) {
    if (Date.now() > giveUpMs) assert.fail(`did not happen: ${what}`);
    await delay(20);
  }
}

async function startWithEndpoint(t: TestContext, env: Record<string, string> = {}) {
  const world = await startWorld(t, { WEBHOOK_ALLOW_PRIVATE: "true", ...env });
  const receiver = await startWebhookReceiver(t);
  // The endpoint may be created where the service itself would refuse its URL.
  const config = readConfig({ ...world.env, WEBHOOK_ALLOW_PRIVATE: "true" });
  const webhooks = wireWebhooks({
    config,
    clock: systemClock,
    spool: world.service.spool as SqliteStore,
    vault: async () => openVault(config.certsDir),
    post: () => assert.fail("not used"),
  });
  const input = { url: receiver.url, types: null, keys: null, domains: null };
  const created = await webhooks.create("acc_default", input);
  assert.ok(created.type === "created");
  return { world, receiver, webhooks, id: created.id, secret: created.secret };
}

async function send(world: World, locals: string[]): Promise<string> {
  const to = locals.map((local) => `${local}@${RECIPIENT_DOMAIN}`);
  const response = await world.post({ ...sendBody(), to });
  assert.equal(response.status, 202);
  return ((await response.json()) as { id: string }).id;
}

const bodiesOf = ({ received }: WebhookReceiver): Body[] => received.map(({ body }) => JSON.parse(body) as Body);

describe("webhooks of a running service", () => {
  it("carry each event of a message once, in order, signed", async (t) => {
    const { world, receiver, secret } = await startWithEndpoint(t);
    const id = await send(world, ["delivered", "5xx-550", "drop-after-dot"]);
    await until(() => receiver.received.length >= 4, "four events");
    const bodies = bodiesOf(receiver).filter(({ data }) => data.message_id === id);
    assert.deepEqual(
      bodies.map(({ data }) => data.sequence),
      [1, 2, 3, 4],
    );
    assert.equal(bodies[0]?.type, "message.accepted");
    const results = bodies.slice(1).map(({ type, data }) => `${type} ${data.recipient?.email.split("@")[0]}`);
    assert.deepEqual(results.toSorted(), [
      "recipient.delivered delivered",
      "recipient.failed 5xx-550",
      "recipient.unknown drop-after-dot",
    ]);
    for (const [i, received] of receiver.received.entries()) {
      assert.ok(received.isSignedWith(secret));
      assert.equal(received.headers["webhook-id"], bodies[i]?.data.id);
    }
  });

  it("are refused to private addresses unless the operator allows them", async (t) => {
    const { world, receiver, id } = await startWithEndpoint(t, { WEBHOOK_ALLOW_PRIVATE: "false" });
    await send(world, ["delivered"]);
    const { spool } = world.service;
    const log = { endpointId: id, beforeNumber: null, failedOnly: true, limit: 10 };
    await until(async () => (await spool.attempts(log)).length > 0, "an attempt");
    assert.match((await spool.attempts(log))[0]?.error ?? "", /WEBHOOK_ALLOW_PRIVATE/);
    assert.equal(receiver.received.length, 0);
  });

  it("stop with a message to the account's users when the endpoint is gone, and go on when it is enabled", async (t) => {
    const { world, receiver, webhooks, id } = await startWithEndpoint(t);
    const email = `owner@${RECIPIENT_DOMAIN}`;
    const user = { email, accountId: "acc_default", passwordHash: "none", operator: false };
    await world.service.registry.createUser({ ...user, createdAtMs: Date.now(), usersMax: 10 });
    receiver.response = { status: 410, body: "gone" };
    await send(world, ["delivered"]);
    const name = { accountId: "acc_default", endpointId: id };
    await until(async () => (await webhooks.find(name))?.disabled?.reason === "gone", "disabled");
    await until(() => world.sink.entries.some(({ rcpt_to }) => rcpt_to.includes(email)), "the message to the owner");
    receiver.response = { status: 204, body: "" };
    const before = receiver.received.length;
    assert.equal(await webhooks.resume(name), true);
    await until(
      () =>
        bodiesOf(receiver)
          .slice(before)
          .some(({ data }) => data.sequence === 2),
      "the waiting events",
    );
  });
});
