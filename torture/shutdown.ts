/**
 * Exits other than SIGKILL: SIGTERM under load, which must leave no recipient unknown if peers reply; a second
 * service on the same spool; and a file whose last page or last log frames are damaged.
 */
import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Prng } from "../simulate/prng.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const WIDTH = 40;
/** These peers reply at once: a stop takes the 3 s allowed for a transaction up to its final dot, and some overhead. */
const STOP_LIMIT_MS = 15_000;
const STOPS = 10;
const PAGE_BYTES = 4096;
/** Everything that a service without users prints on standard error. */
const QUIET = /^(?:postrider: there is no user yet; [^\n]+\n)?$/;

export const stopUnderLoad: Scenario = { name: "stop-under-load", run: stop };
export const twoServices: Scenario = { name: "two-services", run: startTwice };
export const tornPage: Scenario = { name: "torn-page", run: tear };

async function stop({ prng, rounds }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng });
  const violations: string[] = [];
  const stops = Math.min(STOPS, rounds);
  let slowestMs = 0;
  try {
    for (let i = 0; i < stops; i += 1) {
      const service = await harness.startOrFail();
      newIntents(harness.history, prng, 200);
      const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
      await delay(prng.next() * 800);
      const sinceMs = performance.now();
      const { code, stderr } = await service.kill("SIGTERM");
      slowestMs = Math.max(slowestMs, performance.now() - sinceMs);
      await sending;
      const unknown =
        harness.count("SELECT count(*) FROM recipient_states WHERE result = 'unknown' OR mark IS NOT NULL") ?? 0;
      violations.push(
        ...violationUnless(code === 0 && QUIET.test(stderr), `SIGTERM exited with ${code}: ${stderr}`),
        ...violationUnless(unknown === 0, `SIGTERM left ${unknown} recipients unknown`),
        ...(await harness.checkInvariants({ expectEnd: false })),
      );
    }
    violations.push(...violationUnless(slowestMs < STOP_LIMIT_MS, `a stop took ${Math.round(slowestMs)} ms`));
    const figures = `${stops} stops, the slowest ${Math.round(slowestMs)} ms, ${harness.history.acceptedSends.length} messages accepted`;
    return { figures, violations };
  } finally {
    await harness.close();
  }
}

async function startTwice({ prng }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng });
  try {
    const first = await harness.startOrFail();
    const second = await harness.start();
    const output = "refused" in second ? second.refused.stderr : "it started";
    newIntents(harness.history, prng, 20);
    await send({ harness, prng, url: first.url, intents: unsent(harness.history), width: WIDTH });
    await harness.waitUntilDrained();
    await first.kill("SIGTERM");
    const isOneLine = "refused" in second && second.refused.code === 1 && /^postrider: another [^\n]+\n$/.test(output);
    const violations = [
      ...violationUnless(isOneLine, `the second service printed: ${output}`),
      ...(await harness.checkInvariants({ expectEnd: true })),
    ];
    return { figures: `the second service prints: ${output.trim()}`, violations };
  } finally {
    await harness.close();
  }
}

/**
 * Damage that cannot be undone. The service must either start and serve the intact rows, or exit with one line. It
 * must never crash, respond with 500, or send a message twice.
 */
async function tear({ prng, rounds }: ScenarioOptions): Promise<ScenarioResult> {
  const violations: string[] = [];
  const outcomes: Record<string, number> = {};
  for (let i = 0; i < Math.min(STOPS, rounds); i += 1) {
    const harness = await Harness.create({ prng });
    try {
      const isLog = await damaged(harness, prng);
      const outcome = await startAfterDamage(harness, prng, violations);
      const name = `${isLog ? "log" : "page"}: ${outcome}`;
      outcomes[name] = (outcomes[name] ?? 0) + 1;
    } finally {
      await harness.close();
    }
  }
  const figures = Object.entries(outcomes).map(([name, count]) => `${name} ${count} times`);
  return { figures: figures.join(", "), violations };
}

/**
 * Sends messages, kills the service, and overwrites bytes at the end of the log or in the last page of the file.
 * Returns whether it was the log.
 */
async function damaged(harness: Harness, prng: Prng): Promise<boolean> {
  const service = await harness.startOrFail();
  newIntents(harness.history, prng, 100);
  await send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
  const isLog = prng.chance(0.5);
  // The end of the log is the last commit. If it held a mark, damage would destroy the only evidence of an attempt.
  if (isLog) await harness.waitUntilDrained();
  await service.kill(isLog ? "SIGKILL" : "SIGTERM");
  const file = join(harness.env.DATA_DIR ?? "", isLog ? "postrider.db-wal" : "postrider.db");
  if (!existsSync(file)) return isLog;
  const at = statSync(file).size - PAGE_BYTES;
  const bytes = Buffer.alloc(PAGE_BYTES);
  const handle = openSync(file, "r+");
  readSync(handle, bytes, 0, PAGE_BYTES, at);
  for (let turned = 0; turned < 64; turned += 1) bytes[prng.integer(0, PAGE_BYTES - 1)] = prng.integer(0, 255);
  writeSync(handle, bytes, 0, PAGE_BYTES, at);
  closeSync(handle);
  return isLog;
}

async function startAfterDamage(harness: Harness, prng: Prng, violations: string[]): Promise<string> {
  const started = await harness.start();
  if ("refused" in started) {
    const { code, stderr } = started.refused;
    violations.push(
      ...violationUnless(
        code === 1 && /^postrider: DATA_DIR=[^\n]+\n$/.test(stderr),
        `a start on damage printed: ${stderr}`,
      ),
    );
    return "refused with one line";
  }
  newIntents(harness.history, prng, 50);
  const { refused } = await send({ harness, prng, url: started.url, intents: unsent(harness.history), width: WIDTH });
  const isAlive = await fetch(`${started.url}/healthz`).then(
    ({ status }) => status === 200,
    () => false,
  );
  const { code, stderr } = await started.kill("SIGTERM");
  const others = [...refused.keys()].filter((name) => name !== "503 engine_unavailable");
  violations.push(
    ...violationUnless(isAlive, "damage crashed the service"),
    ...violationUnless(others.length === 0, `damage caused ${others.join(", ")}`),
    ...violationUnless(code === 0, `the service exited with ${code} after damage: ${stderr.slice(0, 300)}`),
    ...duplicateDeliveries(harness),
  );
  return refused.size > 0 ? "503 for damaged parts" : "all sends accepted";
}

/** Damage may lose a message, but must not send it twice silently. */
function duplicateDeliveries({ history }: Harness): string[] {
  const names = history.deliveries.map(({ messageId, recipient }) => `${messageId} ${recipient}`);
  return violationUnless(new Set(names).size === names.length, "after damage a recipient got the same message twice");
}
