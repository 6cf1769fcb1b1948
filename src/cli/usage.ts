/** Reads a command's usage: its name, its positionals and its options. */
import type { Command, CommandOption } from "./command.ts";

/** Options of every command, besides --help. */
export const COMMON_OPTIONS: Record<string, CommandOption> = {
  account: { type: "string", usage: "[--account NAME]", summary: 'the account to work on; "default" unless given' },
  json: { type: "boolean", usage: "[--json]", summary: "print one JSON document and nothing else" },
  url: {
    type: "string",
    usage: "[--url URL]",
    summary: "the service to work with, elsewhere; POSTRIDER_URL unless given",
  },
  key: { type: "string", usage: "[--key KEY]", summary: "an API key of that service; POSTRIDER_KEY unless given" },
  "no-color": { type: "boolean", usage: "[--no-color]", summary: "no colors, also on a terminal" },
};

const YES: CommandOption = {
  type: "boolean",
  usage: "[--yes]",
  summary: "do not ask",
};

export interface Positional {
  /** Such as `ID`, or the choices as `on|off`. */
  name: string;
  isRequired: boolean;
  /** The only values that it takes; null if it takes any. */
  choices: string[] | null;
  /** Written as `EMAIL…`: the last one, which takes all words that follow. */
  isList: boolean;
}

/** Lower-case words of a usage name the command; upper-case ones and choices (`on|off`) are its positionals. */
export function shapeOf({ usage }: Command): { name: string[]; positionals: Positional[] } {
  const words = usage.split(" ");
  const name = words.filter((word) => /^[a-z][^|]*$/.test(word));
  const positionals = words.slice(name.length).map((word) => {
    const bare = word.replace(/[[\]…]/g, "");
    const choices = /^[a-z]/.test(bare) ? bare.split("|") : null;
    return { name: bare, isRequired: !word.startsWith("["), choices, isList: word.includes("…") };
  });
  return { name, positionals };
}

/** The most specific command that the words begin with; null if there is none. */
export function commandNamed(words: readonly string[], commands: readonly Command[]): Command | null {
  const named = commands.filter((command) => shapeOf(command).name.every((word, i) => words[i] === word));
  const byLength = named.toSorted((a, b) => shapeOf(b).name.length - shapeOf(a).name.length);
  return byLength[0] ?? null;
}

/** The second words of a noun's commands, with the choices of one that is named only by the noun. */
export function verbsOf(noun: string, commands: readonly Command[]): string[] {
  return commands
    .filter((command) => nounOf(command) === noun)
    .flatMap((command) => {
      const { name, positionals } = shapeOf(command);
      const [, verb] = name;
      return verb === undefined ? (positionals[0]?.choices ?? []) : [verb];
    });
}

/** `queue list`. */
export const nameOf = (command: Command): string => shapeOf(command).name.join(" ");

/** The first word of a command's name. */
export const nounOf = ({ usage }: Command): string => usage.split(" ")[0] ?? "";

/** The nouns, in the order of their commands. */
export const nounsOf = (commands: readonly Command[]): string[] => [...new Set(commands.map(nounOf))];

/** The command's own options, without those of every command. */
export const ownOptions = ({ options = {}, irreversible }: Command): Record<string, CommandOption> =>
  irreversible === undefined ? options : { ...options, yes: YES };

/** Whether the command is wrong usage without the option. One of several alternatives (`| --send`) is not. */
export const isRequired = ({ usage, isAlternative }: CommandOption): boolean =>
  !usage.startsWith("[") && isAlternative !== true;

/** The usage with the command's own options. */
export function fullUsage(command: Command): string {
  return [command.usage, ...Object.values(ownOptions(command)).map((option) => option.usage)].join(" ");
}
