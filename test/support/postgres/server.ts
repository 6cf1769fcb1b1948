/**
 * A private PostgreSQL server for tests, the benchmark and the torture: in a directory of its own, durable as in
 * production, reachable at 127.0.0.1 with a password. It ends with this process, even if that is killed.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { cpuMs } from "../../../bench/proc.ts";
import { type Binaries, type Installation, installationOf, selectedBinaries } from "./installation.ts";
import { type Postmaster, type PostmasterOptions, startPostmaster } from "./postmaster.ts";

/** Server parameters as in postgresql.conf. */
export type Settings = Readonly<Record<string, string | number>>;

export interface PostgresOptions {
  /** In addition to the durable defaults, or instead of them. */
  settings?: Settings;
  /** Files of the data directory that only the server can read, such as server.crt and server.key. */
  files?: Readonly<Record<string, string>>;
  /**
   * The server's directory (data, log, password). It is kept; the next server with the same directory continues with
   * its data. By default a temporary one that is removed at the end.
   */
  dir?: string;
  /** Where the temporary directory is created. By default os.tmpdir(). */
  parentDir?: string;
  /** By default a free one, which stays the same over restarts. */
  port?: number;
  /** By default those that POSTRIDER_POSTGRES selects. */
  binaries?: Binaries;
}

/** "fast" ends all sessions and writes a checkpoint; after "immediate" the next start recovers from the WAL. */
export type StopMode = "fast" | "immediate";

const STOP_SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;
const DURABLE: Settings = { fsync: "on", synchronous_commit: "on", full_page_writes: "on" };
/** In the data directory, because a killed server leaves other shared memory behind. */
const TRACELESS: Settings = { dynamic_shared_memory_type: "mmap" };
const HOST = "127.0.0.1";
const USER = "postgres";

export class PostgresServer {
  /** The database `postgres` as superuser. */
  readonly url: string;
  readonly port: number;
  readonly settings: Settings;
  readonly dir: string;
  readonly #place: Place;
  #postmaster: Postmaster;

  private constructor(place: Place, postmaster: Postmaster) {
    this.url = `postgres://${USER}:${place.password}@${HOST}:${place.port}/postgres`;
    this.port = place.port;
    this.settings = place.settings;
    this.dir = place.dir;
    this.#place = place;
    this.#postmaster = postmaster;
  }

  /** Initializes the directory if it is new, and starts the server. */
  static async start(options: PostgresOptions): Promise<PostgresServer> {
    const installation = installationOf(options.binaries ?? selectedBinaries());
    const dir = options.dir ?? mkdtempSync(join(options.parentDir ?? tmpdir(), "postrider-postgres-"));
    try {
      const place = await prepare({ ...options, dir, installation, isTemporary: options.dir === undefined });
      return new PostgresServer(place, await startPostmaster(place));
    } catch (error) {
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
      throw error;
    }
  }

  /** The process id of the postmaster. Throws if it is not running. */
  get pid(): number {
    const { pid, isRunning } = this.#postmaster;
    if (!isRunning) throw new Error("PostgreSQL is not running");
    return pid;
  }

  /** CPU time of the postmaster and all its processes since its start, including those that have ended. */
  cpuMs(): number {
    return cpuMs(this.pid);
  }

  /** The bytes of WAL that the server has ever written. */
  async walBytes(): Promise<number> {
    const [row] = await this.query<{ bytes: string }>("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes");
    return Number(row?.bytes);
  }

  /** Runs one statement in a session of its own. Resolves with the rows. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Resolves when all its processes have exited; also if it was not running. */
  async stop(mode: StopMode = "fast"): Promise<void> {
    await this.#postmaster.end(STOP_SIGNALS[mode]);
  }

  /** Kills the postmaster with SIGKILL; the other processes then exit by themselves. Resolves when all have. */
  async kill(): Promise<void> {
    await this.#postmaster.end("SIGKILL");
  }

  /** Starts it again with the same data and port; a running server is stopped first. */
  async restart(mode: StopMode = "fast"): Promise<void> {
    await this.stop(mode);
    await this.#postmaster.release();
    this.#postmaster = await startPostmaster(this.#place);
  }

  /** Stops it for good. Its temporary directory is removed in the background. */
  async close(): Promise<void> {
    await this.stop("immediate");
    if (this.#place.isTemporary) this.#postmaster.removeDir();
    else await this.#postmaster.release();
  }
}

/** Starts a server. Throws if PostgreSQL cannot run on this server. */
export function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  return PostgresServer.start(options);
}

interface Place extends PostmasterOptions {
  port: number;
  password: string;
  settings: Settings;
}

async function prepare(options: PostgresOptions & PostmasterOptions): Promise<Place> {
  const { dir, isTemporary, installation } = options;
  const own = (path: string) => {
    const { uid, gid } = installation.user;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  };
  mkdirSync(dir, { recursive: true });
  own(dir);
  const write = (name: string, text: string) => {
    writeFileSync(join(dir, name), text, { mode: 0o600 });
    own(join(dir, name));
  };

  if (!existsSync(join(dir, "data", "PG_VERSION"))) {
    write("password", randomBytes(12).toString("hex"));
    await initialize(dir, installation);
  }
  const port = options.port ?? (await freePort());
  const settings = { ...DURABLE, ...TRACELESS, ...options.settings };
  write(
    "data/postgresql.conf",
    configuration({ listen_addresses: HOST, port, unix_socket_directories: "", ...settings }),
  );
  for (const [name, text] of Object.entries(options.files ?? {})) write(`data/${name}`, text);
  const password = readFileSync(join(dir, "password"), "utf8");
  return { dir, isTemporary, port, password, settings, installation };
}

/** ICU's English order of text, because most servers have a language's order, and "C" would hide its effects. */
const CLUSTER = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];

async function initialize(dir: string, { bin, user }: Installation): Promise<void> {
  const access = [`--username=${USER}`, `--pwfile=${join(dir, "password")}`, "--auth=scram-sha-256"];
  const args = [`--pgdata=${join(dir, "data")}`, ...access, ...CLUSTER, "--no-sync", "--no-instructions"];
  await promisify(execFile)(join(bin, "initdb"), args, { ...user, cwd: dir });
}

function configuration(settings: Settings): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`);
  return lines.join("");
}

/** Below the range of ephemeral ports, so that no client gets the port while the server restarts. */
const [FIRST_PORT, PORTS] = [15_000, 15_000];

/** A port of 127.0.0.1 that no program listens at. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}
