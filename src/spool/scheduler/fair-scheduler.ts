/**
 * The fair scheduler: the order in which accounts and destinations are served. It keeps one domain queue per account and
 * recipient domain, but no recipients: those stay in the store's index of pending recipients. Memory holds only when each
 * queue's next recipient falls due. Queues with the same known destination form a group, so a full destination is skipped
 * in one step, however many domains it serves.
 *
 * The order keeps a backlog from delaying new messages, and new messages from starving a backlog:
 * - Accounts are served in round robin.
 * - An account's slots alternate between its newest message, whatever its destination, and the next group in round robin.
 * - A group's slots alternate between its newest message and the one due longest, its queues in round robin.
 * So a message sent now is among the next to leave, and at least one slot in four goes to the message due longest.
 *
 * A message is new until its first attempt. Only the last ARRIVALS_MAX arrivals of an account count as new, and none from
 * before a restart; the others are served by age. claim-plan.ts fills a claim in this order.
 */
import { type Due, DueQueue } from "./due-queue.ts";
import { DeferredDomains, FreshDomains } from "./fresh-domains.ts";

/** Arrivals kept per account. */
const ARRIVALS_MAX = 256;

/** How long a queue keeps its destination: a domain may move to another mail host. */
const DESTINATION_TTL_MS = 600_000;

/** Names a domain queue. */
export interface QueueKey {
  accountId: string;
  domain: string;
}

/** One account's pending recipients at one domain. While not ready, it sleeps in the due queue until its next due time. */
export interface DomainQueue extends Due {
  readonly account: AccountQueue;
  readonly domain: string;
  /** The destination found by the last attempt, and when. */
  destination: { name: string; foundMs: number } | null;
  isReady: boolean;
  /** Everything due before this moment is leased: a scan for the oldest message starts here. */
  scanFromMs: number;
  /** Whether one message was accepted since it was empty, and nothing else waits. */
  hasOne: boolean;
}

/** The ready queues of one account with the same destination, or one queue whose destination is unknown. */
export interface DestinationGroup {
  readonly account: AccountQueue;
  /** The key of the claim's allowance: the destination, or the queue's domain. */
  readonly name: string;
  /** In round-robin order: the queue served last is at the end. */
  readonly queues: Set<DomainQueue>;
  isOldestNext: boolean;
}

/** The messages accepted for one queue in one millisecond, of which some may have had no attempt yet. */
export interface Arrival {
  readonly queue: DomainQueue;
  readonly acceptedMs: number;
}

export interface AccountQueue {
  readonly id: string;
  readonly queues: Map<string, DomainQueue>;
  /** Those with ready queues, in round-robin order. */
  readonly groups: Map<string, DestinationGroup>;
  /** The newest last. */
  readonly arrivals: Arrival[];
  readonly fresh: FreshDomains;
  isGroupNext: boolean;
}

/** Whether the claim's limits allow one more job. */
export interface Budget {
  allowsAccount: (account: AccountQueue) => boolean;
  /** Checks the group's account too. */
  allowsGroup: (group: DestinationGroup) => boolean;
  /** Checks the queue's own limit, not its group's. */
  allowsQueue: (queue: DomainQueue) => boolean;
  /** The names of the only groups that it may allow of the account, in the order of their turns; null or absent for all. */
  onlyOf?: (account: AccountQueue) => Iterable<string> | null;
}

/** Which message the next slot is for. */
export type Preference = "newest_of_account" | "newest_of_group" | "oldest_of_group";

/** The name of the queue's group, which is its key in the claim's allowance. */
export const groupNameOf = (queue: DomainQueue): string => queue.destination?.name ?? queue.domain;

export class FairScheduler {
  #accounts = new Map<string, AccountQueue>();
  /** The accounts with ready queues, in round-robin order. */
  #ready = new Map<string, AccountQueue>();
  #sleeping = new DueQueue<DomainQueue>();
  readonly #deferred = new DeferredDomains();
  /** The time of the last call of `readyGroups`. */
  #nowMs = 0;

