/**
 * Releases work that this process leases in the database but does not know: the reply to a claim or to an acceptance was lost, or
 * it came after the node had registered anew. The recovery does not change it as long as the node lives.
 *
 * Marked work is never released. An attempt that may have marked recipients settles them.
 */
import type { Clock } from "../../../../lib/clock.ts";
import type { Database } from "../connection/database.ts";
import type { GroupCommit } from "../connection/group-commit.ts";
import { statement } from "../connection/statement.ts";
import { type LeasedRow, RELEASE } from "./work-writes.ts";

/** A look reads the whole table of work: 0.1 s for a million rows. */
const LOOK_EVERY_MS = 60_000;

/** After a lost reply: the server may still commit the transaction for as long as it waits for a lock, for example. */
const SUSPECTED_LOOK_EVERY_MS = 5000;
const SUSPECTED_MS = 60_000;

const findLeased = statement<LeasedRow>(
  "SELECT seq, position, owner, epoch FROM work WHERE owner = ANY ($1::bigint[]) AND mark IS NULL",
);

export interface OrphanedLeasesParts {
  database: Database;
  commits: GroupCommit;
  clock: Clock;
  /** The numbers under which this process may have leased work. */
  owners: () => readonly number[];
  /** Returns whether a row is known, or its lease is being granted. */
  knownRows: () => (row: LeasedRow) => boolean;
}

export class OrphanedLeases {
  readonly #parts: OrphanedLeasesParts;
  /** By the monotonic clock. */
  #nextLookMs: number;
  #suspectedUntilMs = Number.NEGATIVE_INFINITY;
  #suspicions = 0;
  /** How many of the suspicions the last look has followed up. */
  #followedUp = 0;

  constructor(parts: OrphanedLeasesParts) {
    this.#parts = parts;
    this.#nextLookMs = parts.clock.monotonicMs() + LOOK_EVERY_MS;
  }

  /** There may be some: the next call of `release` looks for them, and later ones often. */
  suspect(): void {
    this.#suspicions += 1;
    this.#suspectedUntilMs = this.#parts.clock.monotonicMs() + SUSPECTED_MS;
  }

  /** Whether no call of `release` has succeeded that began after the last suspicion. */
  get isSuspected(): boolean {
    return this.#followedUp < this.#suspicions;
  }

  /** To be called every second. Returns how many rows were released. */
  async release(): Promise<number> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (!this.isSuspected && nowMs < this.#nextLookMs) return 0;
    const suspicions = this.#suspicions;
    this.#nextLookMs = nowMs + (nowMs < this.#suspectedUntilMs ? SUSPECTED_LOOK_EVERY_MS : LOOK_EVERY_MS);
    const released = await this.#release();
    this.#followedUp = suspicions;
    return released;
  }

  async #release(): Promise<number> {
    const { database, commits, owners, knownRows } = this.#parts;
    const { rows } = await database.run(findLeased, [owners()]);
    // Looked up after the read: a row that it has seen can only have become known since, or its lease has ended.
    const isKnown = knownRows();
    const released = rows
      .filter((row) => !isKnown(row))
      .map(({ seq, position, owner, epoch }) =>
        commits.submit(RELEASE, { seq, positions: [position], lease: { owner, epoch } }),
      );
    return (await Promise.all(released)).reduce((sum, count) => sum + count, 0);
  }
}
