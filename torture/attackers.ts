/**
 * Runs all attacks of attacks.ts concurrently, by clients with and without a key, next to one honest account. The
 * service must stay alive and within its memory limit, accept every message of the honest account and deliver it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { hashPassword } from "../src/security/passwords.ts";
import { fileArgs } from "../test/support/program.ts";
import type { AttackOptions, Report } from "./attacks.ts";
import { Harness } from "./harness.ts";
import { HttpConnection, requestBytes } from "./http-connection.ts";
import { RSS_MAX_MB, watchMemory } from "./memory-watch.ts";
import { numberedIntent } from "./numbered-intent.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import type { Sender } from "./sender.ts";
import type { RunningService } from "./service-process.ts";

const PROGRAM = fileArgs(new URL("attacks.ts", import.meta.url));
/** One round's share of the attack, which runs without a pause. */
const ROUND_MS = 10_000;
const ROUNDS_MAX = 6;
const SENDS_PER_SECOND = 20;
/** Open connections of the honest account. */
const CONNECTIONS = 10;
/** On an otherwise idle machine. */
const P99_MAX_MS = 250;
const TENANT = { email: "tenant@attackers.example", password: "a tenant's password" };
const WIDTH = 300;
const RUN_OF_EQUALS = "=".repeat(3_000_000);

export const attackers: Scenario = { name: "attackers", run };

async function run({ prng, rounds, print, timed }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng, accounts: 2, env: { ADDRESS_RATE_PER_SECOND: "100", ...DASHBOARD } });
  try {
    await harness.withSpool(async (spool) => {
      const account = await spool.accountNamed("account-1");
      const passwordHash = await hashPassword(TENANT.password);
      const user = { email: TENANT.email, accountId: account?.id ?? "", passwordHash, operator: false, usersMax: 10 };
      await spool.createUser({ ...user, createdAtMs: Date.now() });
    });
    const service = await harness.startOrFail();
    const memory = watchMemory(service.pid);
    const forMs = ROUND_MS * Math.min(rounds, ROUNDS_MAX);
    const honest = await attack(harness, service, { forMs, print });
    const rssMb = memory.stop();
    const isDrained = await harness.waitUntilDrained();
    const ended = await service.kill("SIGTERM");
    const violations = [
      ...honest.violations,
      ...violationUnless(rssMb < RSS_MAX_MB, `memory use was ${rssMb} MB`),
      ...violationUnless(isDrained, "accepted messages were not delivered"),
      ...violationUnless(ended.code === 0, `the service exited with ${ended.code ?? ended.signal}`),
      ...violationUnless(!timed || honest.p99 < P99_MAX_MS, `the p99 of the honest account was ${honest.p99} ms`),
    ];
    const figures = `${honest.messages} honest messages, 202 p50 ${honest.p50} ms, p99 ${honest.p99} ms, max ${honest.most} ms; at most ${rssMb} MB`;
    return { figures, violations };
  } finally {
    await harness.close();
  }
}

/** Passwords are hashed only when a user signs in. */
const DASHBOARD = { PUBLIC_URL: "http://localhost:0" };

interface HonestResult {
  messages: number;
  p50: number;
  p99: number;
  most: number;
  violations: string[];
}

async function attack(
  harness: Harness,
  service: RunningService,
  { forMs, print }: { forMs: number; print: (line: string) => void },
): Promise<HonestResult> {
  const [honest, tenant] = harness.senders as [Sender, Sender];
  const port = Number(new URL(service.url).port);
  const cookie = await signIn(service.url);
  const messageId = await sendRunOfEquals(service.url, tenant);
  const how: AttackOptions = { port, forMs, width: WIDTH, cookie, messageId, ...tenant };
  const child = spawn(process.execPath, [...PROGRAM, JSON.stringify(how)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const closed = once(child, "close");
  const result = await sendHonestMessages(harness, honest, { port, untilMs: Date.now() + forMs });
  await closed;
  for (const [name, { rounds, answers }] of Object.entries(JSON.parse(output) as Report)) {
    print(`  ${name}: ${rounds} rounds, ${JSON.stringify(answers)}`);
  }
  const health = await fetch(`${service.url}/healthz`).catch(() => null);
  return {
    ...result,
    violations: [...result.violations, ...violationUnless(health?.status === 200, "/healthz did not respond")],
  };
}

async function signIn(url: string): Promise<string> {
  const form = { method: "POST", redirect: "manual", body: new URLSearchParams(TENANT) } as const;
  const answer = await fetch(`${url}/dashboard/sign-in`, form);
  return answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0])[0] ?? "";
}

async function sendRunOfEquals(url: string, { key, domain }: Sender): Promise<string> {
  const message = { from: `hello@${domain}`, to: "a@nowhere.invalid", subject: "A run of =", text: RUN_OF_EQUALS };
  const response = await fetch(`${url}/api/sending/send`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(message),
  });
  return ((await response.json()) as { id: string }).id;
}

/**
 * Sends on a schedule over persistent connections, without waiting for earlier messages. Every message must be
 * accepted.
 */
async function sendHonestMessages(
  { history }: Harness,
  sender: Sender,
  { port, untilMs }: { port: number; untilMs: number },
): Promise<HonestResult> {
  const tookMs: number[] = [];
  const violations: string[] = [];
  const free: HttpConnection[] = [];
  for (let i = 0; i < CONNECTIONS; i += 1)
    free.push(...[await HttpConnection.open(port)].filter((connection) => connection !== null));
  const inFlight: Promise<void>[] = [];
  const one = async (): Promise<void> => {
    const intent = { ...numberedIntent(history.intents.length), tries: 1 };
    history.intents.push(intent);
    const { number, recipients: to, text } = intent;
    const body = JSON.stringify({ from: `hello@${sender.domain}`, to, subject: `Intent ${number}`, text });
    const startMs = performance.now();
    // The longest-idle connection.
    const connection = free.shift() ?? (await HttpConnection.open(port));
    const answer = await connection?.request(requestBytes({ path: "/api/sending/send", key: sender.key, body }));
    tookMs.push(performance.now() - startMs);
    if (answer?.status !== 202) violations.push(`an honest message got ${answer?.status ?? "no response"}`);
    if (connection?.isOpen) free.push(connection);
  };
  while (Date.now() < untilMs) {
    inFlight.push(one());
    await delay(1000 / SENDS_PER_SECOND);
  }
  await Promise.all(inFlight);
  tookMs.sort((a, b) => a - b);
  const at = (part: number): number => Math.round(tookMs[Math.floor((tookMs.length - 1) * part)] ?? 0);
  return { messages: tookMs.length, p50: at(0.5), p99: at(0.99), most: at(1), violations: violations.slice(0, 3) };
}
