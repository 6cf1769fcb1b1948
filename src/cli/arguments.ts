/**
 * Parses a command line: the command, its positionals and its options, which may stand anywhere. Decides what wrong usage is;
 * the text of the help is in help.ts.
 */
import { parseArgs } from "node:util";
import { argumentFault } from "../lib/error-text.ts";
import { type Command, type CommandOption, type ParsedArguments, UsageError } from "./command.ts";
import { alternatives, closestOption, unknownNoun, unknownValue, unknownVerb } from "./suggestions.ts";
import {
  COMMON_OPTIONS,
  commandNamed,
  fullUsage,
  isRequired,
  nameOf,
  nounOf,
  nounsOf,
  ownOptions,
  shapeOf,
  verbsOf,
} from "./usage.ts";

/** What help is about: everything, the commands of a noun, or a command. */
export type HelpTopic = { type: "all" } | { type: "noun"; noun: string } | { type: "command"; command: Command };

export type ParsedCommandLine =
  | { type: "command"; command: Command; args: ParsedArguments }
  | { type: "help"; topic: HelpTopic; options: ParsedArguments["options"] }
  | { type: "version"; options: ParsedArguments["options"] }
  /** A noun without a verb. */
  | { type: "bare_noun"; noun: string };

type KnownOptions = Record<string, { type: "string" | "boolean"; short?: string }>;

/** Parses the arguments. Throws UsageError. */
export function parseCommandLine(args: string[], commands: readonly Command[]): ParsedCommandLine {
  const { options, positionals } = parseOptions(args, commands);
  const { help: helpOption, version, ...values } = options;
  const isHelp = helpOption === true || positionals[0] === "help";
  const words = positionals[0] === "help" ? positionals.slice(1) : positionals;
  if (version === true && !isHelp && words.length === 0) return { type: "version", options: values };
  const [noun, verb] = words;
  if (noun === undefined) {
    if (isHelp || args.length === 0) return { type: "help", topic: { type: "all" }, options: values };
    throw new UsageError("no command given; see postrider help");
  }
  if (!nounsOf(commands).includes(noun)) throw new UsageError(unknownNoun(words, commands));
  const command = commandNamed(words, commands);
  if (isHelp || verb === "help") {
    const isOne = command !== null && (shapeOf(command).name.length > 1 || isAlone(noun, commands));
    return { type: "help", topic: isOne ? { type: "command", command } : { type: "noun", noun }, options: values };
  }
  if (command === null && verb === undefined) return { type: "bare_noun", noun };
  if (command === null || isUnknownVerb(command, verb, commands)) {
    throw new UsageError(unknownVerb(noun, verb ?? "", commands));
  }
  if (version === true) throw new UsageError(`${nameOf(command)} takes no --version`);
  return { type: "command", command, args: argumentsFor(command, positionals, values) };
}

const isAlone = (noun: string, commands: readonly Command[]): boolean =>
  commands.filter((command) => nounOf(command) === noun).length === 1;

/** Whether a word follows a command that is named only by its noun, and is no verb of it. */
function isUnknownVerb(command: Command, verb: string | undefined, commands: readonly Command[]): boolean {
  const { name } = shapeOf(command);
  const [noun = ""] = name;
  return name.length === 1 && verb !== undefined && !isAlone(noun, commands) && !verbsOf(noun, commands).includes(verb);
}

/** Accepts the options of all commands, because options may precede the command; argumentsFor rejects those of others. */
function parseOptions(args: string[], commands: readonly Command[]): ParsedArguments {
  const known: KnownOptions = { help: { type: "boolean", short: "h" }, version: { type: "boolean" } };
  for (const options of [COMMON_OPTIONS, ...commands.map(ownOptions)]) {
    for (const [name, { type }] of Object.entries(options)) known[name] = { type };
  }
  const parsed = parseStrictly(args, known, commands);
  const seen = new Set<string>();
  for (const token of parsed.tokens) {
    if (token.kind !== "option") continue;
    if (seen.has(token.name)) throw new UsageError(`${token.rawName} is given twice`);
    if (token.value?.trim() === "") throw new UsageError(`${token.rawName} is empty`);
    seen.add(token.name);
  }
  return { positionals: parsed.positionals, options: parsed.values as ParsedArguments["options"] };
}

function parseStrictly(args: string[], options: KnownOptions, commands: readonly Command[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true });
  } catch (error) {
    const fault = argumentFault(error);
    const [, unknown] = /^Unknown option '--(.+)'$/.exec(fault) ?? [];
    const meant = unknown === undefined ? "" : closestOption(unknown, args, commands);
    throw new UsageError(`${fault}${meant === "" ? "; see postrider help" : meant}`);
  }
}

function argumentsFor(command: Command, all: string[], options: ParsedArguments["options"]): ParsedArguments {
  const { name, positionals: taken } = shapeOf(command);
  const usage = `usage: postrider ${fullUsage(command)}`;
  checkOptions(command, options);
  const positionals = all.slice(name.length);
  const extra = positionals[taken.length];
  if (extra !== undefined && taken.at(-1)?.isList !== true)
    throw new UsageError(`'${extra}' is an extra argument; ${usage}`);
  for (const [i, { name: missing, isRequired, choices }] of taken.entries()) {
    const given = positionals[i];
    if ((isRequired || given !== undefined) && !given?.trim()) throw new UsageError(`${missing} is missing; ${usage}`);
    if (given === undefined || choices === null || choices.includes(given)) continue;
    throw new UsageError(`'${given}' is not ${alternatives(choices, "or")}; ${usage}`);
  }
  return { positionals, options };
}

/** Throws UsageError for an option that the command does not take, a value that an option does not take, and a missing option. */
function checkOptions(command: Command, options: ParsedArguments["options"]): void {
  const own: Record<string, CommandOption> = { ...COMMON_OPTIONS, ...ownOptions(command) };
  for (const [name, given] of Object.entries(options)) {
    const option = own[name];
    if (option === undefined) {
      throw new UsageError(`${nameOf(command)} takes no --${name}; usage: postrider ${fullUsage(command)}`);
    }
    const { values, isList } = option;
    if (values === undefined || isList === true || typeof given !== "string" || values.includes(given)) continue;
    throw new UsageError(unknownValue(`--${name}`, given, values));
  }
  for (const [name, option] of Object.entries(ownOptions(command))) {
    if (!isRequired(option) || options[name] !== undefined) continue;
    throw new UsageError(`${nameOf(command)} needs ${option.usage}; usage: postrider ${fullUsage(command)}`);
  }
}
