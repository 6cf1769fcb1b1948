/**
 * Checks that the write-ahead log in DATA_DIR belongs to the file beside it. SQLite does not: after a crash and a `cp` of a
 * backup over postrider.db, it would replay the old file's log over the new file and damage it.
 *
 * Each start of the service writes a random id into the file's header (PRAGMA application_id) and into postrider.db-id. Until
 * the header is certain to have it, postrider.db-id lists the earlier ids too, so a crash at any moment leaves a file whose id
 * is listed. A backup gets its own id. Without postrider.db-id nothing is checked.
 *
 * A service that stops without leaving a log adds the word `closed` to postrider.db-id, until the spool is opened again. A log
 * found beside that word was in the directory before the files were copied into it.
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
import { unlessUnavailable } from "../connection/database.ts";
import { LOG_FILE, SPOOL_FILE, syncFile } from "./spool-files.ts";

const ID_FILE = `${SPOOL_FILE}-id`;

/** sqlite.org/fileformat2.html#database_header */
const HEADER_BYTES = 100;
const APPLICATION_ID_AT = 68;
const MAGIC = "SQLite format 3\0";

/** How often this process has each spool open. */
const openHere = new Map<string, number>();

/** Listed if the service left no log. */
const CLOSED = "closed";

/**
 * To be called before the spool in `dataDir` is opened. Throws one line if its log belongs to another file. Returns a function
 * to call after the spool is closed, by a service before it unlocks the directory.
 */
export function enterSpool(dataDir: string, role: "service" | "client" = "client"): () => void {
  const dir = resolve(dataDir);
  const count = openHere.get(dir) ?? 0;
  // Closing any descriptor of a file drops all locks of the process on it, also those of open connections.
  if (count === 0) refuseForeignLog(dir);
  recordOpen(dir);
  openHere.set(dir, count + 1);
  return () => {
    const left = (openHere.get(dir) ?? 1) - 1;
    if (left > 0) return void openHere.set(dir, left);
    openHere.delete(dir);
    if (role === "service") recordClosed(dir);
  };
}

/** If another process has the spool open, there is a log: SQLite removes it when the last connection closes. */
function recordClosed(dataDir: string): void {
  const list = readList(dataDir);
  if (list === null || existsSync(join(dataDir, LOG_FILE))) return;
  try {
    writeList(dataDir, [...list.ids, CLOSED]);
  } catch {
    // Then a log found at the next start is not refused for that reason.
  }
}

/** Runs before a log can be made. Writes in place: the process that opens the spool may not be allowed to replace the file. */
function recordOpen(dataDir: string): void {
  if (readList(dataDir)?.isClosed !== true) return;
  const file = join(dataDir, ID_FILE);
  try {
    const text = readFileSync(file, "utf8").replace(CLOSED, " ".repeat(CLOSED.length));
    writeFileSync(file, text, { flag: "r+", flush: true });
  } catch {
    unlessUnwritable(() => removeIdentity(dataDir));
  }
}

/** If nothing can be written, no log is made either. */
function unlessUnwritable(run: () => void): void {
  try {
    run();
  } catch {
    // SQLite reports it.
  }
}

/** Gives a file a new id, so no other file's log passes for its own. The caller may hold a transaction. */
export function setNewIdentity(db: Database, id = newIdentity()): void {
  db.pragma(`application_id = ${id}`);
}

const newIdentity = (): number => randomInt(1, 2 ** 31);

/**
 * Gives the spool a new id at the start of a service. If the disk refuses, the spool keeps the ids it has: the list always
 * includes the file's.
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
    // The longer list is correct too.
  }
}

/** Removes the list: no log is refused until the next start of a service. */
export function removeIdentity(dataDir: string): void {
  rmSync(join(dataDir, ID_FILE), { force: true });
}

function refuseForeignLog(dataDir: string): void {
  // The log first: another process may be about to make the file and then its log.
  const hasLog = sizeOf(join(dataDir, LOG_FILE)) > 0;
  // SQLite would delete the log of an empty file, and with it the messages.
  if (hasLog && sizeOf(join(dataDir, SPOOL_FILE)) === 0) {
    throw new Error(
      `${SPOOL_FILE} is missing or empty in ${dataDir}, while its log, ${LOG_FILE}, is there: put ${SPOOL_FILE} back, or move ${LOG_FILE} away`,
    );
  }
  if (isListed(dataDir) && !(hasLog && readList(dataDir)?.isClosed === true)) return;
  if (hasLog) throw new Error(foreignLog(dataDir));
  // The file was put there without a log: the list is another file's.
  removeIdentity(dataDir);
}

const foreignLog = (dataDir: string): string =>
  `${LOG_FILE} in ${dataDir} is the log of another ${SPOOL_FILE} than the one there, which it would damage: put back the ${SPOOL_FILE} that it belongs to, or move ${LOG_FILE} and ${SPOOL_FILE}-shm away`;

/** Whether the file's id is listed, or there is no list. A service that starts meanwhile changes both, the list first. */
function isListed(dataDir: string): boolean {
  for (let before = readIds(dataDir); ; ) {
    const id = readHeaderId(join(dataDir, SPOOL_FILE));
    const after = readIds(dataDir);
    if (before === null || after === null || id === null) return true;
    if ([...before].join() === [...after].join()) return after.has(id);
    before = after;
  }
}

/** The id in the header of the file itself, regardless of the log; null if there is no valid header. */
function readHeaderId(file: string): number | null {
  if (sizeOf(file) < HEADER_BYTES) return null;
  const header = Buffer.alloc(HEADER_BYTES);
  const handle = openSync(file, "r");
  try {
    readSync(handle, header, 0, HEADER_BYTES, 0);
    // SQLite repairs a page torn by a power failure from the log.
    return header.toString("latin1", 0, MAGIC.length) === MAGIC ? header.readInt32BE(APPLICATION_ID_AT) : null;
  } finally {
    closeSync(handle);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

interface IdList {
  ids: Set<number>;
  /** Whether the service left no log, and no process has opened the spool since. */
  isClosed: boolean;
}

/** null if there is no list, or it cannot be read. */
function readList(dataDir: string): IdList | null {
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
