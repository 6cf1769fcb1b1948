/**
 * Sends exceed what is stored while the disk stalls: waiting sends get a response, further ones are rejected, and the
 * API stays responsive.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "../../src/spool/sqlite/driver.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { otherAccountsKey } from "./refusals.ts";

const TURNED_AWAY = /^The service receives more messages than it can store/;
/** This many sends may wait for longer than a moment. */
const MOST = 256;
const PACE_MS = 100;

/** Sends without waiting until one is rejected. Returns that response and the pending ones. */
async function sendUntilRejected(world: World): Promise<{ refused: Response; others: Promise<Response>[] }> {
  const others = Array.from({ length: MOST }, () => world.post(sendBody()));
  for (;;) {
    const next = world.post(sendBody());
    const refused = await Promise.race([next, delay(PACE_MS)]);
    if (refused?.status === 503) return { refused, others };
    others.push(next);
  }
}

test("rejects excess sends while the disk stalls", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { url, spool } = world.service;
  await spool.pauseDomain(RECIPIENT_DOMAIN, Date.now());
  const disk = new Sqlite(join(world.env.DATA_DIR ?? "", "postrider.db"));
  t.after(() => disk.close());
  const other = await otherAccountsKey(world);
  const unseen = await world.newKey();
  disk.exec("BEGIN IMMEDIATE");
  const { refused, others } = await sendUntilRejected(world);

  const { headers } = refused;
  const { detail } = await problemOf(refused, 503, "engine_unavailable");
  assert.match(detail, TURNED_AWAY);
  for (const name of ["ratelimit", "ratelimit-policy", "cache-control"]) assert.ok(headers.get(name), name);
  const again = await problemOf(
    await world.post("{", { Authorization: `Bearer ${unseen.key}` }),
    503,
    "engine_unavailable",
  );
  assert.match(again.detail, TURNED_AWAY, "rejects the account's other keys as well");
  await problemOf(await world.post(sendBody(), { Authorization: "Bearer nobody" }), 401, "invalid_api_key");
  const foreign = await world.post(sendBody(), { Authorization: `Bearer ${other.key}` });
  await problemOf(foreign, 403, "sender_not_allowed");
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal((await fetch(`${url}/dashboard/sign-in`, { redirect: "manual" })).ok, true);
  assert.equal((await world.lookUp("msg_x")).status, 404);

  disk.exec("ROLLBACK");
  for (const answer of others) assert.equal((await answer).status, 202);
  assert.equal((await world.post(sendBody())).status, 202);
});
