/** More is sent than is stored, since the disk stands still: who waits is answered, the rest is turned away, the front lives. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "../../src/spool/sqlite/driver.ts";
import { letter, RECIPIENT_DOMAIN, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { strangersKey } from "./refusals.ts";

const TURNED_AWAY = /^The service receives more messages than it can store/;
/** So many may wait for longer than a moment. */
const MOST = 256;
const PACE_MS = 100;

/** Sends on without waiting until one is turned away; that answer, and those to come of the others. */
async function crowdUntilRefused(world: World): Promise<{ refused: Response; others: Promise<Response>[] }> {
  const others = Array.from({ length: MOST }, () => world.post(letter()));
  for (;;) {
    const next = world.post(letter());
    const refused = await Promise.race([next, delay(PACE_MS)]);
    if (refused?.status === 503) return { refused, others };
    others.push(next);
  }
}

test("a crowd while the disk stands still", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { url, spool } = world.service;
  await spool.pauseDomain(RECIPIENT_DOMAIN, Date.now());
  const disk = new Sqlite(join(world.env.DATA_DIR ?? "", "postrider.db"));
  t.after(() => disk.close());
  const stranger = await strangersKey(world);
  const unseen = await world.newKey();
  disk.exec("BEGIN IMMEDIATE");
  const { refused, others } = await crowdUntilRefused(world);

  const { headers } = refused;
  const { detail } = await problemOf(refused, 503, "engine_unavailable");
  assert.match(detail, TURNED_AWAY);
  for (const name of ["ratelimit", "ratelimit-policy", "cache-control"]) assert.ok(headers.get(name), name);
  const again = await problemOf(
    await world.post("{", { Authorization: `Bearer ${unseen.key}` }),
    503,
    "engine_unavailable",
  );
  assert.match(again.detail, TURNED_AWAY, "an account's other keys as well");
  await problemOf(await world.post(letter(), { Authorization: "Bearer nobody" }), 401, "invalid_api_key");
  const other = await world.post(letter(), { Authorization: `Bearer ${stranger.key}` });
  await problemOf(other, 403, "sender_not_allowed");
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal((await fetch(`${url}/dashboard/sign-in`, { redirect: "manual" })).ok, true);
  assert.equal((await world.lookUp("msg_x")).status, 404);

  disk.exec("ROLLBACK");
  for (const answer of others) assert.equal((await answer).status, 202);
  assert.equal((await world.post(letter())).status, 202);
});
