/** The spool in a data directory as the source of a copy: locked against a service, read in one snapshot, and never written to. */
import type { Database } from "better-sqlite3";
import { lockDataDir, openDatabase } from "../engine/sqlite/connection/database.ts";
import { enterSpool } from "../engine/sqlite/files/log-identity.ts";
import { SCHEMA_VERSION } from "../schema/sqlite.ts";
import { FIRST_VERSION, outdatedSchema } from "../schema/version.ts";

export class SourceFiles {
  readonly db: Database;
  readonly #release: () => void;
  readonly #version: unknown;

  /** Throws one line if a service runs, or if the spool is of another version. */
  constructor(dataDir: string) {
    const { db, release } = openLocked(dataDir);
    this.db = db;
    this.#release = release;
    try {
      requireSchema(db);
      this.#version = db.pragma("data_version", { simple: true });
      db.exec("BEGIN");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether a command has written to the spool since it was opened. Ends the snapshot. */
  hasChanged(): boolean {
    // A transaction that has met damage cannot be committed.
    if (this.db.inTransaction) this.db.exec("ROLLBACK");
    return this.db.pragma("data_version", { simple: true }) !== this.#version;
  }

  close(): void {
    this.#release();
  }
}

function openLocked(dataDir: string): { db: Database; release: () => void } {
  const opened: (() => void)[] = [lockDataDir(dataDir)];
  const release = (): void => {
    for (const close of opened.splice(0).reverse()) close();
  };
  try {
    opened.push(enterSpool(dataDir, "service"));
    const db = openDatabase(dataDir, "read");
    opened.push(() => db.close());
    return { db, release };
  } catch (error) {
    release();
    throw error;
  }
}

function requireSchema(db: Database): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version === SCHEMA_VERSION) return;
  if (version < FIRST_VERSION) throw new Error(outdatedSchema(version));
  const how =
    version > SCHEMA_VERSION
      ? "run spool copy of the version that made it"
      : "start the service of this version once, which migrates it, and stop it";
  throw new Error(`the spool has schema ${version}, and spool copy reads schema ${SCHEMA_VERSION}: ${how}`);
}
