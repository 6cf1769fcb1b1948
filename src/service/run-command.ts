/**
 * Runs one command: opens the spool that the service uses, and closes it.
 *
 * Only commands that set up an installation create a spool, and they report it. With a wrong DATA_DIR or DATABASE_URL, any other
 * command would show or change an installation that the operator did not mean.
 */
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { auditedStore } from "../app/audit/audited-store.ts";
import { COMMAND_LINE } from "../app/decide/decide-recipients.ts";
import type { Installation } from "../app/installation/installation-parts.ts";
import { hasMasterKey, MissingMasterKey, openInstalledVault } from "../app/installation/master-key.ts";
import { describeStartFailure, prepareDirectory } from "../app/installation/startup-checks.ts";
import { DEFAULT_ACCOUNT } from "../app/send/link-message.ts";
import { COMMANDS } from "../cli/catalog/catalog.ts";
import {
  type BareContext,
  type Command,
  type CommandContext,
  type CommandResult,
  type Confirmation,
  type Implementation,
  type LocalContext,
  type ParsedArguments,
  type ProgramStart,
  Refusal,
  STDIN,
  UsageError,
} from "../cli/command.ts";
import { nameOf, ownOptions } from "../cli/usage.ts";
import { type Config, type Remote, readConfig, readRemote } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import { systemReason } from "../lib/error-text.ts";
import type { StandardStreams } from "../lib/standard-streams.ts";
import type { Vault } from "../security/vault.ts";
import type { Store } from "../spool/port/store.ts";
import { accountOf } from "./command-account.ts";
import { installationOf } from "./installation.ts";
import { remoteOf, removeLogin, writeLogin } from "./login.ts";
import { openSpool } from "./open-spool.ts";
import { readAll } from "./remote-command.ts";
import type { Terminal } from "./terminal.ts";

export interface Run {
  terminal: Terminal;
  /** Collects what the run had to create, one line each. */
  created: string[];
  print: CommandContext["print"];
  /** Writes one line to standard error. */
  log: StandardStreams["log"];
  /** The words of the command line. */
  words: readonly string[];
}

interface Invocation {
  command: Command;
  implementation: Implementation;
  args: ParsedArguments;
}

interface RunContext extends BareContext, Run {}

/** Resolves with the exit code of a program. Rejects with one line: a Refusal, a UsageError or a ConfigError. */
export async function runCommand(
  { command, args }: { command: Command; args: ParsedArguments },
  given: Run,
): Promise<CommandResult | number | null> {
  const { terminal } = given;
  const implementation = await command.load();
  if ("describe" in implementation) return implementation.describe(COMMANDS, args);
  if ("converse" in implementation) {
    await implementation.converse(streamsOf(given), remoteOf(args.options, terminal.env), args);
    return null;
  }
  if ("program" in implementation) return startProgram(terminal, command, args, implementation.program);
  if ("runHere" in implementation) return implementation.runHere(localContext(terminal), args);
  const remote = remoteOf(args.options, terminal.env);
  if (remote !== null && (command.reach !== "host" || !remote.isLogin))
    return runElsewhere(remote, { command, args }, given);
  const config = readConfig(terminal.env, { secretFiles: false });
  const installation = await installationOf(config);
  const confirm = confirmation(command, args, terminal);
  const untilStopped = () => terminal.untilStopped?.() ?? new AbortController().signal;
  const progress = (line: string): void => terminal.progress?.(line);
  const context = { config, installation, confirm, untilStopped, progress, ...given };
  return run({ command, implementation, args }, context).catch((error) => {
    throw error instanceof Refusal || error instanceof UsageError
      ? error
      : new Refusal(describeStartFailure(error, config));
  });
}

/** The program reads its options itself, as `npm run demo` and `npm run sink` do. */
async function startProgram(
  { runProgram }: Terminal,
  command: Command,
  { options }: ParsedArguments,
  name: ProgramStart["program"],
): Promise<number> {
  if (runProgram === undefined) throw new Refusal(`${name} runs only from the command line on the server`);
  if (options.json === true) throw new UsageError(`${name} has no output for --json`);
  const own = Object.keys(ownOptions(command)).filter((option) => options[option] !== undefined);
  const args = own.map((option) => (options[option] === true ? `--${option}` : `--${option}=${options[option]}`));
  return runProgram(name, args);
}

const streamsOf = ({ terminal, log }: Run): StandardStreams => ({
  input: terminal.input,
  write: (text) => terminal.write(text),
  drained: async () => terminal.drained?.(),
  log,
});

/** Throws a Refusal for a command that works on files of the host. */
async function runElsewhere(
  remote: Remote,
  { command, args }: { command: Command; args: ParsedArguments },
  { terminal, created, print, words }: Run,
): Promise<CommandResult | null> {
  if (command.reach === "host") {
    const name = nameOf(command);
    throw new Refusal(`${name} works on files of the service's host: run it there, without POSTRIDER_URL and --url`);
  }
  const { runRemotely } = await import("./remote-client.ts");
  const confirm = confirmation(command, args, terminal);
  const openInput = () => inputOf(command, args, terminal);
  return runRemotely(remote, { command, args, words, openInput, terminal, print, confirm, notes: created });
}

function localContext({ env, ask, input }: Terminal): LocalContext {
  return {
    remote: readRemote(env),
    readLine: (question, bytesMax) => (ask === undefined ? readAll(input, bytesMax) : ask(question)),
    check: async (remote) => (await import("./remote-client.ts")).checkRemote(remote),
    keep: (remote) => writeLogin(remote, env),
    forget: () => removeLogin(env),
  };
}

