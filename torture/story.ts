/** What a story of the torture tells at its end. */
import type { Chance } from "../simulate/chance.ts";

export interface StoryOptions {
  chance: Chance;
  /** How often, for stories that repeat themselves. */
  rounds: number;
  say: (line: string) => void;
  /** Whether times count: on a machine that has nothing else to do. */
  timed?: boolean;
}

export interface Told {
  /** What happened, in figures. */
  figures: string;
  /** Promises that were broken. */
  violations: string[];
}

export interface Story {
  name: string;
  /** Why it cannot be told on this machine; null when it can. */
  obstacle?: () => string | null;
  tell: (options: StoryOptions) => Promise<Told>;
}

/** A violation unless it holds. */
export function must(holds: boolean, sentence: string): string[] {
  return holds ? [] : [sentence];
}
