/**
 * What this node leases: jobs that no claim has returned yet (held jobs), and those in an attempt. It is held in memory only. When
 * the node dies, its leases expire in the database.
 */
import type { DeliveryJob, Lease } from "../../../port/mail.ts";
import type { FairScheduler } from "../../../scheduler/fair-scheduler.ts";
import type { LeasedRow, RowLease } from "./work-writes.ts";

/** A job that this node leases. */
export interface LeasedJob {
  seq: number;
  dueMs: number;
  /** When it arrived, if it counts as new mail; null if it is served by age. */
  arrivedMs: number | null;
  lease: RowLease;
  job: DeliveryJob;
  /** Positions of recipients that were settled or released. */
  ended?: Set<number>;
  /** Positions of recipients that were marked. */
  marked?: readonly number[];
  /** The ids of the events of its settlement by position, once that was tried. */
  eventIds?: Map<number, string>;
}

interface MessageLeases {
  seq: number;
  jobs: LeasedJob[];
}

const queueName = (accountId: string, domain: string): string => `${domain} ${accountId}`;

export class LeasedWork {
  readonly #scheduler: FairScheduler;
  /** Held jobs by account and recipient domain, the longest due first. */
  readonly #held = new Map<string, LeasedJob[]>();
  readonly #messages = new Map<string, MessageLeases>();
  /** How many jobs are held of each recipient domain. */
  readonly #heldByDomain = new Map<string, number>();
  #heldCount = 0;
  #heldByAge = 0;
  #recipients = 0;

  constructor(scheduler: FairScheduler) {
    this.#scheduler = scheduler;
  }

  /** How many jobs no claim has returned yet. */
  get heldCount(): number {
    return this.#heldCount;
  }

  /** How many recipients are leased, held or in an attempt. */
  get recipients(): number {
    return this.#recipients;
  }

  /** How many held jobs are served by age. */
  get heldByAge(): number {
    return this.#heldByAge;
  }

  /** How many jobs of an account at a recipient domain no claim has returned yet. */
  heldOf(accountId: string, domain: string): number {
    return this.#held.get(queueName(accountId, domain))?.length ?? 0;
  }

  /** How many jobs at each recipient domain no claim has returned yet, of all accounts. */
  get heldByDomain(): ReadonlyMap<string, number> {
    return this.#heldByDomain;
  }

  /** Holds a job that was just accepted or claimed from the database. `destination` is its domain's; null if it is not known. */
  hold(leased: LeasedJob, destination: string | null = null): void {
    const { accountId, domain } = leased.job;
    this.#add(leased);
    if (leased.arrivedMs === null) this.#scheduler.schedule(accountId, domain, leased.dueMs);
    else this.#scheduler.enqueue(accountId, domain, leased.arrivedMs);
    if (destination !== null) this.#scheduler.assign(leased.job, destination);
  }

  /** Holds a job again that was not attempted, because this destination was full unless it is null. */
  holdReleased(leased: LeasedJob, destination: string | null): void {
    delete leased.ended;
    this.#add(leased);
    this.#scheduler.requeue(leased.job, { destination, acceptedMs: leased.arrivedMs });
  }

  /** Notes that an attempt at a job was deferred. */
  noteDeferred({ accountId, domain }: Pick<DeliveryJob, "accountId" | "domain">, atMs: number): void {
    this.#scheduler.noteDeferred(accountId, domain, atMs);
  }

