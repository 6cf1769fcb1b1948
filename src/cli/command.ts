/**
 * What a command of the command line is: its words, its options, and what it answers. cli.ts finds and runs it.
 */
import type { Config } from "../config.ts";
import type { Vault } from "../security/vault.ts";
import type { Account, Registry } from "../spool/port/accounts.ts";
import type { People } from "../spool/port/people.ts";
import type { Spool } from "../spool/port/spool.ts";

/** What a command may work with; opened before it runs, closed after. */
export interface Surroundings {
  config: Config;
  store: Spool & Registry & { people: People };
  vault: () => Vault;
  nowMs: number;
  /** The account of --account. */
  account: Account;
  /** All of standard input, as text; a Refusal when that is more than `bytesMax`. */
  readInput: (bytesMax: number) => Promise<string>;
}

export interface Words {
  /** What stands behind noun and verb, as many as the command takes. */
  positionals: string[];
  options: Record<string, string | boolean | undefined>;
}

/** `json` is printed with --json, `text` without. */
export interface CommandAnswer {
  json: unknown;
  text: string;
}

export interface CommandOption {
  type: "string" | "boolean";
  /** Such as `--name TEXT`; in brackets when it may be left out. */
  usage: string;
}

export interface Command {
  /** Such as `domains add NAME`; its upper-case words are the positionals, those in brackets may be left out. */
  usage: string;
  /** What it does, as a line of the help. */
  about: string;
  /** Named options besides --account and --json. */
  options?: Record<string, CommandOption>;
  /** Makes the spool if there is none: for commands that set up. Without it, a missing spool is refused. */
  makesSpool?: true;
  run: (surroundings: Surroundings, words: Words) => Promise<CommandAnswer>;
  /** Runs without the spool even where there is one, which then stays unopened and unchanged. */
  neverOpensSpool?: true;
  /** What it does where there is no spool, if it can do without. */
  runWithoutSpool?: (config: Config, words: Words) => Promise<CommandAnswer>;
  /** What it does where the spool cannot be opened, if it can do without. `fault` is one line. */
  runWithBrokenSpool?: (config: Config, fault: string) => Promise<CommandAnswer>;
}

/** What was asked cannot be done: exit 1, one line. */
export class Refusal extends Error {}

/** The words themselves are wrong: exit 2, one line. */
export class UsageError extends Error {}

/** `1 recipient`, `2 recipients`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Rows as aligned columns under a heading; a sentence when there are none. */
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
