/**
 * Whether the write-ahead log in DATA_DIR belongs to the file beside it. SQLite does not check: a log that another file has
 * left, after a crash and a `cp` of a backup over postrider.db, would be replayed over it and damage it.
 *
 * Each start of the service puts a random number into the file's header (PRAGMA application_id) and into postrider.db-id. As
 * long as the file may still be without it, postrider.db-id lists the earlier numbers too, so a crash at any moment leaves a
 * file whose number is listed. A backup gets a number of its own. Without postrider.db-id nothing is checked.
 *
 * A service that has left no log says so in postrider.db-id, until the spool is opened again: a log that is found then was
 * there before, in a directory that the files were copied into.
 */
import { randomInt } from "node:crypto";
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { Database } from "better-sqlite3";
import { unlessUnavailable } from "./database.ts";
import { LOG_FILE, SPOOL_FILE, syncFile } from "./spool-files.ts";

const ID_FILE = `${SPOOL_FILE}-id`;

/** sqlite.org/fileformat2.html#database_header */
const HEADER_BYTES = 100;
const APPLICATION_ID_AT = 68;
const MAGIC = "SQLite format 3\0";

/** Spools that this process has open, counted. */
const openHere = new Map<string, number>();

/** In the list, when there is no log. */
const CLOSED = "closed";

/**
 * To be called before the spool in `dataDir` is opened: throws one line when its log belongs to another file. Returns what to
 * call when the spool is closed, for a service as long as it holds the directory.
 */
export function enterSpool(dataDir: string, role: "service" | "client" = "client"): () => void {
  const dir = resolve(dataDir);
  const count = openHere.get(dir) ?? 0;
  // To close any descriptor of a file drops all locks that the process has on it, those of open connections too.
  if (count === 0) refuseForeignLog(dir);
  noteOpen(dir);
  openHere.set(dir, count + 1);
  return () => {
    const left = (openHere.get(dir) ?? 1) - 1;
    if (left > 0) return void openHere.set(dir, left);
    openHere.delete(dir);
    if (role === "service") noteClosed(dir);
  };
}

/** Whoever else has the spool open has a log: SQLite removes it when the last connection closes. */
function noteClosed(dataDir: string): void {
  const list = readList(dataDir);
  if (list === null || existsSync(join(dataDir, LOG_FILE))) return;
  try {
    writeList(dataDir, [...list.ids, CLOSED]);
  } catch {
    // Then no log is refused for that reason.
  }
}

/** Before a log can be made. In its place: whoever opens the spool need not be who may own the file. */
function noteOpen(dataDir: string): void {
  if (readList(dataDir)?.isClosed !== true) return;
  const file = join(dataDir, ID_FILE);
  try {
    const text = readFileSync(file, "utf8").replace(CLOSED, " ".repeat(CLOSED.length));
    writeFileSync(file, text, { flag: "r+", flush: true });
  } catch {
    unlessUnwritable(() => forgetIdentity(dataDir));
  }
}

/** Where nothing can be written, no log is made either. */
function unlessUnwritable(run: () => void): void {
  try {
    run();
  } catch {
    // SQLite tells it.
  }
}

/** Marks a file as one of its own, so that no other file's log is taken for its. The caller may hold a transaction. */
export function setNewIdentity(db: Database, id = newIdentity()): void {
  db.pragma(`application_id = ${id}`);
}

const newIdentity = (): number => randomInt(1, 2 ** 31);

/**
 * Gives the spool a new number at a service's start. Where the disk refuses, the spool stays with those that it has: the list
 * beside is never without the file's.
 */
