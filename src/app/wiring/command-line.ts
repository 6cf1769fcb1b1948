/**
 * One run of the command line: parses the arguments, opens the spool that the service uses, runs a command and prints its
 * result. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
 *
 * Only commands that set up an installation create a spool, and they report it. With a wrong DATA_DIR, any other command would
 * show or change an installation that the operator did not mean.
 */
import { resolve } from "node:path";
import { accountCommands } from "../../cli/accounts.ts";
import { parseCommandLine } from "../../cli/arguments.ts";
import { backupCommands } from "../../cli/backup.ts";
import {
  type BareContext,
  type Command,
  type CommandContext,
  type CommandResult,
  type ParsedArguments,
  Refusal,
  UsageError,
} from "../../cli/command.ts";
import { doctorCommands } from "../../cli/doctor.ts";
import { domainCommands } from "../../cli/domains.ts";
import { helpText } from "../../cli/help.ts";
import { keyCommands } from "../../cli/keys.ts";
import { masterKeyCommands } from "../../cli/master-key.ts";
import { messageCommands } from "../../cli/messages.ts";
import { queueRetry } from "../../cli/queue.ts";
import { suppressionCommands } from "../../cli/suppressions.ts";
import { webhookCommands } from "../../cli/webhooks.ts";
import { ConfigError, readConfig } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import { escapeJson, sanitizeLine, sanitizeLines } from "../../lib/terminal-text.ts";
import type { Vault } from "../../security/vault.ts";
import { isFilled, LOG_FILE, SPOOL_FILE } from "../../spool/sqlite/spool-files.ts";
import { openSqliteSpool, type SqliteStore } from "../../spool/sqlite/sqlite-spool.ts";
import type { Installation } from "../installation.ts";
import { hasMasterKey, openInstalledVault } from "../master-key.ts";
import { describeStartFailure, hasFile, prepareDirectory } from "../startup-checks.ts";
import { sqliteInstallation } from "./installation.ts";
import { postAlone, wireWebhooks } from "./webhooks.ts";

const COMMANDS = [
  ...accountCommands,
  ...domainCommands,
  ...keyCommands,
  ...messageCommands,
  queueRetry,
  ...suppressionCommands,
  ...webhookCommands,
  ...backupCommands,
  ...masterKeyCommands,
  ...doctorCommands,
];

/** Where a run gets its settings and input from, and where its output goes. */
export interface Terminal {
  env: Record<string, string | undefined>;
  input: AsyncIterable<Uint8Array>;
  write(text: string): void;
  writeError(text: string): void;
}

/** Runs `postrider ARGS` and returns its exit code. Never rejects: every error is one line on standard error. */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<number> {
  const created: string[] = [];
  try {
    return await parseAndRun(args, terminal, created);
  } catch (error) {
    writeErrorLine(terminal, [...errorLines(error), ...created].join("; "));
    return exitCodeOf(error);
  }
}

/** The text of an error, and the exit code it causes. */
export const errorLines = (error: unknown): string[] => [error instanceof Error ? error.message : errorText(error)];
export const exitCodeOf = (error: unknown): number =>
  error instanceof UsageError || error instanceof ConfigError ? 2 : 1;

/** Writes one line to standard error; standard output is for results alone. */
export function writeErrorLine({ writeError }: Pick<Terminal, "writeError">, line: string): void {
  writeError(`postrider: ${sanitizeLine(line)}\n`);
}

/** `created` collects what the run had to create: one line each after a result, or part of the one line of an error. */
async function parseAndRun(args: string[], terminal: Terminal, created: string[]): Promise<number> {
  const parsed = parseCommandLine(args, COMMANDS);
  if (parsed.type === "help") {
    terminal.write(`${helpText(COMMANDS, parsed.noun)}\n`);
    return 0;
  }
  if (parsed.type === "bare_noun") {
    terminal.writeError(`${helpText(COMMANDS, parsed.noun)}\n`);
    return 2;
  }
  const config = readConfig(terminal.env, { secretFiles: false });
  const context = { config, installation: sqliteInstallation(config), terminal, created };
  const result = await run(parsed, context).catch((error) => {
    throw error instanceof Refusal || error instanceof UsageError
      ? error
      : new Refusal(describeStartFailure(error, config));
  });
  const output =
    parsed.args.options.json === true ? escapeJson(JSON.stringify(result.json, null, 2)) : sanitizeLines(result.text);
  terminal.write(`${output}\n`);
  for (const line of [result.failure ?? [], created].flat()) writeErrorLine(terminal, line);
  return result.failure === undefined ? 0 : 1;
}

interface Invocation {
  command: Command;
  args: ParsedArguments;
}

interface RunContext extends BareContext {
  terminal: Terminal;
  created: string[];
}

async function run({ command, args }: Invocation, context: RunContext): Promise<CommandResult> {
  const { config } = context;
  const { dataDir } = config;
  // A write-ahead log without its spool file is refused when the spool is opened, as at the service's start.
  const hasLog = hasFile("DATA_DIR", dataDir, LOG_FILE) && isFilled(dataDir, LOG_FILE);
  const isNew = !hasLog && !hasFile("DATA_DIR", dataDir, SPOOL_FILE);
  const skipsSpool = isNew || command.neverOpensSpool === true;
  if (skipsSpool && command.runWithoutSpool !== undefined) return command.runWithoutSpool(context, args);
  if (isNew && command.createsSpool === undefined) {
    throw new Refusal(
      `there is no spool in ${resolve(dataDir)}: set DATA_DIR to the service's, or start the service once`,
    );
  }
  const opened = await open(context).catch((error: Error) => error);
  if (!(opened instanceof Error)) {
    if (isNew) context.created.push(`created a new spool in ${resolve(dataDir)}`);
    return runWithSpool(opened, { command, args }, context);
  }
  if (command.runWithBrokenSpool === undefined) throw opened;
  return command.runWithBrokenSpool(context, describeStartFailure(opened, config));
}

async function open({ installation: { dataDir } }: RunContext): Promise<SqliteStore> {
  prepareDirectory("DATA_DIR", dataDir);
  return openSqliteSpool({
    dataDir,
    role: "client",
    onFatal: (error) => {
      throw error;
    },
  });
}

/** Runs a command on an opened spool, and closes the spool. */
async function runWithSpool(
  store: SqliteStore,
  { command, args }: Invocation,
  { config, installation, terminal, created }: RunContext,
): Promise<CommandResult> {
  let unlockSealing = (): void => {};
  try {
    const name = String(args.options.account ?? "default");
    const account = await store.accountNamed(name);
    if (account === null) throw new Refusal(`there is no account ${name}`);
    const vault = (): Vault => {
      unlockSealing = installation.spool.lockSealing({ alone: false });
      return openVault(installation, created);
    };
    const readInput = (bytesMax: number) => readAll(terminal.input, bytesMax);
    const webhooks = wireWebhooks({ config, spool: store, vault, post: postAlone(config), clock: systemClock });
    const nowMs = systemClock.now();
    const context: CommandContext = { config, installation, store, vault, webhooks, nowMs, account, readInput };
    return await command.run(context, args);
  } finally {
    await store.close();
    unlockSealing();
  }
}

async function readAll(input: Terminal["input"], bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new Refusal(`standard input is longer than ${bytesMax} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function openVault(installation: Installation, created: string[]): Vault {
  const { certsDir } = installation;
  prepareDirectory("CERTS_DIR", certsDir);
  const isNew = !hasMasterKey(installation);
  const vault = openInstalledVault(installation);
  if (isNew) created.push(`created a new master key in ${resolve(certsDir)}`);
  return vault;
}
