/**
 * The end of leases without an attempt: of a job that delivery returns, and of held jobs that this node leaves to any node. The
 * only node keeps a returned job under another lease, because it would claim it again. Which jobs are held, and when they are to be
 * released, is decided in mail.ts.
 */
import type { ReleasedJob } from "../../../port/mail.ts";
import type { NodeLease } from "../cluster/node-lease.ts";
import type { GroupCommit } from "../connection/group-commit.ts";
import type { DomainDestinations } from "./domain-destinations.ts";
import type { LeaseGrants } from "./lease-grants.ts";
import type { LeasedJob, LeasedWork } from "./leased-work.ts";
import { RELEASE, RENEW } from "./work-writes.ts";

export interface ReleaseParts {
  commits: GroupCommit;
  node: NodeLease;
  leased: LeasedWork;
  grants: LeaseGrants;
  destinations: DomainDestinations;
  /** The database may have leased rows that this node does not know. */
  suspectOrphans: () => void;
  /** Called after a commit: any node may claim what was released. */
  onReleased: () => void;
}

export class Releases {
  readonly #parts: ReleaseParts;

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  async release({ messageId, positions, lease, destination, isOneOfSeveral }: ReleasedJob): Promise<void> {
    const { commits, node, destinations, onReleased } = this.#parts;
    for (const [leased, own] of this.#parts.leased.jobsUnder(lease, messageId, positions)) {
      if (destination !== undefined) destinations.note(leased.job.domain, destination, isOneOfSeveral);
      if (!node.hasOthers && (await this.#keep(leased, own, destination ?? null))) continue;
      await commits.submit(RELEASE, { seq: leased.seq, positions: own, lease: leased.lease });
      this.#parts.leased.end(leased, own);
      onReleased();
    }
  }

  /** Holds a job again under another lease. Returns whether it could. */
  async #keep(leased: LeasedJob, positions: readonly number[], destination: string | null): Promise<boolean> {
    const { commits, grants, suspectOrphans } = this.#parts;
    const { seq, lease, job } = leased;
    if (positions.length !== job.recipients.length) return false;
    const isKept = await grants.withLease(async ({ row, port }) => {
      if (row.owner !== lease.owner) return false;
      const count = await commits.submit(RENEW, { seq, positions, lease, nextEpoch: row.epoch });
      if (count < positions.length) {
        if (count > 0) suspectOrphans();
        return false;
      }
      this.#parts.leased.end(leased, positions);
      this.#parts.leased.holdReleased({ ...leased, lease: row, job: { ...job, lease: port } }, destination);
      return true;
    });
    return isKept === true;
  }

  /** Releases the held jobs that `matches` selects. What an outage prevents is repeated later. */
  async releaseHeld(matches: (leased: LeasedJob) => boolean): Promise<void> {
    const held = this.#parts.leased.takeHeld(matches);
    if (held.length === 0) return;
    await Promise.all(held.map((leased) => this.#releaseHeld(leased)));
    this.#parts.onReleased();
  }

  async #releaseHeld(leased: LeasedJob): Promise<void> {
    const { seq, job, lease } = leased;
    const positions = job.recipients.map(({ position }) => position);
    this.#parts.leased.end(leased, positions);
    try {
      await this.#parts.commits.submit(RELEASE, { seq, positions, lease });
    } catch (error) {
      this.#parts.suspectOrphans();
      throw error;
    }
  }
}
