/**
 * What a command of the command line is: its words, its options, and what it answers. cli.ts finds and runs it.
 */
import type { Config } from "../config.ts";
import type { Vault } from "../secrets.ts";
import type { Account, Registry } from "../spool/registry.ts";
import type { Spool } from "../spool/spool.ts";

/** What a command may work with; opened before it runs, closed after. */
export interface Surroundings {
  config: Config;
  store: Spool & Registry;
  vault: () => Vault;
  nowMs: number;
  /** The account of --account. */
  account: Account;
  /** All of standard input, as text. */
  readInput: () => Promise<string>;
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

export interface Command {
  /** Such as `domains add NAME`; its upper-case words are the positionals, those in brackets may be left out. */
  usage: string;
  /** Named options besides --account and --json. */
  options?: Record<string, { type: "string" | "boolean" }>;
  run: (surroundings: Surroundings, words: Words) => Promise<CommandAnswer>;
}

/** What was asked cannot be done: exit 1, one line. */
export class Refusal extends Error {}

/** The words themselves are wrong: exit 2, one line. */
export class UsageError extends Error {}

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
