/**
 * The environment of the torture test: a data directory on a real disk, a DNS zone and mail exchangers on loopback,
 * and the service as a process that can be started and killed repeatedly. The exchangers are the simulator's, over
 * real sockets, and record the same history.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Database } from "better-sqlite3";
import packageJson from "../package.json" with { type: "json" };
import { FaultInjector, type Rates } from "../simulate/fault-injector.ts";
import { History } from "../simulate/history.ts";
import { checkInvariants } from "../simulate/invariants.ts";
import type { PeerEnd } from "../simulate/network.ts";
import { Peer } from "../simulate/peers.ts";
import type { Prng } from "../simulate/prng.ts";
import type { Timeline } from "../simulate/virtual-time.ts";
import { bindDomain } from "../src/app/bind-domain.ts";
import { recordRunTime } from "../src/app/last-run-time.ts";
import { newApiKey } from "../src/security/api-key-format.ts";
import { openVault, type Vault } from "../src/security/vault.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import { openSqliteSpool, type SqliteStore } from "../src/spool/sqlite/sqlite-spool.ts";
import { startZoneServer, type ZoneServer } from "../src/testing/zone-server.ts";

/** The domain of the first account. */
export const SENDER = "sender.example";
export const DOMAINS = ["d0.example", "d1.example", "d2.example", "d3.example"];

/** The service's arguments from `npm start`, and the malloc settings of the image and the systemd unit. */
const START_ARGUMENTS = packageJson.scripts.start.split(" ").slice("exec node".split(" ").length);
const MALLOC_ENV = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "1048576" };
const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
/** In the tests' tree, the sources are compiled in place. */
const IS_COMPILED = import.meta.url.endsWith(".js");
/** Bytes that a killed process had written still arrive. */
const SETTLE_MS = 150;
const DRAIN_TIMEOUT_MS = 60_000;

