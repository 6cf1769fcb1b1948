/**
 * SIGTERM while mail exchangers take 12 s over their reply to the final dot: every recipient whose dot has left gets its
 * reply before the process ends. None may be unknown, and none may be sent twice.
 */
import { setTimeout as delay } from "node:timers/promises";
import { SLOW_DOT_MS } from "../simulate/peers.ts";
import { House } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

const MAILS_A_STOP = 40;
const WIDTH = 20;
const STOPS_MAX = 5;
const RATES = { dot_slow: 0.3 };
/** The reply, and some for the rest. */
const STOP_LIMIT_MS = SLOW_DOT_MS + 15_000;

export const slowReplies: Story = { name: "slow-replies", tell };

async function tell({ chance, rounds }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance, rates: RATES });
  const violations: string[] = [];
  const stops = Math.min(STOPS_MAX, rounds);
  let awaited = 0;
  try {
    for (let i = 0; i < stops; i += 1) {
      const service = await house.startOrFail();
      newIntents(house.books, chance, MAILS_A_STOP);
      const sending = send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
      while (untold(house) === 0) await delay(20);
      await delay(chance.next() * 2000);
      awaited += untold(house);
      const sinceMs = performance.now();
      const { code, stderr } = await service.kill("SIGTERM");
      const tookMs = Math.round(performance.now() - sinceMs);
      await sending;
      const unknown = house.count("SELECT count(*) FROM recipients WHERE state IN ('unknown', 'marked')") ?? 0;
      violations.push(
        ...must(code === 0, `SIGTERM ended with ${code}: ${stderr}`),
        ...must(unknown === 0, `SIGTERM left ${unknown} recipients in doubt`),
        ...must(tookMs < STOP_LIMIT_MS, `a stop took ${tookMs} ms`),
        ...(await house.audit({ expectEnd: false })),
      );
    }
    violations.push(...(await deliversTheRest(house)));
    const { answered, taken } = house.books;
    const figures = `${stops} stops with ${awaited} replies outstanding, ${answered.length} mails answered 202, ${taken.length} recipients taken by peers`;
    return { figures, violations };
  } finally {
    await house.close();
  }
}

/** Recipients whose exchanger has the message and has not said so. */
function untold({ books }: House): number {
  return books.taken.filter(({ isTold }) => !isTold).length;
}

/** What the stops left pending goes out once the hosts are quick. */
async function deliversTheRest(house: House): Promise<string[]> {
  house.clearWeather();
  const service = await house.startOrFail();
  const isDrained = await house.drained();
  await service.kill("SIGTERM");
  return [...must(isDrained, "what was pending was not delivered"), ...(await house.audit({ expectEnd: true }))];
}
