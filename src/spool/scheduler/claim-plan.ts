/**
 * The claim plan: fills one claim in the fair scheduler's order, within the claim budget. It does no I/O. It names one
 * message after another, the caller finds and leases it in its store, and passes the outcome back.
 */
import type { ClaimRequest } from "../port/mail.ts";
import { ClaimBudget } from "./claim-budget.ts";
import {
  type AccountQueue,
  type Arrival,
  type DestinationGroup,
  type DomainQueue,
  type FairScheduler,
  nextQueueOf,
} from "./fair-scheduler.ts";

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

/**
 * Usage: call `next` and pass the result of the lookup to `finish`, until `next` returns null. A plan is a state machine
 * rather than a generator, which made a claim a sixth slower.
 */
export class ClaimPlan {
  readonly #scheduler: FairScheduler;
  readonly #request: ClaimRequest;
  readonly #budget: ClaimBudget;
  readonly #shouldStop: () => boolean;
  #leased = 0;
  /** The groups of this round, one per account, and the index of the one whose turn is next. */
  #round: DestinationGroup[] = [];
  #nextTurn = 0;
  /** The group whose turn it is, and how many more jobs the turn may lease. */
  #group: DestinationGroup | null = null;
  #slotsLeft = 0;
  #isSlotOpen = false;
  /** Where the open slot looks for a new message; null if it looks for the one due longest. */
  #newestOf: { account: AccountQueue; only?: DestinationGroup } | null = null;
  #lookup: Lookup | null = null;

  /** `shouldStop` ends the claim before its next round. */
  constructor(scheduler: FairScheduler, request: ClaimRequest, shouldStop: () => boolean = () => false) {
    this.#scheduler = scheduler;
    this.#request = request;
    this.#budget = new ClaimBudget(request);
    this.#shouldStop = shouldStop;
  }

  /** Returns the next lookup; null if the claim is full or nothing is due within the budget. */
  next(): Lookup | null {
    while (this.#isSlotOpen || this.#openSlot()) {
      this.#lookup = this.#newest() ?? this.#oldest();
      if (this.#lookup !== null) return this.#lookup;
    }
    return null;
  }

  /** Takes the result of the last lookup. Returns whether a job was leased that is fresh mail (fresh-domains.ts). */
  finish({ outcome, nextDueMs }: LookupResult): boolean {
    const lookup = this.#lookup;
    if (lookup === null) throw new Error("the claim plan has no open lookup");
    const { queue, acceptedMs } = lookup;
    const isFresh = outcome === "leased" && this.#budget.spend(queue);
    if (acceptedMs === null) {
      if (outcome !== "unreadable_index") this.#scheduler.reschedule(queue, nextDueMs);
    } else if (outcome === "none") {
      this.#scheduler.removeArrival(lookup as Arrival);
      return false;
    }
    this.#isSlotOpen = false;
    if (outcome === "unreadable_index") this.#rest();
    if (outcome !== "leased") return false;
    this.#leased += 1;
    if (acceptedMs !== null && queue.hasOne) this.#scheduler.reschedule(queue, null);
    return isFresh;
  }

  /** Returns when to claim again once `next` has returned null; null if nothing is pending within the budget. */
  nextClaimMs(): number | null {
    const { nowMs } = this.#request;
    const isMore = this.#scheduler.readyGroups(nowMs, 1, this.#budget).length > 0;
    return isMore ? nowMs : this.#scheduler.nextDueMs();
  }

  #newest(): Lookup | null {
    if (this.#newestOf === null) return null;
    const arrival = this.#scheduler.newestArrival(this.#newestOf, this.#budget);
    if (arrival === null) this.#newestOf = null;
    return arrival;
  }

  #oldest(): Lookup | null {
    const queue = this.#nextQueue();
    if (queue !== null) return { queue, acceptedMs: null };
    // The slot is used up.
    this.#isSlotOpen = false;
    return null;
  }

  /** Opens a slot for the next job. Returns false at the end of the claim. */
  #openSlot(): boolean {
    for (;;) {
      if (this.#group !== null && this.#slotsLeft > 0 && this.#nextQueue() !== null) break;
      if (this.#group !== null) this.#scheduler.endTurn(this.#group.account);
      if (!this.#startTurn()) return false;
    }
    this.#slotsLeft -= 1;
    this.#isSlotOpen = true;
    this.#newestOf = this.#preferred(this.#group);
    return true;
  }

  #preferred(group: DestinationGroup): { account: AccountQueue; only?: DestinationGroup } | null {
    const preference = this.#scheduler.nextPreference(group);
    if (preference === "oldest_of_group") return null;
    const { account } = group;
    return preference === "newest_of_account" ? { account } : { account, only: group };
  }

  /** Starts the turn of the next account, in a new round if needed. Returns false if nothing more is due. */
  #startTurn(): boolean {
    this.#group = null;
    for (;;) {
      const group = this.#round[this.#nextTurn] ?? this.#startRound();
      if (group === undefined) return false;
      this.#nextTurn += 1;
      this.#slotsLeft = Math.min(TURN_JOBS_MAX, this.#request.limit - this.#leased);
      // If earlier turns of this round have used up the budget, the account keeps its turn.
      if (this.#slotsLeft === 0 || nextQueueOf(group, this.#budget) === null) continue;
      this.#group = group;
      return true;
    }
  }

  /** Returns the first group of the new round. */
  #startRound(): DestinationGroup | undefined {
    const { nowMs, limit } = this.#request;
    this.#round = this.#shouldStop() ? [] : this.#scheduler.readyGroups(nowMs, limit - this.#leased, this.#budget);
    this.#nextTurn = 0;
    return this.#round[0];
  }

  #nextQueue(): DomainQueue | null {
    return this.#group === null ? null : nextQueueOf(this.#group, this.#budget);
  }

  /** Skips the whole group for a while: which of its queues could not be read is unknown. */
  #rest(): void {
    const untilMs = this.#request.nowMs + UNREADABLE_INDEX_REST_MS;
    for (const queue of [...(this.#group?.queues ?? [])]) this.#scheduler.reschedule(queue, untilMs);
  }
}
