/** The list of suppressed addresses over several pages. What it contains is in the conformance suite. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { applyRefusals, type RefusalChange } from "../../../../src/spool/engine/postgres/incoming/refusal-history.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { incomingOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../port/conformance/store-suite.ts";

it("all suppressed addresses are listed, the last refused first, and one removed on request", {
  skip: missingPostgresOrTime(),
}, async (t) => {
  const {
    nodes: [database],
  } = await twoNodes(t);
  const { suppressions, unsuppress } = incomingOf(database);
  const place = { code: 550, enhanced_code: "5.1.1", message: "No such user", mx: "mx.example", ip: "192.0.2.1" };
  const changes = Array.from({ length: 250 }, (_, i): RefusalChange => {
    // Three addresses at a time.
    const refusal = { at_ms: NOW_MS - Math.floor(i / 3), ...place };
    return { accountId: "acc_default", address: `user${1000 + i}@a.example`, refusal };
  });
  await database.transaction((session) => applyRefusals(session, changes));
  const filter = { accountId: "acc_default", after: 1, nowMs: NOW_MS, limit: 1000 };
  const addresses = changes.map(({ address }) => address);
  assert.deepEqual(
    (await suppressions(filter)).map(({ email }) => email),
    addresses,
  );
  assert.deepEqual((await suppressions({ ...filter, limit: 101 })).length, 101);
  assert.deepEqual(await suppressions({ ...filter, after: 2 }), []);
  assert.equal(await unsuppress("acc_default", "user1000@A.example"), true);
  assert.equal(await unsuppress("acc_default", "user1000@A.example"), false);
  assert.equal(await unsuppress("acc_default", "no address"), false);
  assert.deepEqual(
    (await suppressions({ ...filter, limit: 1 })).map(({ email }) => email),
    ["user1001@a.example"],
  );
});
