/** Our side: the service as `npm start` runs it, with its spool on disk and its log in memory. */
import { closeSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { openDatabase } from "../../src/spool/engine/sqlite/connection/database.ts";
import { type Child, startProgram, until } from "../child.ts";
import { SMALL } from "../load/content.ts";
import { httpSubmitter } from "../load/http.ts";
import { sendLarge } from "../load/large.ts";
import { floodByHttp, type HttpLoad, type Submitted, sendByHttp } from "../load/wrk.ts";
import { memoryDir } from "../namespace.ts";
import { cpuMs } from "../proc.ts";
import type { SmtpSink } from "../smtp-sink.ts";
import type { Account } from "./postrider-account.ts";
import { ADDRESSES, type Burst, type Load, OURS, type Side } from "./side.ts";
import { DNS_SERVER } from "./zone.ts";

const HOST = "127.0.0.1";
const PORT = 8080;
const READY_LIMIT_MS = 120_000;
const READY_LOOK_MS = 10;
const REPEAT_LIMIT_MS = 300_000;
/** More than any service accepts. */
const FLOOD_PER_S_MAX = 100_000;

interface PostriderLoad extends Load {
  recipients?: number;
  /** Messages per second; 0 for the maximum. */
  ratePerS?: number;
  /** The recipients' domain; by default the sink's. */
  domain?: string;
}

export interface Postrider extends Side {
  pid: number;
  url: string;
  /** From the start of the process until it was ready. */
  readyMs: number;
  burst(sink: SmtpSink, load: PostriderLoad): Promise<Burst>;
  /** Sends messages of 4 KB for that time. Returns without waiting for their delivery. */
  flood(flood: { seconds: number; clients: number }): Promise<Submitted>;
}

export interface StartOptions {
  account: Account;
  /** Options of Node, before all other arguments. */
  nodeArgs?: readonly string[];
  /** OURS by default. */
  name?: string;
  /** 8080 by default. */
  port?: number;
  /** Further settings of the service. */
  env?: Readonly<Record<string, string>>;
  /** The directory of the version; this checkout by default. */
  checkout?: string;
  /** The program that runs it; that of this process by default. */
  node?: string;
}

/** Recipients differ across all runs on one spool. */
let nextNumber = 1;

/** Starts the service and waits until it is ready. */
export async function startService(options: StartOptions): Promise<{ child: Child; url: string; readyMs: number }> {
  const { port = PORT, checkout = "." } = options;
  requireFreshBuild(checkout);
  const url = `http://${HOST}:${port}`;
  const startMs = performance.now();
  const child = await launch({ ...options, port });
  await until("Postrider", () => isReady(child, url), { everyMs: READY_LOOK_MS, limitMs: READY_LIMIT_MS });
  return { child, url, readyMs: performance.now() - startMs };
}

/** Starts the service of this checkout, to be measured by itself. */
export async function startPostrider(options: StartOptions): Promise<Postrider> {
  const { account, name = OURS, port = PORT } = options;
  const { child, url, readyMs } = await startService(options);
  const waiting = account.databaseUrl === null ? watchWaiting(account.dataDir) : await watchWork(account.databaseUrl);
  const waitingBefore = await waiting.count();
  return {
    name,
    pid: child.pid,
    url,
    readyMs,
    async burst(sink, load) {
      const [arrivedBefore, cpuBefore] = [sink.arrived(), cpuMs(child.pid)];
      const sent = await send({ url, key: account.key }, load);
      const arrivedMs = await sink.reached(arrivedBefore + load.messages);
      if (arrivedMs === null) throw new Error(`${OURS}: ${sink.arrived() - arrivedBefore} of ${load.messages} arrived`);
      await until("all results settled", async () => (await waiting.count()) <= waitingBefore);
      return {
        acceptedPerS: (load.messages * 1000) / (sent.endMs - sent.startMs),
        endToEndPerS: (load.messages * 1000) / (arrivedMs - sent.startMs),
        cpuMs: (cpuMs(child.pid) - cpuBefore) / load.messages,
        repeated: sent.repeated,
        p50Ms: sent.p50Ms,
        p99Ms: sent.p99Ms,
      };
    },
    flood: ({ seconds, clients }) => floodFor({ url, key: account.key }, seconds, clients),
    submitter: () => httpSubmitter({ host: HOST, port, key: account.key }),
    async stop() {
      await waiting.close();
      await child.stop();
    },
  };
}

/** The number of recipients without a final result, read from the spool. */
interface Waiting {
  count(): number | Promise<number>;
  close(): void | Promise<void>;
}

async function watchWork(databaseUrl: string): Promise<Waiting> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const count = async (): Promise<number> => {
    const { rows } = await client.query<{ count: string }>("SELECT count(*) FROM work");
    return Number(rows[0]?.count);
  };
  return { count, close: () => client.end() };
}

