/**
 * Which recipients are in an attempt now. Only in memory: one process delivers from a spool, and when it dies its
 * leases die with it, which leaves every unmarked recipient pending and due, as it should be.
 */

interface Lease {
  domain: string;
  positions: Set<number>;
  /** Another recipient of the same message and domain fell due meanwhile; its lane must be looked at again. */
  more: boolean;
}

export class Leases {
  /** By message (seq), then one for each recipient domain. */
  #leases = new Map<number, Lease[]>();

  /** Whether this recipient is leased or has to wait for a lease on the same message and domain. */
  covers(seq: number, position: number, domain: string): boolean {
    const lease = this.#leases.get(seq)?.find((l) => l.domain === domain);
    if (lease === undefined) return false;
    if (!lease.positions.has(position)) lease.more = true;
    return true;
  }

  take(seq: number, domain: string, positions: number[]): void {
    const leases = this.#leases.get(seq) ?? [];
    leases.push({ domain, positions: new Set(positions), more: false });
    this.#leases.set(seq, leases);
  }

  /** Ends the lease of these recipients; returns the domains whose lanes must be looked at again. */
  end(seq: number, positions: number[]): string[] {
    const leases = this.#leases.get(seq) ?? [];
    for (const position of positions) {
      for (const lease of leases) lease.positions.delete(position);
    }
    const open = leases.filter((lease) => lease.positions.size > 0);
    if (open.length > 0) this.#leases.set(seq, open);
    else this.#leases.delete(seq);
    return leases.filter((lease) => lease.positions.size === 0 && lease.more).map((lease) => lease.domain);
  }
}
