/**
 * Checks of the directories and the listening address that a start needs. A failure is one line that names the setting to change.
 * What the directories hold is left to the spool and the vault.
 */
import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemReason, toCloneableError } from "../../lib/error-text.ts";
import { InvalidPairError } from "../../security/certificate-pair.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";

/** A setting that is valid but does not work on this server; its message is one line that names it. */
export class SettingError extends Error {
  override name = "SettingError";
}

const { R_OK, W_OK, X_OK } = constants;

/** Files that must be accessible if they exist, and the access they need. */
const FILES = {
  DATA_DIR: [["postrider.db", R_OK | W_OK]],
  CERTS_DIR: [
    ["master.key", R_OK],
    ["http.crt", R_OK],
    ["http.key", R_OK],
  ],
} as const;

/** Creates `dir` (owner-only) if it does not exist, and checks that it can be used. Throws SettingError. */
export function prepareDirectory(setting: keyof typeof FILES, dir: string): void {
  // CERTS_DIR may be mounted read-only once its key exists.
  const isReadOnly = setting === "CERTS_DIR" && existsSync(join(dir, "master.key"));
  const fault = directoryFault(dir, isReadOnly ? R_OK : R_OK | W_OK);
  if (fault !== null) throw new SettingError(`${setting}=${dir} ${fault}`);
  for (const [name, mode] of FILES[setting]) {
    const file = join(dir, name);
    const denied = existsSync(file) ? accessFault(file, mode) : null;
    if (denied !== null) throw new SettingError(`${setting}=${dir}: ${file} ${denied}`);
  }
}

/** Whether the setting's directory has the file `name`. Throws SettingError if that cannot be determined. */
export function hasFile(setting: keyof typeof FILES, dir: string, name: string): boolean {
  try {
    return statSync(join(dir, name), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw new SettingError(`${setting}=${dir} is not readable: ${systemReason(error)}`);
  }
}

/** Creates `dir` (owner-only) if it does not exist. Why it cannot be used, to be read after its name; null when it can. */
export function directoryFault(dir: string, mode = R_OK | W_OK): string | null {
  const path = resolve(dir);
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return "is a file, not a directory";
    makeDirectory(path);
  } catch (error) {
    const { path: failed = path } = error as NodeJS.ErrnoException;
    const where = resolve(failed) === path ? "" : `${failed}: `;
    return `cannot be created: ${where}${systemReason(error)}`;
  }
  return accessFault(path, mode | X_OK);
}

function accessFault(path: string, mode: number): string | null {
  const access = (wanted: number, fault: string): string | null => {
    try {
      accessSync(path, wanted);
      return null;
    } catch (error) {
      return `${fault}: ${systemReason(error)}`;
    }
  };
  return access(mode & ~W_OK, "is not readable") ?? access(mode, "is not writable");
}

/**
 * Creates a directory and its parents. Node's recursive mkdir never returns where a parent exists and nothing can be created in
 * it (/proc).
 */
function makeDirectory(dir: string): void {
  if (existsSync(dir)) return;
  makeDirectory(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !existsSync(dir)) throw error;
  }
}

/** SQLite's errors about a file that it cannot use; they have no path. */
const SPOOL_FAULT =
  /^(file is not a database|database disk image is malformed|malformed database schema|unable to open database file|attempt to write a readonly database|disk I\/O error|database or disk is full|database is locked)/;

/** The whole file is unusable: its header or its schema is damaged. */
const DAMAGED_FILE = /^(file is not a database|database disk image is malformed|malformed database schema)/;
const DAMAGED_ADVICE =
  "; postrider.db is damaged and was not changed: restore a backup, or recover what can be read (docs/MONITORING.md#when-the-spools-file-is-damaged)";

/** A failed start as one line, with the setting behind it if the error shows it. */
export function describeStartFailure(
  error: unknown,
  config: { host: string; port: number; dataDir: string; certsDir: string; databaseUrl: string | null },
): string {
  const { code = "", message }: NodeJS.ErrnoException = error instanceof Error ? error : toCloneableError(error);
  const { host, port, dataDir, certsDir } = config;
  if (error instanceof InvalidPairError)
    return `CERTS_DIR=${certsDir}: http.crt and http.key cannot be used: ${message}`;
  // The spool reports a full disk in SQLite's words; only secrets are written otherwise.
  if (code === "ENOSPC") return `CERTS_DIR=${certsDir} is not writable: ${systemReason(error)}`;
  if (config.databaseUrl !== null && error instanceof SpoolUnavailable) return `DATABASE_URL: ${message}`;
  if (SPOOL_FAULT.test(message)) {
    const fault = message.replace(/ \(SQLITE_\w+\)$/, "");
    return `DATA_DIR=${dataDir}: the spool cannot be used: ${fault}${DAMAGED_FILE.test(message) ? DAMAGED_ADVICE : ""}`;
  }
  return describeListenFailure(code, { host, port }) ?? message;
}

/** Why nothing can listen there, with `PORT` or `HOST` (or the names in `names`); null for another error. */
export function describeListenFailure(
  code: string,
  { host, port }: { host: string; port: number },
  names = { host: "HOST=", port: "PORT=" },
): string | null {
  switch (code) {
    case "EADDRINUSE":
      return `${names.port}${port} cannot be used: another program is listening on it at ${host} (${code})`;
    case "EACCES":
      return `${names.port}${port} cannot be used: permission denied (${code})`;
    case "EADDRNOTAVAIL":
    case "EINVAL":
      return `${names.host}${host} cannot be used: it is not an address of this server (${code})`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${names.host}${host} cannot be used: the name does not resolve (${code})`;
    case "EAFNOSUPPORT":
      return `${names.host}${host} cannot be used: this server does not support its address family (${code})`;
    default:
      return null;
  }
}
