/** Registers a few rounds of torture scenarios as tests; `npm run torture` runs more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Prng } from "../../simulate/prng.ts";
import { scenarios } from "../../torture/scenarios.ts";

const IN_CI = process.env.CI === "true";

/** Why tests of this directory are skipped, or false. */
export const skipUnlessInCi: string | false = IN_CI ? false : "slow: runs with CI=true";

/** `rounds` gives the number of rounds by the name of the scenario. */
export function testRounds(rounds: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(rounds)) {
    const scenario = scenarios.find((each) => each.name === name) ?? assert.fail(`no scenario ${name}`);
    const skip = skipUnlessInCi || (scenario.obstacle?.() ?? false);
    test(`torture: ${name}`, { skip }, async (t) => {
      const { figures, violations } = await scenario.run({ prng: new Prng(7), rounds: count, print: () => {} });
      t.diagnostic(figures);
      assert.deepEqual(violations, []);
    });
  }
}
