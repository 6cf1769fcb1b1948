/**
 * `completion`: a script that lets bash, zsh or fish complete commands, options and the values that are known. It is made from the
 * declarations, so that completing starts no program. bash and zsh share a function that offers words; what the line means so far is
 * found out in each shell's own way.
 */
import type { Command, CommandOption, Description } from "./command.ts";
import { fishScript } from "./completion-fish.ts";
import { COMMON_OPTIONS, nounOf, nounsOf, ownOptions, shapeOf, verbsOf } from "./usage.ts";

export const completion: Description = {
  describe(commands, { positionals: [shell = ""] }) {
    const script =
      shell === "fish" ? fishScript(commands) : `${SCRIPTS[shell] ?? ""}`.replace(OFFER, offerOf(commands));
    return { json: { shell, script }, text: script.trimEnd() };
  },
};

/** Stands for the shared functions in a script. */
const OFFER = "# OFFER\n";

/** For each word before the cursor, the loop sets `named`, `count` and `awaiting`: the option whose value comes next. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of postrider for bash. Now: source <(postrider completion bash)
# For every shell: postrider completion bash > /etc/bash_completion.d/postrider
${OFFER}_postrider() {
  local named= count=0 awaiting= i word offered
  local cur=\${COMP_WORDS[COMP_CWORD]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [ "$word" = "=" ] || _postrider_read "$word"
  done
  [ "$cur" != "=" ] || cur=
  offered=$(_postrider_offer "$named" "$count" "$awaiting" "$cur")
  if [ "$offered" = "<files>" ]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$cur")
  fi
}
complete -F _postrider postrider
`,
  zsh: `#compdef postrider
# Completion of postrider for zsh. Now: source <(postrider completion zsh)
# For every shell: postrider completion zsh > a directory of $fpath/_postrider
${OFFER}_postrider() {
  local named= count=0 awaiting= i offered cur=\${words[CURRENT]}
  for ((i = 2; i < CURRENT; i++)); do _postrider_read "\${words[i]}"; done
  case $cur in
    --*=*)
      awaiting=\${cur%%=*}
      cur=\${cur#*=}
      compset -P '*='
      ;;
  esac
  offered=$(_postrider_offer "$named" "$count" "$awaiting" "$cur")
  if [ "$offered" = "<files>" ]; then _files; else compadd -- \${=offered}; fi
}
if [ "\${funcstack[1]}" = _postrider ]; then _postrider "$@"; else compdef _postrider postrider; fi
`,
};

/** The function that reads a word of the line, and the one that prints the words that may follow. */
function offerOf(commands: readonly Command[]): string {
  const withVerbs = nounsOf(commands).filter((noun) => verbsOf(noun, commands).length > 0);
  const branches = [
    branch('""', [`[ -n "$3" ] || echo "help ${nounsOf(commands).join(" ")} --version"`]),
    ...withVerbs.map((noun) => branch(`"${noun}"`, [`[ -n "$3" ] || echo "${verbsOf(noun, commands).join(" ")}"`])),
    ...commands.map((command) => branch(`"${pathOf(command)}"`, offersOf(command))),
  ];
  return `_postrider_read() {
  if [ -n "$awaiting" ]; then awaiting=; return; fi
  case $1 in
    --*=*) ;;
    ${valueOptions(commands)}) awaiting=$1 ;;
    -*) ;;
    help) ;;
    *)
      count=$((count + 1))
      case $count:$named in
        1:*) named=$1 ;;
        ${withVerbs.map((noun) => `2:${noun}`).join("|")}) named="$named $1" ;;
      esac
      ;;
  esac
}
_postrider_offer() {
  case $1 in
${branches.join("\n")}
  esac
}
`;
}

const branch = (pattern: string, lines: string[]): string =>
  [`    ${pattern})`, ...lines.map((line) => `      ${line}`), "      ;;"].join("\n");

/** A command that is named only by its noun, beside others of the noun, is reached by its verb. */
function pathOf(command: Command): string {
  const { name, positionals } = shapeOf(command);
  const [verb] = positionals[0]?.choices ?? [];
  return name.length === 1 && positionals[0]?.isRequired === false && verb !== undefined
    ? `${nounOf(command)} ${verb}`
    : name.join(" ");
}

/** The options that take a value, as a pattern of `case`. */
function valueOptions(commands: readonly Command[]): string {
  const options = [COMMON_OPTIONS, ...commands.map(ownOptions)].flatMap((each) => Object.entries(each));
  return [...new Set(options.filter(([, { type }]) => type === "string").map(([name]) => `--${name}`))].join("|");
}

/** What follows a command: the values of an option, its options, or its next positional. */
function offersOf(command: Command): string[] {
  const options = { ...ownOptions(command), ...COMMON_OPTIONS };
  const { name, positionals } = shapeOf(command);
  const values = Object.entries(options).flatMap(([option, declared]) => valueBranch(option, declared));
  const words = positionals.flatMap(({ choices, name: shown }, i) => {
    const offered = choices?.join(" ") ?? (shown === "FILE" ? "<files>" : null);
    return offered === null ? [] : [`${name.length + i}) echo "${offered}" ;;`];
  });
  return [
    `case $3 in ${[...values, "?*) return ;;"].join(" ")} esac`,
    `case $4 in -*) echo "${[...Object.keys(options), "help"].map((option) => `--${option}`).join(" ")}"; return ;; esac`,
    ...(words.length === 0 ? [] : [`case $2 in ${words.join(" ")} esac`]),
  ];
}

const valueBranch = (name: string, { values }: CommandOption): string[] =>
  values === undefined ? [] : [`--${name}) echo "${values.join(" ")}"; return ;;`];
