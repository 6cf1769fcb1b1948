/** `login` and `logout`: keep the service and the key of the command line in a file that only its owner can read. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Refusal, UsageError } from "../cli/command.ts";
import { loginFile, type Remote, readRemote } from "../config.ts";
import { systemReason } from "../lib/error-text.ts";

type Environment = Parameters<typeof readRemote>[0];

/** Octets of the file. */
const FILE_BYTES_MAX = 10_000;

/** The service that commands run in: that of the options, else of the environment, else of `login`; null for the host's own spool. */
export function remoteOf(
  options: { url?: unknown; key?: unknown },
  env: Environment,
): (Remote & { isLogin: boolean }) | null {
  const given = readRemote({
    ...env,
    ...(typeof options.url === "string" ? { POSTRIDER_URL: options.url } : {}),
    ...(typeof options.key === "string" ? { POSTRIDER_KEY: options.key } : {}),
  });
  if (given !== null) return { ...given, isLogin: false };
  const stored = readLogin(env);
  return stored === null ? null : { ...stored, isLogin: true };
}

/** Throws a Refusal for a file that others can read. */
function readLogin(env: Environment): Remote | null {
  const path = loginFile(env);
  if (path === null) return null;
  try {
    const { mode, size } = statSync(path);
    if ((mode & 0o077) !== 0)
      throw new Refusal(`${path} can be read by others: chmod 600 ${path}, or postrider logout`);
    if (size > FILE_BYTES_MAX) throw new Refusal(`${path} is damaged: postrider logout, then log in again`);
    const { url, key } = JSON.parse(readFileSync(path, "utf8")) as Partial<Remote>;
    if (typeof url === "string" && typeof key === "string") return { url, key };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  }
  throw new Refusal(`${path} is damaged: postrider logout, then log in again`);
}

/** Writes the file. Returns its path. */
export function writeLogin(remote: Remote, env: Environment): string {
  const path = loginFile(env);
  if (path === null) throw new UsageError("HOME is not set: there is no place for the login");
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Of a file that is there, the mode would stay.
    rmSync(path, { force: true });
    writeFileSync(path, `${JSON.stringify(remote)}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new Refusal(`${path} cannot be written: ${systemReason(error)}`);
  }
  return path;
}

/** Removes the file. Returns false if there was none. */
export function removeLogin(env: Environment): boolean {
  const path = loginFile(env);
  if (path === null) return false;
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw new Refusal(`${path} cannot be removed: ${systemReason(error)}`);
  }
}
