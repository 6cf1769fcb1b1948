/**
 * Operations as data: a name, whether it reads, writes or reports, and what it does in a session. An engine runs a write in a
 * transaction; bind() makes the methods of a port from a set of operations.
 */
import type { Session } from "./session.ts";

/** Awaits nothing but the session. Its arguments and its value can be cloned: they may cross to another thread. */
export type Operation<Args extends unknown[] = never[], Value = unknown> = (
  session: Session,
  ...args: Args
) => Promise<Value>;

/** Operations by their names; no two sets of the store share one. */
export interface OperationSet {
  reads: Record<string, Operation>;
  writes: Record<string, Operation>;
  /**
   * Reads that may read many rows. Their first argument names what they are about; see accountOf. Other reports run between two of
   * their statements, and so do writes.
   */
  reports?: Record<string, Operation>;
}

type Bound<O> = {
  [Name in keyof O]: O[Name] extends Operation<infer Args, infer Value> ? (...args: Args) => Promise<Value> : never;
};

/** The operations of a set, as methods. */
export type PortOf<Set extends OperationSet> = Bound<Set["reads"]> &
  Bound<Set["writes"]> &
  (Set extends { reports: infer Reports } ? Bound<Reports> : unknown);

/** How an engine runs operations. */
export interface Runner {
  read(name: string, operation: Operation, args: unknown[]): Promise<unknown>;
  write(name: string, operation: Operation, args: unknown[]): Promise<unknown>;
  report(name: string, operation: Operation, args: unknown[]): Promise<unknown>;
}

/** Returns the account that a report is about: its first argument, or a member of it; null for all accounts. */
export function accountOf([about]: readonly unknown[]): string | null {
  const accountId = typeof about === "object" && about !== null ? (about as { accountId: unknown }).accountId : about;
  return accountId as string | null;
}

/** Returns the operations of a set as methods that an engine runs. */
export function bind<Set extends OperationSet>({ reads, writes, reports = {} }: Set, runner: Runner): PortOf<Set> {
  const port: Record<string, (...args: unknown[]) => Promise<unknown>> = {};
  for (const [name, operation] of Object.entries(reads)) port[name] = (...args) => runner.read(name, operation, args);
  for (const [name, operation] of Object.entries(writes)) port[name] = (...args) => runner.write(name, operation, args);
  for (const [name, operation] of Object.entries(reports))
    port[name] = (...args) => runner.report(name, operation, args);
  return port as PortOf<Set>;
}
