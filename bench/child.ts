/** Child processes of the benchmark: start, wait, and stop by process id. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

export interface Child {
  pid: number;
  process: ChildProcess;
  /** Sends the signal and waits for the exit; sends SIGKILL after 30 s. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const STOP_LIMIT_MS = 30_000;

/** Starts a program. Rejects if it cannot be started. */
export async function startProgram(command: string, args: readonly string[], options: SpawnOptions): Promise<Child> {
  const child = spawn(command, args, { cwd: CHECKOUT, ...options });
  await once(child, "spawn");
  const ended = once(child, "exit");
  return {
    pid: child.pid ?? 0,
    process: child,
    async stop(signal = "SIGTERM") {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Starts a TypeScript program of the checkout. */
export function startScript(path: string, args: readonly string[], options: SpawnOptions): Promise<Child> {
  return startProgram(process.execPath, ["--import", "tsx", path, ...args], options);
}

/** Polls `look` until it returns true. Throws after `limitMs`. */
export async function until(
  what: string,
  look: () => boolean | Promise<boolean>,
  { everyMs = 50, limitMs = 120_000 } = {},
): Promise<void> {
  const giveUpMs = performance.now() + limitMs;
  while (!(await look())) {
    if (performance.now() > giveUpMs) throw new Error(`waited more than ${limitMs / 1000} s for: ${what}`);
    await delay(everyMs);
  }
}

/** Sends an order over the IPC channel and returns the answer. Throws if the process ends before it. */
export async function ask<T>({ process: child }: Child, order: object): Promise<T> {
  const answered = new AbortController();
  const { signal } = answered;
  const ended = once(child, "exit", { signal }).then(([code]) =>
    Promise.reject(new Error(`the process exited with ${code}`)),
  );
  ended.catch(() => {});
  child.send(order);
  try {
    const [answer] = await Promise.race([once(child, "message", { signal }), ended]);
    return answer as T;
  } finally {
    answered.abort();
  }
}
