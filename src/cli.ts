#!/usr/bin/env node
/**
 * The command line: `postrider NOUN VERB …`. It opens the same spool as the service and may run beside it; its changes take effect
 * with the service's next request. Exit codes: 0 done, 1 rejected or failed, 2 wrong usage.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { pagerOf } from "./config.ts";
import { systemReason } from "./lib/error-text.ts";
import { explainUnsettledEnd, keepAlive } from "./lib/keep-alive.ts";
import { errorLines, exitCodeOf, runCommandLine, writeErrorLine } from "./service/command-line.ts";
import type { Terminal } from "./service/terminal.ts";

const { stdin, stdout, stderr } = process;
const isInteractive = stdin.isTTY === true && stderr.isTTY === true;

/** Ctrl-C and the end of the input answer nothing. */
function ask(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  return new Promise((resolve) => {
    lines.on("close", () => {
      stderr.write("\n");
      resolve("");
    });
    lines.question(question, (answer) => {
      lines.removeAllListeners("close").close();
      resolve(answer);
    });
  });
}

/** Shows what is longer than the terminal in PAGER. Without such a program, the text is written. */
async function page(text: string): Promise<void> {
  const [program = "", ...args] = pagerOf(process.env) ?? [];
  if (program === "" || text.split("\n").length <= stdout.rows) return void stdout.write(text);
  // As git does: colors as they are, and the text stays on the screen.
  const env = { LESS: "FRX", ...process.env };
  const pager = spawn(program, args, { stdio: ["pipe", "inherit", "inherit"], env });
  const isStarted = await new Promise<boolean>((resolve) => {
    pager.once("spawn", () => resolve(true)).once("error", () => resolve(false));
  });
  if (!isStarted) return void stdout.write(text);
  // A pager that is left early closes its input.
  pager.stdin.on("error", () => {}).end(text);
  await once(pager, "close");
}

const stopped = new AbortController();
/** Under npm, one Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 1000;
let stoppedAtMs: number | null = null;

function stop(): void {
  stoppedAtMs ??= performance.now();
  stopped.abort();
}

const MAIN = new URL(import.meta.url.endsWith(".js") ? "./main.js" : "./main.ts", import.meta.url);

/** A second Ctrl-C ends a command that takes too long to stop. */
function onSignal(): void {
  if (stoppedAtMs !== null && performance.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(1);
  stop();
}

const showProgress = (line: string): void => void stderr.write(`\r\u001b[K${line.slice(0, stderr.columns - 1)}`);

function untilStopped(): AbortSignal {
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  return stopped.signal;
}

const terminal: Terminal = {
  env: process.env,
  input: stdin,
  isTerminal: stdout.isTTY === true,
  write: (text: string) => void stdout.write(text),
  async drained() {
    // The error has a listener below.
    if (stdout.writableNeedDrain) await once(stdout, "drain").catch(() => {});
  },
  writeError: (text: string) => void stderr.write(text),
  ...(isInteractive ? { ask } : {}),
  ...(stdin.isTTY === true && stdout.isTTY === true ? { page } : {}),
  ...(stderr.isTTY === true ? { progress: showProgress } : {}),
  untilStopped,
  async runProgram(name, args) {
    if (name === "demo") return (await import("./demo.ts")).runDemo(args, "npx postrider");
    if (name === "start") return (await import("./lib/service-program.ts")).runService(MAIN);
    return (await import("./sink.ts")).serveSink(args, untilStopped);
  },
};

stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe, as `head` does, is no error.
  if (error.code === "EPIPE") return stop();
  writeErrorLine(terminal, `standard output cannot be written: ${systemReason(error)}`);
  process.exit(1);
});
process.on("uncaughtException", (error) => {
  writeErrorLine(terminal, errorLines(error).join("; "));
  process.exit(exitCodeOf(error));
});
explainUnsettledEnd("postrider: the command ended before it was complete, because nothing was left to wait for");
process.exitCode = await keepAlive(runCommandLine(process.argv.slice(2), terminal));
