/**
 * The claim plan: fills one claim in the fair scheduler's order, within the claim budget. It does no I/O. It names one
 * message after another, the caller finds and leases it in its store, and passes the outcome back.
 */
import type { ClaimRequest } from "../port/mail.ts";
import { ClaimBudget } from "./claim-budget.ts";
import { type DestinationGroup, type DomainQueue, type FairScheduler, nextQueueOf } from "./fair-scheduler.ts";

/** The most jobs leased in one turn of an account. */
const TURN_JOBS_MAX = 4;

/** How long queues rest after a part of their index could not be read. */
const UNREADABLE_INDEX_REST_MS = 60_000;

/** A message to find and lease. */
export interface Lookup {
  readonly queue: DomainQueue;
  /** The queue's newest message accepted at this moment; null for its message due longest, from `queue.scanFromMs` on. */
  readonly acceptedMs: number | null;
}

export interface LookupResult {
  /** `none`: there is no such message. `unreadable_message`: it was quarantined instead of leased. */
  outcome: "leased" | "none" | "unreadable_message" | "unreadable_index";
  /** After a lookup of the message due longest: when the queue's next recipient is due; null if there is none. */
  nextDueMs: number | null;
}

export class ClaimPlan {
  readonly #scheduler: FairScheduler;
  readonly #request: ClaimRequest;
  readonly #budget: ClaimBudget;
  readonly #shouldStop: () => boolean;
  #leased = 0;

  /** `shouldStop` ends the claim before its next round. */
  constructor(scheduler: FairScheduler, request: ClaimRequest, shouldStop: () => boolean = () => false) {
    this.#scheduler = scheduler;
    this.#request = request;
    this.#budget = new ClaimBudget(request);
    this.#shouldStop = shouldStop;
  }

  /** Yields lookups until the claim is full or nothing is due within the budget. Returns when to claim again; null for never. */
  *lookups(): Generator<Lookup, number | null, LookupResult> {
    const { nowMs } = this.#request;
    for (let groups = this.#nextRound(); groups.length > 0; groups = this.#nextRound()) {
      for (const group of groups) yield* this.#turn(group);
    }
    const isMore = this.#scheduler.readyGroups(nowMs, 1, this.#budget).length > 0;
    return isMore ? nowMs : this.#scheduler.nextDueMs();
  }

  #nextRound(): DestinationGroup[] {
    if (this.#shouldStop()) return [];
    const { nowMs, limit } = this.#request;
    return this.#scheduler.readyGroups(nowMs, limit - this.#leased, this.#budget);
  }

  /** One turn of an account, spent on one group. */
  *#turn(group: DestinationGroup): Generator<Lookup, void, LookupResult> {
    const slots = Math.min(TURN_JOBS_MAX, this.#request.limit - this.#leased);
    // Earlier turns of this round have used up the budget: the account keeps its turn.
    if (slots === 0 || nextQueueOf(group, this.#budget) === null) return;
    for (let slot = 0; slot < slots && nextQueueOf(group, this.#budget) !== null; slot += 1) {
      if (yield* this.#newest(group)) continue;
      const queue = nextQueueOf(group, this.#budget);
      if (queue !== null) this.#afterOldest(group, queue, yield { queue, acceptedMs: null });
    }
    this.#scheduler.endTurn(group.account);
  }

  /** Looks for a new message if the slot prefers one. Returns whether that used up the slot. */
  *#newest(group: DestinationGroup): Generator<Lookup, boolean, LookupResult> {
    const { account } = group;
    const preference = this.#scheduler.nextPreference(group);
    if (preference === "oldest_of_group") return false;
    const from = preference === "newest_of_account" ? { account } : { account, only: group };
    for (;;) {
      const arrival = this.#scheduler.newestArrival(from, this.#budget);
      if (arrival === null) return false;
      const { outcome } = yield arrival;
      if (outcome !== "none") {
        this.#count(group, arrival.queue, outcome);
        return true;
      }
      this.#scheduler.removeArrival(arrival);
    }
  }

  #afterOldest(group: DestinationGroup, queue: DomainQueue, { outcome, nextDueMs }: LookupResult): void {
    if (outcome !== "unreadable_index") this.#scheduler.reschedule(queue, nextDueMs);
    this.#count(group, queue, outcome);
  }

  #count(group: DestinationGroup, queue: DomainQueue, outcome: LookupResult["outcome"]): void {
    if (outcome === "unreadable_index") this.#rest(group);
    if (outcome !== "leased") return;
    this.#budget.spend(queue);
    this.#leased += 1;
  }

  /** Skips the whole group for a while: which of its queues could not be read is unknown. */
  #rest(group: DestinationGroup): void {
    const untilMs = this.#request.nowMs + UNREADABLE_INDEX_REST_MS;
    for (const queue of [...group.queues]) this.#scheduler.reschedule(queue, untilMs);
  }
}
