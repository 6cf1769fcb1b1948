/** The command line of the benchmark. */
import { parseArgs } from "node:util";

export interface Options {
  /** Names of figures; empty: all. */
  figures: string[];
  /** Messages of each run of load. */
  messages: number;
  /** Times each run is made, the sides in turns. */
  rounds: number;
  /** Finished or waiting messages that a full spool holds. */
  spoolMessages: number;
  quick: boolean;
  peer: "postfix" | null;
  profile: boolean;
  install: boolean;
  /** Where spools are made; kept afterwards. null: a temporary directory, removed at the end. */
  dir: string | null;
}

export const USAGE = `usage: npm run bench -- [--figure NAME[,NAME]] [--messages N] [--rounds N] [--quick] [--peer postfix]
                        [--profile] [--install] [--dir DIR]`;

const FULL = { messages: 10_000, rounds: 3, spoolMessages: 1_000_000 };
const QUICK = { messages: 1000, rounds: 1, spoolMessages: 10_000 };

/** Reads the arguments, or says in one line what is wrong with them. */
export function readOptions(args: readonly string[], known: readonly string[]): Options | string {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return (error as Error).message;
  }
  const size = values.quick ? QUICK : FULL;
  const figures = (values.figure ?? "").split(",").filter((name) => name !== "");
  const unknown = figures.find((name) => !known.includes(name));
  if (unknown !== undefined) return `there is no figure ${unknown}; there are ${known.join(", ")}`;
  if (values.peer !== undefined && values.peer !== "postfix")
    return `there is no peer ${values.peer}; there is postfix`;
  const messages = Number(values.messages ?? size.messages);
  const rounds = Number(values.rounds ?? size.rounds);
  if (!Number.isInteger(messages) || messages < 1) return "--messages takes a whole number, at least 1";
  if (!Number.isInteger(rounds) || rounds < 1) return "--rounds takes a whole number, at least 1";
  return {
    figures,
    messages,
    rounds,
    spoolMessages: size.spoolMessages,
    quick: values.quick,
    peer: values.peer ?? null,
    profile: values.profile,
    install: values.install,
    dir: values.dir ?? null,
  };
}

function parse(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  const text = { type: "string" } as const;
  const options = {
    figure: text,
    messages: text,
    rounds: text,
    quick: flag,
    peer: text,
    profile: flag,
    install: flag,
    dir: text,
  };
  return parseArgs({ args: [...args], options }).values;
}
