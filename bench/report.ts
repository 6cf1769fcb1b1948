/** What the benchmark prints: a JSON line as each figure is known, and a table of all at the end. */
import { type Spread, spread } from "./statistics.ts";

export interface Figure {
  figure: string;
  /** What was measured: `Postrider`, a peer, or `Postrider / peer` for a ratio of pairs. */
  subject: string;
  unit: string;
  values: readonly number[];
  /** What the goal says, as `at least 4`; none for what is only reported. */
  goal?: Goal;
  /** What else belongs to the figure. */
  note?: string;
}

export type Goal = { atLeast: number } | { atMost: number };

const rounded = (value: number): number => Number(value.toPrecision(4));

export const meets = (goal: Goal, value: number): boolean =>
  "atLeast" in goal ? value >= goal.atLeast : value <= goal.atMost;

const told = (goal: Goal): string => ("atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`);

function jsonOf({ figure, subject, unit, goal, note }: Figure, { median, least, greatest, values }: Spread): string {
  return JSON.stringify({
    figure,
    subject,
    unit,
    median: rounded(median),
    least: rounded(least),
    greatest: rounded(greatest),
    rounds: values.map(rounded),
    ...(goal === undefined ? {} : { goal: told(goal), met: meets(goal, median) }),
    ...(note === undefined ? {} : { note }),
  });
}

export class Report {
  #figures: Figure[] = [];
  #write: (line: string) => void;
  #wanted: readonly string[];

  /** Only figures that are wanted are told; all when none is named. */
  constructor(write: (line: string) => void, wanted: readonly string[] = []) {
    this.#write = write;
    this.#wanted = wanted;
  }

  add(figure: Figure): void {
    if (this.#wanted.length > 0 && !this.#wanted.includes(figure.figure)) return;
    this.#figures.push(figure);
    this.#write(jsonOf(figure, spread(figure.values)));
  }

  /** One row a figure, in Markdown. */
  table(): string {
    const rows = this.#figures.map(({ figure, subject, unit, values, goal, note }) => {
      const { median, least, greatest } = spread(values);
      const range = values.length > 1 ? `${rounded(least)} to ${rounded(greatest)}` : "";
      const verdict = goal === undefined ? ["", ""] : [told(goal), meets(goal, median) ? "met" : "missed"];
      return [figure, subject, `${rounded(median)} ${unit}`, range, ...verdict, note ?? ""];
    });
    const heads = ["figure", "of", "median", "range", "goal", "", "note"];
    const all = [heads, heads.map(() => "---"), ...rows];
    return all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  }
}
