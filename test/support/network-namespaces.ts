/**
 * Linux network namespaces of a test: hosts on one bridge, each with addresses of its own, and the receivers of their mail. The bridge is
 * in the receivers' namespace, so that no traffic and no address is of this server. Unix sockets lead in and out: to the hosts' HTTP, and to
 * the database.
 *
 * Run as a program, this file is the receivers: DNS, mail exchangers, and the inner ends of the sockets.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startZoneServer, type ZoneRecord } from "../../src/testing/zone-server.ts";
import { fileArgs } from "./program.ts";
import { type PeerState, type Script, type Step, startScriptedSmtp } from "./scripted-smtp.ts";
import { tempDir } from "./temp-dir.ts";

/** Where the namespaces have DNS (port 53) and the database. */
export const BRIDGE = "10.77.0.1";
const DATABASE_PORT = 5432;
/** Where a host listens for HTTP. */
export const HTTP_PORT = 8080;
/** The namespace of the receivers. */
export const RECEIVERS = "receivers";

const LIFETIME_MS = 600_000;

export interface Exchanger {
  /** Its recipient domain. */
  domain: string;
  /** Whether it blocks the address that its first message comes from. */
  blocksFirst?: boolean;
  /** How long after a final dot it replies. */
  replyDelayMs?: number;
}

/** A message that an exchanger accepted, or a sender that it refused. */
export interface Seen {
  type: "accepted" | "refused";
  /** The exchanger's recipient domain. */
  domain: string;
  /** The source address. */
  from: string;
  ehlo: string;
  /** The recipients; empty for a refused sender. */
  to: string[];
}

export interface Program {
  child: ChildProcess;
  /** Resolves with the next line of the output that passes the test. Rejects with the standard error if the program ends before. */
  line(test: (line: string) => boolean): Promise<string>;
  /** Resolves after the end. */
  ended: Promise<unknown>;
}

/** A `skip` value: false if namespaces can be made, else what is missing. */
export function missingNamespaces(): string | false {
  if (process.platform !== "linux") return "needs network namespaces of Linux";
  if (process.getuid?.() !== 0) return "needs root, to make network namespaces";
  const name = `postrider-${process.pid}-probe`;
  const fault = tryIp("netns", "add", name);
  if (fault !== null) return `needs network namespaces: ${fault}`;
  const links = [
    ["bridge0", "type", "bridge"],
    ["eth0", "type", "veth", "peer", "name", "eth1"],
  ];
  const faults = links.map((link) => tryIp("-n", name, "link", "add", ...link)).filter((each) => each !== null);
  ip("netns", "delete", name);
  return faults.length === 0 ? false : `needs network namespaces: ${faults[0]}`;
}

/** Returns null, or in one line why it failed. */
function tryIp(...args: string[]): string | null {
  const { status, stderr, error } = spawnSync("ip", args, { encoding: "utf8" });
  if (error !== undefined) return `ip (iproute2) does not run: ${error.message}`;
  return status === 0 ? null : `ip ${args.join(" ")}: ${stderr.trim().split("\n").at(-1)}`;
}

