/** The service as a child process that a test can kill: `node src/main.ts` with a world's environment. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { programArgs } from "./program.ts";

/** Stops a service that should have exited but runs, to end the tests. */
const LIFETIME_MS = 180_000;

export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ChildService {
  /** The URL it listens on. */
  url: string;
  pid: number;
  /** Sends the signal and waits for the exit. */
  kill(signal: NodeJS.Signals): Promise<ExitStatus>;
}

/** Starts the service and waits until it listens. Rejects with its standard error if it exits before. */
export async function startChild(t: TestContext, env: Record<string, string>): Promise<ChildService> {
  const { child, ended, output } = launch(t, env);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", () => {
      const [, found] = /"url":"([^"]+)"/.exec(output.stdout) ?? [];
      if (found !== undefined) resolve(found);
    });
    ended.then(({ stderr }) => reject(new Error(`the service did not start: ${stderr}`)), reject);
  });
  return {
    url,
    pid: child.pid ?? 0,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a service that is expected to exit by itself. */
export function runToExit(t: TestContext, env: Record<string, string>): Promise<ExitStatus> {
  return launch(t, env).ended;
}

interface Launched {
  child: ChildProcess;
  ended: Promise<ExitStatus>;
  output: { stdout: string; stderr: string };
}

function launch(t: TestContext, env: Record<string, string>): Launched {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, programArgs("src/main.ts"), {
    env: { PATH, LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIFETIME_MS,
    killSignal: "SIGKILL",
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...output }));
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, output };
}
