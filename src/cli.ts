/**
 * The command line: `postrider NOUN VERB …`. It opens the same spool as the service and may run beside it; its changes take effect
 * with the service's next request. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
 */
import { errorLines, exitCodeOf, runCommandLine, writeErrorLine } from "./app/wiring/command-line.ts";

const terminal = {
  env: process.env,
  input: process.stdin,
  write: (text: string) => void process.stdout.write(text),
  writeError: (text: string) => void process.stderr.write(text),
};

// A reader that closes the pipe, as `head` does, is no error.
process.stdout.on("error", () => {});
process.on("uncaughtException", (error) => {
  writeErrorLine(terminal, errorLines(error).join("; "));
  process.exit(exitCodeOf(error));
});
process.exitCode = await runCommandLine(process.argv.slice(2), terminal);
