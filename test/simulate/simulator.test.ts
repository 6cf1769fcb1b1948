/** Runs some seeds of the simulator and checks that a run depends on its seed alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createInitialSpool } from "../../simulate/initial-spool.ts";
import { type Outcome, runSeed } from "../../simulate/run.ts";
import { hasSlowHosts } from "../../simulate/slow-hosts.ts";

const FIRST_SEED = 1_000_000;
const IN_CI = process.env.CI === "true";
/** A few outside CI; `npm run simulate` runs any number. */
const SEEDS = IN_CI ? 20 : 4;
const PARTS = IN_CI ? 2 : 1;
/** Of runs in which nothing else fails (simulate/own-records.ts). */
const OWN_RECORDS_SEEDS = [13, 53, 93];
/** Of runs with receivers that ask for pauses and block our address (simulate/limited-receivers.ts). */
const LIMITED_SEEDS = [26, 66, 106];

const outcomes: Outcome[] = [];
const sum = (of: (o: Outcome) => number): number => outcomes.reduce((total, o) => total + of(o), 0);

for (let part = 0; part < PARTS; part += 1) {
  const from = FIRST_SEED + part * SEEDS;
  test(`loses no message and sends no silent duplicate under faults: seeds from ${from}`, {
    timeout: 2_000_000,
  }, async () => {
    const initialSpool = await createInitialSpool();
    const broken: string[] = [];
    for (let seed = from; seed < from + SEEDS; seed += 1) {
      // Each of these takes a minute, and slow-hosts.test.ts has one of each variant.
      if (hasSlowHosts(seed)) continue;
      const outcome = await runSeed(seed, { initialSpool });
      outcomes.push(outcome);
      broken.push(...outcome.violations.map((violation) => `seed ${seed}: ${violation}`));
    }
    assert.deepEqual(broken, []);
  });
}

test("the runs inject every fault and reach every occurrence", (t) => {
  const seeds = outcomes.length;
  const [incarnations, messages] = [sum((o) => o.counts.incarnations), sum((o) => o.counts.messages)];
  const unknown = sum((o) => o.counts.unknown);
  t.diagnostic(
    `${seeds} seeds, ${incarnations} process incarnations, ${messages} messages, ${unknown} recipients left unknown`,
  );
  assert.ok(seeds > 0 && incarnations > 2 * seeds && messages > 5 * seeds && unknown > 0);
  const names = Object.keys(outcomes[0]?.tally ?? {});
  assert.ok(names.length > 40);
  const never = names.filter((name) => sum((o) => o.tally[name] ?? 0) === 0);
  // The rarest may be missing from few seeds.
  assert.ok(never.length <= (IN_CI ? 4 : 24), `never drawn: ${never.join(", ")}`);
});

test("while our own records are missing for ten minutes, no recipient fails, and all are delivered", async () => {
  const initialSpool = await createInitialSpool();
  for (const seed of OWN_RECORDS_SEEDS) {
    const { violations, tally } = await runSeed(seed, { initialSpool });
    assert.deepEqual(violations, [], `seed ${seed}`);
    assert.ok((tally.refused_for_own_records ?? 0) > 0, `seed ${seed}`);
  }
});

test("receivers that ask for a pause get no message within it, and a block of our address fails no recipient", async () => {
  const initialSpool = await createInitialSpool();
  for (const seed of LIMITED_SEEDS) {
    const { violations, tally } = await runSeed(seed, { initialSpool });
    assert.deepEqual(violations, [], `seed ${seed}`);
    assert.ok((tally.refused_by_limited_receiver ?? 0) > 0, `seed ${seed}`);
  }
});

async function checkSame(outcome: Outcome, seed: number): Promise<void> {
  assert.deepEqual(await runSeed(seed, { initialSpool: await createInitialSpool() }), outcome);
  assert.ok(outcome.counts.effects > 20);
}

test("the same seed gives the same effects at the same times, whatever ids the service draws", async () => {
  for (const seed of IN_CI ? [3, 62, 251] : []) {
    const initialSpool = await createInitialSpool();
    await checkSame(await runSeed(seed, { initialSpool }), seed);
  }
  const [one, other] = outcomes;
  assert.ok(one && other);
  await checkSame(one, FIRST_SEED);
  assert.notEqual(one.digest, other.digest);
});
