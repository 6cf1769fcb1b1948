/** Sending addresses of two nodes, each on a host of its own: what mail leaves from, as its receivers see it, and what the end of a node does. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ZoneRecord, ZoneType } from "../../src/testing/zone-server.ts";
import { type ApiTarget, isFinal, lookUp, pollUntil, type RecipientReport, send } from "../support/api-client.ts";
import {
  BRIDGE,
  type Exchanger,
  HTTP_PORT,
  missingNamespaces,
  Network,
  type Program,
  RECEIVERS,
  type Seen,
} from "../support/network-namespaces.ts";
import { until } from "../support/peers.ts";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgres, missingTime } from "../support/postgres/installation.ts";
import { programArgs } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";
import { sendBody } from "../support/world.ts";

const OPTIONS = { skip: missingTime() || missingNamespaces() || missingPostgres(), timeout: 300_000 };

/** Each host also has an address that is not a sending address, and that the system chooses. */
const HOSTS = { a: ["10.77.0.10", "10.77.0.11", "10.77.0.12"], b: ["10.77.0.20", "10.77.0.21"] } as const;
const [A1, A2, B1] = ["10.77.0.11", "10.77.0.12", "10.77.0.21"];
const NAMES: Readonly<Record<string, string>> = {
  [A1]: "a1.host.example",
  [A2]: "a2.host.example",
  [B1]: "b1.host.example",
};

/** The second one is for another pool. */
const SENDERS = ["shop.example", "news.example"];
const FROM_NEWS = "hello@news.example";

type NodeName = keyof typeof HOSTS;

interface Node extends ApiTarget {
  program: Program;
}

interface Site {
  /** What the exchangers see. */
  seen: Seen[];
  a: Node;
  b: Node;
  /** Runs a command, and returns its JSON. */
  cli<Value = unknown>(...args: string[]): Promise<Value>;
  /** Starts a node, also again after its end. */
  startNode(name: NodeName): Promise<Node>;
}

interface SiteOptions {
  exchangers: Exchanger[];
  /** Commands before the nodes start. */
  commands?: string[][];
}

const ENV = {
  MTA_HOSTNAME: "mta.host.example",
  SENDING_IPS: `${HOSTS.a[0]},${HOSTS.b[0]}`,
  SMTP_ALLOW_PRIVATE: "true",
  DNS_SERVERS: BRIDGE,
};

const adding = (ip: string, ...options: string[]): string[] => {
  return ["addresses", "add", ip, "--name", NAMES[ip] ?? "", ...options];
};

/** Two nodes on one database, with both senders verified. */
async function startSite(t: TestContext, { exchangers, commands = [] }: SiteOptions): Promise<Site> {
  const network = new Network(t, HOSTS);
  const { url } = await freshDatabase(t);
  const env = { ...ENV, CERTS_DIR: join(network.dir, "certs"), DATABASE_URL: url };
  const cli = async <Value>(...args: string[]): Promise<Value> => {
    const { code, stdout, stderr } = await runCli([...args, "--json"], env);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Value;
  };
  const records: ZoneRecord[] = [];
  for (const domain of SENDERS) {
    const added = await cli<{ records: { name: string; type: ZoneType; value: string }[] }>("domains", "add", domain);
    records.push(...added.records.map(({ name, type, value }) => ({ name, type, values: [value] })));
    records.push({ name: `mail.${domain}`, type: "A", values: [BRIDGE] });
  }
  const { key } = await cli<{ key: string }>("keys", "create", "--name", "test");
  const inside = { ...env, DATABASE_URL: await network.leadToDatabase(url) };
  const seen = await network.startReceivers(records, exchangers);
  for (const domain of SENDERS) {
    const { child, ended } = network.run(
      RECEIVERS,
      [...programArgs("src/cli.ts"), "domains", "verify", domain],
      inside,
    );
    await ended;
    assert.equal(child.exitCode, 0, `verifying ${domain}`);
  }
  for (const command of commands) await cli(...command);
  const startNode = async (name: NodeName): Promise<Node> => {
    const program = network.run(name, programArgs("src/main.ts"), { ...inside, ...nodeEnv(name) });
    await program.line((line) => line.includes('"msg":"listening"'));
    return { program, url: await network.leadTo(name), key };
  };
  const a = await startNode("a");
  return { seen, a, b: await startNode("b"), cli, startNode };
}

