/** The interface of a figure's file, and what the benchmark passes to it. */
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import type { Options } from "../options.ts";
import type { Report } from "../report.ts";
import type { Account } from "../sides/postrider-account.ts";
import type { Side } from "../sides/side.ts";
import type { Zone } from "../sides/zone.ts";

export interface Bench {
  options: Options;
  report: Report;
  zone: Zone;
  /** Creates a directory that is removed with the benchmark. */
  newDir(name: string): string;
  /** Creates a spool with an account that may send. */
  newAccount(name: string): Promise<Account>;
  /** As newAccount, with the spool in a new database of the server. */
  newDatabaseAccount(name: string): Promise<Account>;
  /** The PostgreSQL server, on the same disk as the spools; the first call starts it. */
  database(): Promise<PostgresServer>;
  /** Prints a progress line. */
  progress(line: string): void;
  /** Waits, for a limited time, until other processes use little CPU. */
  quiet(): Promise<void>;
  /** The requested peers; the first call starts them. */
  peers(): Promise<readonly Side[]>;
}

export interface Scenario {
  /** The figures that the scenario measures. */
  figures: readonly string[];
  measure(bench: Bench): Promise<void>;
}

export const CLIENTS = 50;