const realTime: Timeline = {
  get nowMs() {
    return Date.now();
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface HarnessOptions {
  prng: Prng;
  /** The faults of the exchangers. */
  rates?: Rates;
  /** The parent of the data directory; by default the system's temporary directory. */
  dir?: string;
  env?: Record<string, string>;
  /** The number of accounts; 1 by default. */
  accounts?: number;
  /** Compiles the service first, so that it starts in a third of the time. */
  isBuilt?: boolean;
}

/** An account with a key and a verified domain. */
export interface Sender {
  key: string;
  domain: string;
}

export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

/** A started service; it may have exited. */
export interface RunningService {
  url: string;
  pid: number;
  ended: Promise<ExitStatus>;
  kill(signal: NodeJS.Signals): Promise<ExitStatus>;
}

export class Harness {
  readonly history = new History();
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly senders: Sender[] = [];
  readonly #zone: ZoneServer;
  /** By recipient domain. */
  readonly #servers = new Map<string, Server>();
  readonly #children = new Set<ChildProcess>();
  readonly #faults: FaultInjector;
  readonly #prng: Prng;
  readonly #startArguments: string[];
  #connections = 0;

  /** The key of the first account. */
  get apiKey(): string {
    return this.senders[0]?.key ?? "";
  }

  private constructor(zone: ZoneServer, { prng, rates = {}, dir, env, isBuilt = false }: HarnessOptions) {
    this.dir = mkdtempSync(join(dir ?? tmpdir(), "postrider-torture-"));
    this.#zone = zone;
    this.#prng = prng;
    this.#faults = new FaultInjector(prng, rates);
    this.#startArguments = isBuilt ? builtArguments() : START_ARGUMENTS;
    this.env = {
      ...{ PORT: "0", HOST: "127.0.0.1", DATA_DIR: join(this.dir, "data"), CERTS_DIR: join(this.dir, "certs") },
      ...{ MTA_HOSTNAME: "mta.sender.example", SENDING_IPS: "127.0.0.1", DNS_SERVERS: zone.address },
      ...{
        SMTP_ALLOW_PRIVATE: "true",
        RATE_PER_SECOND: "0",
        ADDRESS_RATE_PER_SECOND: "0",
        RETRY_SCHEDULE: "1s",
        SUPPRESS_AFTER: "0",
      },
      ...env,
    };
  }

  /** Creates the environment and its accounts. */
  static async create(options: HarnessOptions): Promise<Harness> {
    const harness = new Harness(await startZoneServer(), options);
    await harness.#startExchangers();
    await harness.#createAccounts(options.accounts ?? 1);
    return harness;
  }

  /** Starts the service and waits until it listens. Returns `refused` if it exits before. */
  async start(): Promise<RunningService | { refused: ExitStatus }> {
    const { child, ended } = this.#spawnService();
    let output = "";
    const url = await new Promise<string | null>((resolve) => {
      const listen = (chunk: Buffer): void => {
        output = (output + chunk).slice(-20_000);
        const [, found] = /"url":"([^"]+)"/.exec(output) ?? [];
        if (found === undefined) return;
        child.stdout?.off("data", listen).resume();
        resolve(found);
      };
      child.stdout?.on("data", listen);
      void ended.then(() => resolve(null));
    });
    if (url === null) return { refused: await ended };
    const kill = (signal: NodeJS.Signals): Promise<ExitStatus> => {
      child.kill(signal);
      return ended;
    };
    return { url, pid: child.pid ?? 0, ended, kill };
  }

  /** Starts the service. Throws if it exits. */
  async startOrFail(): Promise<RunningService> {
    const started = await this.start();
    if ("refused" in started) throw new Error(`the service did not start: ${started.refused.stderr}`);
    return started;
  }

  /** Starts the service and kills it after `afterMs`. */
  async killStart(afterMs: number): Promise<void> {
    const { child, ended } = this.#spawnService();
    await delay(afterMs);
    child.kill("SIGKILL");
    await ended;
  }

  /** Checks the invariants of the history and the spool. */
  async checkInvariants(options: { expectEnd: boolean }): Promise<string[]> {
    await delay(SETTLE_MS);
    const db = this.#openReadOnly();
    try {
      return checkInvariants(db, this.history, { ...options, contentsDeletedBeforeMs: 0 });
    } finally {
      db.close();
    }
  }

  /** Queries one number of the spool; null if there is no row. */
  count(sql: string): number | null {
    return this.read((db) => db.prepare<[], number>(sql).pluck().get() ?? null);
  }

  /** Reads the spool's tables. */
  read<T>(query: (db: Database) => T): T {
    const db = this.#openReadOnly();
    try {
      return query(db);
    } finally {
      db.close();
    }
  }

  /** Waits until no recipient is pending or in an attempt. Returns false on a timeout. */
  async waitUntilDrained(): Promise<boolean> {
    const giveUpMs = Date.now() + DRAIN_TIMEOUT_MS;
    while (this.count("SELECT count(*) FROM recipients WHERE state IN ('pending', 'marked')") !== 0) {
      if (Date.now() > giveUpMs) return false;
      await delay(100);
    }
    return true;
  }

  /** Stops the faults of the exchangers. */
  stopFaults(): void {
    this.#faults.stop();
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    for (const server of this.#servers.values()) server.close();
    await this.#zone.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #openReadOnly(): Database {
    return new Sqlite(join(this.env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  }

  #spawnService(): { child: ChildProcess; ended: Promise<ExitStatus> } {
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, this.#startArguments, {
      cwd: CHECKOUT,
      env: { PATH, LOG_LEVEL: "info", ...MALLOC_ENV, ...this.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const ended = once(child, "close").then(([code, signal]): ExitStatus => {
      this.#children.delete(child);
      return { code, signal, stderr };
    });
    return { child, ended };
  }

  /** Starts one host for each domain, all on the port that the service delivers to. */
  async #startExchangers(): Promise<void> {
    let port = 0;
    for (const domain of DOMAINS) {
      const host = hostOf(domain);
      port = await this.#listen(domain, port);
      this.#zone.set(domain, "MX", [`10 mx.${domain}`]);
      this.#zone.set(`mx.${domain}`, "A", [host]);
    }
    this.env.SMTP_PORT = String(port);
  }

  /** Makes the domain's exchanger refuse connections. */
  closeExchanger(domain: string): void {
    this.#servers.get(domain)?.close();
  }

  async openExchanger(domain: string): Promise<void> {
    await this.#listen(domain, Number(this.env.SMTP_PORT));
  }

  async #listen(domain: string, port: number): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => {
      socket.on("error", () => {});
      const end: PeerEnd = {
        send: (bytes) => void socket.write(bytes),
        close: (how) => void (how === "end" ? socket.end() : socket.resetAndDestroy()),
        get isOpen() {
          return socket.writable;
        },
      };
      this.#connections += 1;
      const parts = { time: realTime, prng: this.#prng, faults: this.#faults, history: this.history };
      const peer = new Peer(end, { ...parts, number: this.#connections, trace: () => {}, loadRefusal: () => null });
      socket.on("data", (bytes) => peer.receive(bytes));
      socket.on("close", () => peer.closed());
    });
    this.#servers.set(domain, server);
    server.listen(port, hostOf(domain));
    await once(server, "listening");
    return (server.address() as { port: number }).port;
  }

  /** Opens the spool as the command line does, and closes it after `use`. */
  async withSpool(use: (spool: SqliteStore) => Promise<void>): Promise<void> {
    const { DATA_DIR = "" } = this.env;
    mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
    const onFatal = (error: Error): never => {
      throw error;
    };
    const spool = await openSqliteSpool({ dataDir: DATA_DIR, role: "client", onFatal });
    await use(spool);
    await spool.close();
  }

  #createAccounts(accounts: number): Promise<void> {
    return this.withSpool(async (spool) => {
      const vault = openVault(this.env.CERTS_DIR ?? "");
      for (let i = 0; i < accounts; i += 1) this.senders.push(await createSender(spool, vault, i));
      // As if the service had run before: without a recorded time, retention pauses for an hour.
      await recordRunTime(spool, Date.now());
    });
  }
}

/** The service's arguments without the loader of TypeScript. */
function builtArguments(): string[] {
  if (!IS_COMPILED)
    execFileSync("npm", ["run", "-s", "build"], { cwd: CHECKOUT, stdio: ["ignore", "ignore", "inherit"] });
  return [
    ...START_ARGUMENTS.slice(0, START_ARGUMENTS.indexOf("--import")),
    IS_COMPILED ? "src/main.js" : "dist/main.js",
  ];
}

/** The address of a domain's exchanger. */
const hostOf = (domain: string): string => `127.0.7.${DOMAINS.indexOf(domain) + 1}`;

/** Creates an API key and a verified domain for an account. */
async function createSender(spool: SqliteStore, vault: Vault, number: number): Promise<Sender> {
  const nowMs = Date.now();
  const created = number === 0 ? { id: "acc_default" } : await spool.createAccount(`account-${number}`, nowMs);
  if (created === "exists") throw new Error(`account-${number} already exists`);
  const name = number === 0 ? SENDER : `sender${number}.example`;
  const bound = await bindDomain(spool, vault, { accountId: created.id, name, nowMs, domainsMax: 1 });
  if (bound.type !== "bound") throw new Error(`binding ${name}: ${bound.type}`);
  const { id, checks } = bound.domain;
  await spool.saveChecks(id, checks, true, nowMs + 86_400_000);
  const { key, hash, lastFour } = newApiKey();
  await spool.createKey({ accountId: created.id, name: "torture", hash, lastFour, createdAtMs: nowMs, keysMax: 1 });
  return { key, domain: name };
}
