/**
 * Strangers and a tenant attack through every door at once: records that are slow to read, report bombs, long lines, floods of
 * reports, endless SMTP commands, and 3,000 hosts that hang. The service has 1 GiB. It must stay alive within its memory limit,
 * answer /healthz, and serve another account as if nothing happened.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { bindDomain } from "../src/app/domains/bind-domain.ts";
import { setReturnPath } from "../src/app/domains/return-path.ts";
import { verifyNow } from "../src/app/domains/verify-domain.ts";
import { createResolver } from "../src/dns/stub-resolver.ts";
import { recordsToPublish, returnPathRecords } from "../src/domains/records.ts";
import { openVault } from "../src/security/vault.ts";
import type { Registry } from "../src/spool/port/accounts.ts";
import { fileArgs } from "../test/support/program.ts";
import { freePort } from "./free-port.ts";
import { Harness } from "./harness.ts";
import { HttpConnection, requestBytes } from "./http-connection.ts";
import { MemoryCgroup } from "./memory-cgroup.ts";
import { peakMemoryMb, RSS_MAX_MB } from "./memory-watch.ts";
import { numberedIntent } from "./numbered-intent.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import type { Sender } from "./sender.ts";
import type { RunningService } from "./service-process.ts";
import {
  HOSTILE_DOMAINS,
  HOSTILE_MESSAGES,
  HOSTILE_PARENT,
  hostileDomain,
  type StrangerOptions,
  type StrangerReport,
} from "./strangers/options.ts";

const PROGRAM = fileArgs(new URL("strangers/program.ts", import.meta.url));
const HOST = "127.0.9.3";
/** One round's share of the attack, which runs without a pause. */
const ROUND_MS = 10_000;
const ROUNDS_MAX = 12;
/** Without the attack, where latencies are compared with it; otherwise. */
const UNLOADED_MS = 20_000;
const UNLOADED_UNTIMED_MS = 3000;
/** For the other account's messages that are still under way after the attack. */
const DELIVERED_MAX_MS = 60_000;
const SENDS_PER_SECOND = 10;
const ANSWER_MAX_MS = 20_000;
const HEALTH_EVERY_MS = 100;
const HEALTH_MAX_MS = 100;
/** The p99 of the other account under attack, against that without. */
const SLOWDOWN_MAX = 3;
const CGROUP_BYTES = 1024 ** 3;
/** Bound domains whose TXT records are this long. */
const BOUND_DOMAINS = 10;
const RECORD = '"'.repeat(60_000);

export const strangers: Scenario = { name: "strangers", run };

async function run({ prng, rounds, print, timed }: ScenarioOptions): Promise<ScenarioResult> {
  const [inbound, submission] = [await freePort(HOST), await freePort(HOST)];
  const ports = {
    INBOUND_PORT: String(inbound),
    SUBMISSION_PORT: String(submission),
    SUBMISSION_ALLOW_PLAINTEXT: "true",
  };
  const harness = await Harness.create({ prng, accounts: 2, env: { HOST, ...ports } });
  const cgroup = new MemoryCgroup(CGROUP_BYTES);
  try {
    await prepareTenant(harness);
    const service = await harness.startOrFail();
    cgroup.add(service.pid);
    const before = await observe(harness, service, timed ? UNLOADED_MS : UNLOADED_UNTIMED_MS);
    print(`  unattacked: ${describe(before)}`);
    const forMs = ROUND_MS * Math.min(rounds, ROUNDS_MAX);
    await addHostileNames(harness);
    const attack = await startAttack({
      forMs,
      http: { host: HOST, port: portOf(service) },
      exchangerPort: Number(harness.env.SMTP_PORT),
      inbound: { host: HOST, port: inbound },
      submission: { host: HOST, port: submission },
      ...tenantOf(harness),
    });
    const during = await observe(harness, service, forMs);
    const report = await attack.report;
    for (const [name, { rounds: count, answers }] of Object.entries(report)) {
      print(`  ${name}: ${count} rounds, ${JSON.stringify(answers)}`);
    }
    const peakMb = peakMemoryMb(service.pid);
    const ended = await service.kill("SIGTERM");
    const violations = [
      ...before.violations,
      ...during.violations,
      ...lost(harness, report),
      ...violationUnless(peakMb <= RSS_MAX_MB, `memory use was ${peakMb} MB`),
      ...violationUnless(cgroup.kills() === 0, "the kernel ended a process for want of memory"),
      ...violationUnless(
        ended.code === 0,
        `the service exited with ${ended.code ?? ended.signal}: ${ended.stderr.slice(-500)}`,
      ),
      ...(timed ? late({ before, during }) : []),
    ];
    const unlimited = cgroup.obstacle === null ? "" : `; the memory of the service was not limited: ${cgroup.obstacle}`;
    return {
      figures: `attacked for ${forMs / 1000} s: ${describe(during)}; at most ${peakMb} MB${unlimited}`,
      violations,
    };
  } finally {
    await harness.close();
    cgroup.remove();
  }
}

