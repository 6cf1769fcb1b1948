/** What a user probably meant by a command, an option or a value that does not exist. */
import { closestWord } from "../message/closest-word.ts";
import type { Command } from "./command.ts";
import { COMMON_OPTIONS, nameOf, nounsOf, ownOptions, verbsOf } from "./usage.ts";

/** Verbs of other command lines, and what stands for them here. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  add: ["create"],
  new: ["create", "add"],
  create: ["add"],
  delete: ["remove", "revoke"],
  del: ["remove", "revoke"],
  rm: ["remove", "revoke"],
  remove: ["revoke"],
  ls: ["list"],
  get: ["show"],
  info: ["show"],
  describe: ["show"],
  check: ["verify"],
  stop: ["pause"],
  start: ["resume"],
};

/** The closest word, or the only one that begins with an unfinished word; null without either. */
function meantWord(typed: string, words: readonly string[]): string | null {
  const begun = words.filter((word) => typed.length >= 2 && word.startsWith(typed.toLowerCase()));
  return closestWord(typed, words) ?? (begun.length === 1 ? (begun[0] ?? null) : null);
}

/** The fault of a noun that does not exist, with what was probably meant, or all nouns. */
export function unknownNoun(words: readonly string[], commands: readonly Command[]): string {
  const [noun = "", verb] = words;
  const names = commands.map(nameOf);
  const swapped = verb === undefined ? undefined : names.find((name) => name === `${verb} ${noun}`);
  const meant = swapped ?? meantWord(noun, nounsOf(commands));
  if (meant !== null) return `unknown command '${noun}': did you mean '${meant}'?`;
  return `unknown command '${words.slice(0, 2).join(" ")}'; there are ${alternatives(nounsOf(commands), "and")}`;
}

/** The fault of a verb that its noun does not have, with what was probably meant, or all verbs. */
export function unknownVerb(noun: string, verb: string, commands: readonly Command[]): string {
  const verbs = verbsOf(noun, commands);
  const synonym = (SYNONYMS[verb] ?? []).find((word) => verbs.includes(word));
  const meant = synonym ?? meantWord(verb, verbs);
  if (meant !== null) return `unknown command '${noun} ${verb}': did you mean '${noun} ${meant}'?`;
  return `unknown command '${noun} ${verb}'; ${noun} takes ${alternatives(verbs, "or")}`;
}

/** ` Did you mean …` for an option that no command has; empty if none is close. */
export function closestOption(typed: string, words: readonly string[], commands: readonly Command[]): string {
  const named = commands.filter((command) =>
    nameOf(command)
      .split(" ")
      .every((word) => words.includes(word)),
  );
  const candidates = [COMMON_OPTIONS, ...(named.length > 0 ? named : commands).map(ownOptions)].flatMap(Object.keys);
  const meant = meantWord(typed, ["help", "version", ...new Set(candidates)]);
  return meant === null ? "" : `: did you mean --${meant}?`;
}

/** The fault of a value that is none of those allowed. */
export function unknownValue(option: string, given: string, values: readonly string[]): string {
  const meant = meantWord(given, values);
  const fault = `${option} '${given}' is not known`;
  return meant === null ? `${fault}; it is one of ${values.join(", ")}` : `${fault}: did you mean '${meant}'?`;
}

/** `a, b or c`. */
export function alternatives(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
