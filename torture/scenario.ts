/** What a story of the torture tells at its end. */
import type { Prng } from "../simulate/prng.ts";

export interface ScenarioOptions {
  prng: Prng;
  /** How often, for stories that repeat themselves. */
  rounds: number;
  print: (line: string) => void;
  /** Whether times count: on a machine that has nothing else to do. */
  timed?: boolean;
}

export interface ScenarioResult {
  /** What happened, in figures. */
  figures: string;
  /** Promises that were broken. */
  violations: string[];
}

export interface Scenario {
  name: string;
  /** Why it cannot be told on this machine; null when it can. */
  obstacle?: () => string | null;
  run: (options: ScenarioOptions) => Promise<ScenarioResult>;
}

/** A violation unless it holds. */
export function violationUnless(holds: boolean, sentence: string): string[] {
  return holds ? [] : [sentence];
}
