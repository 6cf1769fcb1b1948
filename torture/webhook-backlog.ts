/**
 * A million events wait for an endpoint that refuses connections, while another account sends messages and has an
 * endpoint that works. Compares the same load without and with these events: memory must stay bounded, the dead endpoint
 * must cost few attempts, and the other endpoint must get its events.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "../src/spool/engine/sqlite/connection/driver.ts";
import { cli } from "./cli.ts";
import { Harness } from "./harness.ts";
import { watchMemory } from "./memory-watch.ts";
import { numberedIntent } from "./numbered-intent.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import type { Sender } from "./sender.ts";
import type { RunningService } from "./service-process.ts";

const EVENTS_MAX = 1_000_000;
const EVENTS_PER_ROUND = 20_000;
const EVENTS_PER_MESSAGE = 5;
/** Of each of the two loads: a second for each round. */
const LOAD_S_MAX = 60;
const SEND_INTERVAL_MS = 50;
const RSS_GROWTH_MAX_MB = 100;
/** About twice the first failures, their second attempts after 5 s, and one probe a minute. */
const DEAD_ATTEMPTS_MAX = 80;
const ARRIVAL_LIMIT_MS = 60_000;
/** The discard port of an address that no program uses. */
const DEAD_URL = "http://127.0.8.2:9/hooks";

export const webhookBacklog: Scenario = { name: "webhook-backlog", run };

/** One load of the account whose endpoint works. */
interface Load {
  rssMb: number;
  lagMs: number;
  sends: Quantiles;
  arrivals: Quantiles;
}

interface Quantiles {
  count: number;
  p50: number;
  p99: number;
}

async function run({ prng, rounds }: ScenarioOptions): Promise<ScenarioResult> {
  const events = Math.min(EVENTS_MAX, rounds * EVENTS_PER_ROUND);
  const forMs = Math.min(rounds, LOAD_S_MAX) * 1000;
  const harness = await Harness.create({
    prng,
    accounts: 2,
    env: { WEBHOOK_ALLOW_PRIVATE: "true" },
  });
  const receiver = await startReceiver();
  try {
    const dead = await createEndpoint(harness, DEAD_URL, "default");
    await createEndpoint(harness, receiver.url, "account-1");
    const violations: string[] = [];
    const without = await measure(harness, receiver, { forMs, violations });
    fillOutbox(harness, events);
    const withBacklog = await measure(harness, receiver, { forMs, violations });
    const attempts = harness.read(
      (db) =>
        db
          .prepare<[string], number>("SELECT max(number) FROM endpoint_attempts WHERE endpoint_id = ?")
          .pluck()
          .get(dead) ?? 0,
    );
    const growthMb = withBacklog.rssMb - without.rssMb;
    violations.push(
      ...violationUnless(growthMb < RSS_GROWTH_MAX_MB, `memory grew by ${growthMb} MB`),
      ...violationUnless(attempts > 0 && attempts <= DEAD_ATTEMPTS_MAX, `the dead endpoint got ${attempts} attempts`),
    );
    const figures = [
      `${events} events for a dead endpoint, ${attempts} attempts in ${forMs / 1000} s`,
      `without them ${describe(without)}`,
      `with them ${describe(withBacklog)}`,
    ].join("; ");
    return { figures, violations };
  } finally {
    receiver.server.close();
    await harness.close();
  }
}

function describe({ rssMb, lagMs, sends, arrivals }: Load): string {
  const latency = ({ count, p50, p99 }: Quantiles): string => `${count}, p50 ${p50} ms, p99 ${p99} ms`;
  return `at most ${rssMb} MB, longest pause ${lagMs} ms, 202 (${latency(sends)}), event to POST (${latency(arrivals)})`;
}

async function createEndpoint(harness: Harness, url: string, account: string): Promise<string> {
  const output = await cli(harness, ["webhooks", "create", url, "--account", account, "--json"]);
  return (JSON.parse(output) as { id: string }).id;
}

interface Receiver {
  server: Server;
  url: string;
  /** Milliseconds from each event to its first arrival, by the event's id. */
  tookMs: Map<string, number>;
}

