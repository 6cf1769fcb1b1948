/**
 * Three nodes on one PostgreSQL, and 2,000 messages for a mail exchanger that allows two connections and counts them. The nodes
 * together must never open a third one, and must keep both busy, whether the mail was sent to one node or to all of them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../src/lib/clock.ts";
import { createLog } from "../src/lib/log.ts";
import { openVault } from "../src/security/vault.ts";
import { openPostgresSpool } from "../src/spool/engine/postgres/postgres-spool.ts";
import { startZoneServer } from "../src/testing/zone-server.ts";
import { LimitedPeer } from "../test/support/limited-peer.ts";
import { missingPostgres } from "../test/support/postgres/installation.ts";
import { startPostgres } from "../test/support/postgres/server.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import { createSender, type Sender } from "./sender.ts";
import { launchService, type RunningService, untilListening } from "./service-process.ts";

const DOMAIN = "limited.example";
const CONNECTIONS_MAX = 2;
const NODES = ["a", "b", "c"];
const MESSAGES = 2000;
const MESSAGES_PER_ROUND = 100;
/** The peer's time for a message. */
const REPLY_MS = 30;
const SENDS_AT_ONCE = 8;
const LOOK_EVERY_MS = 5;
const BUSY_MIN = 0.85;
const DRAINED_MAX_MS = 600_000;

const ENV = {
  PORT: "0",
  HOST: "127.0.0.1",
  SENDING_IPS: "127.0.0.1",
  SMTP_ALLOW_PRIVATE: "true",
  RATE_PER_SECOND: "0",
  ADDRESS_RATE_PER_SECOND: "0",
  MTA_HOSTNAME: "mta.sender.example",
  DESTINATION_LIMITS: `${DOMAIN}=${CONNECTIONS_MAX}`,
};

export const limitedPeer: Scenario = {
  name: "limited-peer",
  obstacle: () => missingPostgres() || null,
  run,
};

async function run({ rounds, print, timed = false }: ScenarioOptions): Promise<ScenarioResult> {
  const messages = Math.min(MESSAGES, rounds * MESSAGES_PER_ROUND);
  const figures: string[] = [];
  const violations: string[] = [];
  for (const receivers of [NODES.length, 1]) {
    const name = `mail at ${receivers} of ${NODES.length} nodes`;
    const { peer, usage, ended } = await measured(messages, receivers);
    const [open, busy] = [usage.open / usage.possible, usage.busy / usage.possible];
    figures.push(`${name}: ${percent(open)} of the connections open, ${percent(busy)} in a transaction`);
    print(`  ${figures.at(-1)}`);
    // The connections of a node whose heartbeats stop are free for the others, also if it only waits for a core.
    const isCounted = timed || ended === 0;
    if (!isCounted)
      print(`  ${ended} nodes ended for want of heartbeats: the machine is too busy to count connections`);
    violations.push(
      ...violationUnless(
        !isCounted || peer.mostOpen <= CONNECTIONS_MAX,
        `${name}: ${peer.mostOpen} connections were open at one time`,
      ),
      ...violationUnless(!isCounted || peer.refused === 0, `${name}: ${peer.refused} connections were refused`),
      ...violationUnless(
        peer.smtp.transactions.length === messages,
        `${name}: the peer has ${peer.smtp.transactions.length} of ${messages} messages`,
      ),
      ...(timed
        ? violationUnless(busy >= BUSY_MIN, `${name}: the connections were busy ${percent(busy)} of the time`)
        : []),
    );
  }
  return { figures: figures.join("; "), violations };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Sums over the moments at which the peer was looked at. */
interface Usage {
  possible: number;
  open: number;
  busy: number;
}

interface Measured {
  peer: LimitedPeer;
  usage: Usage;
  /** How often a node was ended because its heartbeats had stopped. */
  ended: number;
}

/** Sends the messages to the first `receivers` nodes, and looks at the peer until nearly all are delivered. */
async function measured(messages: number, receivers: number): Promise<Measured> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-limited-peer-"));
  const [server, zone, peer] = await Promise.all([
    startPostgres({}),
    startZoneServer(),
    LimitedPeer.start({ host: "127.0.7.9", connectionsMax: CONNECTIONS_MAX, replyMs: REPLY_MS }),
  ]);
  const nodes: RunningService[] = [];
  try {
    zone.set(DOMAIN, "MX", [`10 mx.${DOMAIN}`]);
    zone.set(`mx.${DOMAIN}`, "A", [peer.smtp.host]);
    const sender = await createAccount(server.url, join(dir, "certs"));
    for (const name of NODES) {
      const env = {
        ...ENV,
        NODE_NAME: name,
        DATABASE_URL: server.url,
        DNS_SERVERS: zone.address,
        SMTP_PORT: String(peer.smtp.port),
        DATA_DIR: join(dir, name),
        CERTS_DIR: join(dir, "certs"),
      };
      const started = await untilListening(launchService({ env }));
      if ("refused" in started) throw new Error(`node ${name} did not start: ${started.refused.stderr}`);
      nodes.push(started);
    }
    await sendAll(sender, nodes.slice(0, receivers), messages);
    const usage = await look(peer, messages);
    const [row] = await server.query<{ ended: number }>(
      "SELECT count(*)::int AS ended FROM nodes WHERE ended_at IS NOT NULL",
    );
    return { peer, usage, ended: row?.ended ?? 0 };
  } finally {
    await Promise.all(nodes.map((node) => node.kill("SIGKILL")));
    await Promise.all([peer.smtp.close(), zone.close()]);
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function createAccount(url: string, certsDir: string): Promise<Sender> {
  const vault = openVault(certsDir);
  const spool = await openPostgresSpool({
    url,
    role: "client",
    clock: systemClock,
    log: createLog("silent"),
    fingerprints: vault.fingerprints,
    identity: { name: "torture", address: "", version: "" },
    onFatal: (error) => {
      throw error;
    },
  });
  const sender = await createSender(spool, vault, 0);
  await spool.close();
  return sender;
}

async function sendAll(sender: Sender, nodes: readonly RunningService[], messages: number): Promise<void> {
  let next = 0;
  const sendInTurn = async (): Promise<void> => {
    for (let i = next++; i < messages; i = next++) {
      const response = await fetch(`${nodes[i % nodes.length]?.url}/api/sending/send`, {
        method: "POST",
        headers: { Authorization: `Bearer ${sender.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({
          from: `shop@${sender.domain}`,
          to: `user${i}@${DOMAIN}`,
          subject: `Number ${i}`,
          text: "Hi",
        }),
      });
      if (response.status !== 202) throw new Error(`send: ${response.status} ${await response.text()}`);
    }
  };
  await Promise.all(Array.from({ length: SENDS_AT_ONCE }, sendInTurn));
}

/** The last messages are left out: there are too few of them to keep the connections busy. */
async function look(peer: LimitedPeer, messages: number): Promise<Usage> {
  const usage: Usage = { possible: 0, open: 0, busy: 0 };
  const giveUpMs = performance.now() + DRAINED_MAX_MS;
  const isLate = (): boolean => performance.now() > giveUpMs;
  const delivered = (): number => peer.smtp.transactions.length;
  while (delivered() < 0.98 * messages && !isLate()) {
    await delay(LOOK_EVERY_MS);
    usage.possible += CONNECTIONS_MAX;
    usage.open += Math.min(peer.smtp.open, CONNECTIONS_MAX);
    usage.busy += Math.min(peer.inProgress, CONNECTIONS_MAX);
  }
  while (delivered() < messages && !isLate()) await delay(LOOK_EVERY_MS);
  return usage;
}
