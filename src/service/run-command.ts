/**
 * Runs one command: opens the spool that the service uses, and closes it.
 *
 * Only commands that set up an installation create a spool, and they report it. With a wrong DATA_DIR or DATABASE_URL, any other
 * command would show or change an installation that the operator did not mean.
 */
import { resolve } from "node:path";
import { auditedStore } from "../app/audit/audited-store.ts";
import type { Installation } from "../app/installation/installation-parts.ts";
import { hasMasterKey, MissingMasterKey, openInstalledVault } from "../app/installation/master-key.ts";
import { describeStartFailure, prepareDirectory } from "../app/installation/startup-checks.ts";
import { COMMANDS } from "../cli/catalog/catalog.ts";
import {
  type BareContext,
  type Command,
  type CommandContext,
  type CommandResult,
  type Confirmation,
  type Implementation,
  type ParsedArguments,
  Refusal,
  UsageError,
} from "../cli/command.ts";
import { type Config, readConfig } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import type { StandardStreams } from "../lib/standard-streams.ts";
import type { Vault } from "../security/vault.ts";
import type { Store } from "../spool/port/store.ts";
import { installationOf } from "./installation.ts";
import { openSpool } from "./open-spool.ts";
import type { Terminal } from "./terminal.ts";

export interface Run {
  terminal: Terminal;
  /** Collects what the run had to create, one line each. */
  created: string[];
  print: CommandContext["print"];
  /** Writes one line to standard error. */
  log: StandardStreams["log"];
}

interface Invocation {
  implementation: Implementation;
  args: ParsedArguments;
}

interface RunContext extends BareContext, Run {}

/** Rejects with one line: a Refusal, a UsageError or a ConfigError. */
export async function runCommand(
  { command, args }: { command: Command; args: ParsedArguments },
  given: Run,
): Promise<CommandResult | null> {
  const { terminal } = given;
  const implementation = await command.load();
  if ("describe" in implementation) return implementation.describe(COMMANDS, args);
  if ("converse" in implementation) {
    await implementation.converse(streamsOf(given), args);
    return null;
  }
  const config = readConfig(terminal.env, { secretFiles: false });
  const installation = await installationOf(config);
  const confirm = confirmation(command, args, terminal);
  const context = { config, installation, confirm, ...given };
  return run({ implementation, args }, context).catch((error) => {
    throw error instanceof Refusal || error instanceof UsageError
      ? error
      : new Refusal(describeStartFailure(error, config));
  });
}

const streamsOf = ({ terminal, log }: Run): StandardStreams => ({
  env: terminal.env,
  input: terminal.input,
  write: (text) => terminal.write(text),
  drained: async () => terminal.drained?.(),
  log,
});

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

async function run({ implementation, args }: Invocation, context: RunContext): Promise<CommandResult | null> {
  const { config, installation } = context;
  const { runWithoutSpool, runWithoutMasterKey, runWithBrokenSpool } = implementation;
  if (implementation.neverOpensSpool === true && runWithoutSpool !== undefined) return runWithoutSpool(context, args);
  const opened = await open(implementation, context).catch((error: Error) => error);
  if (opened === null) {
    if (runWithoutSpool !== undefined) return runWithoutSpool(context, args);
    const { setting, value } = installation.spool.location;
    throw new Refusal(`there is no spool in ${value}: set ${setting} to the service's, or start the service once`);
  }
  if (!(opened instanceof Error)) return runWithSpool(opened, { implementation, args }, context);
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
  { implementation, args }: Invocation,
  { config, installation, confirm, terminal, created, print }: RunContext,
): Promise<CommandResult | null> {
  let unlockSealing = async (): Promise<void> => {};
  try {
    const name = String(args.options.account ?? "default");
    const account = await store.accountNamed(name);
    if (account === null) throw new Refusal(`there is no account ${name}`);
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
      store: audited,
      vault,
      account,
      nowMs: systemClock.now(),
      webhooks: () => webhooksOf({ config, spool: audited, vault }),
      acceptMessage: async () => (await import("./accept-alone.ts")).acceptAlone(config, store),
      print,
      untilStopped: () => terminal.untilStopped?.() ?? new AbortController().signal,
      readInput: (bytesMax) => readAll(terminal.input, bytesMax),
      input: terminal.input,
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

async function webhooksOf(parts: { config: Config; spool: Store; vault: CommandContext["vault"] }) {
  const { postAlone, wireWebhooks } = await import("./webhook-parts.ts");
  return wireWebhooks({ ...parts, post: postAlone(parts.config), clock: systemClock });
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
