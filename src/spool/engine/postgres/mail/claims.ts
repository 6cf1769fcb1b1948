/**
 * Claims: returns held jobs in the order of the fair scheduler, within the claim's limits. If this node holds too few jobs that
 * the limits allow, it claims due work from the database (due-work.ts).
 */
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { Claim, ClaimRequest, DeliveryJob } from "../../../port/mail.ts";
import { ClaimPlan, type Lookup, type LookupResult } from "../../../scheduler/claim-plan.ts";
import type { FairScheduler } from "../../../scheduler/fair-scheduler.ts";
import { ClaimRoom } from "./claim-room.ts";
import type { DomainDestinations } from "./domain-destinations.ts";
import type { DueWork, DueWorkRequest } from "./due-work.ts";
import type { GrantedLease } from "./lease-grants.ts";
import type { LeasedJob, LeasedWork } from "./leased-work.ts";

/** Rows claimed from the database beyond what the caller asks for, so that not every claim reads it. */
const AHEAD = 64;

type Search = Pick<DueWorkRequest, "nowMs" | "room">;

export interface ClaimParts {
  scheduler: FairScheduler;
  leased: LeasedWork;
  dueWork: DueWork;
  destinations: DomainDestinations;
  /** Calls `use` with the lease of a new claim, unless this node must not claim. */
  withLease: (use: (lease: GrantedLease) => Promise<void>) => Promise<unknown>;
  /** Holds what was claimed. */
  hold: (leased: LeasedJob) => void;
  /** Paused recipient domains; null while all delivery is paused. */
  pausedDomains: () => Promise<ReadonlySet<string> | null>;
}

export class Claims {
  readonly #parts: ClaimParts;
  /** One claim reads the database at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  claim(request: ClaimRequest): Promise<Claim> {
    const claimed = this.#last.then(() => this.#claim(request));
    this.#last = claimed.catch(() => {});
    return claimed;
  }

  async #claim(request: ClaimRequest): Promise<Claim> {
    const paused = await this.#parts.pausedDomains();
    if (paused === null) return { jobs: [], nextDueMs: null };
    const limited = withoutPaused(request, paused);
    const { nowMs, limit } = limited;
    const jobs: DeliveryJob[] = [];
    const search = { nowMs, room: this.#roomOf(limited, jobs) };
    const { leased, dueWork, scheduler } = this.#parts;
    const { elsewhere = [] } = limited;
    // Held mail that is known to go there is released. Other mail in the same groups would stay held: no claim serves these groups.
    if (elsewhere.length > 0) scheduler.ungroup(new Set(elsewhere));
    const plan = new ClaimPlan(scheduler, limited);
    // New mail must not fill all claims: the database may have work that has been due for longer.
    const isReadFirst = leased.heldByAge === 0;
    if (isReadFirst) await this.#claimDueWork(search, Math.max(0, limit - leased.heldCount));
    this.#fill(plan, nowMs, jobs);
    if (!isReadFirst && jobs.length < limit) {
      await this.#claimMore(search, limit - jobs.length, jobs);
      this.#fill(plan, nowMs, jobs);
    }
    return { jobs, nextDueMs: earlierOf(plan.nextClaimMs(), dueWork.nextDueMs(search)) };
  }

  #roomOf(request: ClaimRequest, jobs: readonly DeliveryJob[]): ClaimRoom {
    const { leased, destinations } = this.#parts;
    const held = () => [...leased.heldByDomain, ...jobs.map(({ domain }): [string, number] => [domain, 1])];
    return new ClaimRoom({ request, destinations, held });
  }

  #fill(plan: ClaimPlan, nowMs: number, jobs: DeliveryJob[]): void {
    for (let lookup = plan.next(); lookup !== null; lookup = plan.next()) {
      const isFresh = plan.finish(this.#lookUp(lookup, nowMs, jobs));
      const last = jobs.at(-1);
      if (isFresh && last !== undefined) last.isFresh = true;
    }
  }

  /** Rejects only if the claim has no jobs yet: those that it has are to be returned. */
  async #claimMore(search: Search, limit: number, jobs: readonly DeliveryJob[]): Promise<void> {
    try {
      await this.#claimDueWork(search, limit);
    } catch (error) {
      if (jobs.length === 0 || !(error instanceof SpoolUnavailable)) throw error;
    }
  }

  async #claimDueWork(search: Search, limit: number): Promise<void> {
    const { leased, dueWork, withLease, hold } = this.#parts;
    if (!dueWork.mayHave(search)) return;
    const wanted = limit + Math.max(0, AHEAD - leased.heldByAge);
    await withLease((lease) => dueWork.claim({ ...search, limit: wanted, lease }, hold));
  }

  #lookUp({ queue, acceptedMs }: Lookup, nowMs: number, jobs: DeliveryJob[]): LookupResult {
    const { leased } = this.#parts;
    const { account, domain } = queue;
    const found: { leased: LeasedJob | null; nextDueMs: number | null } =
      acceptedMs === null
        ? leased.takeOldest(account.id, domain, nowMs)
        : { leased: leased.takeArrived(account.id, domain, acceptedMs), nextDueMs: null };
    const job = found.leased?.job;
    // As it was claimed last, if it was released since.
    if (job?.isFresh) delete job.isFresh;
    if (job !== undefined) jobs.push(job);
    return { outcome: found.leased === null ? "none" : "leased", nextDueMs: found.nextDueMs };
  }
}

function withoutPaused(request: ClaimRequest, paused: ReadonlySet<string>): ClaimRequest {
  if (paused.size === 0) return request;
  const allowance = { ...request.allowance };
  for (const domain of paused) allowance[domain] = 0;
  return { ...request, allowance };
}

function earlierOf(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
