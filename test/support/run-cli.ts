/** The command line as a child process, as a person or a script runs it. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface CliOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `postrider ARGS`; `input` is its standard input. */
export function runCli(args: string[], env: Record<string, string>, input = ""): Promise<CliOutcome> {
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli.ts", ...args], {
    cwd: ROOT,
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
