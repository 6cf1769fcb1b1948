/** What a command of the command line is: its declaration, what it works with and what it returns. */

import type { Installation } from "../app/installation/installation-parts.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import type { WebhookEndpoints } from "../app/webhooks/webhook-endpoints.ts";
import type { Config, Remote } from "../config.ts";
import type { Finding } from "../doctor/checks.ts";
import type { StandardStreams } from "../lib/standard-streams.ts";
import type { Vault } from "../security/vault.ts";
import type { Account } from "../spool/port/accounts.ts";
import type { Store } from "../spool/port/store.ts";

/** What a command works with where it has no spool. */
export interface BareContext {
  config: Config;
  installation: Installation;
  /**
   * Asks whether to go on with what cannot be undone. Asks nothing with --yes, or unless a person is at a terminal. Rejects with a
   * Refusal if the answer is no. Only for commands that are declared as `irreversible`.
   */
  confirm: (question: string, how?: Confirmation) => Promise<void>;
  /** Aborts when the user presses Ctrl-C, or nobody reads standard output any more. Until it is called, both end the process. */
  untilStopped: () => AbortSignal;
  /** Shows a line in place of the one before, where a person sees standard error; "" removes it. */
  progress: (line: string) => void;
}

export interface Confirmation {
  /** What the user types to confirm; `y` or `yes` if absent. */
  typed?: string;
  /** Refuses without --yes where nobody can be asked. For what changes much at once. */
  isRequired?: true;
}

/**
 * What a command acts on, and so what an API key needs to run it through the service: `account`: the permission to manage it;
 * `installation`: the permission to operate; `host`: files of the host, so that no key runs it.
 */
export type Reach = "account" | "installation" | "host";

/** What a command works with; opened before it runs and closed after. */
export interface CommandContext extends BareContext {
  store: Store;
  webhooks: () => Promise<WebhookEndpoints>;
  /** Accepts messages, which the service delivers. */
  acceptMessage: () => Promise<Pick<AcceptMessage, "accept">>;
  /** Opens the vault, and keeps the master key as it is until the command ends. */
  vault: () => Promise<Vault>;
  nowMs: number;
  /** The account of --account, or that of the message, key or endpoint that an id names. */
  account: Account;
  /** Who runs the command, as the history of a recipient has it. */
  by: string;
  /** Whether who runs the command may do what an operator does. */
  mayOperate: boolean;
  /** What the doctor finds about the host that delivers. It takes seconds. */
  findings: () => Promise<readonly Finding[]>;
  /** Prints a part of the result at once, with --json on one line: for a command without an end. */
  print: (part: Pick<CommandResult, "json" | "text">) => void;
  /** Reads standard input to its end, as text. Rejects with a Refusal if it is longer than `bytesMax`. */
  readInput: (bytesMax: number) => Promise<string>;
  /** Standard input, or the file that the command reads as its input, for what need not be in memory as a whole. */
  input: AsyncIterable<Uint8Array>;
  /** Writes a part of a document to standard output as it is. Resolves when more can be written. */
  writeOut: (text: string) => Promise<void>;
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
  /** A line of the command's help. */
  summary: string;
  /** All values that it takes, or of which it takes a comma-separated list. */
  values?: readonly string[];
  /** One of several options of which the command needs one; it checks that itself. */
  isAlternative?: true;
  /** The value is a comma-separated list. The command checks its items. */
  isList?: true;
}

/**
 * A command as users see it. Parsing, help, suggestions, shell completion and the table in docs/COMMAND-LINE.md all follow from the
 * declaration.
 */
export interface Command {
  /** Such as `domains add NAME`. Upper-case words and choices (`on|off`) are the positionals; optional ones are in brackets. */
  usage: string;
  /** One line of the help. */
  summary: string;
  /** Further lines of the command's own help. */
  details?: string;
  /** Named options besides --account and --json. */
  options?: Record<string, CommandOption>;
  /** Command lines without the program's name. At least one. */
  examples: readonly string[];
  /** Does what cannot be undone, or not from some time on: takes --yes, and asks before it through the context's `confirm`. */
  irreversible?: true | `after ${string}`;
  /** That of its group if absent. */
  reach?: Reach;
  /** The file that the command reads as its input; `-` for standard input, null for none. None if absent. */
  input?: (args: ParsedArguments) => string | null;
  /** Loads what runs it. Nothing else of the command is needed for help, completion and wrong usage. */
  load: () => Promise<Implementation | Description | Dialog | LocalImplementation | ProgramStart>;
}

export type ProgramName = "demo" | "sink" | "start";

/** A command that is a separate program and needs neither the service's settings nor a spool; the terminal starts it. */
export interface ProgramStart {
  program: ProgramName;
}

/** What runs a command about the command line itself, which needs neither settings nor a spool. */
export interface Description {
  describe: (commands: readonly Command[], args: ParsedArguments) => CommandResult;
}

/** What runs a command that speaks a protocol over standard input and output, and needs neither the service's settings nor a spool. */
export interface Dialog {
  /**
   * Resolves when the input ends. Rejects with an error of one line. `remote`: the service that the options, the environment or `login`
   * name; null for none.
   */
  converse: (streams: StandardStreams, remote: Remote | null, args: ParsedArguments) => Promise<void>;
}

/** What runs a command of the client, which works with no spool and no other host. */
export interface LocalImplementation {
  runHere: (here: LocalContext, args: ParsedArguments) => Promise<CommandResult>;
}

export interface LocalContext {
  /** What POSTRIDER_URL and POSTRIDER_KEY name; null where they are not set. */
  remote: { url: string; key: string } | null;
  /** Asks at a terminal, and otherwise reads standard input. */
  readLine: (question: string, bytesMax: number) => Promise<string>;
  /** Resolves with what the service says of the key's account. Rejects with a Refusal. */
  check: (remote: { url: string; key: string }) => Promise<RemoteAccount>;
  /** Keeps a service and a key for the next commands. Returns the path of the file. */
  keep: (remote: { url: string; key: string }) => string;
  /** Returns false if nothing was kept. */
  forget: () => boolean;
}

/** As GET /api/manage/usage has it. */
export interface RemoteAccount {
  account: string;
  quota: { recipients_today: number; daily: number | null };
}

/** What runs a command. */
export interface Implementation {
  /** Creates the spool if there is none. Other commands are refused without a spool. */
  createsSpool?: true;
  /** Null: `print` has printed everything. */
  run: (context: CommandContext, args: ParsedArguments) => Promise<CommandResult | null>;
  /** Uses `runWithoutSpool` even if there is a spool, which stays unopened and unchanged. */
  neverOpensSpool?: true;
  /** Runs where there is no spool. */
  runWithoutSpool?: (context: BareContext, args: ParsedArguments) => Promise<CommandResult>;
  /** Runs where the spool is not opened because CERTS_DIR does not have the master key in use. */
  runWithoutMasterKey?: (context: BareContext, args: ParsedArguments) => Promise<CommandResult>;
  /** Runs where the spool cannot be opened. `fault` is one line. */
  runWithBrokenSpool?: (context: BareContext, fault: string, args: ParsedArguments) => Promise<CommandResult>;
}

/** Names standard input in place of a file or a text. */
export const STDIN = "-";

/** The command cannot be done: exit 1, one line. */
export class Refusal extends Error {}

/** The arguments are wrong: exit 2, one line. */
export class UsageError extends Error {}

/** `1 recipient`, `2 recipients`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A further command for the same account, as a person types it. */
export const commandFor = ({ account }: Pick<CommandContext, "account">, command: string): string =>
  account.name === "default" ? command : `${command} --account ${account.name}`;
