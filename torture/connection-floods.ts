/**
 * Floods of requests that send no message: ten thousand idle connections, slow bodies, huge headers and wrong keys.
 * The service must limit them, stay alive, and serve other clients meanwhile.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Harness } from "./harness.ts";
import { HttpConnection, requestBytes } from "./http-connection.ts";
import { newIntents, send, unsent } from "./load.ts";
import { finishLoad, watchMemory } from "./memory-watch.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import type { RunningService } from "./service-process.ts";

const IDLE = 10_000;
const SLOW_BODIES = 400;
const WRONG_KEYS = 3000;

export const connectionFloods: Scenario = { name: "crowds", run };

interface RunState {
  harness: Harness;
  service: RunningService;
  port: number;
  prng: ScenarioOptions["prng"];
}

async function run({ prng, print }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng });
  try {
    const service = await harness.startOrFail();
    const state: RunState = { harness, service, prng, port: Number(new URL(service.url).port) };
    const memory = watchMemory(service.pid);
    const violations = await runFloods(state, print);
    const end = await finishLoad(harness, service, memory);
    violations.push(...end.violations);
    const load = `${IDLE} idle connections, ${SLOW_BODIES} slow bodies, ${WRONG_KEYS} wrong keys`;
    return { figures: `${load}, at most ${end.rssMb} MB`, violations };
  } finally {
    await harness.close();
  }
}

async function checkHealth({ url }: RunningService): Promise<string[]> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(20_000) }).catch(() => null);
  return violationUnless(response?.status === 200, "/healthz did not respond");
}

/** Ordinary clients must be served during each flood. */
async function runFloods(state: RunState, print: (line: string) => void): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, start] of [
    ["idle", idleConnections],
    ["slow bodies", slowBodies],
    ["wrong keys", wrongKeys],
    ["huge headers", hugeHeaders],
  ] as const) {
    const flood = await start(state);
    newIntents(state.harness.history, state.prng, 50);
    const { harness, prng, service } = state;
    const intents = harness.history.intents.slice(-50);
    const { accepted } = await send({ harness, prng, url: service.url, intents, width: 10 });
    print(`  during ${flood.description}: ${accepted} of 50 messages accepted`);
    broken.push(
      ...violationUnless(accepted === 50, `during a flood (${name}), ${accepted} of 50 messages were accepted`),
      ...flood.violations(),
      ...(await checkHealth(service)),
    );
    flood.stop();
  }
  const { harness, prng, service } = state;
  await send({
    harness,
    prng,
    url: service.url,
    intents: unsent(harness.history).filter(({ key }) => key !== null),
    width: 20,
  });
  return broken;
}

interface Flood {
  description: string;
  /** Wrong responses to the flood itself. */
  violations: () => string[];
  stop: () => void;
}

async function openMany(port: number, count: number): Promise<HttpConnection[]> {
  const connections: HttpConnection[] = [];
  for (let at = 0; at < count; at += 500) {
    const some = await Promise.all(Array.from({ length: Math.min(500, count - at) }, () => HttpConnection.open(port)));
    connections.push(...some.filter((connection) => connection !== null));
  }
  return connections;
}

function closeAll(connections: HttpConnection[]): void {
  for (const connection of connections) connection.close();
}

async function idleConnections({ port }: RunState): Promise<Flood> {
  const connections = await openMany(port, IDLE);
  await delay(200);
  const held = connections.filter((connection) => connection.isOpen).length;
  return {
    description: `${connections.length} idle connections, ${held} of them kept open`,
    violations: () => violationUnless(held < IDLE, "all idle connections were kept open"),
    stop: () => closeAll(connections),
  };
}

/** Bodies of one megabyte, sent a few bytes at a time. */
async function slowBodies({ port, harness }: RunState): Promise<Flood> {
  const connections = await openMany(port, SLOW_BODIES);
  const head = requestBytes({ path: "/api/sending/send", key: harness.apiKey, body: "x".repeat(1_000_000) }).slice(
    0,
    400,
  );
  for (const connection of connections) connection.write(head);
  const timer = setInterval(() => {
    for (const connection of connections) connection.write("x".repeat(100));
  }, 100);
  await delay(500);
  const leave = (): void => {
    clearInterval(timer);
    closeAll(connections);
  };
  return { description: `${connections.length} slow bodies`, violations: () => [], stop: leave };
}

async function wrongKeys({ port }: RunState): Promise<Flood> {
  const connections = await openMany(port, 100);
  const bytes = requestBytes({ path: "/api/sending/send", key: `svc_live_${"A".repeat(43)}`, body: "{}" });
  const codes = new Map<number, number>();
  const askOn = async (connection: HttpConnection): Promise<void> => {
    for (let i = 0; i < WRONG_KEYS / connections.length; i += 1) {
      const status = (await connection.request(bytes))?.status ?? 0;
      codes.set(status, (codes.get(status) ?? 0) + 1);
    }
  };
  // Continues while the ordinary clients send.
  void Promise.all(connections.map(askOn));
  const broken = (): string[] =>
    [...codes.keys()].filter((code) => code !== 401).map((code) => `a wrong key got ${code}`);
  return {
    description: `${WRONG_KEYS} requests with a wrong key`,
    violations: broken,
    stop: () => closeAll(connections),
  };
}

async function hugeHeaders({ port, harness }: RunState): Promise<Flood> {
  const connections = await openMany(port, 50);
  const headers = [`X-Large: ${"x".repeat(100_000)}`];
  const answers = await Promise.all(
    connections.map((connection) =>
      connection.request(requestBytes({ path: "/healthz", key: harness.apiKey, headers })),
    ),
  );
  const others = answers.filter((answer) => answer !== null && answer.status !== 431);
  return {
    description: `${connections.length} requests with 100 KB of headers`,
    violations: () => violationUnless(others.length === 0, `huge headers got ${others[0]?.status}`),
    stop: () => closeAll(connections),
  };
}
