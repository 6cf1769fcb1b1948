/**
 * Whose turn it is. A lane is one account's waiting mail for one recipient domain. Memory holds for a lane only when its
 * next recipient falls due; the recipients themselves stay in the recipients_waiting index. Lanes that are known to have
 * one destination form a group, so that a full destination is passed over in one step, however many domains it serves.
 *
 * The order, so that no backlog holds up new mail and no new mail starves a backlog:
 * - Accounts take turns.
 * - An account's places go alternately to its newest mail, wherever that goes, and to the destination whose turn it is.
 * - A destination's turns go alternately to its own newest mail and to what has been due for longest, its lanes in turn.
 * So a code sent now is among the next to leave, however much waits at its destination, and at least one place in four
 * goes to mail by its age. New is what was accepted last and has not been tried. Only the last NEWEST_MAX of an account
 * are known as new, and none from before a restart: the others are served by age.
 *
 * Which messages of a lane are due is queue.ts's; how much a destination or an account may get is the claim's.
 */
import { type Due, DueQueue } from "./due-queue.ts";

/** How much of an account's untried mail is known as new. */
const NEWEST_MAX = 256;

/** How long a lane stays with a destination before it is asked for anew: a domain may move to another mail host. */
const GROUPED_MS = 600_000;

/** While it is not ready, it stands in the heap with the time at which its next recipient falls due. */
export interface Lane extends Due {
  readonly account: Account;
  readonly domain: string;
  /** Where it was last found to go, and when. */
  destination: { name: string; foundMs: number } | null;
  isReady: boolean;
  /** All that was due before this is in attempts: who looks for the oldest need not pass over it again. */
  takenToMs: number;
}

/** The ready lanes of one account that share a destination, or one lane whose destination is not known. */
export interface Group {
  readonly account: Account;
  /** What a claim's allowance calls it: the destination, or the lane's domain. */
  readonly name: string;
  /** Who was served goes last. */
  readonly scheduler: Set<Lane>;
  oldestNext: boolean;
}

/** What was accepted for a lane in one millisecond and has not all been tried. */
export interface Fresh {
  readonly lane: Lane;
  readonly acceptedMs: number;
}

export interface Account {
  readonly id: string;
  readonly scheduler: Map<string, Lane>;
  /** Those with ready lanes. Who was served goes last. */
  readonly groups: Map<string, Group>;
  /** The newest last. */
  readonly fresh: Fresh[];
  groupNext: boolean;
}

/** Who may have one more place. */
export interface Admission {
  admitsAccount: (account: Account) => boolean;
  /** Its account included. */
  admitsGroup: (group: Group) => boolean;
  /** Beyond what its group may. */
  admitsLane: (lane: Lane) => boolean;
}

/** Whose mail the next place is for: the account's newest, the group's newest, or the group's oldest. */
export type Share = "newest" | "newest_of_group" | "oldest_of_group";

/** What a claim's allowance calls the lane's group. */
export const groupNameOf = (lane: Lane): string => lane.destination?.name ?? lane.domain;

export class FairScheduler {
  #accounts = new Map<string, Account>();
  /** Those with ready lanes. Who was served goes last. */
  #ready = new Map<string, Account>();
  #later = new DueQueue<Lane>();
  /** When turns were last asked for. */
  #nowMs = 0;

  /** A message was accepted for this lane. */
  due(accountId: string, domain: string, acceptedMs: number): void {
    const lane = this.#laneOf(accountId, domain);
    lane.takenToMs = Math.min(lane.takenToMs, acceptedMs);
    this.#makeReady(lane);
    noteFresh({ lane, acceptedMs });
  }

  /** A recipient of this lane falls due again. */
  dueAgain(accountId: string, domain: string, dueMs: number): void {
    const lane = this.#laneOf(accountId, domain);
    lane.takenToMs = Math.min(lane.takenToMs, dueMs);
    const isEarlier = lane.heapIndex === -1 || dueMs < lane.dueMs;
    if (!lane.isReady && isEarlier) this.#later.put(lane, dueMs);
  }