  /** Adds a message that was just accepted. */
  enqueue(accountId: string, domain: string, acceptedMs: number): void {
    const isOnly = this.#accounts.get(accountId)?.queues.has(domain) !== true;
    const queue = this.#queueOf(accountId, domain);
    queue.hasOne = isOnly;
    if (isOnly && !this.#deferred.has(accountId, domain, acceptedMs)) queue.account.fresh.add(domain, acceptedMs);
    queue.scanFromMs = Math.min(queue.scanFromMs, acceptedMs);
    this.#makeReady(queue);
    addArrival({ queue, acceptedMs });
  }

  /** Notes that a recipient falls due at `dueMs`. */
  schedule(accountId: string, domain: string, dueMs: number): void {
    const queue = this.#queueOf(accountId, domain);
    queue.hasOne = false;
    queue.scanFromMs = Math.min(queue.scanFromMs, dueMs);
    const isEarlier = queue.heapIndex === -1 || dueMs < queue.dueMs;
    if (!queue.isReady && isEarlier) this.#sleeping.put(queue, dueMs);
  }

  /** Notes that an attempt at the domain's mail was deferred: the next message to it is not fresh. */
  noteDeferred(accountId: string, domain: string, atMs: number): void {
    this.#deferred.add(accountId, domain, atMs);
  }

  /**
   * Takes back a leased message that was not attempted, for example because its destination is full. `acceptedMs` is null
   * if it has had an attempt before.
   */
  requeue(
    { accountId, domain }: QueueKey,
    { destination, acceptedMs }: { destination: string | null; acceptedMs: number | null },
  ): void {
    const queue = this.#queueOf(accountId, domain);
    if (destination !== null) this.#assign(queue, destination);
    queue.hasOne = false;
    queue.scanFromMs = 0;
    this.#makeReady(queue);
    if (acceptedMs !== null) addArrival({ queue, acceptedMs });
  }

  /** Notes the destination of a domain's mail, for a queue that has some. */
  assign({ accountId, domain }: QueueKey, destination: string): void {
    const queue = this.#queueOf(accountId, domain);
    const { isReady } = queue;
    this.#assign(queue, destination);
    if (isReady) this.#makeReady(queue);
  }

  /** Forgets that the mail of ready queues goes to these destinations: each queue is its own group again. */
  ungroup(destinations: ReadonlySet<string>): void {
    for (const { groups } of this.#ready.values()) {
      const names = destinations.size < groups.size ? destinations : [...groups.keys()];
      for (const name of names) {
        const group = groups.get(name);
        if (group !== undefined && destinations.has(name)) this.#ungroup(group);
      }
    }
  }

  /** Returns the next group of each account, at most `limit`, of those that are due at `nowMs` and within the budget. */
  readyGroups(nowMs: number, limit: number, budget: Budget): DestinationGroup[] {
    this.#nowMs = nowMs;
    this.#wakeDue();
    const ready: DestinationGroup[] = [];
    for (const account of this.#ready.values()) {
      if (ready.length === limit) break;
      // Before the groups: an account may have one for each recipient domain.
      if (!budget.allowsAccount(account)) continue;
      const groups = groupsOf(account, budget.onlyOf?.(account) ?? null);
      const group = firstOf(groups, (each) => nextQueueOf(each, budget) !== null);
      if (group !== null) ready.push(group);
    }
    return ready;
  }

  /** Returns what the group's next slot is for, and advances the alternation. */
  nextPreference(group: DestinationGroup): Preference {
    const { account } = group;
    account.isGroupNext = !account.isGroupNext;
    if (account.isGroupNext) return "newest_of_account";
    moveLast(group);
    group.isOldestNext = !group.isOldestNext;
    return group.isOldestNext ? "newest_of_group" : "oldest_of_group";
  }

  /**
   * Returns the newest arrival of the account, or of one group, that the budget allows. Its messages may all have had an
   * attempt by now: then the caller removes it.
   */
  newestArrival({ account, only }: { account: AccountQueue; only?: DestinationGroup }, budget: Budget): Arrival | null {
    const { arrivals, groups } = account;
    for (let i = arrivals.length - 1; i >= 0; i -= 1) {
      const arrival = arrivals[i] as Arrival;
      const { queue } = arrival;
      // Accepted after the claim was requested: the next one finds it.
      if (arrival.acceptedMs > this.#nowMs) continue;
      const group = queue.isReady ? groups.get(groupNameOf(queue)) : undefined;
      if (group === undefined) arrivals.splice(i, 1);
      else if ((only === undefined || group === only) && budget.allowsGroup(group) && budget.allowsQueue(queue))
        return arrival;
    }
    return null;
  }

  removeArrival(arrival: Arrival): void {
    const { arrivals } = arrival.queue.account;
    arrivals.splice(arrivals.lastIndexOf(arrival), 1);
  }

  /** Removes arrivals dated after `nowMs`: the clock was ahead then, and they would count as newer than what comes now. */
  removeArrivalsAfter(nowMs: number): void {
    for (const { arrivals } of this.#accounts.values()) {
      const past = arrivals.filter(({ acceptedMs }) => acceptedMs <= nowMs);
      arrivals.splice(0, arrivals.length, ...past);
    }
  }

  /** Moves a queue that was served by age behind the others. Its next recipient is due at `nextDueMs`; null for none. */
  reschedule(queue: DomainQueue, nextDueMs: number | null): void {
    const nowMs = this.#nowMs;
    const { account, destination } = queue;
    // A wall-clock time: the clock may have been set back since.
    const isStale = destination !== null && Math.abs(nowMs - destination.foundMs) >= DESTINATION_TTL_MS;
    const group = account.groups.get(groupNameOf(queue));
    if (nextDueMs !== null && nextDueMs <= nowMs && !isStale && group?.queues.delete(queue))
      return void group.queues.add(queue);
    this.#leaveGroup(queue);
    if (isStale) queue.destination = null;
    if (nextDueMs === null) {
      account.queues.delete(queue.domain);
      account.fresh.remove(queue.domain);
    } else if (nextDueMs <= nowMs) this.#makeReady(queue);
    else this.#sleeping.put(queue, nextDueMs);
    if (account.groups.size > 0) return;
    // No queue is ready, so no arrival waits.
    account.arrivals.length = 0;
    this.#ready.delete(account.id);
    if (account.queues.size === 0) this.#accounts.delete(account.id);
  }

  /** Ends the account's turn: it moves behind the other accounts. */
  endTurn(account: AccountQueue): void {
    if (this.#ready.delete(account.id)) this.#ready.set(account.id, account);
  }

  /** Returns when the next sleeping queue falls due; null if there is none. */
  nextDueMs(): number | null {
    return this.#sleeping.top?.dueMs ?? null;
  }

  /** The number of queues that sleep until their next recipient falls due. */
  get sleepingCount(): number {
    return this.#sleeping.size;
  }

  #wakeDue(): void {
    for (let top = this.#sleeping.top; top !== undefined && top.dueMs <= this.#nowMs; top = this.#sleeping.top) {
      this.#makeReady(top);
    }
  }

  #queueOf(accountId: string, domain: string): DomainQueue {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = {
        id: accountId,
        queues: new Map(),
        groups: new Map(),
        arrivals: [],
        fresh: new FreshDomains(),
        isGroupNext: false,
      };
      this.#accounts.set(accountId, account);
    }
    const known = account.queues.get(domain);
    if (known !== undefined) return known;
    const queue: DomainQueue = {
      account,
      domain,
      destination: null,
      isReady: false,
      dueMs: Number.POSITIVE_INFINITY,
      heapIndex: -1,
      scanFromMs: 0,
      hasOne: false,
    };
    account.queues.set(domain, queue);
    return queue;
  }

  #makeReady(queue: DomainQueue): void {
    const { account } = queue;
    const name = groupNameOf(queue);
    const group = account.groups.get(name) ?? { account, name, queues: new Set(), isOldestNext: false };
    group.queues.add(queue);
    queue.isReady = true;
    this.#sleeping.remove(queue);
    account.groups.set(name, group);
    this.#ready.set(account.id, account);
  }

  /** A queue that changes its group is not ready. */
  #assign(queue: DomainQueue, destination: string): void {
    if (destination !== groupNameOf(queue)) this.#leaveGroup(queue);
    queue.destination = { name: destination, foundMs: this.#nowMs };
  }

  #ungroup({ queues }: DestinationGroup): void {
    for (const queue of [...queues]) {
      this.#leaveGroup(queue);
      queue.destination = null;
      this.#makeReady(queue);
    }
  }

  #leaveGroup(queue: DomainQueue): void {
    const { groups } = queue.account;
    const group = groups.get(groupNameOf(queue));
    queue.isReady = false;
    if (group?.queues.delete(queue) && group.queues.size === 0) groups.delete(group.name);
  }
}

