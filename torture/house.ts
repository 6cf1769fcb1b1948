/**
 * A place to torture the real service in: a data directory on a real disk, a DNS zone and mail exchangers on loopback, and
 * the service as a process of its own that can be started, killed and started again. The exchangers are the simulator's,
 * over real sockets, and keep its books.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Database } from "better-sqlite3";
import packageJson from "../package.json" with { type: "json" };
import { audit } from "../simulate/audit.ts";
import { Books } from "../simulate/books.ts";
import type { Chance } from "../simulate/chance.ts";
import type { PeerEnd } from "../simulate/network.ts";
import { Peer } from "../simulate/peers.ts";
import type { Passing } from "../simulate/virtual-time.ts";
import { type Rates, Weather } from "../simulate/weather.ts";
import { bindDomain } from "../src/app/bind-domain.ts";
import { recordRunTime } from "../src/app/last-run-time.ts";
import { newApiKey } from "../src/security/api-key.ts";
import { openVault, type Vault } from "../src/security/vault.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import { openSqliteSpool, type SqliteStore } from "../src/spool/sqlite/sqlite-spool.ts";
import { startZoneServer, type ZoneServer } from "../src/testing/zone-server.ts";

/** The first account's domain. */
export const SENDER = "sender.example";
export const DOMAINS = ["d0.example", "d1.example", "d2.example", "d3.example"];

/** The service's arguments as `npm start` has them, and what the image and the unit set for glibc. */
const START = packageJson.scripts.start.split(" ").slice("exec node".split(" ").length);
const MALLOC = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "1048576" };
const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
/** What a killed process had handed to the kernel still arrives. */
const QUIET_MS = 150;
const PATIENCE_MS = 60_000;

