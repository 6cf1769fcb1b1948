/** The text of the help: all commands in short, the commands of a noun with their options and examples, or one command in full. */
import type { HelpTopic } from "./arguments.ts";
import type { Command, CommandOption } from "./command.ts";
import { COMMON_OPTIONS, fullUsage, isRequired, nounOf, ownOptions, shapeOf } from "./usage.ts";

const HEAD = `usage: postrider NOUN VERB … [OPTION …]
In a checkout: npm run -s cli -- NOUN VERB …`;

const FOOT = `Commands work on the spool in DATA_DIR or DATABASE_URL, also while the service runs.
Exit codes: 0 done, 1 rejected or failed, 2 wrong usage.`;

const MORE = `postrider help NOUN        options and examples of a noun's commands
postrider help NOUN VERB   everything about one command
postrider --version        the version`;

/** A longer usage has its summary on the next line. */
const COLUMN_MAX = 48;

export function helpText(commands: readonly Command[], topic: HelpTopic): string {
  switch (topic.type) {
    case "all":
      return [HEAD, "", ...overview(commands), "", MORE, "", commonOptions(), "", FOOT].join("\n");
    case "noun": {
      const shown = commands.filter((command) => nounOf(command) === topic.noun);
      return [HEAD, "", ...columns(shown.map(entryOf)), "", ...exampleLines(shown), "", commonOptions()].join("\n");
    }
    case "command":
      return commandHelp(topic.command);
  }
}

/** The help as `help --json` prints it. */
export function helpJson(commands: readonly Command[], topic: HelpTopic) {
  const shown = commands.filter((command) => {
    if (topic.type === "noun") return nounOf(command) === topic.noun;
    return topic.type === "all" || command === topic.command;
  });
  const commandsJson = shown.map((command) => ({
    name: shapeOf(command).name.join(" "),
    usage: fullUsage(command),
    summary: command.summary,
    irreversible: command.irreversible !== undefined,
    arguments: shapeOf(command).positionals.map(({ name, isRequired, choices }) => ({
      name,
      required: isRequired,
      values: choices,
    })),
    options: optionsJson(ownOptions(command)),
    examples: command.examples.map((example) => `postrider ${example}`),
  }));
  return { commands: commandsJson, common_options: optionsJson(COMMON_OPTIONS) };
}

const optionsJson = (options: Record<string, CommandOption>) =>
  Object.entries(options).map(([name, option]) => {
    const { type, summary, values = null } = option;
    return {
      name: `--${name}`,
      type,
      required: isRequired(option),
      summary,
      values,
    };
  });

const entryOf = (command: Command): [string, string] => [fullUsage(command), command.summary];

/** Commands without their options; those of a noun with several commands stand apart. */
function overview(commands: readonly Command[]): string[] {
  const lines = columns(commands.map(({ usage, summary }) => [usage, summary]));
  const isAlone = (noun: string): boolean => commands.filter((command) => nounOf(command) === noun).length === 1;
  return commands.flatMap((command, i) => {
    const noun = nounOf(command);
    const before = commands[i - 1];
    const isApart = before !== undefined && nounOf(before) !== noun && !(isAlone(noun) && isAlone(nounOf(before)));
    return [...(isApart ? [""] : []), lines[i] ?? ""];
  });
}

function columns(entries: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...entries.map(([{ length }]) => length).filter((length) => length <= COLUMN_MAX));
  return entries.map(([usage, summary]) => {
    const gap = usage.length > COLUMN_MAX ? `\n${" ".repeat(width + 2)}` : " ".repeat(width - usage.length);
    return `  ${usage}${gap}  ${summary}`;
  });
}

function commandHelp(command: Command): string {
  const { summary, details, irreversible } = command;
  return [
    `usage: postrider ${fullUsage(command)}`,
    "",
    sentence(summary),
    ...(details === undefined ? [] : ["", details]),
    ...(irreversible === undefined ? [] : ["", irreversibleLine(irreversible)]),
    ...optionLines("Options:", ownOptions(command)),
    "",
    ...exampleLines([command]),
    "",
    commonOptions(),
  ].join("\n");
}

function irreversibleLine(from: true | string): string {
  const when = from === true ? "" : ` ${from}`;
  return `It cannot be undone${when}: on a terminal it asks first, unless --yes is given.`;
}

const sentence = (summary: string): string => `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`;

const exampleLines = (commands: readonly Command[]): string[] => [
  "Examples:",
  ...commands.flatMap(({ examples }) => examples.map((example) => `  postrider ${example}`)),
];

const commonOptions = (): string => optionLines("Options of every command:", COMMON_OPTIONS).slice(1).join("\n");

/** Under a blank line and a title; none without options. */
function optionLines(title: string, options: Record<string, CommandOption>): string[] {
  const entries = Object.entries(options).map(([name, option]): [string, string] => {
    const value = /[ =]([^\]]+)\]?$/.exec(option.usage.replace(/^\| /, ""))?.[1];
    return [`--${name}${value === undefined ? "" : ` ${value}`}`, describe(option)];
  });
  return entries.length === 0 ? [] : ["", title, ...columns(entries)];
}

const VALUES_SHOWN = 12;

/** The summary, with the values if they are few. */
const describe = ({ summary, values = [] }: CommandOption): string =>
  values.length === 0 || values.length > VALUES_SHOWN ? summary : `${summary}: ${values.join(", ")}`;