/** Returns the group's next queue in round robin that the budget allows; null if there is none. */
export function nextQueueOf(group: DestinationGroup, budget: Budget): DomainQueue | null {
  return budget.allowsGroup(group) ? firstOf(group.queues, budget.allowsQueue) : null;
}

function groupsOf({ groups }: AccountQueue, only: Iterable<string> | null): Iterable<DestinationGroup> {
  return only === null ? groups.values() : groupsNamed(groups, only);
}

function* groupsNamed(
  groups: ReadonlyMap<string, DestinationGroup>,
  names: Iterable<string>,
): Generator<DestinationGroup, undefined> {
  for (const name of names) {
    const group = groups.get(name);
    if (group !== undefined) yield group;
  }
}

function firstOf<T>(items: Iterable<T>, matches: (item: T) => boolean): T | null {
  for (const item of items) if (matches(item)) return item;
  return null;
}

function moveLast({ account, name }: DestinationGroup): void {
  const group = account.groups.get(name);
  if (group !== undefined && account.groups.delete(name)) account.groups.set(name, group);
}

/** Keeps the account's arrivals in the order of acceptance, which is nearly the order of the calls. */
function addArrival(arrival: Arrival): void {
  const { arrivals } = arrival.queue.account;
  let index = arrivals.length;
  for (; index > 0; index -= 1) {
    const before = arrivals[index - 1] as Arrival;
    if (before.acceptedMs === arrival.acceptedMs && before.queue === arrival.queue) return;
    if (before.acceptedMs < arrival.acceptedMs) break;
  }
  arrivals.splice(index, 0, arrival);
  if (arrivals.length > ARRIVALS_MAX) arrivals.shift();
}
