/**
 * Parses a command line: the command, its positionals and its options, which may stand anywhere. Decides what wrong usage is;
 * the text of the help is in help.ts.
 */
import { parseArgs } from "node:util";
import { argumentFault } from "../lib/error-text.ts";
import { type Command, type CommandOption, type ParsedArguments, UsageError } from "./command.ts";

export type ParsedCommandLine =
  | { type: "command"; command: Command; args: ParsedArguments }
  /** The user asked for help, about one noun or all. */
  | { type: "help"; noun: string | null }
  /** A noun without a verb. */
  | { type: "bare_noun"; noun: string };

/** Options of every command, besides --help. */
export const COMMON_OPTIONS: Record<string, CommandOption> = {
  account: { type: "string", usage: "[--account NAME]" },
  json: { type: "boolean", usage: "[--json]" },
};

/** Parses the arguments. Throws UsageError. */
export function parseCommandLine(args: string[], commands: readonly Command[]): ParsedCommandLine {
  const { options, positionals } = parseOptions(args, commands);
  const { help: helpOption, ...values } = options;
  const nouns = nounsOf(commands);
  const isHelp = helpOption === true || positionals[0] === "help";
  const [noun, verb] = positionals[0] === "help" ? positionals.slice(1) : positionals;
  if (noun === undefined) {
    if (isHelp) return { type: "help", noun: null };
    throw new UsageError("no command given; see postrider help");
  }
  if (!nouns.includes(noun)) {
    throw new UsageError(
      `there is no command '${positionals.slice(0, 2).join(" ")}'; there are ${alternatives(nouns, "and")}`,
    );
  }
  if (isHelp || verb === "help") return { type: "help", noun };
  const command = commands.find((candidate) => shape(candidate).name.every((word, i) => positionals[i] === word));
  if (command === undefined) {
    if (verb === undefined) return { type: "bare_noun", noun };
    const verbs = commands.map((candidate) => shape(candidate).name).filter(([first]) => first === noun);
    const known = alternatives(
      verbs.map(([, second = ""]) => second),
      "or",
    );
    throw new UsageError(`there is no command '${noun} ${verb}'; ${noun} takes ${known}`);
  }
  return { type: "command", command, args: argumentsFor(command, positionals, values) };
}

/** The nouns, in the order of their commands. */
export function nounsOf(commands: readonly Command[]): string[] {
  return [...new Set(commands.map(({ usage }) => usage.split(" ")[0] ?? ""))];
}

/** The usage with the command's own options. */
export function fullUsage({ usage, options = {} }: Command): string {
  return [usage, ...Object.values(options).map((option) => option.usage)].join(" ");
}

/** Accepts the options of all commands, because options may precede the command; argumentsFor rejects those of others. */
function parseOptions(args: string[], commands: readonly Command[]): ParsedArguments {
  const known: Record<string, { type: "string" | "boolean"; short?: string }> = {
    help: { type: "boolean", short: "h" },
  };
  for (const options of [COMMON_OPTIONS, ...commands.map((command) => command.options ?? {})]) {
    for (const [name, { type }] of Object.entries(options)) known[name] = { type };
  }
  const parsed = parseStrictly(args, known);
  const seen = new Set<string>();
  for (const token of parsed.tokens) {
    if (token.kind !== "option") continue;
    if (seen.has(token.name)) throw new UsageError(`${token.rawName} is given twice`);
    if (token.value?.trim() === "") throw new UsageError(`${token.rawName} is empty`);
    seen.add(token.name);
  }
  return { positionals: parsed.positionals, options: parsed.values as ParsedArguments["options"] };
}

function parseStrictly(args: string[], options: Record<string, { type: "string" | "boolean"; short?: string }>) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true });
  } catch (error) {
    throw new UsageError(`${argumentFault(error)}; see postrider help`);
  }
}

function argumentsFor(command: Command, all: string[], options: ParsedArguments["options"]): ParsedArguments {
  const { name, names, required } = shape(command);
  const usage = `usage: postrider ${fullUsage(command)}`;
  for (const option of Object.keys(options)) {
    const takes = option in COMMON_OPTIONS || option in (command.options ?? {});
    if (!takes) throw new UsageError(`${name.join(" ")} takes no --${option}; ${usage}`);
  }
  const positionals = all.slice(name.length);
  const extra = positionals[names.length];
  if (extra !== undefined) throw new UsageError(`'${extra}' is an extra argument; ${usage}`);
  const missing = names.find((_, i) => (i < required || positionals[i] !== undefined) && !positionals[i]?.trim());
  if (missing !== undefined) throw new UsageError(`${missing} is missing; ${usage}`);
  return { positionals, options };
}

/** The words of a usage: lower-case ones name the command; upper-case ones and choices (`on|off`) are its positionals. */
function shape({ usage }: Command): { name: string[]; names: string[]; required: number } {
  const words = usage.split(" ");
  const name = words.filter((word) => /^[a-z][^|]*$/.test(word));
  const positionals = words.slice(name.length);
  const names = positionals.map((word) => word.replace(/[[\]]/g, ""));
  return { name, names, required: positionals.filter((word) => !word.startsWith("[")).length };
}

function alternatives(words: string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
