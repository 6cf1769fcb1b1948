/** What each figure's file offers, and what it is given. */
import type { Options } from "../options.ts";
import type { Report } from "../report.ts";
import type { Account } from "../sides/postrider-account.ts";
import type { Side } from "../sides/side.ts";
import type { Zone } from "../sides/zone.ts";

export interface Bench {
  options: Options;
  report: Report;
  zone: Zone;
  /** A new directory, removed with the benchmark. */
  newDir(name: string): string;
  /** A new spool with an account that may send. */
  newAccount(name: string): Promise<Account>;
  /** Tells the person who waits what is going on. */
  say(line: string): void;
  /** Waits, for a while at most, until nothing but the benchmark uses the machine much. */
  quiet(): Promise<void>;
  /** The peers that were asked for, all started; started with the first call. */
  peers(): Promise<readonly Side[]>;
}

export interface Scenario {
  /** The figures that it measures. */
  figures: readonly string[];
  measure(bench: Bench): Promise<void>;
}

export const CLIENTS = 50;