/** The violations of latencies, which hold on an otherwise idle machine. */
function late({ before, during }: Record<"before" | "during", Observation>): string[] {
  const isSlower = (key: "accepted" | "delivered"): boolean => during[key].p99 > SLOWDOWN_MAX * before[key].p99;
  return [
    ...violationUnless(during.health.most <= HEALTH_MAX_MS, `/healthz took ${during.health.most} ms`),
    ...violationUnless(!isSlower("accepted"), `the p99 of a 202 was ${during.accepted.p99} ms`),
    ...violationUnless(!isSlower("delivered"), `the p99 of a delivery was ${during.delivered.p99} ms`),
  ];
}

/** Whether all messages to hosts that hang are stored that got a 202. */
function lost(harness: Harness, report: StrangerReport): string[] {
  const accepted = report[HOSTILE_MESSAGES]?.answers["202"] ?? 0;
  const stored = harness.count(`SELECT count(*) FROM recipients WHERE domain LIKE '%.${HOSTILE_PARENT}'`) ?? 0;
  return violationUnless(
    accepted > 0 && stored >= accepted,
    `of ${accepted} messages to hosts that hang, ${stored} are stored`,
  );
}

/** Publishes the records of the attacked account's domain, and turns its return path on. */
async function prepareTenant(harness: Harness): Promise<void> {
  const { domain: name } = tenantOf(harness);
  const resolver = createResolver({ servers: [harness.zone.address] });
  const context = { resolver, hostname: harness.env.MTA_HOSTNAME ?? "", sendingIps: ["127.0.0.1"], allowPrivate: true };
  harness.zone.set(context.hostname, "A", ["127.0.0.1"]);
  harness.zone.set(name, "A", ["127.0.0.1"]);
  await harness.withSpool(async (spool) => {
    const domain = await spool.domainNamed(await tenantId(spool), name);
    if (domain === null) throw new Error(`${name} is not bound`);
    await setReturnPath(spool, domain, { on: true, nowMs: Date.now() });
    for (const record of [...recordsToPublish(domain, context), ...returnPathRecords(domain, context)]) {
      harness.zone.set(record.name, record.type, [record.value]);
    }
    const { verified } = await verifyNow(spool, domain, { context, nowMs: Date.now() });
    if (!verified) throw new Error(`${name} could not be verified`);
  });
}

/** Binds the domains whose records attack, due for a check, and adds the hosts that hang to the zone. */
async function addHostileNames(harness: Harness): Promise<void> {
  for (let number = 0; number < HOSTILE_DOMAINS; number += 1) {
    const { name, address, kind } = hostileDomain(number);
    harness.zone.set(name, "MX", [`10 mx.${name}`]);
    harness.zone.set(`mx.${name}`, "A", [address]);
    if (kind === "silent_dns") harness.zone.fault(name, "silent");
  }
  await harness.withSpool(async (spool) => {
    const vault = openVault(harness.env.CERTS_DIR ?? "");
    const accountId = await tenantId(spool);
    for (let i = 0; i < BOUND_DOMAINS; i += 1) {
      const name = `records${i}.example`;
      await bindDomain(spool, vault, { accountId, name, nowMs: Date.now(), domainsMax: 2 * BOUND_DOMAINS });
      for (const owner of [name, `_dmarc.${name}`, `_mta-sts.${name}`]) harness.zone.set(owner, "TXT", [RECORD]);
    }
  });
}

const tenantOf = ({ senders }: Harness): Sender => senders[1] as Sender;

const tenantId = async (spool: Pick<Registry, "accountNamed">): Promise<string> =>
  (await spool.accountNamed("account-1"))?.id ?? "";