function confirmation({ irreversible }: Command, { options }: ParsedArguments, { ask }: Terminal) {
  return async (question: string, { typed, isRequired }: Confirmation = {}): Promise<void> => {
    if (irreversible === undefined) throw new Error("a command asks although it is not declared as irreversible");
    if (options.yes === true) return;
    if (ask === undefined) {
      if (isRequired === undefined) return;
      throw new Refusal(`${question} Nothing was changed: without a terminal, confirm it with --yes`);
    }
    const answer = await ask(`${question} ${typed === undefined ? "[y/N]" : `To confirm, type ${typed}:`} `);
    const isGiven = typed === undefined ? /^\s*y(es)?\s*$/i.test(answer) : answer.trim() === typed;
    if (!isGiven) throw new Refusal("cancelled: nothing was changed");
  };
}

async function run({ command, implementation, args }: Invocation, context: RunContext): Promise<CommandResult | null> {
  const { config, installation } = context;
  const { runWithoutSpool, runWithoutMasterKey, runWithBrokenSpool } = implementation;
  if (implementation.neverOpensSpool === true && runWithoutSpool !== undefined) return runWithoutSpool(context, args);
  const opened = await open(implementation, context).catch((error: Error) => error);
  if (opened === null) {
    if (runWithoutSpool !== undefined) return runWithoutSpool(context, args);
    const { setting, value } = installation.spool.location;
    throw new Refusal(`there is no spool in ${value}: set ${setting} to the service's, or start the service once`);
  }
  if (!(opened instanceof Error)) return runWithSpool(opened, { command, implementation, args }, context);
  if (opened instanceof MissingMasterKey && runWithoutMasterKey !== undefined)
    return runWithoutMasterKey(context, args);
  if (runWithBrokenSpool === undefined) throw opened;
  return runWithBrokenSpool(context, describeStartFailure(opened, config), args);
}

/** Null if there is no spool and the command creates none. */
async function open(
  { createsSpool }: Implementation,
  { config, installation, created }: RunContext,
): Promise<Store | null> {
  const { spool } = installation;
  const isNew = !(await spool.exists());
  if (isNew && createsSpool === undefined) return null;
  const store = await openSpool(config, {
    role: "client",
    clock: systemClock,
    openVault: () => openVault(installation, created),
    onFatal: (error) => {
      throw error;
    },
  });
  if (isNew) created.push(`created a new spool in ${spool.location.value}`);
  return store;
}

const NOT_RECORDED = "the change was made, but is not in the audit trail: its entry could not be written";

/** Runs a command on an opened spool, and closes the spool. */
async function runWithSpool(
  store: Store,
  { command, implementation, args }: Invocation,
  { config, installation, confirm, untilStopped, progress, terminal, created, print }: RunContext,
): Promise<CommandResult | null> {
  let unlockSealing = async (): Promise<void> => {};
  try {
    const account = await accountOf(store, { command, args }, () => store.accountNamed(DEFAULT_ACCOUNT));
    const input = inputOf(command, args, terminal);
    const vault = async (): Promise<Vault> => {
      unlockSealing = await installation.spool.lockSealing();
      return openVault(installation, created);
    };
    const actor = { type: "command_line", accountId: account.id } as const;
    const audited = auditedStore(store, actor, { clock: systemClock, onFault: () => created.push(NOT_RECORDED) });
    const context: CommandContext = {
      config,
      installation,
      confirm,
      untilStopped,
      progress,
      store: audited,
      vault,
      account,
      by: COMMAND_LINE,
      mayOperate: true,
      nowMs: systemClock.now(),
      webhooks: () => webhooksOf({ config, spool: audited, vault }),
      acceptMessage: async () => (await import("./accept-alone.ts")).acceptAlone(config, store),
      async findings() {
        const { hostFindings, knownSpool } = await import("../app/installation/host-findings.ts");
        return hostFindings(config, await knownSpool({ installation, store, account }));
      },
      print,
      readInput: (bytesMax) => readAll(input, bytesMax),
      input,
      async writeOut(text) {
        terminal.write(text);
        await terminal.drained?.();
      },
    };
    return await implementation.run(context, args);
  } finally {
    await store.close();
    await unlockSealing();
  }
}

/** Standard input, or the file that the command reads in its place. Reading rejects with a Refusal where the file cannot be read. */
async function* inputOf(
  { input }: Command,
  args: ParsedArguments,
  terminal: Pick<Terminal, "input">,
): AsyncGenerator<Uint8Array, void> {
  const file = input?.(args) ?? STDIN;
  if (file === STDIN) return yield* terminal.input;
  try {
    yield* createReadStream(file);
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${systemReason(error)}`);
  }
}

async function webhooksOf(parts: { config: Config; spool: Store; vault: CommandContext["vault"] }) {
  const { postAlone, wireWebhooks } = await import("./webhook-parts.ts");
  return wireWebhooks({ ...parts, post: postAlone(parts.config), clock: systemClock });
}

async function openVault(installation: Installation, created: string[]): Promise<Vault> {
  const { certsDir } = installation;
  prepareDirectory("CERTS_DIR", certsDir);
  const isNew = !hasMasterKey(installation);
  const vault = await openInstalledVault(installation);
  if (isNew) created.push(`created a new master key in ${resolve(certsDir)}`);
  return vault;
}
