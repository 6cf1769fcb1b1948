/**
 * One run of the command line: reads the words, opens the spool that the service uses, runs a command, and says what came
 * of it. Exit codes: 0 done, 1 refused or failed, 2 wrong usage. Where the words come from and go to is the caller's.
 *
 * A spool is made only by commands that set up, and never unsaid: with a wrong DATA_DIR, every other command would show
 * or change an installation that nobody meant.
 */
import { resolve } from "node:path";
import { accountCommands } from "../../cli/accounts.ts";
import { readArguments } from "../../cli/arguments.ts";
import { backupCommands } from "../../cli/backup.ts";
import {
  type Command,
  type CommandAnswer,
  Refusal,
  type Surroundings,
  UsageError,
  type Words,
} from "../../cli/command.ts";
import { doctorCommands } from "../../cli/doctor.ts";
import { domainCommands } from "../../cli/domains.ts";
import { helpText } from "../../cli/help.ts";
import { keyCommands } from "../../cli/keys.ts";
import { masterKeyCommands } from "../../cli/master-key.ts";
import { messageCommands } from "../../cli/messages.ts";
import { queueRetry } from "../../cli/queue.ts";
import { suppressionCommands } from "../../cli/suppressions.ts";
import { type Config, ConfigError, readConfig } from "../../config.ts";
import { errorText } from "../../lib/error-text.ts";
import { escapeJson, sanitizeLine, sanitizeLines } from "../../lib/terminal-text.ts";
import type { Vault } from "../../security/vault.ts";
import { lockSealing } from "../../spool/sqlite/database.ts";
import { isFilled, LOG_FILE, SPOOL_FILE } from "../../spool/sqlite/spool-files.ts";
import { openSqliteSpool, type SqliteStore } from "../../spool/sqlite/sqlite-spool.ts";
import { isThere, preparePlace, startFault } from "../startup-checks.ts";
import { openVaultFor } from "./master-key.ts";

const COMMANDS = [
  ...accountCommands,
  ...domainCommands,
  ...keyCommands,
  ...messageCommands,
  queueRetry,
  ...suppressionCommands,
  ...backupCommands,
  ...masterKeyCommands,
  ...doctorCommands,
];

/** Where a run gets its settings and input from, and where its words go. */
export interface Terminal {
  env: Record<string, string | undefined>;
  input: AsyncIterable<Uint8Array>;
  write(text: string): void;
  writeError(text: string): void;
}

/** Runs `postrider ARGS` and returns its exit code. Never rejects: no fault of ours or anybody's is told as a stack trace. */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<number> {
  const made: string[] = [];
  try {
    return await answer(args, terminal, made);
  } catch (error) {
    tell(terminal, [...faultLines(error), ...made].join("; "));
    return exitCodeOf(error);
  }
}

/** What a fault says, and the exit code it means. */
export const faultLines = (error: unknown): string[] => [error instanceof Error ? error.message : errorText(error)];
export const exitCodeOf = (error: unknown): number =>
  error instanceof UsageError || error instanceof ConfigError ? 2 : 1;

/** One line on standard error: standard output is the answer's alone. */
export function tell({ writeError }: Pick<Terminal, "writeError">, line: string): void {
  writeError(`postrider: ${sanitizeLine(line)}\n`);
}

/** `made` collects what had to be made on the way: told in a line each after an answer, in the one line of a fault. */
async function answer(args: string[], terminal: Terminal, made: string[]): Promise<number> {
  const reading = readArguments(args, COMMANDS);
  if (reading.type === "help") {
    terminal.write(`${helpText(COMMANDS, reading.noun)}\n`);
    return 0;
  }
  if (reading.type === "bare_noun") {
    terminal.writeError(`${helpText(COMMANDS, reading.noun)}\n`);
    return 2;
  }
  const { command, words } = reading;
  const config = readConfig(terminal.env, { secretFiles: false });
  const ran = await run(command, words, { config, terminal, made }).catch((error) => {
    throw error instanceof Refusal || error instanceof UsageError ? error : new Refusal(startFault(error, config));
  });
  const shown = words.options.json === true ? escapeJson(JSON.stringify(ran.json, null, 2)) : sanitizeLines(ran.text);
  terminal.write(`${shown}\n`);
  for (const line of made) tell(terminal, line);
  return 0;
}

interface Run {
  config: Config;
  terminal: Terminal;
  made: string[];
}

async function run(command: Command, words: Words, running: Run): Promise<CommandAnswer> {
  const { config } = running;
  // A log without its spool is refused in the words of the service's start.
  const { dataDir } = config;
  const hasLog = isThere("DATA_DIR", dataDir, LOG_FILE) && isFilled(dataDir, LOG_FILE);
  const isNew = !hasLog && !isThere("DATA_DIR", dataDir, SPOOL_FILE);
  const goesWithout = isNew || command.neverOpensSpool === true;
  if (goesWithout && command.runWithoutSpool !== undefined) return command.runWithoutSpool(config, words);
  if (isNew && command.makesSpool === undefined) {
    const where = resolve(config.dataDir);
    throw new Refusal(`there is no spool in ${where}: set DATA_DIR to the service's, or start the service once`);
  }
  const opened = await open(config).catch((error: Error) => error);
  if (!(opened instanceof Error)) return withSpool(opened, { command, words }, { ...running, isNew });
  if (command.runWithBrokenSpool === undefined) throw opened;
  return command.runWithBrokenSpool(config, startFault(opened, config));
}

async function open(config: Config): Promise<SqliteStore> {
  preparePlace("DATA_DIR", config.dataDir);
  return openSqliteSpool({
    dataDir: config.dataDir,
    role: "client",
    onFatal: (error) => {
      throw error;
    },
  });
}

/** Runs a command on an opened spool, and closes that. */
async function withSpool(
  store: SqliteStore,
  { command, words }: { command: Command; words: Words },
  { config, terminal, made, isNew }: Run & { isNew: boolean },
): Promise<CommandAnswer> {
  let unlockSealing = (): void => {};
  try {
    if (isNew) made.push(`made a new spool in ${resolve(config.dataDir)}`);
    const name = String(words.options.account ?? "default");
    const account = await store.accountNamed(name);
    if (account === null) throw new Refusal(`there is no account ${name}`);
    const vault = (): Vault => {
      unlockSealing = lockSealing(config.dataDir, { alone: false });
      return openVaultOf(config, made);
    };
    const readInput = (bytesMax: number) => readAll(terminal.input, bytesMax);
    const surroundings: Surroundings = { config, store, vault, nowMs: Date.now(), account, readInput };
    return await command.run(surroundings, words);
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
    if (sizeBytes > bytesMax) throw new Refusal(`standard input holds more than ${bytesMax} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function openVaultOf(config: Config, made: string[]): Vault {
  const { certsDir } = config;
  preparePlace("CERTS_DIR", certsDir);
  const isNew = !isThere("CERTS_DIR", certsDir, "master.key");
  const vault = openVaultFor(config);
  if (isNew) made.push(`made a new master key in ${resolve(certsDir)}`);
  return vault;
}
