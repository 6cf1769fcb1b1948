/** Held lookups: an account can hold a limited number and leaves slots for the others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { authenticate } from "../../src/http/authenticate.ts";
import { attempted, pollUntil, send } from "../support/api-client.ts";
import { holdUntilRejected } from "../support/held-lookups.ts";
import { HOUR_MS, newMessage } from "../support/messages.ts";
import { apiTarget } from "../support/peers.ts";
import { sendBody, startWorld } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { otherAccountsKey } from "./refusals.ts";

/** The test's time limit ends a condition that never becomes true. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(20);
}

test("rejects further held lookups of one account with 503, and answers other lookups", {
  timeout: 60_000,
}, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const target = apiTarget(world);
  const id = await send(target, sendBody({ to: "4xx-451@customers.example" }));
  await pollUntil(target, id, attempted);
  const statusOf = async (query: string): Promise<number> => (await world.lookUp(id, query)).status;
  const release = await holdUntilRejected(world, id, async () => (await statusOf("?wait=1")) === 429);
  t.after(release);
  await problemOf(await world.lookUp(id, "?wait=1"), 429, "rate_limit_exceeded");
  assert.equal(await statusOf(""), 200);
  assert.equal((await world.post(sendBody())).status, 202);

  const { key } = await otherAccountsKey(world);
  const other = await authenticate(`Bearer ${key}`, world.service.registry, Date.now());
  const theirs = newMessage({ accountId: other.accountId, keyId: other.id, createdAtMs: Date.now() });
  await world.service.spool.accept({ ...theirs, expiresAtMs: Date.now() + HOUR_MS });
  const answer = await world.lookUp(theirs.id, "?wait=1", key);
  assert.equal(answer.status, 200);

  release();
  await until(async () => (await statusOf("?wait=1")) === 200);
});
