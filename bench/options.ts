/** The command line of the benchmark. */
import { parseArgs } from "node:util";
import type { Against } from "./against/against.ts";
import { commitNamed, nodeOfImage } from "./against/versions.ts";

export interface Options {
  /** Names of figures; empty for all. */
  figures: string[];
  /** Messages in each run of load. */
  messages: number;
  /** Repetitions of each run; the sides alternate. */
  rounds: number;
  /** Finished or waiting messages in a full spool. */
  spoolMessages: number;
  quick: boolean;
  peer: "postfix" | null;
  /** `postgres`: the figures of the spool in PostgreSQL, in turns with SQLite, instead of the others. */
  spool: "sqlite" | "postgres";
  profile: boolean;
  /** Compares the CPU time of a message with another commit's, on these major versions of Node; null for the figures. */
  against: Against | null;
  install: boolean;
  /** The directory of the spools, kept afterwards; null for a temporary directory. */
  dir: string | null;
}

export const USAGE = `usage: npm run bench -- [--figure NAME[,NAME]] [--messages N] [--rounds N] [--quick] [--peer postfix]
                        [--spool postgres] [--profile] [--install] [--dir DIR]
       npm run bench -- --against COMMIT|baseline [--node MAJOR[,MAJOR]] [--quick] [--in-turns]`;

const FULL = { messages: 10_000, rounds: 3, spoolMessages: 1_000_000 };
const QUICK = { messages: 1000, rounds: 1, spoolMessages: 10_000 };

/** Names for several figures. */
const GROUPS: Readonly<Record<string, readonly string[]>> = { large: ["large-messages", "large-concurrent"] };

/** Reads the arguments. Returns a one-line error text if they are invalid. */
export function readOptions(args: readonly string[], known: readonly string[]): Options | string {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return (error as Error).message;
  }
  const size = values.quick ? QUICK : FULL;
  const requested = (values.figure ?? "").split(",").filter((name) => name !== "");
  const figures = requested.flatMap((name) => GROUPS[name] ?? [name]);
  const unknown = figures.find((name) => !known.includes(name));
  const names = [...known, ...Object.keys(GROUPS)];
  if (unknown !== undefined) return `unknown figure ${unknown}; known: ${names.join(", ")}`;
  if (values.peer !== undefined && values.peer !== "postfix") return `unknown peer ${values.peer}; known: postfix`;
  const { spool = "sqlite" } = values;
  if (spool !== "sqlite" && spool !== "postgres") return `unknown spool ${spool}; known: sqlite, postgres`;
  const messages = Number(values.messages ?? size.messages);
  const rounds = Number(values.rounds ?? size.rounds);
  if (!Number.isInteger(messages) || messages < 1) return "--messages must be an integer of at least 1";
  if (!Number.isInteger(rounds) || rounds < 1) return "--rounds must be an integer of at least 1";
  const nodes = (values.node ?? `${nodeOfImage()},20`).split(",").filter((major) => major !== "");
  if (!nodes.every((major) => /^\d+$/.test(major))) return "--node must be major versions of Node, as 24,20";
  const against = values.against === undefined ? null : againstOf(values.against);
  if (against === "unknown") return `--against: there is no commit ${values.against}`;
  return {
    figures,
    messages,
    rounds,
    spoolMessages: size.spoolMessages,
    quick: values.quick,
    peer: values.peer ?? null,
    spool,
    profile: values.profile,
    against:
      against === null ? null : { commit: against, nodes, isSmallOnly: values.quick, isInTurns: values["in-turns"] },
    install: values.install,
    dir: values.dir ?? null,
  };
}

/** Returns the commit, or `unknown`. */
function againstOf(name: string): string {
  try {
    return commitNamed(name);
  } catch {
    return "unknown";
  }
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
    spool: text,
    profile: flag,
    against: text,
    node: text,
    "in-turns": flag,
    install: flag,
    dir: text,
  };
  return parseArgs({ args: [...args], options }).values;
}
