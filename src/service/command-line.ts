/**
 * One run of the command line: parses the arguments, runs a command and prints its result. Exit codes: 0 done, 1 refused or
 * failed, 2 wrong usage.
 *
 * What a command needs is loaded when it runs: help, completion and wrong usage load neither a spool nor a command.
 */
import packageJson from "../../package.json" with { type: "json" };
import { parseCommandLine } from "../cli/arguments.ts";
import { COMMANDS } from "../cli/catalog/catalog.ts";
import { type CommandResult, type ParsedArguments, UsageError } from "../cli/command.ts";
import { helpJson, helpText } from "../cli/help.ts";
import { ConfigError, knownPublicUrl, usesColors } from "../config.ts";
import { withDocumentAddresses } from "../lib/document-address.ts";
import { errorText } from "../lib/error-text.ts";
import { escapeJson, sanitizeLine, sanitizeLines } from "../lib/terminal-text.ts";
import { withEscapes, withoutStyles } from "../lib/text-style.ts";
import type { Terminal } from "./terminal.ts";

/** Runs `postrider ARGS` and returns its exit code. Never rejects: every error is one line on standard error. */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<number> {
  const created: string[] = [];
  try {
    return await parseAndRun(args, terminal, created);
  } catch (error) {
    const line = [...errorLines(error), ...created].join("; ");
    writeErrorLine(terminal, withDocumentAddresses(line, knownPublicUrl(terminal.env)));
    return exitCodeOf(error);
  }
}

/** The text of an error, and the exit code it causes. */
export const errorLines = (error: unknown): string[] => [error instanceof Error ? error.message : errorText(error)];
export const exitCodeOf = (error: unknown): number =>
  error instanceof UsageError || error instanceof ConfigError ? 2 : 1;

/** Writes one line to standard error; standard output is only for results. */
export function writeErrorLine({ writeError }: Pick<Terminal, "writeError">, line: string): void {
  writeError(`postrider: ${sanitizeLine(line)}\n`);
}

/** `created` collects what the run had to create: one line each after a result, or part of the one line of an error. */
async function parseAndRun(args: string[], terminal: Terminal, created: string[]): Promise<number> {
  const parsed = parseCommandLine(args, COMMANDS);
  switch (parsed.type) {
    case "help": {
      const { topic, options } = parsed;
      await showResult(terminal, { json: helpJson(COMMANDS, topic), text: helpText(COMMANDS, topic) }, options);
      return 0;
    }
    case "bare_noun":
      terminal.writeError(`${helpText(COMMANDS, { type: "noun", noun: parsed.noun })}\n`);
      return 2;
    case "version":
      writeResult(terminal, await versionResult(parsed.options), parsed.options);
      return 0;
    case "command": {
      const { runCommand } = await import("./run-command.ts");
      const { options } = parsed.args;
      const print = (part: CommandResult): void => writeResult(terminal, part, options, 0);
      const log = (line: string): void => writeErrorLine(terminal, line);
      const result = await runCommand(parsed, { terminal, created, print, log, words: args });
      if (typeof result === "number") return result;
      if (result !== null) await showResult(terminal, result, options);
      for (const line of [result?.failure ?? [], created].flat()) writeErrorLine(terminal, line);
      return result?.failure === undefined ? 0 : 1;
    }
  }
}

/** As writeResult, a page at a time where there are pages. */
async function showResult(
  terminal: Terminal,
  result: CommandResult,
  options: ParsedArguments["options"],
): Promise<void> {
  if (terminal.page === undefined || options.json === true) return writeResult(terminal, result, options);
  const parts: string[] = [];
  writeResult({ ...terminal, write: (text) => void parts.push(text) }, result, options);
  await terminal.page(parts.join(""));
}

function writeResult(
  { env, isTerminal = false, write }: Terminal,
  { json, text }: CommandResult,
  options: ParsedArguments["options"],
  indent = 2,
): void {
  if (options.json === true) {
    write(`${escapeJson(JSON.stringify(json, null, indent))}\n`);
    return;
  }
  const isColored = options["no-color"] !== true && usesColors(env, isTerminal);
  const clean = sanitizeLines(text);
  write(`${isColored ? withEscapes(clean) : withoutStyles(clean)}\n`);
}

/** The schemas are those that this version creates, or migrates a spool to. */
async function versionResult({ json }: ParsedArguments["options"]): Promise<CommandResult> {
  const { version } = packageJson;
  if (json !== true) return { json: null, text: version };
  const [sqlite, postgres] = await Promise.all([
    import("../spool/schema/sqlite.ts"),
    import("../spool/schema/postgres.ts"),
  ]);
  const schema = { sqlite: sqlite.SCHEMA_VERSION, postgresql: postgres.SCHEMA_VERSION };
  return { json: { version, schema, node: process.versions.node }, text: version };
}