function watchWaiting(dataDir: string): Waiting {
  const spool = openDatabase(dataDir, "read");
  const waiting = spool.prepare<[], number>("SELECT count(*) FROM work").pluck();
  return { count: () => waiting.get() ?? 0, close: () => void spool.close() };
}

type Sent = Pick<Burst, "repeated" | "p50Ms" | "p99Ms"> & Pick<Submitted, "startMs" | "endMs">;

interface Door {
  url: string;
  key: string;
}

/** Completes a load, with recipients that no other has. */
function httpLoad(door: Door, load: PostriderLoad): HttpLoad {
  const { messages, clients, recipients = 1, ratePerS = 0, domain = ADDRESSES.recipientDomain, content = SMALL } = load;
  const shape = { messages, clients, recipients, ratePerS, content, firstNumber: nextNumber };
  nextNumber += messages * recipients;
  return { ...door, sender: ADDRESSES.sender, domain, ...shape };
}

const floodFor = (door: Door, seconds: number, clients: number): Promise<Submitted> =>
  floodByHttp(httpLoad(door, { messages: seconds * FLOOD_PER_S_MAX, clients }), seconds);

/** By clients that repeat refused messages; their latencies are not measured. */
async function sendRepeating(door: Door, load: PostriderLoad): Promise<Sent> {
  const { messages, clients, content = SMALL } = load;
  const order = { ...door, messages, clients, content, firstNumber: nextNumber, limitMs: REPEAT_LIMIT_MS };
  nextNumber += messages;
  const { accepted, refused, lost, startMs, endMs } = await sendLarge(order);
  if (accepted < messages) throw new Error(`${OURS} accepted ${accepted} of ${messages} messages`);
  const repeated = Object.values(refused).reduce((sum, count) => sum + count, lost);
  return { startMs, endMs, repeated, p50Ms: null, p99Ms: null };
}

async function send(door: Door, load: PostriderLoad): Promise<Sent> {
  const { messages } = load;
  if (load.repeats) return sendRepeating(door, load);
  const sent = await sendByHttp(httpLoad(door, load));
  if (sent.refused > 0) throw new Error(`${OURS} refused ${sent.refused} of ${messages} messages`);
  return { ...sent, repeated: 0 };
}

/** Throws if the source has changed since `npm run build`, because the figures would be those of an older version. */
function requireFreshBuild(checkout: string): void {
  const builtMs = statSync(join(checkout, "dist/main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const src = join(checkout, "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const newer = files.find((name) => statSync(join(src, name)).mtimeMs > builtMs);
  if (newer !== undefined) throw new Error(`dist is older than ${join(src, newer)}: npm run build`);
}

/** Node's arguments in the Dockerfile's CMD, and the malloc settings of its ENV. */
function asInContainer(checkout: string): { args: string[]; env: Record<string, string> } {
  const dockerfile = readFileSync(join(checkout, "Dockerfile"), "utf8");
  const [, command] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [node, ...args] = JSON.parse(command ?? "[]") as string[];
  if (node !== "node" || args.length === 0) throw new Error("the Dockerfile's CMD does not start node");
  const [settings = ""] = /^ENV MALLOC_.*$/m.exec(dockerfile) ?? [];
  const pairs = [...settings.matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
  return { args, env: Object.fromEntries(pairs) };
}

async function launch(options: StartOptions) {
  const { account, nodeArgs = [], port, env = {}, checkout = ".", node = process.execPath } = options;
  const { dataDir, certsDir, databaseUrl } = account;
  const log = openSync(join(memoryDir("postrider"), "log"), "a");
  const { PATH = "" } = process.env;
  const settings = {
    PORT: String(port),
    HOST,
    DATA_DIR: dataDir,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    CERTS_DIR: certsDir,
    MTA_HOSTNAME: ADDRESSES.hostname,
    SENDING_IPS: "127.0.0.1",
    DNS_SERVERS: DNS_SERVER,
    SMTP_PORT: String(ADDRESSES.sink.port),
    SMTP_ALLOW_PRIVATE: "true",
    RATE_PER_SECOND: "0",
    ...env,
  };
  // Measured as the container runs it; a profile names source files.
  const container = asInContainer(checkout);
  const source = [...container.args.slice(0, -1), ...nodeArgs, "--import", "tsx", "src/main.ts"];
  const args = nodeArgs.length === 0 ? container.args : source;
  const child = await startProgram(node, args, {
    cwd: resolve(checkout),
    env: { PATH, ...container.env, ...settings },
    stdio: ["ignore", log, "inherit"],
  });
  closeSync(log);
  return child;
}

async function isReady({ process: { exitCode } }: Child, url: string): Promise<boolean> {
  if (exitCode !== null) throw new Error(`Postrider exited with ${exitCode}`);
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}
