/**
 * One run of the command line: parses the arguments, opens the spool that the service uses, runs a command and prints its
 * result. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
 *
 * Only commands that set up an installation create a spool, and they report it. With a wrong DATA_DIR or DATABASE_URL, any other
 * command would show or change an installation that the operator did not mean.
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
import { nodeCommands } from "../../cli/nodes.ts";
import { queueRetry } from "../../cli/queue.ts";
import { spoolCommands } from "../../cli/spool.ts";
import { suppressionCommands } from "../../cli/suppressions.ts";
import { webhookCommands } from "../../cli/webhooks.ts";
import { ConfigError, readConfig } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import { silentLog } from "../../lib/log.ts";
import { escapeJson, sanitizeLine, sanitizeLines } from "../../lib/terminal-text.ts";
import type { Vault } from "../../security/vault.ts";
import type { Store } from "../../spool/port/store.ts";
import type { Installation } from "../installation.ts";
import { hasMasterKey, MissingMasterKey, openInstalledVault } from "../master-key.ts";
import { describeStartFailure, prepareDirectory } from "../startup-checks.ts";
import { installationOf } from "./installation.ts";
import { openSpool } from "./spool.ts";
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
  ...spoolCommands,
  ...masterKeyCommands,
  ...nodeCommands,
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
  const context = { config, installation: installationOf(config), terminal, created };
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
  const { config, installation } = context;
  const { runWithoutSpool, runWithoutMasterKey, runWithBrokenSpool } = command;
  if (command.neverOpensSpool === true && runWithoutSpool !== undefined) return runWithoutSpool(context, args);
  const opened = await open(command, context).catch((error: Error) => error);
  if (opened === null) {
    if (runWithoutSpool !== undefined) return runWithoutSpool(context, args);
    const { setting, value } = installation.spool.location;
    throw new Refusal(`there is no spool in ${value}: set ${setting} to the service's, or start the service once`);
  }
  if (!(opened instanceof Error)) return runWithSpool(opened, { command, args }, context);
  if (opened instanceof MissingMasterKey && runWithoutMasterKey !== undefined)
    return runWithoutMasterKey(context, args);
  if (runWithBrokenSpool === undefined) throw opened;
  return runWithBrokenSpool(context, describeStartFailure(opened, config));
}

/** Null if there is no spool and the command creates none. */
async function open({ createsSpool }: Command, { config, installation, created }: RunContext): Promise<Store | null> {
  const { spool } = installation;
  const isNew = !(await spool.exists());
  if (isNew && createsSpool === undefined) return null;
  const store = await openSpool(config, {
    ...{ role: "client", clock: systemClock, log: silentLog },
    openVault: () => openVault(installation, created),
    onFatal: (error) => {
      throw error;
    },
  });
  if (isNew) created.push(`created a new spool in ${spool.location.value}`);
  return store;
}

/** Runs a command on an opened spool, and closes the spool. */
async function runWithSpool(
  store: Store,
  { command, args }: Invocation,
  { config, installation, terminal, created }: RunContext,
): Promise<CommandResult> {
  let unlockSealing = async (): Promise<void> => {};
  try {
    const name = String(args.options.account ?? "default");
    const account = await store.accountNamed(name);
    if (account === null) throw new Refusal(`there is no account ${name}`);
    const vault = async (): Promise<Vault> => {
      unlockSealing = await installation.spool.lockSealing();
      return openVault(installation, created);
    };
    const readInput = (bytesMax: number) => readAll(terminal.input, bytesMax);
    const webhooks = wireWebhooks({ config, spool: store, vault, post: postAlone(config), clock: systemClock });
    const nowMs = systemClock.now();
    const context: CommandContext = { config, installation, store, vault, webhooks, nowMs, account, readInput };
    return await command.run(context, args);
  } finally {
    await store.close();
    await unlockSealing();
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

async function openVault(installation: Installation, created: string[]): Promise<Vault> {
  const { certsDir } = installation;
  prepareDirectory("CERTS_DIR", certsDir);
  const isNew = !hasMasterKey(installation);
  const vault = await openInstalledVault(installation);
  if (isNew) created.push(`created a new master key in ${resolve(certsDir)}`);
  return vault;
}