const realTime: Passing = {
  get nowMs() {
    return Date.now();
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface HouseOptions {
  chance: Chance;
  /** What the exchangers do wrong. */
  rates?: Rates;
  /** Where the data directory is made; the system's place for temporary files without it. */
  dir?: string;
  env?: Record<string, string>;
  /** Accounts that may send; one without it. */
  accounts?: number;
}

/** An account that may send. */
export interface Sender {
  /** Its API key. */
  key: string;
  /** Its verified domain. */
  domain: string;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

/** A service that runs, or has run. */
export interface Running {
  url: string;
  pid: number;
  ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): Promise<Ended>;
}

export class House {
  readonly books = new Books();
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly senders: Sender[] = [];
  readonly #zone: ZoneServer;
  /** By recipient domain. */
  readonly #servers = new Map<string, Server>();
  readonly #children = new Set<ChildProcess>();
  readonly #weather: Weather;
  readonly #chance: Chance;
  #connections = 0;

  /** The first account's. */
  get apiKey(): string {
    return this.senders[0]?.key ?? "";
  }

  private constructor(zone: ZoneServer, { chance, rates = {}, dir, env }: HouseOptions) {
    this.dir = mkdtempSync(join(dir ?? tmpdir(), "postrider-torture-"));
    this.#zone = zone;
    this.#chance = chance;
    this.#weather = new Weather(chance, rates);
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

  /** Makes it, with the accounts that may send. */
  static async build(options: HouseOptions): Promise<House> {
    const house = new House(await startZoneServer(), options);
    await house.#openExchangers();
    await house.#furnish(options.accounts ?? 1);
    return house;
  }

  /** Starts the service and waits until it serves; `refused` with its words when it ends before. */
  async start(): Promise<Running | { refused: Ended }> {
    const { child, ended } = this.#launch();
    let said = "";
    const url = await new Promise<string | null>((resolve) => {
      const listen = (chunk: Buffer): void => {
        said = (said + chunk).slice(-20_000);
        const [, found] = /"url":"([^"]+)"/.exec(said) ?? [];
        if (found === undefined) return;
        child.stdout?.off("data", listen).resume();
        resolve(found);
      };
      child.stdout?.on("data", listen);
      void ended.then(() => resolve(null));
    });
    if (url === null) return { refused: await ended };
    const kill = (signal: NodeJS.Signals): Promise<Ended> => {
      child.kill(signal);
      return ended;
    };
    return { url, pid: child.pid ?? 0, ended, kill };
  }

  /** As `start`, where it must come up. */
  async startOrFail(): Promise<Running> {
    const started = await this.start();
    if ("refused" in started) throw new Error(`the service did not start: ${started.refused.stderr}`);
    return started;
  }

  /** Kills a start that is under way after `afterMs`. */
  async killStart(afterMs: number): Promise<void> {
    const { child, ended } = this.#launch();
    await delay(afterMs);
    child.kill("SIGKILL");
    await ended;
  }

  /** Compares the books with the spool. */
  async audit(options: { expectEnd: boolean }): Promise<string[]> {
    await delay(QUIET_MS);
    const db = this.#read();
    try {
      return audit(db, this.books, options);
    } finally {
      db.close();
    }
  }

  /** What one number of the spool is; null while it cannot be read. */
  count(sql: string): number | null {
    const db = this.#read();
    try {
      return db.prepare<[], number>(sql).pluck().get() ?? null;
    } finally {
      db.close();
    }
  }

  /** Waits until no recipient is on the way any more; false when that takes too long. */
  async drained(): Promise<boolean> {
    const giveUpMs = Date.now() + PATIENCE_MS;
    while (this.count("SELECT count(*) FROM recipients WHERE state IN ('pending', 'marked')") !== 0) {
      if (Date.now() > giveUpMs) return false;
      await delay(100);
    }
    return true;
  }

  /** From here on the exchangers do nothing wrong. */
  clearWeather(): void {
    this.#weather.clear();
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    for (const server of this.#servers.values()) server.close();
    await this.#zone.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #read(): Database {
    return new Sqlite(join(this.env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  }

  #launch(): { child: ChildProcess; ended: Promise<Ended> } {
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, START, {
      cwd: CHECKOUT,
      env: { PATH, LOG_LEVEL: "info", ...MALLOC, ...this.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const ended = once(child, "close").then(([code, signal]): Ended => {
      this.#children.delete(child);
      return { code, signal, stderr };
    });
    return { child, ended };
  }

  /** One host for each domain, all at the one port that the service delivers to. */
  async #openExchangers(): Promise<void> {
    let port = 0;
    for (const domain of DOMAINS) {
      const host = hostOf(domain);
      port = await this.#listen(domain, port);
      this.#zone.set(domain, "MX", [`10 mx.${domain}`]);
      this.#zone.set(`mx.${domain}`, "A", [host]);
    }
    this.env.SMTP_PORT = String(port);
  }

  /** From here on the domain's exchanger takes no connection. */
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
      const parts = { time: realTime, chance: this.#chance, weather: this.#weather, books: this.books };
      const peer = new Peer(end, { ...parts, number: this.#connections, tell: () => {}, isLimited: () => false });
      socket.on("data", (bytes) => peer.receive(bytes));
      socket.on("close", () => peer.closed());
    });
    this.#servers.set(domain, server);
    server.listen(port, hostOf(domain));
    await once(server, "listening");
    return (server.address() as { port: number }).port;
  }

  /** Opens the spool for a while, as the command line does. */
  async open(use: (spool: SqliteStore) => Promise<void>): Promise<void> {
    const { DATA_DIR = "" } = this.env;
    mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
    const onFatal = (error: Error): never => {
      throw error;
    };
    const spool = await openSqliteSpool({ dataDir: DATA_DIR, role: "client", onFatal });
    await use(spool);
    await spool.close();
  }

  #furnish(accounts: number): Promise<void> {
    return this.open(async (spool) => {
      const vault = openVault(this.env.CERTS_DIR ?? "");
      for (let i = 0; i < accounts; i += 1) this.senders.push(await newSender(spool, vault, i));
      // As a service that has run before: without a time noted, retention pauses for an hour.
      await recordRunTime(spool, Date.now());
    });
  }
}

/** Where a recipient domain's exchanger is. */
const hostOf = (domain: string): string => `127.0.7.${DOMAINS.indexOf(domain) + 1}`;

/** An account's key and a verified domain. */
async function newSender(spool: SqliteStore, vault: Vault, number: number): Promise<Sender> {
  const nowMs = Date.now();
  const created = number === 0 ? { id: "acc_default" } : await spool.createAccount(`account-${number}`, nowMs);
  if (created === "exists") throw new Error(`there is an account-${number} already`);
  const name = number === 0 ? SENDER : `sender${number}.example`;
  const bound = await bindDomain(spool, vault, { accountId: created.id, name, nowMs, domainsMax: 1 });
  if (bound.type !== "bound") throw new Error(`binding ${name}: ${bound.type}`);
  const { id, checks } = bound.domain;
  await spool.saveChecks(id, checks, true, nowMs + 86_400_000);
  const { key, hash, lastFour } = newApiKey();
  await spool.createKey({ accountId: created.id, name: "torture", hash, lastFour, createdAtMs: nowMs, keysMax: 1 });
  return { key, domain: name };
}
