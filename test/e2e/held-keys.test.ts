/** A key that sends far above its limit, through the whole service: its further mail is kept, told about, released or cancelled. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SPAN_MS, SPANS_A_DAY } from "../../src/message/key-fuse.ts";
import type { MessageReport } from "../support/api-client.ts";
import { cheapHash } from "../support/cheap-hash.ts";
import { until } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const CALM = { RETRY_SCHEDULE: "1h" };

async function cli(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCli([...args, "--json"], world.env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Accepts messages one after the other with a key. Returns their ids. */
async function sendMany(world: World, count: number, key = world.key): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await world.post(sendBody({ to: `u${i}@${RECIPIENT_DOMAIN}`, subject: `Message ${i}` }), headers);
    assert.equal(response.status, 202);
    ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}

async function states(world: World, ids: readonly string[], key = world.key): Promise<string[]> {
  const reports = ids.map(async (id) => {
    const response = await world.lookUp(id, "", key);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return (JSON.parse(text) as MessageReport).recipients[0];
  });
  return (await Promise.all(reports)).map((recipient) =>
    recipient?.result === "pending" ? `pending ${recipient.reason}` : String(recipient?.result),
  );
}

const countOf = (all: readonly string[], state: string): number => all.filter((each) => each === state).length;

test("a key above its limit is held, and its mail leaves once after the release", { timeout: 120_000 }, async (t) => {
  const world = await startWorld(t, CALM);
  const passwordHash = cheapHash("correct horse battery");
  const owner = { email: `owner@${RECIPIENT_DOMAIN}`, accountId: "acc_default", passwordHash, operator: false };
  await world.service.registry.createUser({ ...owner, createdAtMs: Date.now(), usersMax: 10 });
  const other = await world.newKey();
  await cli(world, "keys", "fuse", world.keyId, "--limit", "5");
  // The setting is read every two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const ids = await sendMany(world, 20);
  await until("the key held", async () => {
    const now = await states(world, ids);
    return countOf(now, "delivered") === 5 && countOf(now, "pending held") === 15;
  });
  const honest = await sendMany(world, 8, other.key);
  await until(
    "the mail of another key",
    async () => countOf(await states(world, honest, other.key), "delivered") === 8,
  );
  const late = await sendMany(world, 1);
  await until("mail of the held key", async () => (await states(world, late))[0] === "pending held");
  const keys = (await cli(world, "keys", "list")) as unknown as { id: string; held_since: string | null }[];
  assert.deepEqual(
    keys.filter(({ held_since: since }) => since !== null).map(({ id }) => id),
    [world.keyId],
  );
  const told = (): boolean =>
    world.sink.entries.some(
      ({ rcpt_to: to, subject }) => to.includes(owner.email) && /API key .* is held/.test(subject ?? ""),
    );
  await until("the email to the owner", async () => told());

  const released = await Promise.all([
    runCli(["keys", "release", world.keyId, "--json"], world.env),
    runCli(["keys", "release", world.keyId, "--json"], world.env),
  ]);
  assert.deepEqual(released.map(({ code }) => code).sort(), [0, 1], "one of two releases");
  await until("all delivered", async () => countOf(await states(world, [...ids, ...late]), "delivered") === 21);
  const subjects = world.sink.entries.map(({ subject }) => subject ?? "");
  for (let i = 0; i < 20; i += 1) {
    const copies = subjects.filter((subject) => subject === `Message ${i}`).length;
    assert.equal(copies, (i < 8 ? 1 : 0) + 1 + (i === 0 ? 1 : 0), `copies of message ${i}`);
  }
});

test("a key that is known for weeks is held by what it normally does; its mail is cancelled", {
  timeout: 120_000,
}, async (t) => {
  const world = await startWorld(t, CALM);
  const today = Math.floor(Date.now() / SPAN_MS / SPANS_A_DAY);
  const spans = Array.from({ length: 20 }, (_, i) => ({
    keyId: world.keyId,
    span: (today - 20 + i) * SPANS_A_DAY,
    recipients: 12,
    unknown: 0,
  }));
  await world.service.registry.addKeyUse(spans, today * SPANS_A_DAY);
  await sendMany(world, 1);
  const ids: string[] = [];
  for (let round = 0; round < 6; round += 1) ids.push(...(await sendMany(world, 45)));
  await until("the key held", async () => {
    const now = await states(world, ids);
    return countOf(now, "pending held") + countOf(now, "delivered") === ids.length && countOf(now, "pending held") > 0;
  });
  const delivered = countOf(await states(world, ids), "delivered");
  assert.ok(delivered >= 150 && delivered <= 300, `${delivered} delivered`);
  const keys = (await cli(world, "keys", "list")) as unknown as { id: string; held_because: string | null }[];
  assert.match(
    keys.find(({ id }) => id === world.keyId)?.held_because ?? "",
    /recipients in ten minutes, where its limit/,
  );
  const retried = await runCli(["queue", "retry", "--pending", "--reason", "held"], world.env);
  assert.match(retried.stderr, /keys release/);
  assert.equal((await cli(world, "queue", "retry", "--pending", "--dry-run")).would_retry, 0, "held mail is left out");
  const cancelled = await cli(world, "keys", "cancel-held", world.keyId, "--yes");
  assert.equal(cancelled.cancelled, ids.length - delivered);
  const after = await states(world, ids);
  assert.deepEqual([countOf(after, "delivered"), countOf(after, "failed")], [delivered, ids.length - delivered]);
  await cli(world, "keys", "revoke", world.keyId, "--yes");
  const asked = await runCli(["keys", "release", world.keyId], world.env);
  assert.deepEqual([asked.code, /is revoked.*--yes/s.test(asked.stderr)], [1, true], asked.stderr);
});

test("mail that was put off before its first attempt counts, and its time begins anew with the release", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s", RETRY_MAX_AGE: "30s" });
  await cli(world, "addresses", "add", "127.0.0.203", "--name", "mail1.host.example");
  await cli(world, "addresses", "pause", "127.0.0.203");
  let earlier = 0;
  await until("mail without an address", async () => {
    const ids = await sendMany(world, 1);
    earlier += 1;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return (await states(world, ids))[0] === "pending no_sending_address";
  });
  await cli(world, "keys", "fuse", world.keyId, "--limit", String(earlier + 4));
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const ids = await sendMany(world, 12);
  // Mail that was let through is held as well at its next attempt.
  await until("the key held", async () => countOf(await states(world, ids), "pending held") >= 8);
  const now = await states(world, ids);
  const held = ids.filter((_, i) => now[i] === "pending held");
  await cli(world, "addresses", "resume", "127.0.0.203");
  // Longer than a message may wait, and until the address is in use.
  await new Promise((resolve) => setTimeout(resolve, 32_000));
  await cli(world, "keys", "release", world.keyId);
  await until("the held mail", async () => countOf(await states(world, held), "delivered") === held.length);
});
