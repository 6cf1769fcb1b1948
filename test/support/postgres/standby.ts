/**
 * A hot standby of a private server: a copy of its data that streams the write-ahead log asynchronously. A test can stop the stream,
 * so that the primary's next transactions are lost when the standby is promoted.
 */
import { chownSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { installationOf, selectedBinaries } from "./installation.ts";
import { type PostgresServer, startPostgres } from "./server.ts";

const LOOK_EVERY_MS = 20;

export class Standby {
  readonly server: PostgresServer;
  readonly #primary: PostgresServer;

  private constructor(server: PostgresServer, primary: PostgresServer) {
    this.server = server;
    this.#primary = primary;
  }

  /** Restarts the primary to copy it. */
  static async start(primary: PostgresServer): Promise<Standby> {
    const dir = mkdtempSync(join(tmpdir(), "postrider-standby-"));
    const { uid, gid } = installationOf(selectedBinaries()).user;
    await primary.stop();
    cpSync(join(primary.dir, "data"), join(dir, "data"), { recursive: true });
    cpSync(join(primary.dir, "password"), join(dir, "password"));
    writeFileSync(join(dir, "data", "standby.signal"), "");
    if (uid !== undefined && gid !== undefined) chownAll(dir, uid, gid);
    await primary.restart();
    const { port, username, password } = new URL(primary.url);
    const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
    const server = await startPostgres({ dir, settings: { ...primary.settings, primary_conninfo: conninfo } });
    return new Standby(server, primary);
  }

  /** Waits until it has all that the primary has committed. */
  async catchUp(): Promise<void> {
    const [row] = await this.#primary.query<{ lsn: string }>("SELECT pg_current_wal_insert_lsn() AS lsn");
    const isBehind = "SELECT pg_last_wal_replay_lsn() < $1::pg_lsn AS behind";
    while ((await this.server.query<{ behind: boolean }>(isBehind, [row?.lsn]))[0]?.behind !== false)
      await delay(LOOK_EVERY_MS);
  }

  /** From now on, the primary's commits wait for this standby. */
  async confirmCommits(): Promise<void> {
    await this.#primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.#primary.query("SELECT pg_reload_conf()");
    const isInUse = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
    while ((await this.#primary.query(isInUse)).length === 0) await delay(LOOK_EVERY_MS);
  }

  /** What the primary commits from now on is lost with it. */
  async stopReceiving(): Promise<void> {
    await this.server.query("ALTER SYSTEM SET primary_conninfo = ''");
    await this.server.query("SELECT pg_reload_conf()");
    while ((await this.server.query("SELECT FROM pg_stat_wal_receiver")).length > 0) await delay(LOOK_EVERY_MS);
  }

  /** Stops it, and removes its data. */
  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.server.dir, { recursive: true, force: true });
  }

  /** Begins another timeline. The primary must be gone. */
  async promote(): Promise<void> {
    await this.server.query("SELECT pg_promote()");
    // A copy of its data may become its standby.
    await this.server.query("ALTER SYSTEM RESET primary_conninfo");
  }
}

function chownAll(path: string, uid: number, gid: number): void {
  chownSync(path, uid, gid);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath ?? entry.path, entry.name), uid, gid);
}