async function startAttack(options: StrangerOptions): Promise<{ report: Promise<StrangerReport> }> {
  const child = spawn(process.execPath, [...PROGRAM, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // The first line says that the hosts listen.
  await lines.next();
  return { report: lines.next().then(({ value }) => JSON.parse(value) as StrangerReport) };
}

interface Times {
  p50: number;
  p99: number;
  most: number;
}

interface Observation {
  accepted: Times;
  delivered: Times;
  health: Times;
  violations: string[];
}

/** Sends as the first account on a schedule and asks for /healthz, whatever the service does with others. */
async function observe(harness: Harness, service: RunningService, forMs: number): Promise<Observation> {
  const untilMs = Date.now() + forMs;
  const { history } = harness;
  const sentAtMs = new Map<string, number>();
  const [acceptedMs, healthMs, violations]: [number[], number[], string[]] = [[], [], []];
  const connection = await HttpConnection.open(portOf(service), HOST);
  const sendOne = async (): Promise<void> => {
    const intent = { ...numberedIntent(history.intents.length), attempts: 1 };
    history.intents.push(intent);
    const { number, recipients: to, text } = intent;
    for (const recipient of to) sentAtMs.set(recipient, Date.now());
    const [sender] = harness.senders as [Sender];
    const body = JSON.stringify({ from: `hello@${sender.domain}`, to, subject: `Intent ${number}`, text });
    const startMs = performance.now();
    const asked = connection?.request(requestBytes({ path: "/api/sending/send", key: sender.key, body }));
    const answer = await Promise.race([asked, delay(ANSWER_MAX_MS, null, { ref: false })]);
    acceptedMs.push(performance.now() - startMs);
    if (answer?.status !== 202)
      violations.push(`a message of the other account got ${answer?.status ?? "no response"}`);
  };
  const look = async (): Promise<void> => {
    const startMs = performance.now();
    const response = await fetch(`${service.url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MAX_MS) }).catch(
      () => null,
    );
    await response?.arrayBuffer();
    healthMs.push(performance.now() - startMs);
    if (response?.status !== 200) violations.push(`/healthz answered ${response?.status ?? "nothing"}`);
  };
  const inTurn = async (everyMs: number, one: () => Promise<void>): Promise<void> => {
    for (let atMs = Date.now(); Date.now() < untilMs; atMs = Math.max(atMs + everyMs, Date.now())) {
      await delay(Math.max(0, atMs - Date.now()));
      await one();
    }
  };
  await Promise.all([inTurn(1000 / SENDS_PER_SECOND, sendOne), inTurn(HEALTH_EVERY_MS, look)]);
  const missing = await untilDelivered(harness, sentAtMs);
  const arrivals = new Map(history.deliveries.map(({ recipient, atMs }) => [recipient, atMs]));
  violations.push(...violationUnless(missing === 0, `${missing} messages of the other account are not delivered`));
  const deliveredMs = [...sentAtMs].map(([recipient, atMs]) => (arrivals.get(recipient) ?? Date.now()) - atMs);
  connection?.close();
  return {
    accepted: times(acceptedMs),
    delivered: times(deliveredMs),
    health: times(healthMs),
    violations: violations.slice(0, 3),
  };
}

/** Waits until all recipients have their message. Returns how many have not. */
async function untilDelivered({ history }: Harness, recipients: ReadonlyMap<string, number>): Promise<number> {
  const giveUpMs = Date.now() + DELIVERED_MAX_MS;
  for (;;) {
    const arrived = new Set(history.deliveries.map(({ recipient }) => recipient));
    const missing = [...recipients.keys()].filter((recipient) => !arrived.has(recipient));
    if (missing.length === 0 || Date.now() > giveUpMs) return missing.length;
    await delay(100);
  }
}

function times(measuredMs: number[]): Times {
  const sorted = measuredMs.toSorted((a, b) => a - b);
  const at = (part: number): number => Math.ceil(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

const describe = ({ accepted, delivered, health }: Observation): string =>
  [
    `202 p50 ${accepted.p50} ms, p99 ${accepted.p99} ms`,
    `delivered p50 ${delivered.p50} ms, p99 ${delivered.p99} ms`,
    `/healthz p99 ${health.p99} ms, max ${health.most} ms`,
  ].join("; ");

const portOf = ({ url }: RunningService): number => Number(new URL(url).port);
