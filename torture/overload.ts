/**
 * More than it can take: what it takes is measured, then mails come at three times that on a schedule, from thousands of
 * connections of many accounts, whatever becomes of those before. It must refuse in good order, stay alive within its memory,
 * take every mail of an account that is not of the crowd, and deliver what it accepted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Harness, type RunningService } from "./harness.ts";
import { newIntents, send } from "./load.ts";
import type { LoadOptions, LoadReport } from "./load-generator.ts";
import { finishLoad, watchMemory } from "./memory-watch.ts";
import { numberedIntent } from "./numbered-intent.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const PROGRAM = fileURLToPath(new URL("load-generator.ts", import.meta.url));
/** The first is not of the crowd. */
const ACCOUNTS = 9;
/** Until the service's code is warm. */
const WARM_UP_MS = 4000;
const CAPACITY_MS = 5000;
const CAPACITY_CONNECTIONS = 100;
const OVERLOAD_FACTOR = 3;
/** A round's share of the flood, which goes on without a break. */
const ROUND_MS = 8000;
const ROUNDS_MAX = 3;
const CONNECTIONS = 3000;
const PROBE_EVERY_MS = 500;
const PROBE_LIMIT_MS = 20_000;
/** Once the flood is over. */
const MESSAGES_AFTER = 50;
/** The least part of what it takes that it must still accept. docs/PROOF.md has the usual figures; machines have other work. */
const ACCEPTED_MIN = 0.05;
/** Floods, each from what the last has shown, until one is more than it can take. */
const FLOODS_MAX = 3;

export const overload: Scenario = { name: "overload", run };

interface RunState {
  harness: Harness;
  service: RunningService;
  prng: ScenarioOptions["prng"];
}

async function run({ prng, rounds, print }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng, accounts: ACCOUNTS });
  try {
    const service = await harness.startOrFail();
    const state: RunState = { harness, service, prng };
    const memory = watchMemory(service.pid);
    const forMs = ROUND_MS * Math.min(rounds, ROUNDS_MAX);
    const { perSecond, seen, violations } = await overload3x(state, forMs, print);
    violations.push(...violationsOf(seen, (perSecond * forMs) / 1000), ...(await sendAfterFlood(state)));
    const end = await finishLoad(harness, service, memory);
    violations.push(...end.violations);
    return {
      figures: `takes ${perSecond} mails a second; ${summary(seen, forMs)}; ${end.rssMb} MB at most`,
      violations,
    };
  } finally {
    await harness.close();
  }
}

/** A flood of three times what it takes. All of one is accepted only where others have left the machine since the measurement. */
async function overload3x(state: RunState, forMs: number, print: (line: string) => void) {
  const violations: string[] = [];
  let perSecond = await capacity(state);
  for (let floods = 1; ; floods += 1) {
    print(`  takes ${perSecond} mails a second`);
    const seen = await flood(state, { perSecond: perSecond * OVERLOAD_FACTOR, forMs }, violations);
    if (refusalsOf(seen) > 0 || floods === FLOODS_MAX) return { perSecond, seen, violations };
    perSecond = Math.max(perSecond, Math.round((seen.accepted.length * 1000) / forMs));
  }
}

const refusalsOf = ({ refused }: LoadReport): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/** Mails a second that it takes from clients that each wait for their answer. */
async function capacity(state: RunState): Promise<number> {
  const closed = { connections: CAPACITY_CONNECTIONS, perSecond: null };
  await runLoadGenerator(state, { ...closed, forMs: WARM_UP_MS });
  const { accepted } = await runLoadGenerator(state, { ...closed, forMs: CAPACITY_MS });
  return Math.round((accepted.length * 1000) / CAPACITY_MS);
}

