/** The interface of a torture scenario. */
import type { Prng } from "../simulate/prng.ts";

export interface ScenarioOptions {
  prng: Prng;
  /** The number of repetitions, for scenarios that repeat. */
  rounds: number;
  print: (line: string) => void;
  /** Whether latencies are checked: on an otherwise idle machine. */
  timed?: boolean;
  /** The names of the faults, with commas between them, for a scenario that has several; all if empty. */
  faults?: string;
  /** Rounds on the same installation, for a scenario that checks its invariants after them; its own number if absent. */
  together?: number;
}

export interface ScenarioResult {
  /** Summary figures of the run. */
  figures: string;
  /** Violated guarantees, one sentence each. */
  violations: string[];
}

export interface Scenario {
  name: string;
  /** Why the scenario cannot run on this machine; null if it can. */
  obstacle?: () => string | null;
  run: (options: ScenarioOptions) => Promise<ScenarioResult>;
}

/** Returns the sentence as a violation unless the condition holds. */
export function violationUnless(holds: boolean, sentence: string): string[] {
  return holds ? [] : [sentence];
}
