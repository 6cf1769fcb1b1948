/** Live mail of an account beside thousands of hosts that hang, in virtual time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createInitialSpool } from "../../simulate/initial-spool.ts";
import { runSlowHosts, SLOW_VARIANTS, slowSeed } from "../../simulate/slow-hosts.ts";

const IN_CI = process.env.CI === "true";
/** What takes the least time. */
const USUAL = 8;

for (let variant = 0; variant < SLOW_VARIANTS.length; variant += 1) {
  const skip = variant === USUAL || IN_CI ? false : "slow: runs with CI=true";
  test(`live mail leaves within a second (p95), also to new domains, beside ${SLOW_VARIANTS[variant]}`, {
    skip,
  }, async () => {
    const { violations, counts } = await runSlowHosts(slowSeed(variant), await createInitialSpool());
    assert.deepEqual(violations, []);
    // A twentieth of the live mail may be late.
    assert.ok(counts.messages > 900 && counts.deliveries >= 0.95 * 120);
  });
}
