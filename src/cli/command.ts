/** What a command of the command line is: its usage, its options, what it works with and what it returns. */
import type { Installation } from "../app/installation.ts";
import type { WebhookEndpoints } from "../app/webhook-endpoints.ts";
import type { Config } from "../config.ts";
import type { Vault } from "../security/vault.ts";
import type { Account, Registry } from "../spool/port/accounts.ts";
import type { Nodes } from "../spool/port/nodes.ts";
import type { People } from "../spool/port/people.ts";
import type { Spool } from "../spool/port/spool.ts";

/** What a command works with where it has no spool. */
export interface BareContext {
  config: Config;
  installation: Installation;
}

/** What a command works with; opened before it runs and closed after. */
export interface CommandContext extends BareContext {
  store: Spool & Registry & { people: People; nodes: Nodes | null };
  webhooks: WebhookEndpoints;
  /** Opens the vault, and keeps the master key as it is until the command ends. */
  vault: () => Promise<Vault>;
  nowMs: number;
  /** The account of --account. */
  account: Account;
  /** Reads standard input to its end, as text. Rejects with a Refusal if it is longer than `bytesMax`. */
  readInput: (bytesMax: number) => Promise<string>;
}

export interface ParsedArguments {
  /** The words after noun and verb, as many as the command takes. */
  positionals: string[];
  options: Record<string, string | boolean | undefined>;
}

/** `json` is printed with --json, `text` without. */
export interface CommandResult {
  json: unknown;
  text: string;
  /** One line for standard error: the command was done, but what it tried has failed, and the exit code is 1. */
  failure?: string;
}

export interface CommandOption {
  type: "string" | "boolean";
  /** Such as `--name TEXT`; an optional one is in brackets. */
  usage: string;
}

export interface Command {
  /** Such as `domains add NAME`. Upper-case words and choices (`on|off`) are the positionals; optional ones are in brackets. */
  usage: string;
  /** One line of the help. */
  summary: string;
  /** Named options besides --account and --json. */
  options?: Record<string, CommandOption>;
  /** Creates the spool if there is none. Other commands are refused without a spool. */
  createsSpool?: true;
  run: (context: CommandContext, args: ParsedArguments) => Promise<CommandResult>;
  /** Uses `runWithoutSpool` even if there is a spool, which stays unopened and unchanged. */
  neverOpensSpool?: true;
  /** Runs where there is no spool. */
  runWithoutSpool?: (context: BareContext, args: ParsedArguments) => Promise<CommandResult>;
  /** Runs where the spool is not opened because CERTS_DIR does not have the master key in use. */
  runWithoutMasterKey?: (context: BareContext, args: ParsedArguments) => Promise<CommandResult>;
  /** Runs where the spool cannot be opened. `fault` is one line. */
  runWithBrokenSpool?: (context: BareContext, fault: string) => Promise<CommandResult>;
}

/** The command cannot be done: exit 1, one line. */
export class Refusal extends Error {}

/** The arguments are wrong: exit 2, one line. */
export class UsageError extends Error {}

/** `1 recipient`, `2 recipients`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Rows as aligned columns under a heading, or `none` if there are no rows. */
export function table(heading: string[], rows: string[][], none: string): string {
  if (rows.length === 0) return none;
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
