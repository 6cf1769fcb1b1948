/**
 * The environment of the torture test: a data directory on a real disk, a DNS zone and mail exchangers on loopback,
 * and the service as a process that can be started and killed repeatedly. The exchangers are the simulator's, over
 * real sockets, and record the same history.
 */
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { FaultInjector, type Rates } from "../simulate/fault-injector.ts";
import { History } from "../simulate/history.ts";
import { checkInvariants } from "../simulate/invariants.ts";
import type { Prng } from "../simulate/prng.ts";
import { recordRunTime } from "../src/app/installation/last-run-time.ts";
import { openVault } from "../src/security/vault.ts";
import Sqlite from "../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool, type SqliteStore } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import { startZoneServer, type ZoneServer } from "../src/testing/zone-server.ts";
import { Exchangers } from "./exchangers.ts";
import { createSender, type Sender } from "./sender.ts";
import {
  type ExitStatus,
  type LaunchedService,
  launchService,
  type RunningService,
  untilListening,
} from "./service-process.ts";

/** Bytes that a killed process had written still arrive. */
const SETTLE_MS = 150;
const DRAIN_TIMEOUT_MS = 60_000;
/** A garbled reply may have no end, for which the service would wait for longer than the drain may take. */
const EXCHANGER_IDLE_MS = 20_000;

export interface HarnessOptions {
  prng: Prng;
  /** The faults of the exchangers. */
  rates?: Rates;
  /** The parent of the data directory; by default the system's temporary directory. */
  dir?: string;
  env?: Record<string, string>;
  /** The number of accounts; 1 by default. */
  accounts?: number;
}

export class Harness {
  readonly history = new History();
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly senders: Sender[] = [];
  readonly zone: ZoneServer;
  readonly #exchangers: Exchangers;
  readonly #children = new Set<ChildProcess>();
  readonly #faults: FaultInjector;

  /** The key of the first account. */
  get apiKey(): string {
    return this.senders[0]?.key ?? "";
  }

  private constructor(zone: ZoneServer, { prng, rates = {}, dir, env }: HarnessOptions) {
    this.dir = mkdtempSync(join(dir ?? tmpdir(), "postrider-torture-"));
    this.zone = zone;
    this.#faults = new FaultInjector(prng, rates);
    this.#exchangers = new Exchangers({ prng, faults: this.#faults, history: this.history, idleMs: EXCHANGER_IDLE_MS });
    this.env = {
      PORT: "0",
      HOST: "127.0.0.1",
      DATA_DIR: join(this.dir, "data"),
      CERTS_DIR: join(this.dir, "certs"),
      MTA_HOSTNAME: "mta.sender.example",
      SENDING_IPS: "127.0.0.1",
      DNS_SERVERS: zone.address,

      SMTP_ALLOW_PRIVATE: "true",
      RATE_PER_SECOND: "0",
      ADDRESS_RATE_PER_SECOND: "0",
      RETRY_SCHEDULE: "1s",
      SUPPRESS_AFTER: "0",
      ...env,
    };
  }

  /** Creates the environment and its accounts. */
  static async create(options: HarnessOptions): Promise<Harness> {
    const harness = new Harness(await startZoneServer(), options);
    await harness.#exchangers.start(harness.zone);
    harness.env.SMTP_PORT = String(harness.#exchangers.port);
    await harness.#createAccounts(options.accounts ?? 1);
    return harness;
  }

  /** Starts the service and waits until it listens. Returns `refused` if it exits before. */
  start(): Promise<RunningService | { refused: ExitStatus }> {
    return untilListening(this.#launch());
  }

  /** Starts the service. Throws if it exits. */
  async startOrFail(): Promise<RunningService> {
    const started = await this.start();
    if ("refused" in started) throw new Error(`the service did not start: ${started.refused.stderr}`);
    return started;
  }

  /** Starts the service and kills it after `afterMs`. */
  async killStart(afterMs: number): Promise<void> {
    const { child, ended } = this.#launch();
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
    while (this.count("SELECT count(*) FROM work") !== 0) {
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
    this.#exchangers.close();
    await this.zone.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #openReadOnly(): Database {
    return new Sqlite(join(this.env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  }

  #launch(): LaunchedService {
    const launched = launchService({ env: this.env });
    this.#children.add(launched.child);
    void launched.ended.then(() => this.#children.delete(launched.child));
    return launched;
  }

  /** Makes the domain's exchanger refuse connections. */
  closeExchanger(domain: string): void {
    this.#exchangers.refuse(domain);
  }

  openExchanger(domain: string): Promise<void> {
    return this.#exchangers.accept(domain);
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
