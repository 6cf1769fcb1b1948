/** The output of the benchmark: one JSON line for each figure, and a table of all figures at the end. */
import { type Spread, spread } from "./statistics.ts";

export interface Figure {
  figure: string;
  /** The measured side: `Postrider`, a peer, or `Postrider / peer` for a ratio of pairs. */
  subject: string;
  unit: string;
  values: readonly number[];
  /** The limit that the median must meet; none if there is no goal. */
  goal?: Goal;
  /** Remarks about the figure. */
  note?: string;
}

type Goal = { atLeast: number } | { atMost: number };

const rounded = (value: number): number => Number(value.toPrecision(4));

const meets = (goal: Goal, value: number): boolean =>
  "atLeast" in goal ? value >= goal.atLeast : value <= goal.atMost;

const goalText = (goal: Goal): string => ("atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`);

function jsonOf({ figure, subject, unit, goal, note }: Figure, { median, least, greatest, values }: Spread): string {
  return JSON.stringify({
    figure,
    subject,
    unit,
    median: rounded(median),
    least: rounded(least),
    greatest: rounded(greatest),
    rounds: values.map(rounded),
    ...(goal === undefined ? {} : { goal: goalText(goal), met: meets(goal, median) }),
    ...(note === undefined ? {} : { note }),
  });
}

export class Report {
  #figures: Figure[] = [];
  #write: (line: string) => void;
  #wanted: readonly string[];

  /** Reports only the figures in `wanted`; all if it is empty. */
  constructor(write: (line: string) => void, wanted: readonly string[] = []) {
    this.#write = write;
    this.#wanted = wanted;
  }

  add(figure: Figure): void {
    if (this.#wanted.length > 0 && !this.#wanted.includes(figure.figure)) return;
    this.#figures.push(figure);
    this.#write(jsonOf(figure, spread(figure.values)));
  }

  /** The table in Markdown, one row per figure. */
  table(): string {
    const rows = this.#figures.map(({ figure, subject, unit, values, goal, note }) => {
      const { median, least, greatest } = spread(values);
      const range = values.length > 1 ? `${rounded(least)} to ${rounded(greatest)}` : "";
      const verdict = goal === undefined ? ["", ""] : [goalText(goal), meets(goal, median) ? "met" : "missed"];
      return [figure, subject, `${rounded(median)} ${unit}`, range, ...verdict, note ?? ""];
    });
    const heads = ["figure", "of", "median", "range", "goal", "", "note"];
    const all = [heads, heads.map(() => "---"), ...rows];
    return all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  }
}
