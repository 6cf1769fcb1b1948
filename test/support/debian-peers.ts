/**
 * Debian's mail servers as peers: installs their packages once, and runs a server in the foreground in a private root
 * directory, which keeps its paths and users away from the system. debian-servers.ts has the configurations. These
 * tests run as root with POSTRIDER_PEERS=1 or CI=true; with CI=true a missing server fails the test.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createConnection } from "node:net";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Only root may write here, which protects the programs. Kept between runs. */
const CACHE_DIR = "/var/cache/postrider-peers";
const INSTALL = fileURLToPath(new URL("install-peers.sh", import.meta.url));

export type DebianPackage = "postfix" | "exim4-daemon-light" | "opensmtpd" | "nullmailer";

export interface Wanted {
  /** Names that install-peers.sh knows. */
  packages: readonly (DebianPackage | "languages")[];
  /** The variable that asks for them outside CI. */
  setting: string;
  /** The packages in words. */
  what: string;
}

/**
 * A `skip` value: false if the peers are installed, else the reason. Installs them if necessary. With CI=true it
 * throws instead of skipping.
 */
export const missingPeers = (): string | false =>
  missingPackages({
    packages: ["postfix", "exim4-daemon-light", "opensmtpd"],
    setting: "POSTRIDER_PEERS",
    what: "Debian's mail servers",
  });

/** missingPeers for other packages. */
export function missingPackages(wanted: Wanted): string | false {
  const absence = missingReason(wanted);
  if (absence !== false && process.env.CI === "true") throw new Error(absence);
  return absence;
}

function missingReason({ packages, setting, what }: Wanted): string | false {
  if (process.env.CI !== "true" && process.env[setting] !== "1") {
    return `${what} run on demand only: as root, with ${setting}=1 or CI=true`;
  }
  if (process.getuid?.() !== 0) return `${what} run as root only`;
  const done = spawnSync(INSTALL, [CACHE_DIR, ...packages], { encoding: "utf8" });
  if (done.status === 0) return false;
  const why = done.error?.message ?? done.stderr.trim().split("\n").at(-1);
  return `${what} could not be fetched: ${why}`;
}

/** The root directory of packages that are installed. */
export const rootOf = (name: Wanted["packages"][number]): string => join(CACHE_DIR, name);

/** The standard output of a packaged command that exits by itself. */
export function runOnce(from: DebianPackage, command: readonly string[]): string {
  return execFileSync("chroot", [rootOf(from), ...command], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

export interface Program {
  package: DebianPackage;
  /** Files to write inside the root directory, by path; all others are as the packages install them. */
  files: Record<string, string>;
  /** Owners of paths inside the root directory; missing paths become directories. */
  owners: Record<string, string>;
  /** Named pipes to make, which everyone may write to. */
  fifos?: readonly string[];
  users: readonly string[];
  command: readonly string[];
  host: string;
  /** Null for a program that does not listen. */
  port: number | null;
}

export interface RunningProgram {
  /** Its standard output and standard error. */
  output(): string;
  /** The text of a file inside its root directory; "" if it does not exist. */
  text(path: string): string;
  /** The files in a directory inside its root directory, sorted by name; none if it does not exist. */
  files(path: string): Buffer[];
  /** Runs a command in its root directory until it exits. */
  run(command: readonly string[], input?: Buffer): Promise<Ended>;
}

const FIRST_UID = 901;
/** What Debian reserves. nullmailer has a program that is set-user-ID to `mail`. */
const DEBIAN_IDS: ReadonlyMap<string, number> = new Map([
  ["root", 0],
  ["mail", 8],
]);
const PROGRAM_ENV = { PATH: "/usr/sbin:/usr/bin" };

export interface Ended {
  /** Null if a signal ended it. */
  code: number | null;
  /** Standard output and standard error. */
  output: string;
}

const RUN_LIMIT_MS = 60_000;

/** Runs a command until it exits, with `input` as its standard input. */
export function runCommand(
  [program = "", ...args]: readonly string[],
  { input = Buffer.alloc(0), env = {} }: { input?: Buffer | undefined; env?: Record<string, string> },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...PROGRAM_ENV, ...env }, timeout: RUN_LIMIT_MS });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    // A program may exit without reading its input.
    child.stdin.on("error", () => {}).end(input);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** Runs a program in a private root directory until the test ends. Resolves when it listens, if it does. */
