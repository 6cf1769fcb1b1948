/** A few rounds of the torture scenarios with several nodes, which mostly wait; `npm run torture` runs more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Prng } from "../../simulate/prng.ts";
import { cluster } from "../../torture/cluster.ts";
import { limitedPeer } from "../../torture/limited-peer.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";

const ROUNDS = [
  { scenario: cluster, rounds: 2 },
  { scenario: limitedPeer, rounds: 1 },
];

const skip = missingPostgresOrTime();

for (const { scenario, rounds } of ROUNDS) {
  test(`torture: ${scenario.name}`, { skip }, async (t) => {
    const { figures, violations } = await scenario.run({ prng: new Prng(7), rounds, print: () => {} });
    t.diagnostic(figures);
    assert.deepEqual(violations, []);
  });
}
