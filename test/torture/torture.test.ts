/** Some rounds of the torture in every test run; `npm run torture` has hundreds. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { audit } from "../../simulate/audit.ts";
import { Chance } from "../../simulate/chance.ts";
import Sqlite from "../../src/spool/sqlite/driver.ts";
import { House } from "../../torture/house.ts";
import { newIntents, send, unanswered } from "../../torture/load.ts";
import { stories } from "../../torture/stories.ts";

const ROUNDS: Record<string, number> = {
  kill: 3,
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
};

const IN_CI = process.env.CI === "true";

for (const story of stories) {
  const rounds = ROUNDS[story.name];
  if (rounds === undefined) continue;
  const obstacle = IN_CI ? (story.obstacle?.() ?? null) : "takes a while, so it runs with CI=true";
  test(`torture: ${story.name}`, obstacle === null ? {} : { skip: obstacle }, async (t) => {
    const { figures, violations } = await story.tell({ chance: new Chance(7), rounds, say: () => {} });
    t.diagnostic(figures);
    assert.deepEqual(violations, []);
  });
}

test("the books would tell of a mail that is lost, and of one that came twice", {
  skip: IN_CI ? false : "see above",
}, async (t) => {
  const chance = new Chance(1);
  const house = await House.build({ chance });
  t.after(() => house.close());
  const service = await house.startOrFail();
  newIntents(house.books, chance, 5);
  await send({ house, chance, url: service.url, intents: unanswered(house.books), width: 5 });
  await house.drained();
  await service.kill("SIGTERM");
  assert.deepEqual(await house.audit({ expectEnd: true }), []);

  const db = new Sqlite(join(house.env.DATA_DIR ?? "", "postrider.db"));
  const [first] = house.books.taken;
  assert.ok(first);
  house.books.taken.push(first);
  assert.match(audit(db, house.books, { expectEnd: true }).join(), /sent twice in silence/);
  house.books.taken.pop();
  db.pragma("foreign_keys = OFF");
  db.exec("DELETE FROM messages WHERE seq = 1");
  assert.match(audit(db, house.books, { expectEnd: true }).join(), /lost: intent/);
  db.close();
});
