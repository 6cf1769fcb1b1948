/**
 * A memory limit for the service, as a container sets it: by a control group of version 1 or 2, where the system and our rights allow
 * one. Elsewhere nothing is limited, and `obstacle` says why.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Version {
  parent: string;
  limit: string;
  /** Has the number of processes that were ended because the limit was reached. */
  events: string;
  /** Passes the controller on to the groups below; absent if that is not needed. */
  controllers?: string;
}

const VERSIONS: readonly Version[] = [
  { parent: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes", events: "memory.oom_control" },
  {
    parent: "/sys/fs/cgroup",
    limit: "memory.max",
    events: "memory.events",
    controllers: "cgroup.subtree_control",
  },
];

export class MemoryCgroup {
  #made: { path: string; events: string } | null = null;
  /** Why nothing is limited; null if the limit is in force. */
  readonly obstacle: string | null;

  constructor(bytes: number) {
    const found = VERSIONS.find(({ parent, events, controllers }) => existsSync(join(parent, controllers ?? events)));
    this.obstacle = found === undefined ? "the system has no control groups for memory" : null;
    if (found === undefined) return;
    const path = join(found.parent, `postrider-torture-${process.pid}`);
    try {
      makeGroup(path, found, bytes);
      this.#made = { path, events: join(path, found.events) };
    } catch (error) {
      remove(path);
      this.obstacle = (error as Error).message;
    }
  }

  add(pid: number): void {
    if (this.#made !== null) writeFileSync(join(this.#made.path, "cgroup.procs"), String(pid));
  }

  /** Processes that were ended because the limit was reached. */
  kills(): number {
    if (this.#made === null) return 0;
    return Number(/oom_kill (\d+)/.exec(readFileSync(this.#made.events, "utf8"))?.[1] ?? 0);
  }

  remove(): void {
    if (this.#made !== null) remove(this.#made.path);
  }
}

function makeGroup(path: string, { parent, limit, controllers }: Version, bytes: number): void {
  if (controllers !== undefined) writeFileSync(join(parent, controllers), "+memory");
  mkdirSync(path);
  writeFileSync(join(path, limit), String(bytes));
}

/** A group with processes in it cannot be removed, and one that was not made need not be. */
function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It stays, empty, until the next start of the system.
  }
}
