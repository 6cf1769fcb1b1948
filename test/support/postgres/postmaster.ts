/**
 * The postmaster process of a server: starts it under a supervisor (supervise.sh), waits until it accepts connections,
 * and ends it by signals.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Installation } from "./installation.ts";

export interface PostmasterOptions {
  /** The directory of `data` and `log`. */
  dir: string;
  /** Whether the supervisor removes `dir` in the end. */
  isTemporary: boolean;
  installation: Installation;
}

type Supervisor = ChildProcessByStdio<Writable, Readable, null>;

const SCRIPT = readFileSync(fileURLToPath(new URL("supervise.sh", import.meta.url)), "utf8");
/** Recovery after a crash may replay much WAL. */
const START_LIMIT_MS = 120_000;
const END_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 5;

export class Postmaster {
  readonly pid: number;
  readonly #supervisor: Supervisor;
  readonly #ended: Promise<void>;
  readonly #released: Promise<unknown>;
  #isRunning = true;

  constructor(pid: number, supervisor: Supervisor) {
    this.pid = pid;
    this.#supervisor = supervisor;
    this.#released = once(supervisor, "exit");
    this.#ended = once(supervisor.stdout.resume(), "end").then(() => {
      this.#isRunning = false;
    });
    keepAlive(supervisor, false);
  }

  /** False as soon as the postmaster and all its processes have exited. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Sends the signal. Resolves when the postmaster and all its processes have exited. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#isRunning) return;
    process.kill(this.pid, signal);
    await this.#wait(this.#ended, `PostgreSQL's processes have not exited after ${signal}`);
  }

  /** Reaps an ended postmaster. A new one starts on its directory only after that. */
  async release(): Promise<void> {
    this.#supervisor.stdin.end("\n");
    await this.#wait(this.#released, "The supervisor of an ended PostgreSQL has not exited");
  }

  /** Removes an ended postmaster's temporary directory, in the background. */
  removeDir(): void {
    this.#supervisor.stdin.end();
  }

  async #wait(event: Promise<unknown>, fault: string): Promise<void> {
    const done = new AbortController();
    const late = delay(END_LIMIT_MS, null, { signal: done.signal }).then(() => {
      throw new Error(`${fault} within ${END_LIMIT_MS / 1000} s`);
    });
    keepAlive(this.#supervisor, true);
    try {
      await Promise.race([event, late]);
    } finally {
      keepAlive(this.#supervisor, false);
      late.catch(() => {});
      done.abort();
    }
  }
}

/** Whether the server keeps this process running. */
function keepAlive(supervisor: Supervisor, keep: boolean): void {
  const handles = [supervisor, supervisor.stdin as unknown as Socket, supervisor.stdout as unknown as Socket];
  for (const handle of handles) handle[keep ? "ref" : "unref"]();
}

/** Resolves when the server accepts connections. Rejects with the end of its log if it does not start. */
export async function startPostmaster({ dir, isTemporary, installation }: PostmasterOptions): Promise<Postmaster> {
  const data = join(dir, "data");
  const log = join(dir, "log");
  const command = [join(installation.bin, "postgres"), "-D", data];
  const supervisor = spawn("/bin/sh", ["-c", SCRIPT, "supervise.sh", log, isTemporary ? dir : "", ...command], {
    ...installation.user,
    cwd: dir,
    stdio: ["pipe", "pipe", "ignore"],
    // In a session of its own, so that Ctrl-C reaches only this process, whose end stops the server.
    detached: true,
  });
  await once(supervisor, "spawn");
  // The supervisor may have exited before it reads.
  supervisor.stdin.on("error", () => {});
  const [line] = await once(supervisor.stdout, "data");
  const postmaster = new Postmaster(Number(line), supervisor);
  const giveUpMs = performance.now() + START_LIMIT_MS;
  while (!isReady(data, postmaster.pid)) {
    await delay(LOOK_EVERY_MS);
    if (!postmaster.isRunning || performance.now() > giveUpMs) {
      const reason = endOf(log);
      await postmaster.end("SIGQUIT");
      throw new Error(`PostgreSQL did not start: ${reason}`);
    }
  }
  return postmaster;
}

/** The postmaster writes its state into a line of its lock file. pg_ctl waits for the same. */
function isReady(data: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    return Number(lines[0]) === pid && ["ready", "standby"].includes(lines[7]?.trim() ?? "");
  } catch {
    return false;
  }
}

function endOf(log: string): string {
  return readFileSync(log, "utf8").trim().split("\n").slice(-3).join(" / ");
}
