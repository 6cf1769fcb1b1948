/** The script with which fish completes the command line. */
import type { Command, CommandOption } from "./command.ts";
import { COMMON_OPTIONS, nounOf, nounsOf, ownOptions, shapeOf, verbsOf } from "./usage.ts";

export function fishScript(commands: readonly Command[]): string {
  const nouns = nounsOf(commands);
  const withVerbs = nouns.filter((noun) => verbsOf(noun, commands).length > 0);
  const options = [COMMON_OPTIONS, ...commands.map(ownOptions)].flatMap((each) => Object.entries(each));
  const withValue = new Set(options.filter(([, { type }]) => type === "string").map(([name]) => `--${name}`));
  return `# Completion of postrider for fish. Now: postrider completion fish | source
# For every shell: postrider completion fish > ~/.config/fish/completions/postrider.fish
function __postrider_path
    set -l path
    set -l awaiting 0
    for word in (commandline -opc)[2..-1]
        if test $awaiting = 1
            set awaiting 0
        else if contains -- $word ${[...withValue].join(" ")}
            set awaiting 1
        else if not string match -q -- '-*' $word; and test $word != help
            set -a path $word
        end
    end
    echo $path
end
function __postrider_at
    test (__postrider_path) = "$argv"
end
function __postrider_in
    string match -q -r -- "^$argv( |\\$)" (__postrider_path)
end
complete -c postrider -f
complete -c postrider -n '__postrider_at ""' -l version -d 'print the version'
${nouns.map((noun) => offer("", noun, summaryOf(noun, commands))).join("\n")}
${withVerbs.flatMap((noun) => verbLines(noun, commands)).join("\n")}
${commands.flatMap(commandLines).join("\n")}
${Object.entries(COMMON_OPTIONS)
  .map(([name, option]) => optionLine(null, name, option))
  .join("\n")}
`;
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;

const offer = (path: string, word: string, summary: string): string =>
  `complete -c postrider -n '__postrider_at "${path}"' -a ${word} -d ${quoted(summary)}`;

/** The summary of a noun's only command, or its verbs. */
function summaryOf(noun: string, commands: readonly Command[]): string {
  const own = commands.filter((command) => nounOf(command) === noun);
  return own.length === 1 ? (own[0]?.summary ?? "") : verbsOf(noun, commands).join(", ");
}

function verbLines(noun: string, commands: readonly Command[]): string[] {
  return verbsOf(noun, commands).map((verb) => {
    const found = commands.find((command) => nounOf(command) === noun && ` ${command.usage} `.includes(` ${verb} `));
    return offer(noun, verb, found?.summary ?? "");
  });
}

function commandLines(command: Command): string[] {
  const { name, positionals } = shapeOf(command);
  const path = name.join(" ");
  const options = Object.entries(ownOptions(command)).map(([option, declared]) => optionLine(path, option, declared));
  const isFile = positionals.some((positional) => positional.name === "FILE");
  return isFile ? [...options, `complete -c postrider -n '__postrider_in "${path}"' -F`] : options;
}

function optionLine(path: string | null, name: string, { type, summary, values }: CommandOption): string {
  const where = path === null ? "" : ` -n '__postrider_in "${path}"'`;
  const value = type === "boolean" ? "" : ` -x${values === undefined ? "" : ` -a ${quoted(values.join(" "))}`}`;
  return `complete -c postrider${where} -l ${name}${value} -d ${quoted(summary)}`;
}
