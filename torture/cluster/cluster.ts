/**
 * The environment of the torture of several nodes: a PostgreSQL server on a disk, three nodes as processes, a DNS zone, mail
 * exchangers, and accounts. What happens to them is decided by faults.ts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { FaultInjector, type Rates } from "../../simulate/fault-injector.ts";
import { History } from "../../simulate/history.ts";
import type { Prng } from "../../simulate/prng.ts";
import { recordRunTime } from "../../src/app/installation/last-run-time.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { openVault } from "../../src/security/vault.ts";
import { asSpoolError } from "../../src/spool/engine/postgres/connection/database-error.ts";
import { openPostgresSpool } from "../../src/spool/engine/postgres/postgres-spool.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import { startZoneServer, type ZoneServer } from "../../src/testing/zone-server.ts";
import { type PostgresServer, startPostgres } from "../../test/support/postgres/server.ts";
import { Standby } from "../../test/support/postgres/standby.ts";
import { Exchangers } from "../exchangers.ts";
import { createSender, type Sender } from "../sender.ts";
import { ClusterNode } from "./cluster-node.ts";

const NODES = ["a", "b", "c"];
const ACCOUNTS = 2;
const QUERY_REPEATS = 20;
const LOOK_EVERY_MS = 100;
const HEARTBEAT_LOOK_EVERY_MS = 20;
/** Longer than a slow reply, and longer than replies are held back. */
const PEER_IDLE_MS = 15_000;

/** Rare enough that the nodes open as many connections as they need: the rate is to depend on the faults of the cluster. */
const RATES: Rates = {
  peer_cuts: 0.001,
  peer_defers: 0.004,
  peer_refuses: 0.002,
  peer_garbles: 0.0005,
  dot_slow: 0.005,
};

const SETTINGS = { shared_buffers: "64MB", max_connections: 150, max_wal_size: "256MB" };

const ENV = {
  PORT: "0",
  HOST: "127.0.0.1",
  SENDING_IPS: "127.0.0.1",
  SMTP_ALLOW_PRIVATE: "true",
  RATE_PER_SECOND: "0",
  ADDRESS_RATE_PER_SECOND: "0",
  RETRY_SCHEDULE: "1s",
  SUPPRESS_AFTER: "0",
};

export interface ClusterOptions {
  prng: Prng;
  unknownPolicy: "hold" | "retry";
}

export class Cluster {
  readonly history = new History();
  readonly exchangers: Exchangers;
  readonly nodes: ClusterNode[] = [];
  readonly senders: Sender[] = [];
  /** The secrets and logs of the nodes. */
  readonly dir = mkdtempSync(join(tmpdir(), "postrider-cluster-"));
  readonly #faults: FaultInjector;
  #server: PostgresServer;
  /** Those that the nodes use, or have used. */
  readonly #standbys: Standby[] = [];
  readonly #zone: ZoneServer;

