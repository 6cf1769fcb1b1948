/**
 * Overload: measures the capacity, then sends three times as much on a schedule, over thousands of connections of
 * many accounts, whatever the responses. The service must reject the excess with valid responses, stay alive within
 * its memory limit, accept every message of an account outside the overload, and deliver what it accepted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileArgs } from "../test/support/program.ts";
import { Harness } from "./harness.ts";
import { newIntents, send } from "./load.ts";
import type { LoadOptions, LoadReport } from "./load-generator.ts";
import { finishLoad, watchMemory } from "./memory-watch.ts";
import { numberedIntent } from "./numbered-intent.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import type { RunningService } from "./service-process.ts";

const PROGRAM = fileArgs(new URL("load-generator.ts", import.meta.url));
/** The first account is outside the overload. */
const ACCOUNTS = 9;
/** Until the service's code is compiled. */
const WARM_UP_MS = 4000;
const CAPACITY_MS = 5000;
const CAPACITY_CONNECTIONS = 100;
const OVERLOAD_FACTOR = 3;
/** One round's share of the overload, which runs without a pause. */
const ROUND_MS = 4000;
const ROUNDS_MAX = 6;
const CONNECTIONS = 3000;
const PROBE_EVERY_MS = 500;
const PROBE_LIMIT_MS = 20_000;
/** Sent after the overload. */
const MESSAGES_AFTER = 50;
/**
 * The least share of the capacity that must still be accepted. docs/PROOF.md has typical figures; a busy machine
 * stays below them.
 */
const ACCEPTED_MIN = 0.05;
/** Each flood uses the capacity measured in the previous one, until one exceeds what the service accepts. */
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
    const { perSecond, report, violations } = await overloadService(state, forMs, print);
    violations.push(...violationsOf(report, (perSecond * forMs) / 1000), ...(await sendAfterFlood(state)));
    const end = await finishLoad(harness, service, memory);
    violations.push(...end.violations);
    return {
      figures: `capacity ${perSecond} messages a second; ${summary(report, forMs)}; at most ${end.rssMb} MB`,
      violations,
    };
  } finally {
    await harness.close();
  }
}

/**
 * Sends three times the capacity. Everything is accepted only if other load on the machine has decreased since the
 * measurement.
 */
async function overloadService(state: RunState, forMs: number, print: (line: string) => void) {
  const violations: string[] = [];
  let perSecond = await capacity(state);
  for (let floods = 1; ; floods += 1) {
    print(`  capacity ${perSecond} messages a second`);
    const report = await flood(state, { perSecond: perSecond * OVERLOAD_FACTOR, forMs }, violations);
    if (refusalsOf(report) > 0 || floods === FLOODS_MAX) return { perSecond, report, violations };
    perSecond = Math.max(perSecond, Math.round((report.accepted.length * 1000) / forMs));
  }
}

const refusalsOf = ({ refused }: LoadReport): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/** Measures the messages per second that the service accepts from clients in a closed loop. */
async function capacity(state: RunState): Promise<number> {
  const closed = { connections: CAPACITY_CONNECTIONS, perSecond: null };
  await runLoadGenerator(state, { ...closed, forMs: WARM_UP_MS });
  const { accepted } = await runLoadGenerator(state, { ...closed, forMs: CAPACITY_MS });
  return Math.round((accepted.length * 1000) / CAPACITY_MS);
}

/** Runs the flood. Meanwhile, repeatedly sends a message of the account outside the overload and requests two pages. */
async function flood(
  state: RunState,
  { perSecond, forMs }: { perSecond: number; forMs: number },
  violations: string[],
): Promise<LoadReport> {
  const { harness, service, prng } = state;
  // Numbered before the flood's messages, whose count is unknown until its end.
  const quiet = newIntents(harness.history, prng, Math.floor(forMs / PROBE_EVERY_MS));
  let looking = Promise.resolve();
  const probes = setInterval(() => {
    const intents = quiet.splice(0, 1);
    looking = looking.then(async () => {
      const { accepted } = await send({ harness, prng, url: service.url, intents, width: 1 });
      violations.push(
        ...violationUnless(accepted === intents.length, "a message outside the overload was not accepted"),
      );
      for (const path of ["/healthz", "/dashboard/sign-in"]) violations.push(...(await checkPath(service, path)));
    });
  }, PROBE_EVERY_MS);
  const report = await runLoadGenerator(state, { connections: CONNECTIONS, perSecond, forMs });
  clearInterval(probes);
  await looking;
  return report;
}

async function checkPath({ url }: RunningService, path: string): Promise<string[]> {
  const asked = fetch(url + path, { redirect: "manual", signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
  const response = await asked.catch(() => null);
  await response?.arrayBuffer();
  return violationUnless(response !== null && response.status < 400, `${path} did not respond`);
}

function violationsOf(report: LoadReport, capacity: number): string[] {
  const { accepted, invalidResponses, unanswered } = report;
  return [
    ...invalidResponses.slice(0, 3),
    ...violationUnless(unanswered === 0, `${unanswered} messages got no response`),
    ...violationUnless(refusalsOf(report) > 0, "no message was rejected"),
    ...violationUnless(accepted.length > ACCEPTED_MIN * capacity, `only ${accepted.length} messages were accepted`),
  ];
}

/** After the flood, every message must be accepted. */
async function sendAfterFlood({ harness, service, prng }: RunState): Promise<string[]> {
  const intents = newIntents(harness.history, prng, MESSAGES_AFTER);
  const { accepted } = await send({ harness, prng, url: service.url, intents, width: 10 });
  return violationUnless(
    accepted === MESSAGES_AFTER,
    `after the flood, ${accepted} of ${MESSAGES_AFTER} messages were accepted`,
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
    `(p50 ${refusedMs.p50} ms, p99 ${refusedMs.p99} ms), of which ${cameBack} were retried`,
  ].join(" ");
}

/** Runs the load generator and records its messages and their responses in the history. */
async function runLoadGenerator(
  { harness, service }: RunState,
  how: Omit<LoadOptions, "port" | "senders" | "first">,
): Promise<LoadReport> {
  const { history, senders } = harness;
  const port = Number(new URL(service.url).port);
  const options: LoadOptions = { ...how, port, senders: senders.slice(1), first: history.intents.length };
  const child = spawn(process.execPath, [...PROGRAM, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await once(child, "close");
  const report = JSON.parse(output) as LoadReport;
  for (let number = options.first; number < report.end; number += 1)
    history.intents.push({ ...numberedIntent(number), attempts: 1 });
  for (const { intent: mail, id } of report.accepted) {
    const intent = history.intents[mail];
    if (intent !== undefined) intent.isAccepted = true;
    history.acceptedSends.push({ intent: mail, id });
  }
  return report;
}
