/**
 * SIGKILL at random moments under load, again and again on one spool: in the start, between the first 202s, in the midst of
 * deliveries. The books are compared after every kill, and once more when everything has ended.
 */
import { setTimeout as delay } from "node:timers/promises";
import { House } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import type { Story, StoryOptions, Told } from "./story.ts";

/** Rounds that share a spool. */
const ROUNDS_A_HOUSE = 20;
const MAILS_A_ROUND = 250;
const WIDTH = 40;
/** Most kills come while mail is accepted and delivered, some after all is quiet. */
const MOMENT_MAX_MS = 1200;
const START_MS = [50, 1500] as const;
const KILLS_IN_START = 0.15;

const RATES = { peer_cuts: 0.01, peer_defers: 0.05, peer_refuses: 0.02, peer_garbles: 0.005 };

export const kill: Story = { name: "kill", tell };

interface Sums {
  rounds: number;
  accepted: number;
  taken: number;
  unknown: number;
}

async function tell({ chance, rounds, say }: StoryOptions): Promise<Told> {
  const sums: Sums = { rounds: 0, accepted: 0, taken: 0, unknown: 0 };
  const violations: string[] = [];
  while (sums.rounds < rounds && violations.length === 0) {
    const house = await House.build({ chance, rates: RATES });
    try {
      const most = Math.min(ROUNDS_A_HOUSE, rounds - sums.rounds);
      violations.push(...(await roundsIn(house, { chance, most, sums })));
      say(`  ${sums.rounds} kills, ${sums.accepted} mails answered 202, ${sums.taken} taken by peers`);
    } finally {
      await house.close();
    }
  }
  const { accepted, taken, unknown } = sums;
  const figures = `${sums.rounds} kills, ${accepted} mails answered 202, ${taken} recipients taken by peers, ${unknown} left unknown`;
  return { figures, violations };
}

async function roundsIn(
  house: House,
  { chance, most, sums }: { chance: StoryOptions["chance"]; most: number; sums: Sums },
): Promise<string[]> {
  for (let round = 0; round < most; round += 1) {
    if (chance.hit(KILLS_IN_START)) await house.killStart(chance.spread(START_MS));
    else await killUnderLoad(house, chance);
    sums.rounds += 1;
    const broken = await house.audit({ expectEnd: false });
    if (broken.length > 0) return broken.map((line) => `round ${sums.rounds}: ${line}`);
  }
  const last = await house.startOrFail();
  house.clearWeather();
  while (unanswered(house.books).length > 0) {
    await send({ house, chance, url: last.url, intents: unanswered(house.books), width: WIDTH });
  }
  await house.drained();
  await last.kill("SIGTERM");
  sums.accepted += house.books.answered.length;
  sums.taken += house.books.taken.length;
  sums.unknown += house.count("SELECT count(*) FROM recipients WHERE state = 'unknown'") ?? 0;
  return house.audit({ expectEnd: true });
}

async function killUnderLoad(house: House, chance: StoryOptions["chance"]): Promise<void> {
  const service = await house.startOrFail();
  newIntents(house.books, chance, chance.whole(1, MAILS_A_ROUND));
  const sending = send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
  await delay(chance.next() * MOMENT_MAX_MS);
  await service.kill("SIGKILL");
  await sending;
}