  #add(leased: LeasedJob): void {
    const { messageId } = leased.job;
    const known = this.#messages.get(messageId);
    if (known !== undefined) known.jobs.push(leased);
    else this.#messages.set(messageId, { seq: leased.seq, jobs: [leased] });
    this.#recipients += leased.job.recipients.length;
    this.#queue(leased);
  }

  /** Removes and returns the held job due longest, if it is due. `nextDueMs` is when the next one is; null for none. */
  takeOldest(accountId: string, domain: string, nowMs: number): { leased: LeasedJob | null; nextDueMs: number | null } {
    const queue = this.#held.get(queueName(accountId, domain));
    const [first] = queue ?? [];
    if (queue === undefined || first === undefined || first.dueMs > nowMs) {
      return { leased: null, nextDueMs: first?.dueMs ?? null };
    }
    this.#remove(queue, 0);
    return { leased: first, nextDueMs: queue[0]?.dueMs ?? null };
  }

  /** Removes and returns the newest held job that arrived at this moment; null for none. */
  takeArrived(accountId: string, domain: string, arrivedMs: number): LeasedJob | null {
    const queue = this.#held.get(queueName(accountId, domain)) ?? [];
    for (let index = queue.length - 1; index >= 0; index -= 1) {
      const leased = queue[index] as LeasedJob;
      if (leased.dueMs < arrivedMs) return null;
      if (leased.arrivedMs === arrivedMs) {
        this.#remove(queue, index);
        return leased;
      }
    }
    return null;
  }

  /** The number of a message of which something is leased; null if nothing is. */
  seqOf(messageId: string): number | null {
    return this.#messages.get(messageId)?.seq ?? null;
  }

  /** The jobs under a lease, with those of these recipients that have not ended. A job of each domain has the same lease. */
  jobsUnder({ owner, epoch }: Lease, messageId: string, positions: readonly number[]): Map<LeasedJob, number[]> {
    const found = new Map<LeasedJob, number[]>();
    for (const leased of this.#messages.get(messageId)?.jobs ?? []) {
      const { lease, recipients } = leased.job;
      if (lease.owner !== owner || lease.epoch !== epoch) continue;
      const own = positions.filter(
        (position) => !leased.ended?.has(position) && recipients.some((recipient) => recipient.position === position),
      );
      if (own.length > 0) found.set(leased, own);
    }
    return found;
  }

  /** The rows of work of all jobs. */
  rows(): LeasedRow[] {
    const rows: LeasedRow[] = [];
    for (const { jobs } of this.#messages.values()) {
      for (const { seq, lease, job, ended } of jobs) {
        for (const { position } of job.recipients) if (!ended?.has(position)) rows.push({ seq, position, ...lease });
      }
    }
    return rows;
  }

  /** The rows of recipients that were marked, and have no result yet. */
  marked(): LeasedRow[] {
    return [...this.#messages.values()].flatMap(({ jobs }) =>
      jobs.flatMap(({ seq, lease, marked = [], ended }) =>
        marked.filter((position) => !ended?.has(position)).map((position) => ({ seq, position, ...lease })),
      ),
    );
  }

  /** Ends the lease of these recipients of a job. */
  end(leased: LeasedJob, positions: Iterable<number>): void {
    const { job } = leased;
    const endedBefore = leased.ended?.size ?? 0;
    leased.ended = new Set([...(leased.ended ?? []), ...positions]);
    this.#recipients -= leased.ended.size - endedBefore;
    if (leased.ended.size < job.recipients.length) return;
    const known = this.#messages.get(job.messageId);
    if (known === undefined) return;
    known.jobs = known.jobs.filter((each) => each !== leased);
    if (known.jobs.length === 0) this.#messages.delete(job.messageId);
  }

  /** Removes and returns all held jobs that `matches` selects; their leases are the caller's to end. */
  takeHeld(matches: (leased: LeasedJob) => boolean): LeasedJob[] {
    const taken: LeasedJob[] = [];
    for (const [name, queue] of this.#held) {
      const kept: LeasedJob[] = [];
      for (const leased of queue) (matches(leased) ? taken : kept).push(leased);
      if (kept.length === 0) this.#held.delete(name);
      else this.#held.set(name, kept);
    }
    for (const leased of taken) this.#count(leased, -1);
    return taken;
  }

  /** Forgets a job whose lease is over. */
  forget(leased: LeasedJob): void {
    this.end(
      leased,
      leased.job.recipients.map(({ position }) => position),
    );
  }

  #queue(leased: LeasedJob): void {
    const name = queueName(leased.job.accountId, leased.job.domain);
    const queue = this.#held.get(name) ?? [];
    this.#held.set(name, queue);
    let index = queue.length;
    while (index > 0 && (queue[index - 1] as LeasedJob).dueMs > leased.dueMs) index -= 1;
    if (index === queue.length) queue.push(leased);
    else queue.splice(index, 0, leased);
    this.#count(leased, 1);
  }

  #count({ job: { domain }, arrivedMs }: LeasedJob, change: 1 | -1): void {
    const held = (this.#heldByDomain.get(domain) ?? 0) + change;
    if (held === 0) this.#heldByDomain.delete(domain);
    else this.#heldByDomain.set(domain, held);
    this.#heldCount += change;
    if (arrivedMs === null) this.#heldByAge += change;
  }

  #remove(queue: LeasedJob[], index: number): void {
    const [leased] = queue.splice(index, 1);
    if (leased !== undefined) this.#count(leased, -1);
    if (queue.length === 0 && leased !== undefined)
      this.#held.delete(queueName(leased.job.accountId, leased.job.domain));
  }
}