/** The flood; beside it, a look at the front and a mail of the account that is not of the crowd, again and again. */
async function flood(
  state: RunState,
  { perSecond, forMs }: { perSecond: number; forMs: number },
  violations: string[],
): Promise<LoadReport> {
  const { harness, service, prng } = state;
  // Numbered before the flood's, whose count is known only at its end.
  const quiet = newIntents(harness.history, prng, Math.floor(forMs / PROBE_EVERY_MS));
  let looking = Promise.resolve();
  const probes = setInterval(() => {
    const intents = quiet.splice(0, 1);
    looking = looking.then(async () => {
      const { accepted } = await send({ harness, prng, url: service.url, intents, width: 1 });
      violations.push(...violationUnless(accepted === intents.length, "a mail beside the crowd was not taken"));
      for (const path of ["/healthz", "/dashboard/sign-in"]) violations.push(...(await checkPath(service, path)));
    });
  }, PROBE_EVERY_MS);
  const seen = await runLoadGenerator(state, { connections: CONNECTIONS, perSecond, forMs });
  clearInterval(probes);
  await looking;
  return seen;
}

async function checkPath({ url }: RunningService, path: string): Promise<string[]> {
  const asked = fetch(url + path, { redirect: "manual", signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
  const response = await asked.catch(() => null);
  await response?.arrayBuffer();
  return violationUnless(response !== null && response.status < 400, `${path} was not answered`);
}

function violationsOf(seen: LoadReport, couldTake: number): string[] {
  const { accepted, invalidResponses: wrong, unanswered: broken } = seen;
  return [
    ...wrong.slice(0, 3),
    ...violationUnless(broken === 0, `${broken} mails were not answered`),
    ...violationUnless(refusalsOf(seen) > 0, "nothing was refused"),
    ...violationUnless(accepted.length > ACCEPTED_MIN * couldTake, `only ${accepted.length} mails were accepted`),
  ];
}

/** When the flood is over, everything is accepted again. */
async function sendAfterFlood({ harness, service, prng }: RunState): Promise<string[]> {
  const intents = newIntents(harness.history, prng, MESSAGES_AFTER);
  const { accepted } = await send({ harness, prng, url: service.url, intents, width: 10 });
  return violationUnless(
    accepted === MESSAGES_AFTER,
    `after the flood ${accepted} of ${MESSAGES_AFTER} mails were accepted`,
  );
}

function summary(
  { due, notSent: notOffered, accepted, refused, retried: cameBack, acceptedMs, refusedMs }: LoadReport,
  forMs: number,
): string {
  const aSecond = (count: number): number => Math.round((count * 1000) / forMs);
  const refusals = Object.entries(refused).map(([name, count]) => `${count} times ${name}`);
  return [
    `${aSecond(due - notOffered)} a second offered for ${forMs / 1000} s: ${aSecond(accepted.length)} a second accepted`,
    `(p50 ${acceptedMs.p50} ms, p99 ${acceptedMs.p99} ms), ${refusals.join(" and ")}`,
    `(p50 ${refusedMs.p50} ms, p99 ${refusedMs.p99} ms), of which ${cameBack} came back`,
  ].join(" ");
}

/** A crowd comes and goes; what it sent and was answered is in the books afterwards. */
async function runLoadGenerator(
  { harness, service }: RunState,
  how: Omit<LoadOptions, "port" | "senders" | "first">,
): Promise<LoadReport> {
  const { history, senders } = harness;
  const port = Number(new URL(service.url).port);
  const crowd: LoadOptions = { ...how, port, senders: senders.slice(1), first: history.intents.length };
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, JSON.stringify(crowd)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  await once(child, "close");
  const seen = JSON.parse(said) as LoadReport;
  for (let number = crowd.first; number < seen.end; number += 1)
    history.intents.push({ ...numberedIntent(number), attempts: 1 });
  for (const { mail, id } of seen.accepted) {
    const intent = history.intents[mail];
    if (intent !== undefined) intent.isAccepted = true;
    history.acceptedSends.push({ intent: mail, id });
  }
  return seen;
}