const nodeEnv = (name: NodeName) => ({
  NODE_NAME: name,
  PORT: String(HTTP_PORT),
  MTA_HOSTNAME: `${name}.host.example`,
  SENDING_IPS: HOSTS[name][0],
  RETRY_SCHEDULE: "1s",
  PROBE_DOMAINS: "none",
  BLOCKLISTS: "none",
  PREFLIGHT: "off",
  RATE_PER_SECOND: "0",
});

async function stateOf(node: Node, id: string): Promise<RecipientReport> {
  const [recipient] = (await lookUp(node, id)).recipients;
  assert.ok(recipient);
  return recipient;
}

async function delivered(node: Node, to: string, from?: string): Promise<RecipientReport> {
  const id = await send(node, sendBody({ to, ...(from === undefined ? {} : { from }) }));
  await pollUntil(node, id, isFinal);
  const recipient = await stateOf(node, id);
  assert.equal(recipient.result, "delivered", JSON.stringify(recipient));
  return recipient;
}

const sourcesOf = (reports: readonly RecipientReport[]) => [...new Set(reports.map(({ smtp }) => smtp?.source))].sort();

/** Sends mail from each of the nodes until all of it leaves from the addresses. */
async function untilInUse(nodes: Node[], addresses: string[], to: string, from?: string): Promise<void> {
  await until(`the use of ${addresses.join()}`, async () => {
    const reports = await Promise.all(nodes.map((node) => delivered(node, to, from)));
    return sourcesOf(reports).every((source) => addresses.includes(source ?? ""));
  });
}

const receivers = (count: number): Exchanger[] =>
  Array.from({ length: count }, (_, i) => ({ domain: `r${i}.example` }));

test(
  "mail leaves from the addresses of its pool alone, with their names, whichever node accepted it",
  OPTIONS,
  async (t) => {
    const exchangers = receivers(6);
    const { seen, a, b, cli } = await startSite(t, { exchangers });
    await cli("pools", "create", "news");
    await cli("pools", "assign", "news", "--domain", "news.example");
    for (const command of [adding(A1), adding(A2), adding(B1, "--pool", "news")]) await cli(...command);
    await untilInUse([a, b], [A1, A2], "use@r0.example");
    await untilInUse([a, b], [B1], "use@r0.example", FROM_NEWS);

    const before = seen.length;
    const ofShop = [a, b].flatMap((node) => exchangers.map(({ domain }) => delivered(node, `shop@${domain}`)));
    const ofNews = [a, b].map((node) => delivered(node, "news@r0.example", FROM_NEWS));
    assert.deepEqual(sourcesOf(await Promise.all(ofShop)), [A1, A2]);
    assert.deepEqual(sourcesOf(await Promise.all(ofNews)), [B1]);
    const accepted = seen.slice(before);
    assert.equal(accepted.length, ofShop.length + ofNews.length);
    for (const { from, ehlo, domain } of accepted) {
      assert.equal(ehlo, NAMES[from], `the name of ${from}`);
      assert.ok(from !== B1 || domain === "r0.example", `${from} at ${domain}`);
    }
    assert.equal(accepted.filter(({ from }) => from === B1).length, ofNews.length);
  },
);

test("an address that a receiver blocks is left out there, and used at the others", OPTIONS, async (t) => {
  const others = receivers(6);
  const exchangers = [...others, { domain: "strict.example", blocksFirst: true }];
  const { seen, a, b } = await startSite(t, { exchangers, commands: [adding(A1), adding(A2), adding(B1)] });
  const toStrict = () =>
    Promise.all([a, b].flatMap((node) => Array.from({ length: 6 }, (_, i) => delivered(node, `u${i}@strict.example`))));
  const early = sourcesOf(await toStrict());
  const [blocked = "", ...more] = new Set(seen.filter(({ type }) => type === "refused").map(({ from }) => from));
  assert.ok(blocked in NAMES, `${blocked} is refused`);
  assert.deepEqual(more, []);

  const elsewhere = others.flatMap(({ domain }) => [a, b].map((node) => delivered(node, `fair@${domain}`)));
  assert.ok(sourcesOf(await Promise.all(elsewhere)).includes(blocked), `${blocked} is used elsewhere`);
  const late = sourcesOf(await toStrict());
  for (const source of [...early, ...late]) assert.notEqual(source, blocked);
  for (const { from, ehlo } of seen) assert.equal(ehlo, NAMES[from], `the name of ${from}`);
});

