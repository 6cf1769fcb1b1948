/**
 * Sends exceed what is stored while the disk stalls: waiting sends get a response, further ones are rejected, and the
 * API stays responsive.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { otherAccountsKey } from "./refusals.ts";

const TURNED_AWAY = /^The service receives more messages than it can store/;
/** This many sends may wait for longer than a moment. */
const MOST = 256;
const PACE_MS = 100;
const BUSY_TIMEOUT_MS = 10_000;

/** Sends without waiting for a response until one is rejected. Returns all responses, and which is the first. */
async function sendUntilRejected(world: World): Promise<{ refused: Response; sent: Promise<Response>[] }> {
  const responded: Response[] = [];
  const send = async (): Promise<Response> => {
    const response = await world.post(sendBody());
    responded.push(response);
    return response;
  };
  const sent = Array.from({ length: MOST }, send);
  for (;;) {
    sent.push(send());
    await delay(PACE_MS);
    const [refused] = responded;
    if (refused !== undefined) return { refused, sent };
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
  const beganMs = performance.now();
  const { refused, sent } = await sendUntilRejected(world);

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
  const rolledBackMs = performance.now();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  const accepted = statuses.filter((status) => status === 202).length;
  // SQLite waits for its lock for ten seconds, and sends that wait with it are rejected then.
  const isPatient = rolledBackMs - beganMs < BUSY_TIMEOUT_MS;
  assert.ok(accepted >= (isPatient ? MOST : 1), `${accepted} of those that waited are accepted`);
  assert.deepEqual(new Set(statuses), new Set([202, 503]));
  assert.equal((await world.post(sendBody())).status, 202);
});
