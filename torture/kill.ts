/**
 * Sends SIGKILL at random times under load, repeatedly on one spool: during a start, between the first 202s, during
 * deliveries. Checks the invariants after every kill, and again when every recipient has a final result.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import type { Scenario, ScenarioOptions, ScenarioResult } from "./scenario.ts";

/** Rounds on the same spool. */
const ROUNDS_PER_HARNESS = 20;
const MESSAGES_PER_ROUND = 250;
const WIDTH = 40;
/** Most kills hit while messages are accepted and delivered, some when the service is idle. */
const KILL_DELAY_MAX_MS = 1200;
const START_KILL_DELAY_MS = [20, 600] as const;
const KILL_IN_START_PROBABILITY = 0.15;

const RATES = { peer_cuts: 0.01, peer_defers: 0.05, peer_refuses: 0.02, peer_garbles: 0.005 };

export const kill: Scenario = { name: "kill", run };

interface Totals {
  rounds: number;
  accepted: number;
  deliveries: number;
  unknown: number;
}

async function run({ prng, rounds, print }: ScenarioOptions): Promise<ScenarioResult> {
  const totals: Totals = { rounds: 0, accepted: 0, deliveries: 0, unknown: 0 };
  const violations: string[] = [];
  while (totals.rounds < rounds && violations.length === 0) {
    const harness = await Harness.create({ prng, rates: RATES });
    try {
      const most = Math.min(ROUNDS_PER_HARNESS, rounds - totals.rounds);
      violations.push(...(await runRounds(harness, { prng, most, totals })));
      print(`  ${totals.rounds} kills, ${totals.accepted} messages accepted, ${totals.deliveries} deliveries to peers`);
    } finally {
      await harness.close();
    }
  }
  const { accepted, deliveries, unknown } = totals;
  const figures = `${totals.rounds} kills, ${accepted} messages accepted, ${deliveries} deliveries to peers, ${unknown} left unknown`;
  return { figures, violations };
}

async function runRounds(
  harness: Harness,
  { prng, most, totals }: { prng: ScenarioOptions["prng"]; most: number; totals: Totals },
): Promise<string[]> {
  for (let round = 0; round < most; round += 1) {
    if (prng.chance(KILL_IN_START_PROBABILITY)) await harness.killStart(prng.logUniform(START_KILL_DELAY_MS));
    else await killUnderLoad(harness, prng);
    totals.rounds += 1;
    const broken = await harness.checkInvariants({ expectEnd: false });
    if (broken.length > 0) return broken.map((line) => `round ${totals.rounds}: ${line}`);
  }
  const last = await harness.startOrFail();
  harness.stopFaults();
  while (unsent(harness.history).length > 0) {
    await send({ harness, prng, url: last.url, intents: unsent(harness.history), width: WIDTH });
  }
  await harness.waitUntilDrained();
  await last.kill("SIGTERM");
  totals.accepted += harness.history.acceptedSends.length;
  totals.deliveries += harness.history.deliveries.length;
  totals.unknown += harness.count("SELECT count(*) FROM unknown_recipients WHERE result IS NULL") ?? 0;
  return harness.checkInvariants({ expectEnd: true });
}

async function killUnderLoad(harness: Harness, prng: ScenarioOptions["prng"]): Promise<void> {
  const service = await harness.startOrFail();
  newIntents(harness.history, prng, prng.integer(1, MESSAGES_PER_ROUND));
  const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
  await delay(prng.next() * KILL_DELAY_MAX_MS);
  await service.kill("SIGKILL");
  await sending;
}