export async function startProgram(t: TestContext, program: Program): Promise<RunningProgram> {
  const root = mkdtempSync(join(CACHE_DIR, "run-"));
  chmodSync(root, 0o755);
  // Uses hard links, since the programs are only read. Files that the configuration replaces are removed first.
  execFileSync("cp", ["-al", `${rootOf(program.package)}/.`, root]);
  writeFiles(root, program);
  for (const path of program.fifos ?? []) execFileSync("mkfifo", ["-m", "622", join(root, path)]);

  const log = openSync(join(root, "output"), "w");
  // Its own process group, to stop exactly its processes; it is killed with the test.
  const child = spawn("setpriv", ["--pdeathsig", "TERM", "chroot", root, ...program.command], {
    stdio: ["ignore", log, log],
    detached: true,
    env: PROGRAM_ENV,
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  t.after(async () => {
    child.kill("SIGTERM");
    await Promise.race([ended, delay(STOP_LIMIT_MS)]);
    endGroup(child.pid);
    await ended;
    rmSync(root, { recursive: true, force: true });
  });
  const running = readerOf(root);
  const { host, port } = program;
  if (port === null) return running;
  await listening({ host, port }, () => {
    if (child.exitCode !== null) throw new Error(`${program.command[0]} ended: ${running.output()}`);
  });
  return running;
}

const STOP_LIMIT_MS = 3000;

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // All processes have exited.
  }
}

function writeFiles(root: string, { files, owners, users }: Program): void {
  const idOf = (name: string): number => DEBIAN_IDS.get(name) ?? FIRST_UID + users.indexOf(name);
  const accounts = ["root:x:0:0::/:/bin/sh", ...users.map((name) => account(name, idOf(name)))];
  const groups = ["root:x:0:", ...users.map((name) => `${name}:x:${idOf(name)}:`)];
  const standing = {
    "/etc/passwd": `${accounts.join("\n")}\n`,
    "/etc/group": `${groups.join("\n")}\n`,
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/etc/services": "smtp 25/tcp\nsmtps 465/tcp\n",
    // Names come only from the hosts file, so no peer sends DNS queries about its client.
    "/etc/resolv.conf": "lookup file\nnameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
  };
  for (const [path, text] of Object.entries({ ...standing, ...files })) {
    rmSync(join(root, path), { force: true });
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: path.endsWith(".key") ? 0o600 : 0o644 });
  }
  for (const [path, owner] of Object.entries(owners)) {
    const id = idOf(owner);
    if (!existsSync(join(root, path))) mkdirSync(join(root, path), { recursive: true, mode: 0o711 });
    chownSync(join(root, path), id, id);
  }
}

function account(name: string, id: number): string {
  return `${name}:x:${id}:${id}::/nonexistent:/usr/sbin/nologin`;
}

function readerOf(root: string): RunningProgram {
  const text = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "");
  return {
    text,
    output: () => text("output"),
    run: (command, input) => runCommand(["chroot", root, ...command], { input }),
    files: (path) => {
      if (!existsSync(join(root, path))) return [];
      return readdirSync(join(root, path))
        .sort()
        .map((name) => readFileSync(join(root, path, name)));
    },
  };
}

const START_LIMIT_MS = 120_000;

/** Waits until the port accepts connections. `check` throws if it never will. */
async function listening({ host, port }: { host: string; port: number }, check: () => void): Promise<void> {
  const giveUpMs = Date.now() + START_LIMIT_MS;
  while (!(await connects(host, port))) {
    check();
    if (Date.now() > giveUpMs) throw new Error(`nothing listens on ${host}:${port}`);
    await delay(50);
  }
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}
