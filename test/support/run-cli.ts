/**
 * Runs the command line in this process, which starts immediately, or as a child process where the process itself is
 * tested.
 */
import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { runCommandLine } from "../../src/app/wiring/command-line.ts";
import { programArgs } from "./program.ts";

export interface CliOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `postrider ARGS`; `input` is its standard input. */
export async function runCli(args: string[], env: Record<string, string>, input = ""): Promise<CliOutcome> {
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
  });
  return { code, ...out };
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