async function startReceiver(): Promise<Receiver> {
  const tookMs: Receiver["tookMs"] = new Map();
  const server = createServer(async (request, response) => {
    const atMs = Date.now();
    const { timestamp, data } = JSON.parse(await text(request)) as { timestamp: string; data: { id: string } };
    if (!tookMs.has(data.id)) tookMs.set(data.id, atMs - Date.parse(timestamp));
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, tookMs };
}

/** Starts the service, sends messages for that time, and waits until their events have arrived. */
async function measure(
  harness: Harness,
  receiver: Receiver,
  { forMs, violations }: { forMs: number; violations: string[] },
): Promise<Load> {
  receiver.tookMs.clear();
  const service = await harness.startOrFail();
  await longestPauseMs(service);
  const memory = watchMemory(service.pid);
  const acceptedBefore = eventsOfSecondAccount(harness);
  const sentMs = await sendMessages(harness, service, { forMs, violations });
  const isDrained = await harness.waitUntilDrained();
  const hasArrived = await waitUntil(() => receiver.tookMs.size >= eventsOfSecondAccount(harness) - acceptedBefore);
  const [rssMb, lagMs] = [memory.stop(), await longestPauseMs(service)];
  const { code } = await service.kill("SIGTERM");
  violations.push(
    ...violationUnless(isDrained, "accepted messages were not delivered"),
    ...violationUnless(hasArrived, "events of the endpoint that works did not arrive"),
    ...violationUnless(code === 0, `the service exited with ${code}`),
  );
  return { rssMb, lagMs, sends: quantiles(sentMs), arrivals: quantiles([...receiver.tookMs.values()]) };
}

const eventsOfSecondAccount = (harness: Harness): number =>
  harness.count("SELECT count(*) FROM events WHERE seq > 0 AND type IS NOT NULL AND account_id <> 'acc_default'") ?? 0;

async function waitUntil(holds: () => boolean): Promise<boolean> {
  const giveUpMs = Date.now() + ARRIVAL_LIMIT_MS;
  while (!holds()) {
    if (Date.now() > giveUpMs) return false;
    await delay(100);
  }
  return true;
}

/** The longest delay of the service's event loop since the previous call; its timer adds 10 ms. */
async function longestPauseMs({ url }: RunningService): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Math.round(Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1]) * 1000);
}

/** Sends on a schedule, without waiting for earlier messages. Returns the latencies of the 202s. */
async function sendMessages(
  { senders, history }: Harness,
  { url }: RunningService,
  { forMs, violations }: { forMs: number; violations: string[] },
): Promise<number[]> {
  const [, { key, domain }] = senders as [Sender, Sender];
  const sentMs: number[] = [];
  const send = async (): Promise<void> => {
    const intent = { ...numberedIntent(history.intents.length), attempts: 1 };
    history.intents.push(intent);
    const { number, recipients: to, text: content } = intent;
    const startMs = performance.now();
    const response = await fetch(`${url}/api/sending/send`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ from: `hello@${domain}`, to, subject: `Intent ${number}`, text: content }),
    });
    await response.text();
    sentMs.push(performance.now() - startMs);
    if (response.status !== 202) violations.push(`a message got ${response.status}`);
  };
  const sending: Promise<void>[] = [];
  for (const endMs = Date.now() + forMs; Date.now() < endMs; await delay(SEND_INTERVAL_MS)) sending.push(send());
  await Promise.all(sending);
  return sentMs;
}

function quantiles(values: number[]): Quantiles {
  const sorted = values.sort((a, b) => a - b).map(Math.round);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
}

/** Adds delivered messages of the first account with their events, which wait for its endpoint. */
function fillOutbox({ env }: Harness, events: number): void {
  const db = new Sqlite(join(env.DATA_DIR ?? "", "postrider.db"));
  const parts = { nowMs: Date.now(), ...placesOf(db) };
  // Bound numbers are floating-point, whose division is not that of integers.
  const of = EVENTS_PER_MESSAGE;
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${events}`;
  db.transaction(() => {
    db.prepare(
      `${numbers} / ${of})
       INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, expires_at_ms, sender,
           subject, message_id, size_bytes)
         SELECT @seq + i, 'msg_filler' || i, 'acc_default', @keyId, @domainId, @nowMs, @nowMs + 172800000,
                'hello@sender.example', 'Filler', '<filler' || i || '@sender.example>', 1000 FROM n`,
    ).run(parts);
    db.prepare(
      `${numbers} / ${of})
       INSERT INTO recipients (seq, position, email, account_id, domain)
         SELECT @seq + i, 0, 'a' || i || '@d0.example', 'acc_default', 'd0.example' FROM n`,
    ).run(parts);
    db.prepare(
      `${numbers})
       INSERT INTO events (account_id, number, id, seq, at_ms, type, position, result, attempts)
         SELECT 'acc_default', @number + i, 'evt_filler' || i, @seq + i / ${of}, @nowMs,
                CASE i % ${of} WHEN 0 THEN 'message.accepted' WHEN ${of} - 1 THEN 'recipient.delivered'
                  ELSE 'recipient.deferred' END,
                iif(i % ${of} = 0, NULL, 0),
                CASE i % ${of} WHEN 0 THEN NULL WHEN ${of} - 1 THEN 'delivered' ELSE 'pending' END,
                iif(i % ${of} = 0, NULL, i % ${of})
           FROM n`,
    ).run(parts);
  })();
  db.close();
}

/** The first free numbers, and the key and domain of the first account. */
function placesOf(db: InstanceType<typeof Sqlite>) {
  const one = <T>(sql: string): T => db.prepare<[], T>(sql).pluck().get() as T;
  return {
    seq: one<number>("SELECT coalesce(max(seq), 0) + 1 FROM messages"),
    number: one<number>("SELECT coalesce(max(number), 0) + 1 FROM events"),
    keyId: one<string>("SELECT id FROM api_keys WHERE account_id = 'acc_default'"),
    domainId: one<string>("SELECT id FROM domains WHERE account_id = 'acc_default'"),
  };
}
