/**
 * Sends SIGTERM while mail exchangers delay their reply to the final dot by 12 s. Every recipient past its final dot
 * must get the reply before the process exits, and none may be unknown or sent twice.
 */
import { setTimeout as delay } from "node:timers/promises";
import { SLOW_DOT_MS } from "../simulate/peers.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const MESSAGES_PER_STOP = 40;
const WIDTH = 20;
const STOPS_MAX = 5;
const RATES = { dot_slow: 0.3 };
/** The delay of the reply, and some overhead. */
const STOP_LIMIT_MS = SLOW_DOT_MS + 15_000;

export const slowReplies: Scenario = { name: "slow-replies", run };

async function run({ prng, rounds }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng, rates: RATES });
  const violations: string[] = [];
  const stops = Math.min(STOPS_MAX, rounds);
  let awaited = 0;
  try {
    for (let i = 0; i < stops; i += 1) {
      const service = await harness.startOrFail();
      newIntents(harness.history, prng, MESSAGES_PER_STOP);
      const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
      while (unreported(harness) === 0) await delay(20);
      await delay(prng.next() * 2000);
      awaited += unreported(harness);
      const sinceMs = performance.now();
      const { code, stderr } = await service.kill("SIGTERM");
      const tookMs = Math.round(performance.now() - sinceMs);
      await sending;
      const unknown =
        harness.count("SELECT count(*) FROM recipient_states WHERE result = 'unknown' OR mark IS NOT NULL") ?? 0;
      violations.push(
        ...violationUnless(code === 0, `SIGTERM exited with ${code}: ${stderr}`),
        ...violationUnless(unknown === 0, `SIGTERM left ${unknown} recipients unknown`),
        ...violationUnless(tookMs < STOP_LIMIT_MS, `a stop took ${tookMs} ms`),
        ...(await harness.checkInvariants({ expectEnd: false })),
      );
    }
    violations.push(...(await deliversTheRest(harness)));
    const { acceptedSends, deliveries } = harness.history;
    const figures = `${stops} stops with ${awaited} replies outstanding, ${acceptedSends.length} messages accepted, ${deliveries.length} deliveries to peers`;
    return { figures, violations };
  } finally {
    await harness.close();
  }
}

/** Deliveries whose exchanger has accepted the message but not replied yet. */
function unreported({ history }: Harness): number {
  return history.deliveries.filter(({ isReplySent }) => !isReplySent).length;
}

/** Recipients that the stops left pending are delivered once the hosts are fast. */
async function deliversTheRest(harness: Harness): Promise<string[]> {
  harness.stopFaults();
  const service = await harness.startOrFail();
  const isDrained = await harness.waitUntilDrained();
  await service.kill("SIGTERM");
  return [
    ...violationUnless(isDrained, "pending recipients were not delivered"),
    ...(await harness.checkInvariants({ expectEnd: true })),
  ];
}
