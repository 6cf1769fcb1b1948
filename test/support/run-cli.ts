/**
 * Runs the command line in this process, which starts immediately, or as a child process where the process itself is
 * tested.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { PassThrough, Readable } from "node:stream";
import { runCommandLine } from "../../src/service/command-line.ts";
import type { Terminal } from "../../src/service/terminal.ts";
import { programArgs } from "./program.ts";

export interface CliOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `postrider ARGS`; `input` is its standard input, and `terminal` what stands in for a terminal. */
export async function runCli(
  args: string[],
  env: Record<string, string>,
  input = "",
  terminal: Partial<Terminal> = {},
): Promise<CliOutcome> {
  const out = { stdout: "", stderr: "" };
  const code = await runCommandLine(args, {
    env,
    input: Readable.from([Buffer.from(input)]),
    write: (text) => {
      out.stdout += text;
    },
    writeError: (text) => {
      out.stderr += text;
    },
    ...terminal,
  });
  return { code, ...out };
}

/** Runs a command without an end. `line` resolves with the next line of its output, and `stop` ends it as Ctrl-C does. */
export function followCli(args: string[], env: Record<string, string>) {
  const stopping = new AbortController();
  const output = new PassThrough();
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const done = runCli(args, env, "", {
    write: (text) => void output.write(text),
    untilStopped: () => stopping.signal,
  }).finally(() => output.end());
  return {
    line: async (): Promise<string> => String((await lines.next()).value),
    stop: (): Promise<CliOutcome> => {
      stopping.abort();
      return done;
    },
  };
}

/** Runs the same as a child process. */
export function spawnCli(args: string[], env: Record<string, string>, input = ""): Promise<CliOutcome> {
  const child = spawn(process.execPath, [...programArgs("src/cli.ts"), ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  child.stdin.end(input);
  const out = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    out.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    out.stderr += chunk;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...out })));
}