  private constructor(server: PostgresServer, zone: ZoneServer, { prng }: ClusterOptions) {
    this.#server = server;
    this.#zone = zone;
    this.#faults = new FaultInjector(prng, RATES);
    this.exchangers = new Exchangers({ prng, faults: this.#faults, history: this.history, idleMs: PEER_IDLE_MS });
  }

  /** Creates the environment with its accounts, and starts the nodes. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const [server, zone] = await Promise.all([startPostgres({ settings: SETTINGS }), startZoneServer()]);
    const cluster = new Cluster(server, zone, options);
    try {
      await cluster.exchangers.start(zone);
      await cluster.#createAccounts();
      await cluster.#startNodes(options.unknownPolicy);
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** PostgreSQL itself, for its restarts. */
  get server(): PostgresServer {
    return this.#server;
  }

  /** Whether the database may have lost transactions that it had committed. */
  get hasFailedOver(): boolean {
    return this.#standbys.length > 0;
  }

  /** Adds a standby, for which PostgreSQL restarts, waits until all nodes work again, and lets it lag from then on. */
  async addLaggingStandby(limitMs: number): Promise<void> {
    const standby = await Standby.start(this.#server);
    this.#standbys.push(standby);
    await this.untilRegistered(limitMs);
    await standby.catchUp();
    await standby.stopReceiving();
  }

  /** Kills the primary, and leads all nodes to the standby that was added last. */
  async failOver(): Promise<void> {
    const standby = this.#standbys.at(-1);
    if (standby === undefined) throw new Error("there is no standby");
    const former = this.#server;
    await former.kill();
    await standby.promote();
    this.#server = standby.server;
    for (const { link } of this.nodes) link.redirect(standby.server.port);
    await former.close();
  }

  /** Runs one statement beside the nodes. Repeats it if the server ends the connection, as it does after a restart's crash recovery. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await this.#server.query<Row>(sql, values);
      } catch (error) {
        if (repeats === QUERY_REPEATS || !(asSpoolError(error) instanceof SpoolUnavailable)) throw error;
        await delay(LOOK_EVERY_MS);
      }
    }
  }

  /** The numbers under which nodes of this name are registered. */
  async numbersOf({ name }: ClusterNode): Promise<string[]> {
    const rows = await this.query<{ number: string }>("SELECT number FROM nodes WHERE name = $1 AND ended_at IS NULL", [
      name,
    ]);
    return rows.map(({ number }) => number);
  }

  /** Waits for the next heartbeat of a node. */
  async untilHeartbeat({ name }: ClusterNode): Promise<void> {
    const newest = async (): Promise<string | undefined> => {
      const sql = "SELECT max(heartbeat_at)::text AS at FROM nodes WHERE name = $1 AND ended_at IS NULL";
      return (await this.query<{ at: string }>(sql, [name]))[0]?.at;
    };
    const before = await newest();
    while ((await newest()) === before) await delay(HEARTBEAT_LOOK_EVERY_MS);
  }

  /** Waits until all nodes are registered, and their leases hold. Returns the names of those that are not by then. */
  async untilRegistered(limitMs: number): Promise<string[]> {
    const giveUpMs = performance.now() + limitMs;
    for (;;) {
      const sql = "SELECT DISTINCT name FROM nodes WHERE ended_at IS NULL AND lease_until > clock_timestamp()";
      const names = new Set((await this.query<{ name: string }>(sql)).map(({ name }) => name));
      const missing = this.nodes.map(({ name }) => name).filter((name) => !names.has(name));
      if (missing.length === 0 || performance.now() > giveUpMs) return missing;
      await delay(LOOK_EVERY_MS);
    }
  }

  /** Waits until no recipient is pending or in an attempt. Returns false on a timeout. */
  async untilDrained(limitMs: number): Promise<boolean> {
    const giveUpMs = performance.now() + limitMs;
    for (;;) {
      const [row] = await this.query<{ waiting: number }>("SELECT count(*)::int AS waiting FROM work");
      if (row?.waiting === 0) return true;
      if (performance.now() > giveUpMs) return false;
      await delay(LOOK_EVERY_MS);
    }
  }

  /** Stops the faults of the exchangers. */
  stopPeerFaults(): void {
    this.#faults.stop();
  }

  /** Removes everything but, if `keepsDir`, the directory. */
  async close({ keepsDir = false } = {}): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    this.exchangers.close();
    await this.#zone.close();
    await this.#server.close();
    for (const standby of this.#standbys) await standby.close();
    if (!keepsDir) rmSync(this.dir, { recursive: true, force: true });
  }

  async #createAccounts(): Promise<void> {
    const vault = openVault(join(this.dir, "certs"));
    const spool = await openPostgresSpool({
      url: this.#server.url,
      role: "client",
      clock: systemClock,
      log: createLog("silent"),
      fingerprints: vault.fingerprints,
      identity: { name: "torture", address: "", version: "" },
      onFatal: (error) => {
        throw error;
      },
    });
    for (let i = 0; i < ACCOUNTS; i += 1) this.senders.push(await createSender(spool, vault, i));
    // As if the service had run before: without a recorded time, retention pauses for an hour.
    await recordRunTime(spool, Date.now());
    await spool.close();
  }

  async #startNodes(unknownPolicy: ClusterOptions["unknownPolicy"]): Promise<void> {
    const dir = this.dir;
    for (const name of NODES) {
      const env = {
        ...ENV,
        DATA_DIR: join(dir, `data-${name}`),
        CERTS_DIR: join(dir, "certs"),
        DNS_SERVERS: this.#zone.address,
        SMTP_PORT: String(this.exchangers.port),
        UNKNOWN_POLICY: unknownPolicy,
      };
      this.nodes.push(await ClusterNode.create({ name, dir, databaseUrl: this.#server.url, env }));
    }
    await Promise.all(this.nodes.map((node) => node.start()));
  }
}
