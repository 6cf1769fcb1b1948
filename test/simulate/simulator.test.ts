/** The simulator's own budget in every test run, and that a seed is all there is to a run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createInitialSpool } from "../../simulate/initial-spool.ts";
import { type Outcome, runSeed } from "../../simulate/run.ts";

const FIRST_SEED = 1_000_000;
const IN_CI = process.env.CI === "true";
/** A few where somebody waits for them; `npm run simulate` runs any number. */
const SEEDS = IN_CI ? 100 : 4;
const HUNDREDS = IN_CI ? 2 : 1;

const outcomes: Outcome[] = [];
const sum = (of: (o: Outcome) => number): number => outcomes.reduce((total, o) => total + of(o), 0);

for (let part = 0; part < HUNDREDS; part += 1) {
  const from = FIRST_SEED + part * SEEDS;
  test(`no loss and no silent duplicate, whatever fails: seeds from ${from}`, { timeout: 280_000 }, async () => {
    const first = createInitialSpool();
    const broken: string[] = [];
    for (let seed = from; seed < from + SEEDS; seed += 1) {
      const outcome = await runSeed(seed, { initialSpool: first });
      outcomes.push(outcome);
      broken.push(...outcome.violations.map((violation) => `seed ${seed}: ${violation}`));
    }
    assert.deepEqual(broken, []);
  });
}

test("in these runs enough has happened, and everything that can go wrong has", (t) => {
  const seeds = outcomes.length;
  const [lives, messages] = [sum((o) => o.counts.incarnations), sum((o) => o.counts.messages)];
  const unknown = sum((o) => o.counts.unknown);
  t.diagnostic(`${seeds} seeds, ${lives} lives, ${messages} messages, ${unknown} recipients left unknown`);
  assert.ok(seeds > 0 && lives > 2 * seeds && messages > 5 * seeds && unknown > 0);
  const names = Object.keys(outcomes[0]?.tally ?? {});
  assert.ok(names.length > 40);
  const never = names.filter((name) => sum((o) => o.tally[name] ?? 0) === 0);
  // A few seeds need not show the rarest.
  assert.ok(never.length <= (IN_CI ? 0 : 16), `never drawn: ${never.join(", ")}`);
});

async function checkSame(outcome: Outcome, seed: number): Promise<void> {
  assert.deepEqual(await runSeed(seed, { initialSpool: createInitialSpool() }), outcome);
  assert.ok(outcome.counts.effects > 20);
}

test("the same seed is the same run, in every effect and its moment, whatever ids the service draws", async () => {
  for (const seed of IN_CI ? [3, 62, 251] : []) {
    const first = createInitialSpool();
    await checkSame(await runSeed(seed, { initialSpool: first }), seed);
  }
  const [one, other] = outcomes;
  assert.ok(one && other);
  await checkSame(one, FIRST_SEED);
  assert.notEqual(one.digest, other.digest);
});