export function renewIdentity(db: Database, dataDir: string): void {
  const present = db.pragma("application_id", { simple: true }) as number;
  const next = newIdentity();
  try {
    writeIds(dataDir, new Set([...(readIds(dataDir) ?? []), present, next]));
  } catch {
    return;
  }
  const isInFile = unlessUnavailable(() => {
    setNewIdentity(db, next);
    const [done] = db.pragma("wal_checkpoint(PASSIVE)") as { busy: number; log: number; checkpointed: number }[];
    return done?.busy === 0 && done.log === done.checkpointed;
  });
  if (isInFile !== true) return;
  try {
    writeIds(dataDir, new Set([next]));
  } catch {
    // The longer list is right too.
  }
}

/** After this no log is refused, until the next start of a service. */
export function forgetIdentity(dataDir: string): void {
  rmSync(join(dataDir, ID_FILE), { force: true });
}

function refuseForeignLog(dataDir: string): void {
  // First: another process may be about to make the file and then its log.
  const hasLog = sizeOf(join(dataDir, LOG_FILE)) > 0;
  // SQLite would delete the log of an empty file, and the messages in it.
  if (hasLog && sizeOf(join(dataDir, SPOOL_FILE)) === 0) {
    throw new Error(
      `${SPOOL_FILE} is missing or empty in ${dataDir}, while its log, ${LOG_FILE}, is there: put ${SPOOL_FILE} back, or move ${LOG_FILE} away`,
    );
  }
  if (isListed(dataDir) && !(hasLog && readList(dataDir)?.isClosed === true)) return;
  if (hasLog) throw new Error(foreignLog(dataDir));
  // A file that was put there without a log: the list is another file's.
  forgetIdentity(dataDir);
}

const foreignLog = (dataDir: string): string =>
  `${LOG_FILE} in ${dataDir} is the log of another ${SPOOL_FILE} than the one there, which it would damage: put back the ${SPOOL_FILE} that it belongs to, or move ${LOG_FILE} and ${SPOOL_FILE}-shm away`;

/** Whether the file's number is listed, or there is no list. A service that starts meanwhile may change both, the list first. */
function isListed(dataDir: string): boolean {
  for (let before = readIds(dataDir); ; ) {
    const id = readNumber(join(dataDir, SPOOL_FILE));
    const after = readIds(dataDir);
    if (before === null || after === null || id === null) return true;
    if ([...before].join() === [...after].join()) return after.has(id);
    before = after;
  }
}

/** The number in the header as it is in the file itself, whatever the log says of it; null where there is no sound header. */
function readNumber(file: string): number | null {
  if (sizeOf(file) < HEADER_BYTES) return null;
  const header = Buffer.alloc(HEADER_BYTES);
  const handle = openSync(file, "r");
  try {
    readSync(handle, header, 0, HEADER_BYTES, 0);
    // A page that was torn by a power cut is the log's to mend.
    return header.toString("latin1", 0, MAGIC.length) === MAGIC ? header.readInt32BE(APPLICATION_ID_AT) : null;
  } finally {
    closeSync(handle);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

interface List {
  ids: Set<number>;
  /** Whether there was no log, and nobody has opened the spool since. */
  isClosed: boolean;
}

/** Null where there is no list, or none that can be read. */
function readList(dataDir: string): List | null {
  try {
    const words = readFileSync(join(dataDir, ID_FILE), "utf8").split(/\s+/).filter(Boolean);
    const ids = words.filter((word) => word !== CLOSED).map(Number);
    if (ids.length === 0 || !ids.every(Number.isSafeInteger)) return null;
    return { ids: new Set(ids), isClosed: words.includes(CLOSED) };
  } catch {
    return null;
  }
}

const readIds = (dataDir: string): Set<number> | null => readList(dataDir)?.ids ?? null;

const writeIds = (dataDir: string, ids: Set<number>): void => writeList(dataDir, [...ids]);

function writeList(dataDir: string, words: (number | string)[]): void {
  const draft = join(dataDir, `${ID_FILE}.partial`);
  rmSync(draft, { force: true });
  writeFileSync(draft, `${words.join("\n")}\n`, { mode: 0o600, flag: "wx", flush: true });
  renameSync(draft, join(dataDir, ID_FILE));
  syncFile(dataDir);
}