test(
  "once a node is killed, its mail leaves from the other's addresses, and none is delivered twice",
  OPTIONS,
  async (t) => {
    const exchangers = [{ domain: "fast.example" }, { domain: "slow.example", replyDelayMs: 3000 }];
    const { seen, a, b, cli } = await startSite(t, { exchangers, commands: [adding(A1), adding(A2), adding(B1)] });
    await untilInUse([b], [B1], "use@fast.example");
    const before = seen.length;
    const ids: string[] = [];
    const post = async (node: Node, name: string, count: number) => {
      for (let i = 0; i < count; i += 1)
        ids.push(await send(node, sendBody({ to: `${name}${ids.length}@slow.example` })));
    };
    await post(b, "early", 10);
    await until("a message that waits for its reply", () => seen.slice(before).some(({ from }) => from === B1));
    b.program.child.kill("SIGKILL");
    await b.program.ended;
    await post(a, "meanwhile", 2);
    await until("the end of its lease", async () => {
      const nodes = await cli<{ name: string; state: string }[]>("nodes", "list");
      await delay(200);
      return nodes.every(({ name, state }) => name === "a" || state === "expired");
    });
    const afterEnd = seen.length;
    await post(a, "late", 4);
    for (const id of ids) await pollUntil(a, id, isFinal);
    assert.deepEqual(new Set(seen.slice(afterEnd).map(({ from }) => from === A1 || from === A2)), new Set([true]));

    const accepted = seen.slice(before).flatMap(({ to, from }) => to.map((email) => ({ email, from })));
    const unknown: string[] = [];
    for (const id of ids) {
      const { email, result } = await stateOf(a, id);
      const times = accepted.filter((each) => each.email === email);
      if (result === "unknown") unknown.push(...times.map(({ from }) => from));
      else assert.equal(result, "delivered");
      assert.ok(
        times.length === 1 || (result === "unknown" && times.length === 0),
        `${email}: ${JSON.stringify(times)}`,
      );
    }
    assert.deepEqual(new Set(unknown), new Set([B1]), "only what the killed node had handed over is unknown");
  },
);

test("mail of both nodes through an address that is warmed up keeps the limit of the day", OPTIONS, async (t) => {
  const schedule = ["addresses", "warm-up", A1, "--schedule", "4,8"];
  const exchangers = [{ domain: "other.example" }];
  const site = await startSite(t, { exchangers, commands: [adding(A1, "--warm-up"), schedule] });
  const { seen, b, cli, startNode } = site;
  let { a } = site;
  const ids: string[] = [];
  const postAtBoth = async (count: number) => {
    for (let i = 0; i < count; i += 1)
      for (const node of [a, b]) ids.push(await send(node, sendBody({ to: `u${ids.length}@other.example` })));
  };
  const waiting = async () => {
    const states = await Promise.all(ids.map((id) => stateOf(b, id)));
    return states.filter(({ result, reason }) => result === "pending" && reason === "warm_up").length;
  };
  await postAtBoth(3);
  await until("the messages of the day", async () => (await waiting()) === 2);
  assert.deepEqual(
    seen.map(({ from, ehlo }) => `${from} ${ehlo}`),
    Array.from({ length: 4 }, () => `${A1} ${NAMES[A1]}`),
  );

  a.program.child.kill("SIGKILL");
  await a.program.ended;
  a = await startNode("a");
  await postAtBoth(2);
  await until("the reason of the others", async () => (await waiting()) === 6);
  assert.equal(seen.length, 4);
  await cli(...adding(B1));
  await until("the use of the warm address", async () => {
    const id = await send(b, sendBody({ to: "use@other.example" }));
    // Until the node knows the address, the message waits for the next day.
    await delay(500);
    return (await stateOf(b, id)).smtp?.source === B1;
  });
  assert.equal(seen.filter(({ from }) => from === A1).length, 4);
});
