/**
 * SIGTERM while mail exchangers take 12 s over their reply to the final dot: every recipient whose dot has left gets its
 * reply before the process ends. None may be unknown, and none may be sent twice.
 */
import { setTimeout as delay } from "node:timers/promises";
import { SLOW_DOT_MS } from "../simulate/peers.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const MAILS_A_STOP = 40;
const WIDTH = 20;
const STOPS_MAX = 5;
const RATES = { dot_slow: 0.3 };
/** The reply, and some for the rest. */
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
      newIntents(harness.history, prng, MAILS_A_STOP);
      const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
      while (untold(harness) === 0) await delay(20);
      await delay(prng.next() * 2000);
      awaited += untold(harness);
      const sinceMs = performance.now();
      const { code, stderr } = await service.kill("SIGTERM");
      const tookMs = Math.round(performance.now() - sinceMs);
      await sending;
      const unknown = harness.count("SELECT count(*) FROM recipients WHERE state IN ('unknown', 'marked')") ?? 0;
      violations.push(
        ...violationUnless(code === 0, `SIGTERM ended with ${code}: ${stderr}`),
        ...violationUnless(unknown === 0, `SIGTERM left ${unknown} recipients in doubt`),
        ...violationUnless(tookMs < STOP_LIMIT_MS, `a stop took ${tookMs} ms`),
        ...(await harness.checkInvariants({ expectEnd: false })),
      );
    }
    violations.push(...(await deliversTheRest(harness)));
    const { acceptedSends: answered, deliveries: taken } = harness.history;
    const figures = `${stops} stops with ${awaited} replies outstanding, ${answered.length} mails answered 202, ${taken.length} recipients taken by peers`;
    return { figures, violations };
  } finally {
    await harness.close();
  }
}

/** Recipients whose exchanger has the message and has not said so. */
function untold({ history }: Harness): number {
  return history.deliveries.filter(({ isReplySent: isTold }) => !isTold).length;
}

/** What the stops left pending goes out once the hosts are quick. */
async function deliversTheRest(harness: Harness): Promise<string[]> {
  harness.stopFaults();
  const service = await harness.startOrFail();
  const isDrained = await harness.waitUntilDrained();
  await service.kill("SIGTERM");
  return [
    ...violationUnless(isDrained, "what was pending was not delivered"),
    ...(await harness.checkInvariants({ expectEnd: true })),
  ];
}
