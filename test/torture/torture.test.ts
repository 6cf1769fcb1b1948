/** A few rounds of the torture scenarios in which a service must keep up with a load; waits.test.ts has the others. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkInvariants } from "../../simulate/invariants.ts";
import { Prng } from "../../simulate/prng.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { Harness } from "../../torture/harness.ts";
import { newIntents, send, unsent } from "../../torture/load.ts";
import { skipUnlessInCi, testRounds } from "./rounds.ts";

testRounds({
  kill: 2,
  submission: 2,
  bounces: 2,
  webhooks: 3,
  "full-disk": 1,
  "read-only-disk": 1,
  "stop-under-load": 1,
  "slow-replies": 1,
  "torn-page": 1,
  "damaged-pages": 1,
  "spool-files": 1,
  overload: 1,
  crowds: 1,
  attackers: 1,
  strangers: 1,
  "webhook-backlog": 1,
});

test("the invariant checker detects a lost message and a duplicate", {
  skip: skipUnlessInCi,
}, async (t) => {
  const prng = new Prng(1);
  const harness = await Harness.create({ prng });
  t.after(() => harness.close());
  const service = await harness.startOrFail();
  newIntents(harness.history, prng, 5);
  await send({ harness, prng, url: service.url, intents: unsent(harness.history), width: 5 });
  await harness.waitUntilDrained();
  await service.kill("SIGTERM");
  assert.deepEqual(await harness.checkInvariants({ expectEnd: true }), []);

  const db = new Sqlite(join(harness.env.DATA_DIR ?? "", "postrider.db"));
  const [first] = harness.history.deliveries;
  assert.ok(first);
  harness.history.deliveries.push(first);
  assert.match(
    checkInvariants(db, harness.history, { expectEnd: true, contentsDeletedBeforeMs: 0 }).join(),
    /silent duplicate/,
  );
  harness.history.deliveries.pop();
  db.pragma("foreign_keys = OFF");
  db.exec("DELETE FROM messages WHERE seq = 1");
  assert.match(
    checkInvariants(db, harness.history, { expectEnd: true, contentsDeletedBeforeMs: 0 }).join(),
    /lost: intent/,
  );
  db.close();
});
