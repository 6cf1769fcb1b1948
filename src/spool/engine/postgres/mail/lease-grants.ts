/**
 * The leases under which this node claims and accepts work: when it may grant one, its owner and epoch, and which rows of work are
 * leased by this process as far as it knows. What is leased is kept in leased-work.ts, and how long a lease lasts is decided in
 * node.ts. Rows whose lease was lost before this node knew of them are released by orphaned-leases.ts.
 */
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { Lease } from "../../../port/mail.ts";
import type { NodeLease } from "../cluster/node-lease.ts";
import type { LeasedWork } from "./leased-work.ts";
import { type LeasedRow, type RowLease, rowName } from "./work-writes.ts";

/** Of this node, as work may still turn up under former ones. */
const NUMBERS_USED_MAX = 4;

/** A lease as the rows of work have it, and as the port does. */
export interface GrantedLease {
  row: RowLease;
  port: Lease;
}

export interface LeaseGrantParts {
  node: NodeLease;
  leased: LeasedWork;
  /** The database may have leased rows that this node does not know. */
  suspectOrphans: () => void;
}

export class LeaseGrants {
  readonly #parts: LeaseGrantParts;
  /** Epochs of leases that are being granted: no job is held under them yet, and the database may have them or not. */
  readonly #granting = new Set<number>();
  #owners: readonly number[] = [];
  #epoch = 0;

  constructor(parts: LeaseGrantParts) {
    this.#parts = parts;
  }

  /** The numbers under which this node has leased work, the newest last. */
  get owners(): readonly number[] {
    return this.#owners;
  }

  /** A new lease; null if this node must not lease anything. To be followed by `granted` or `notGranted`. */
  begin(): RowLease | null {
    const { node } = this.#parts;
    if (node.isDraining || !node.leaseIsCurrent()) return null;
    this.#epoch += 1;
    this.#granting.add(this.#epoch);
    const { number } = node;
    if (this.#owners.at(-1) !== number) this.#owners = [...this.#owners, number].slice(-NUMBERS_USED_MAX);
    return { owner: number, epoch: this.#epoch };
  }

  /** The jobs under this lease are held, or there are none. */
  granted({ epoch }: RowLease): void {
    this.#granting.delete(epoch);
  }

  /** The lease was not granted, or because of this error it is not known whether it was. */
  notGranted({ epoch }: RowLease, error: unknown): void {
    this.#granting.delete(epoch);
    if (error instanceof SpoolUnavailable) this.#parts.suspectOrphans();
  }

  /** Calls `use` with a new lease, of which it holds the jobs. Returns null if this node must not lease anything. */
  async withLease<T>(use: (lease: GrantedLease) => Promise<T>): Promise<T | null> {
    const row = this.begin();
    if (row === null) return null;
    try {
      const value = await use({ row, port: this.portLease(row) });
      this.granted(row);
      return value;
    } catch (error) {
      this.notGranted(row, error);
      throw error;
    }
  }

  portLease({ owner, epoch }: RowLease): Lease {
    return { owner: String(owner), epoch, expiresAtMs: this.#parts.node.leaseUntilMs() };
  }

  /** Whether the lease is of the node's present registration, and still holds. */
  isCurrent({ owner }: Lease): boolean {
    const { node } = this.#parts;
    return owner === String(node.number) && node.leaseIsCurrent();
  }

  /** Returns a test whether a row of work is leased to a job in memory, or is about to be. */
  knownRows(): (row: LeasedRow) => boolean {
    const known = new Set(this.#parts.leased.rows().map(rowName));
    return (row) => this.#granting.has(row.epoch) || known.has(rowName(row));
  }
}