  /** A claimed message of this lane found its destination full. `acceptedMs` is null when it had been tried before. */
  givenBack(
    { accountId, domain }: { accountId: string; domain: string },
    { destination, acceptedMs }: { destination: string | null; acceptedMs: number | null },
  ): void {
    const lane = this.#laneOf(accountId, domain);
    if (destination !== null) {
      if (destination !== groupNameOf(lane)) this.#leaveGroup(lane);
      lane.destination = { name: destination, foundMs: this.#nowMs };
    }
    lane.takenToMs = 0;
    this.#makeReady(lane);
    if (acceptedMs !== null) noteFresh({ lane, acceptedMs });
  }

  /** One group of each account, at most `limit`, in turn order, among those that are admitted and ready by now. */
  turns(nowMs: number, limit: number, budget: Admission): Group[] {
    this.#nowMs = nowMs;
    this.#wake();
    const turns: Group[] = [];
    for (const account of this.#ready.values()) {
      if (turns.length === limit) break;
      // Before its groups: there are as many as it has recipient domains.
      if (!budget.admitsAccount(account)) continue;
      const group = firstOf(account.groups.values(), (g) => laneOf(g, budget) !== null);
      if (group !== null) turns.push(group);
    }
    return turns;
  }

  /** Whom the next place in this group's turn is for; the one after it is for another. */
  nextShare(turn: Group): Share {
    const { account } = turn;
    account.groupNext = !account.groupNext;
    if (account.groupNext) return "newest";
    goLast(turn);
    turn.oldestNext = !turn.oldestNext;
    return turn.oldestNext ? "newest_of_group" : "oldest_of_group";
  }

  /** The account's newest mail, or one group's, where it is admitted. All of it may have been tried since: see `forget`. */
  newest({ account, only }: { account: Account; only?: Group }, budget: Admission): Fresh | null {
    const { fresh, groups } = account;
    for (let i = fresh.length - 1; i >= 0; i -= 1) {
      const entry = fresh[i] as Fresh;
      const { lane } = entry;
      // Accepted after the claim was asked for: the next one finds it.
      if (entry.acceptedMs > this.#nowMs) continue;
      const group = lane.isReady ? groups.get(groupNameOf(lane)) : undefined;
      if (group === undefined) fresh.splice(i, 1);
      else if ((only === undefined || group === only) && budget.admitsGroup(group) && budget.admitsLane(lane))
        return entry;
    }
    return null;
  }

  /** Nothing of it is new any more. */
  forget(entry: Fresh): void {
    const { fresh } = entry.lane.account;
    fresh.splice(fresh.lastIndexOf(entry), 1);
  }

  /** Nothing counts as new that was accepted after `nowMs`: the clock was ahead then, and what comes now would be older. */
  forgetFreshAfter(nowMs: number): void {
    for (const { fresh } of this.#accounts.values()) {
      const kept = fresh.filter(({ acceptedMs }) => acceptedMs <= nowMs);
      fresh.splice(0, fresh.length, ...kept);
    }
  }

  /** The lane has been served by age: its next recipient is due at `dueMs`, or there is none. */
  served(lane: Lane, dueMs: number | null): void {
    const nowMs = this.#nowMs;
    const { account, destination } = lane;
    // The time is the wall clock's, which may have been set back.
    const isStale = destination !== null && Math.abs(nowMs - destination.foundMs) >= GROUPED_MS;
    const group = account.groups.get(groupNameOf(lane));
    if (dueMs !== null && dueMs <= nowMs && !isStale && group?.scheduler.delete(lane))
      return void group.scheduler.add(lane);
    this.#leaveGroup(lane);
    if (isStale) lane.destination = null;
    if (dueMs === null) account.scheduler.delete(lane.domain);
    else if (dueMs <= nowMs) this.#makeReady(lane);
    else this.#later.put(lane, dueMs);
    if (account.groups.size > 0) return;
    // Nothing is ready, so nothing is new.
    account.fresh.length = 0;
    this.#ready.delete(account.id);
    if (account.scheduler.size === 0) this.#accounts.delete(account.id);
  }

  /** The account's turn is over: others come first next time. */
  endTurn({ account }: Group): void {
    if (this.#ready.delete(account.id)) this.#ready.set(account.id, account);
  }

  /** When the next lane that is not ready falls due; null when there is none. */
  nextDueMs(): number | null {
    return this.#later.top?.dueMs ?? null;
  }

  /** How many lanes wait until their next recipient falls due. */
  get asleep(): number {
    return this.#later.size;
  }

  #wake(): void {
    for (let top = this.#later.top; top !== undefined && top.dueMs <= this.#nowMs; top = this.#later.top) {
      this.#makeReady(top);
    }
  }

  #laneOf(accountId: string, domain: string): Lane {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = { id: accountId, scheduler: new Map(), groups: new Map(), fresh: [], groupNext: false };
      this.#accounts.set(accountId, account);
    }
    const known = account.scheduler.get(domain);
    if (known !== undefined) return known;
    const lane: Lane = {
      account,
      domain,
      destination: null,
      isReady: false,
      dueMs: Number.POSITIVE_INFINITY,
      heapIndex: -1,
      takenToMs: 0,
    };
    account.scheduler.set(domain, lane);
    return lane;
  }

  #makeReady(lane: Lane): void {
    const { account } = lane;
    const name = groupNameOf(lane);
    const group = account.groups.get(name) ?? { account, name, scheduler: new Set(), oldestNext: false };
    group.scheduler.add(lane);
    lane.isReady = true;
    this.#later.remove(lane);
    account.groups.set(name, group);
    this.#ready.set(account.id, account);
  }

  #leaveGroup(lane: Lane): void {
    const { groups } = lane.account;
    const group = groups.get(groupNameOf(lane));
    lane.isReady = false;
    if (group?.scheduler.delete(lane) && group.scheduler.size === 0) groups.delete(group.name);
  }
}

/** The group's lane that goes next; null when there is none or it is not admitted. */
export function laneOf(group: Group, budget: Admission): Lane | null {
  return budget.admitsGroup(group) ? firstOf(group.scheduler, budget.admitsLane) : null;
}

function firstOf<T>(things: Iterable<T>, isIt: (thing: T) => boolean): T | null {
  for (const thing of things) if (isIt(thing)) return thing;
  return null;
}

function goLast({ account, name }: Group): void {
  const group = account.groups.get(name);
  if (group !== undefined && account.groups.delete(name)) account.groups.set(name, group);
}

/** Keeps the account's list in the order of acceptance, which is nearly the order of the calls. */
function noteFresh(entry: Fresh): void {
  const { fresh } = entry.lane.account;
  let at = fresh.length;
  for (; at > 0; at -= 1) {
    const before = fresh[at - 1] as Fresh;
    if (before.acceptedMs === entry.acceptedMs && before.lane === entry.lane) return;
    if (before.acceptedMs < entry.acceptedMs) break;
  }
  fresh.splice(at, 0, entry);
  if (fresh.length > NEWEST_MAX) fresh.shift();
}
