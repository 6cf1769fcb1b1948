/**
 * The order of this node's reports. They may read many rows, so they run two at a time, which leaves the other connections of the
 * pool to everything else, and one at a time for each account. Accounts are served in round robin. A report reads in steps, and
 * others may run between two of them: a long one delays another account's by one step.
 */
import { FairQueue } from "../../../../lib/fair-queue.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import { TooManyReports } from "../../../port/reports.ts";
import { REPORTS_WAITING_MAX, reportOwner } from "../../../records/report-limits.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";

/** Steps that run at one time. */
const STEPS_AT_ONCE = 2;

/** How long one statement of a report may run. A step that reads its most rows from a slow disk takes less. */
const STATEMENT_MAX_MS = 5000;

// A report keeps one process of the server busy at most.
const limitStep = statement(
  `SELECT set_config('statement_timeout', '${STATEMENT_MAX_MS}', true),
          set_config('max_parallel_workers_per_gather', '0', true)`,
);

/** Runs one step of a report, in its own snapshot, when it is the report's turn. */
export type ReportRead = <T>(step: (session: Session) => Promise<T>) => Promise<T>;

interface Turn {
  owner: string;
  begin: () => void;
  reject: (error: Error) => void;
}

export class ReportQueue {
  readonly #database: Pick<Database, "snapshot">;
  readonly #waiting = new FairQueue<Turn>(REPORTS_WAITING_MAX);
  /** The owners of the steps that run. */
  readonly #running = new Set<string>();
  #isClosed = false;

  constructor(database: Pick<Database, "snapshot">) {
    this.#database = database;
  }

  /**
   * Runs a report about an account, or about all if null. `report` runs one step after the other. Rejects with TooManyReports
   * if too many wait.
   */
  run<T>(accountId: string | null, report: (read: ReportRead) => Promise<T>): Promise<T> {
    const owner = reportOwner(accountId);
    let hasBegun = false;
    return report(async (step) => {
      await this.#turn(owner, hasBegun);
      hasBegun = true;
      try {
        return await this.#database.snapshot(async (session) => {
          await session.run(limitStep);
          return step(session);
        });
      } finally {
        this.#running.delete(owner);
        this.#next();
      }
    });
  }

  /** Runs a report of one step. */
  runStep<T>(accountId: string | null, step: (session: Session) => Promise<T>): Promise<T> {
    return this.run(accountId, (read) => read(step));
  }

  /** Rejects the reports that wait, and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.clear()) reject(closed());
  }

  /** Resolves when a step may run. A report that has begun waits regardless of the limits. */
  #turn(owner: string, hasBegun: boolean): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise((begin, reject) => {
      const turn = { owner, begin, reject };
      if (hasBegun) this.#waiting.requeue(owner, turn);
      else this.#waiting.add(owner, turn)?.reject(new TooManyReports());
      this.#next();
    });
  }

  #next(): void {
    if (this.#running.size === STEPS_AT_ONCE) return;
    const turn = this.#waiting.next(({ owner }) => !this.#running.has(owner));
    if (turn === null) return;
    this.#running.add(turn.owner);
    turn.begin();
  }
}

const closed = (): SpoolUnavailable => new SpoolUnavailable("the spool is closed");
