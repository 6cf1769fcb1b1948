/** The command line on a harness's data directory, in this process. */
import { runCommandLine } from "../src/service/command-line.ts";
import type { Harness } from "./harness.ts";

/** Runs a command without input. Resolves with its standard output and standard error, mixed. */
export async function cli(harness: Harness, args: string[]): Promise<string> {
  let output = "";
  const write = (text: string): void => {
    output += text;
  };
  await runCommandLine(args, { env: harness.env, input: (async function* () {})(), write, writeError: write });
  return output;
}
