/** A few rounds of each torture scenario; `npm run torture` runs more. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkInvariants } from "../../simulate/invariants.ts";
import { Prng } from "../../simulate/prng.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { Harness } from "../../torture/harness.ts";
import { newIntents, send, unsent } from "../../torture/load.ts";
import { scenarios } from "../../torture/scenarios.ts";

const ROUNDS: Record<string, number> = {
  kill: 3,
  submission: 5,
  bounces: 3,
  webhooks: 12,
  "full-disk": 1,
  "read-only-disk": 1,
  "stop-under-load": 2,
  "slow-replies": 1,
  "torn-page": 2,
  "damaged-pages": 1,
  "restored-backup": 1,
  "spool-files": 2,
  "clock-steps": 1,
  overload: 1,
  crowds: 1,
  attackers: 1,
  strangers: 2,
  "webhook-backlog": 5,
};

const IN_CI = process.env.CI === "true";

for (const scenario of scenarios) {
  const rounds = ROUNDS[scenario.name];
  if (rounds === undefined) continue;
  const obstacle = IN_CI ? (scenario.obstacle?.() ?? null) : "slow: runs with CI=true";
  test(`torture: ${scenario.name}`, obstacle === null ? {} : { skip: obstacle }, async (t) => {
    const { figures, violations } = await scenario.run({ prng: new Prng(7), rounds, print: () => {} });
    t.diagnostic(figures);
    assert.deepEqual(violations, []);
  });
}

test("the invariant checker detects a lost message and a duplicate", {
  skip: IN_CI ? false : "slow: runs with CI=true",
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
