/** The simulator's own budget in every test run, and that a seed is all there is to a run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFirstFile } from "../../simulate/first-file.ts";
import { type Outcome, runSeed } from "../../simulate/run.ts";

const FIRST_SEED = 1_000_000;
/** A few where somebody waits for them; `npm run simulate` runs any number. */
const SEEDS = process.env.CI === "true" ? 100 : 10;

test("no loss and no silent duplicate, whatever fails", { timeout: 280_000 }, async (t) => {
  const first = makeFirstFile();
  const outcomes: Outcome[] = [];
  for (let i = 0; i < SEEDS; i += 1) outcomes.push(await runSeed(FIRST_SEED + i, { first }));
  const sum = (of: (o: Outcome) => number): number => outcomes.reduce((total, o) => total + of(o), 0);
  const broken = outcomes.flatMap(({ seed, violations }) => violations.map((v) => `seed ${seed}: ${v}`));
  assert.deepEqual(broken, []);
  const [lives, messages, unknown] = [
    sum((o) => o.counts.lives),
    sum((o) => o.counts.messages),
    sum((o) => o.counts.unknown),
  ];
  t.diagnostic(`${SEEDS} seeds, ${lives} lives, ${messages} messages, ${unknown} recipients left unknown`);
  // Runs in which nothing happens would show nothing.
  assert.ok(lives > 2 * SEEDS && messages > 5 * SEEDS && unknown > 0);
});

test("the same seed is the same run, in every effect and its moment, whatever ids the service draws", async () => {
  for (const seed of [3, 62, 251]) {
    const [one, other] = [
      await runSeed(seed, { first: makeFirstFile() }),
      await runSeed(seed, { first: makeFirstFile() }),
    ];
    assert.deepEqual(one, other);
    assert.ok(one.counts.effects > 20);
  }
  const first = makeFirstFile();
  assert.notEqual((await runSeed(4, { first })).digest, (await runSeed(5, { first })).digest);
});
