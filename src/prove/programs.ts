/** Postrider's own programs as child processes: the command line for one command, and the service, which can be killed. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { SERVICE_FLAGS } from "../lib/service-program.ts";
import { ProveFailure } from "./failure.ts";

const IS_BUILT = import.meta.url.endsWith(".js");
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LOADER = IS_BUILT ? [] : ["--import", "tsx"];
/** What programs inherit; all other settings would be those of the live service. Its login is in HOME, which the scene has of its own. */
const INHERITED = ["PATH", "TMPDIR", "LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_"];
const START_MAX_MS = 60_000;
const STDERR_MAX = 20_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;

export type Environment = Readonly<Record<string, string>>;

export interface ServiceEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Its last characters. */
  stderr: string;
}

/** A service that may not listen yet. */
export interface ServiceProcess {
  /** The URL it listens on. Rejects with a ProveFailure if it ends before, or takes longer than a minute. */
  url: Promise<string>;
  ended: Promise<ServiceEnd>;
  kill(signal: NodeJS.Signals): Promise<ServiceEnd>;
}

const pathOf = (program: "main" | "cli"): string =>
  fileURLToPath(new URL(`../${program}.${IS_BUILT ? "js" : "ts"}`, import.meta.url));

function processEnv(own: Environment): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...own };
}

/** Runs a command with --json and returns its result. Rejects with a ProveFailure. */
export async function runCommand(words: readonly string[], env: Environment, signal: AbortSignal): Promise<unknown> {
  const args = [...LOADER, pathOf("cli"), ...words, "--json"];
  const options = { cwd: ROOT, env: processEnv(env), signal, maxBuffer: OUTPUT_BYTES_MAX, timeout: START_MAX_MS };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    return JSON.parse(stdout);
  } catch (error) {
    throw new ProveFailure(`postrider ${words[0]} ${words[1]} failed: ${(error as Error).message.trim()}`);
  }
}

/** Starts the service as `npm start` does. */
export function startService(env: Environment): ServiceProcess {
  const child = spawn(process.execPath, [...SERVICE_FLAGS, ...LOADER, pathOf("main")], {
    cwd: ROOT,
    env: processEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_MAX);
  });
  const ended = new Promise<ServiceEnd>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, stderr }));
    child.once("error", ({ message }) => resolve({ code: null, signal: null, stderr: message }));
  });
  const url = urlOf(child, ended);
  // Whoever kills it during its start does not wait for the URL.
  url.catch(() => {});
  return {
    url,
    ended,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** The log is read up to the line that names the URL, and then left unread. */
async function urlOf(
  child: ChildProcess & { stdout: NodeJS.ReadableStream },
  ended: Promise<ServiceEnd>,
): Promise<string> {
  const lines = createInterface({ input: child.stdout });
  const found = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const [, url] = /"url":"(http:[^"]+)"/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const limit = AbortSignal.timeout(START_MAX_MS);
  try {
    return await Promise.race([
      found,
      ended.then(({ stderr }) => Promise.reject(new ProveFailure(`the service did not start: ${stderr.trim()}`))),
      once(limit, "abort").then(() =>
        Promise.reject(new ProveFailure("the service took longer than a minute to start")),
      ),
    ]);
  } finally {
    lines.close();
    child.stdout.resume();
  }
}