function ip(...args: string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** The addresses of hosts by their names; HTTP is at the first one of each. */
export type Hosts = Readonly<Record<string, readonly [string, ...string[]]>>;

let networks = 0;

export class Network {
  /** A temporary directory. */
  readonly dir: string;
  readonly #hosts: Hosts;
  readonly #prefix: string;
  readonly #namespaces: string[] = [];
  readonly #programs: Program[] = [];
  readonly #servers: Server[] = [];

  /** Makes the namespaces. They are removed after the test, and all that runs in them ends. */
  constructor(t: TestContext, hosts: Hosts) {
    networks += 1;
    this.#prefix = `postrider-${process.pid}-${networks}`;
    this.#hosts = hosts;
    t.after(() => this.#remove());
    this.dir = tempDir(t);
    const bridge = this.#add(RECEIVERS);
    ip("-n", bridge, "link", "add", "bridge0", "type", "bridge");
    this.#setUp(bridge, "bridge0", [BRIDGE]);
    for (const [host, addresses] of Object.entries(hosts)) {
      const name = this.#add(host);
      ip("-n", bridge, "link", "add", "name", `to-${host}`, "type", "veth", "peer", "name", "eth0", "netns", name);
      ip("-n", bridge, "link", "set", `to-${host}`, "master", "bridge0", "up");
      this.#setUp(name, "eth0", addresses);
    }
  }

  /** Runs Node in a host's namespace. The child process is Node itself, which replaces `ip`. */
  run(host: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const child = spawn("ip", ["netns", "exec", this.#nameOf(host), process.execPath, ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: LIFETIME_MS,
      killSignal: "SIGKILL",
    });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    const lines = createInterface({ input: child.stdout });
    const ended = once(child, "close");
    const line = (test: (line: string) => boolean): Promise<string> =>
      new Promise((resolve, reject) => {
        lines.on("line", (each) => test(each) && resolve(each));
        ended.then(() => reject(new Error(`a program of ${host} has ended: ${errors}`)), reject);
      });
    const program = { child, line, ended };
    this.#programs.push(program);
    return program;
  }

  /** Starts DNS with these records, an exchanger for each domain, and the ways to the hosts. Returns what the exchangers see, as it comes. */
  async startReceivers(records: ZoneRecord[], exchangers: Exchanger[]): Promise<Seen[]> {
    const addresses = exchangers.map((_, i) => `10.77.0.${101 + i}`);
    this.#setUp(this.#nameOf(RECEIVERS), "bridge0", addresses);
    const inner = Object.entries(this.#hosts).map(([host, [address]]) => ({ path: this.#socketTo(host), address }));
    const options: ReceiverOptions = { records, exchangers, addresses, inner, database: this.#socketTo("database") };
    const program = this.run(RECEIVERS, [...fileArgs(new URL(import.meta.url)), JSON.stringify(options)]);
    const seen: Seen[] = [];
    await program.line((line) => {
      if (line !== "ready") seen.push(JSON.parse(line));
      return line === "ready";
    });
    return seen;
  }

  /** Returns a URL with which programs in the namespaces reach a database of this server. */
  async leadToDatabase(url: string): Promise<string> {
    const { hostname: host, port } = new URL(url);
    this.#servers.push(await relay({ path: this.#socketTo("database") }, { host, port: Number(port) }));
    return Object.assign(new URL(url), { host: `${BRIDGE}:${DATABASE_PORT}` }).href;
  }

  /** Returns a URL of this server that leads to the HTTP of a host in the namespaces. */
  async leadTo(host: string): Promise<string> {
    const server = await relay({ host: "127.0.0.1", port: 0 }, { path: this.#socketTo(host) });
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  #nameOf(host: string): string {
    return `${this.#prefix}-${host}`;
  }

  #socketTo(host: string): string {
    return join(this.dir, `${host}.sock`);
  }

  #add(host: string): string {
    const name = this.#nameOf(host);
    ip("netns", "add", name);
    this.#namespaces.push(name);
    ip("-n", name, "link", "set", "lo", "up");
    return name;
  }

  #setUp(namespace: string, device: string, addresses: readonly string[]): void {
    for (const address of addresses) ip("-n", namespace, "address", "add", `${address}/24`, "dev", device);
    ip("-n", namespace, "link", "set", device, "up");
  }

  async #remove(): Promise<void> {
    for (const { child } of this.#programs) child.kill("SIGKILL");
    await Promise.all(this.#programs.map(({ ended }) => ended));
    for (const server of this.#servers) server.close();
    for (const name of this.#namespaces) ip("netns", "delete", name);
  }
}

type Place = { path: string } | { host: string; port: number };

/** Passes each connection on to another place. */
async function relay(from: Place, to: Place): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(to);
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  server.listen(from);
  await once(server, "listening");
  return server;
}

interface ReceiverOptions {
  records: ZoneRecord[];
  exchangers: Exchanger[];
  /** Those of the exchangers. */
  addresses: string[];
  /** Sockets, and the hosts that they lead to. */
  inner: { path: string; address: string }[];
  /** The socket that leads to the database. */
  database: string;
}

async function serve({ records, exchangers, addresses, inner, database }: ReceiverOptions): Promise<void> {
  const zone = await startZoneServer({ host: BRIDGE, port: 53, records });
  for (const [i, exchanger] of exchangers.entries()) {
    const { domain } = exchanger;
    const [host = ""] = [addresses[i]];
    zone.set(domain, "MX", [`10 mx.${domain}.`]);
    zone.set(`mx.${domain}`, "A", [host]);
    await startScriptedSmtp({ host, port: 25, script: scriptOf(exchanger) });
  }
  await relay({ host: BRIDGE, port: DATABASE_PORT }, { path: database });
  for (const { path, address } of inner) await relay({ path }, { host: address, port: HTTP_PORT });
  // Ends with the test's process.
  process.stdin.resume().on("end", () => process.exit());
  process.stdout.write("ready\n");
}

const later = (delayMs: number, then: string): Step => ({ delayMs, then });

function scriptOf({ domain, blocksFirst = false, replyDelayMs = 0 }: Exchanger): Script {
  let blocked: string | null = null;
  const report = (type: Seen["type"], { remoteAddress: from, commands, rcptTo: to }: PeerState): void => {
    const ehlo = commands.findLast((command) => command.startsWith("EHLO "))?.slice("EHLO ".length) ?? "";
    const seen: Seen = { type, domain, from, ehlo, to };
    process.stdout.write(`${JSON.stringify(seen)}\n`);
  };
  return {
    mail(_, state) {
      const { remoteAddress: from } = state;
      if (blocksFirst) blocked ??= from;
      if (from !== blocked) return undefined;
      report("refused", state);
      return `550 5.7.1 Service unavailable; client host [${from}] blocked using zen.spamhaus.org`;
    },
    dot(_, state) {
      report("accepted", state);
      return replyDelayMs === 0 ? undefined : later(replyDelayMs, "250 2.0.0 queued");
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(JSON.parse(process.argv[2] ?? ""));
