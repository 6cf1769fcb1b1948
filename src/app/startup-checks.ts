/**
 * The directories and the address that a start needs, and how a fault of one is told: in one line that names the
 * setting to change. What is kept in them is left to the spool and the vault.
 */
import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { toCloneableError } from "../lib/error-text.ts";
import { UnusablePair } from "../security/certificate-pair.ts";

/** A setting that reads well but cannot be had on this host; its message is the one line that names it. */
export class PlaceError extends Error {
  override name = "PlaceError";
}

const { R_OK, W_OK, X_OK } = constants;

/** Files that must open once they are there, and what for. */
const FILES = {
  DATA_DIR: [["postrider.db", R_OK | W_OK]],
  CERTS_DIR: [
    ["master.key", R_OK],
    ["http.crt", R_OK],
    ["http.key", R_OK],
  ],
} as const;

/** Makes `dir` (owner-only) unless it is there, and sees that it can be used. Throws PlaceError. */
export function preparePlace(setting: keyof typeof FILES, dir: string): void {
  // CERTS_DIR may be mounted read-only once its key is made.
  const mode = setting === "CERTS_DIR" && existsSync(join(dir, "master.key")) ? R_OK : R_OK | W_OK;
  const fault = directoryFault(dir, mode) ?? filesFault(setting, dir);
  if (fault !== null) throw new PlaceError(`${setting}=${dir} cannot be used: ${fault}`);
}

/** Whether the file `name` is in the setting's directory. Throws PlaceError where that cannot be seen. */
export function isThere(setting: keyof typeof FILES, dir: string, name: string): boolean {
  try {
    return statSync(join(dir, name), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    const fault = systemWords(error as NodeJS.ErrnoException, resolve(dir, name));
    throw new PlaceError(`${setting}=${dir} cannot be used: ${fault}`);
  }
}

/** Makes `dir` (owner-only) unless it is there. Why it cannot be used; null when it can. */
export function directoryFault(dir: string, mode = R_OK | W_OK): string | null {
  const path = resolve(dir);
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return "it is a file, not a directory";
    makeDirectory(path);
    accessSync(path, mode | X_OK);
    return null;
  } catch (error) {
    return systemWords(error as NodeJS.ErrnoException, path);
  }
}

function filesFault(setting: keyof typeof FILES, dir: string): string | null {
  for (const [name, mode] of FILES[setting]) {
    const file = join(dir, name);
    try {
      if (existsSync(file)) accessSync(file, mode);
    } catch (error) {
      return systemWords(error as NodeJS.ErrnoException, resolve(dir));
    }
  }
  return null;
}

/**
 * Makes a directory and those above it. One by one, because Node's own recursion never ends where a parent exists and
 * yet nothing can be made in it (/proc).
 */
function makeDirectory(dir: string): void {
  if (existsSync(dir)) return;
  makeDirectory(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process may have been quicker.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !existsSync(dir)) throw error;
  }
}

const SYSTEM_WORDS: Record<string, string> = {
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOENT: "it cannot be made there",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "something that is no directory is there",
  ELOOP: "its symbolic links go round in a circle",
  ENAMETOOLONG: "the name is too long",
};

function systemWords({ code = "", path, message }: NodeJS.ErrnoException, dir: string): string {
  const words = SYSTEM_WORDS[code];
  if (words === undefined) return message;
  return path === undefined || resolve(path) === dir ? `${words} (${code})` : `${path}: ${words} (${code})`;
}

/** SQLite's own sentences about a file that it cannot use: they come without a path. */
const SPOOL_FAULT =
  /^(file is not a database|database disk image is malformed|malformed database schema|unable to open database file|attempt to write a readonly database|disk I\/O error|database or disk is full|database is locked)/;

/** The whole file is unusable: its header or its schema is damaged. */
const DAMAGED_FILE = /^(file is not a database|database disk image is malformed|malformed database schema)/;
const DAMAGED_ADVICE =
  "; postrider.db is damaged and was left as it is: restore a backup, or recover what can be read (docs/OPERATIONS.md, When the spool's file is damaged)";

/** A failed start as one line that names the setting behind it, where the error tells. */
export function startFault(
  error: unknown,
  config: { host: string; port: number; dataDir: string; certsDir: string },
): string {
  const { code = "", message }: NodeJS.ErrnoException = error instanceof Error ? error : toCloneableError(error);
  const { host, port, dataDir, certsDir } = config;
  if (error instanceof UnusablePair) return `CERTS_DIR=${certsDir}: http.crt and http.key cannot be used: ${message}`;
  // The spool tells of a full disk in SQLite's words: what is written else are the secrets.
  if (code === "ENOSPC") return `CERTS_DIR=${certsDir} cannot be used: ${SYSTEM_WORDS.ENOSPC}`;
  if (SPOOL_FAULT.test(message)) {
    const fault = message.replace(/ \(SQLITE_\w+\)$/, "");
    return `DATA_DIR=${dataDir}: the spool cannot be used: ${fault}${DAMAGED_FILE.test(message) ? DAMAGED_ADVICE : ""}`;
  }
  return listenFault(code, { host, port }) ?? message;
}

/** Why nothing can listen there, naming `PORT` or `HOST` (or what `names` calls them); null for another fault. */
export function listenFault(
  code: string,
  { host, port }: { host: string; port: number },
  names = { host: "HOST=", port: "PORT=" },
): string | null {
  switch (code) {
    case "EADDRINUSE":
      return `${names.port}${port} cannot be used: another program listens there already (${host})`;
    case "EACCES":
      return `${names.port}${port} cannot be used: this user may not listen on it`;
    case "EADDRNOTAVAIL":
    case "EINVAL":
      return `${names.host}${host} cannot be used: it is no address of this host`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${names.host}${host} cannot be used: the name has no address`;
    case "EAFNOSUPPORT":
      return `${names.host}${host} cannot be used: this host has no addresses of that kind`;
    default:
      return null;
  }
}
