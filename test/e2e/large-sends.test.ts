/** Large sends of one account that together need more memory than it may use: they wait for each other and are all accepted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendBody, startWorld } from "../support/world.ts";

const CLIENTS = 20;
/** Three of these use up the account's share. */
const BYTES = 3 * 1024 * 1024;

test("accepts all large sends of one account", { timeout: 180_000 }, async (t) => {
  const world = await startWorld(t);
  // The domain does not exist, so nothing is delivered meanwhile.
  const large = JSON.stringify(sendBody({ to: "a@nowhere.example", text: "A line.\n".repeat(BYTES / 9) }));
  const sends = Array.from({ length: CLIENTS }, (_, i) => world.post(large, { "Idempotency-Key": `large-${i}` }));
  const short = await world.post(sendBody());
  assert.equal(short.status, 202);
  const ids = new Set<string>();
  for (const response of await Promise.all(sends)) {
    const body = (await response.json()) as { id: string };
    assert.equal(response.status, 202, JSON.stringify(body));
    ids.add(body.id);
  }
  assert.equal(ids.size, CLIENTS);
  const again = await world.post(large, { "Idempotency-Key": "large-0" });
  assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [202, "true"]);
  const other = await world.post(large.replace("Hello", "Other"), { "Idempotency-Key": "large-0" });
  assert.equal(other.status, 409, await other.text());
});
