/**
 * What the attempts under way count as. Attempts at destinations that are known to answer promptly use the fair shares of their
 * accounts, as long as they do not wait. All others, first contacts above all, use their own pools, and so do probes of closed
 * destinations: hosts that hang hold only places of the pools, however many they are. Fresh mail (spool/scheduler/fresh-domains.ts)
 * has a pool apart, so that a live message finds a place beside any number of hosts that hang. promptness.ts decides which
 * destinations are prompt, contact-windows.ts how many first contacts begin at once. Times are of the monotonic clock.
 */
import type { ClaimRequest, DeliveryJob } from "../../spool/port/mail.ts";
import { AccountCounts } from "./account-counts.ts";
import { type AccountLimits, ContactPool } from "./contact-pool.ts";
import { ContactWindows, FRESH_COUNTS_MS, freshSize } from "./contact-windows.ts";
import { accountShares } from "./fair-share.ts";
import type { LoadSignal } from "./load-signal.ts";
import { Promptness } from "./promptness.ts";

/** The limits of a claim by account. */
export type LaneLimits = Required<Pick<ClaimRequest, "limit" | "perAccount" | "accountAllowance">> &
  Pick<ClaimRequest, "firstContacts">;

/** An attempt waits once it has lasted so long: for a look-up, a connection, a greeting or a reply. */
export const WAITS_AFTER_MS = 3000;

/**
 * The part of that time that a destination itself has taken before it counts as late: the rest may have been look-ups, and the servers
 * of a recipient domain must not make a destination of others' mail late.
 */
const OWN_WAIT_MS = WAITS_AFTER_MS / 2;

/** A first contact is answered soon if it is until then. Its account may begin fewer at once if it is not. */
const SOON_MS = 1000;

/** Attempts under way that wait or may wait, of all accounts: those at fresh domains, and all others. */
const FRESH_MAX = 400;
const POOL_MAX = 600;

/**
 * Attempts that have sent their content and wait for the reply, outside the pools: they cost a connection, and no look-up or step
 * more. Beyond this, they hold the places of the pools that they had.
 */
const AT_DOT_MAX = 1500;

/** The number of an account's attempts in the pools from which on its first attempts at messages are brief (timeouts.ts). */
const BRIEF_FROM = 64;

/** Attempts that left the fair shares because they wait. Beyond this, they stay there. */
const LATE_MAX = 500;

/** With fewer first contacts left to an account, claims are told which mail is none. */
const CONTACTS_TIGHT = 8;

/** `fresh` and `contact` are in the pools, `dot` has left them at the final dot, `late` has left the shares. */
type Lane = "share" | "fresh" | "contact" | "dot" | "late";

export class AttemptLanes {
  readonly #max: number;
  readonly #promptness = new Promptness();
  readonly #windows = new ContactWindows();
  readonly #share = new AccountCounts();
  readonly #fresh = new ContactPool(FRESH_MAX, (_, places) => freshSize(places));
  readonly #pool = new ContactPool(POOL_MAX, (accountId, places) => this.#windows.size(accountId, places));
  #late = 0;
  #atDot = 0;
  /** Whether the last limits kept an account from beginning attempts. */
  #isTight = false;
  /** In the order in which they begin to wait, nearly. */
  readonly #inShare = new Set<LanedAttempt>();
  /** In the pools, until they are not answered soon, and then until they wait. */
  readonly #unanswered = new Set<LanedAttempt>();
  readonly #waiting = new Set<LanedAttempt>();

  /** `max`: attempts in all fair shares. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Attempts in the fair shares. */
  get inShares(): number {
    return this.#share.total;
  }

  /** The attempts of each account in its fair share. */
  get sharesUsed(): ReadonlyMap<string, number> {
    return this.#share.counts;
  }

  /** Counts a job that was claimed. */
  begin(job: Pick<DeliveryJob, "accountId" | "domain" | "isFresh">, nowMs: number): LanedAttempt {
    const { accountId, domain } = job;
    const isFresh = job.isFresh === true && this.#fresh.leftOf(accountId) > 0;
    const isBrief = this.#fresh.usedBy(accountId) + this.#pool.usedBy(accountId) >= BRIEF_FROM;
    const attempt = new LanedAttempt({ accountId, domain, beganMs: nowMs, isBrief });
    this.#enter(attempt, this.#promptness.goesToPrompt(domain) ? "share" : isFresh ? "fresh" : "contact");
    return attempt;
  }

  /** The destination of the attempt's mail is known now. */
  route(attempt: LanedAttempt, destination: string, nowMs: number): void {
    attempt.destination = destination;
    attempt.routedMs = nowMs;
    this.#promptness.note(attempt.domain, destination);
    const isPrompt = this.#promptness.isPrompt(destination);
    if (isPrompt && attempt.isPooled) this.#move(attempt, "share");
    else if (!isPrompt && attempt.lane === "share") this.#move(attempt, "contact");
  }

  /** The attempt waits for the reply to a final dot. Returns whether that makes a place free that others wait for. */
  sentDot(attempt: LanedAttempt): boolean {
    if (!attempt.isPooled || this.#atDot >= AT_DOT_MAX) return false;
    this.#poolOf(attempt).leave(attempt);
    attempt.lane = "dot";
    this.#atDot += 1;
    return this.#isTight;
  }

  /** The attempt has a result. */
  answer(attempt: LanedAttempt, signal: LoadSignal, nowMs: number): void {
    const { destination, accountId, beganMs } = attempt;
    const tookMs = nowMs - beganMs;
    if (tookMs < SOON_MS && attempt.isContact) this.#windows.grow(accountId);
    if (destination === null) return;
    if (signal === "refused") this.#promptness.addLate(destination);
    else if (signal === "accepted" && tookMs < WAITS_AFTER_MS) {
      this.#promptness.addPrompt(destination);
      this.#promptness.note(attempt.domain, destination);
    } else if (nowMs - attempt.routedMs >= WAITS_AFTER_MS) this.#noteLate(attempt, nowMs);
  }

  end(attempt: LanedAttempt): void {
    this.#leave(attempt);
  }

  /** What a claim may return. */
  limits(nowMs: number): LaneLimits {
    this.#advance(nowMs);
    const free = Math.max(0, this.#max - this.#share.total);
    const shares = { limit: free, ...accountShares(this.#share.counts, free) };
    const contacts = this.#pool.left();
    const areContactsTight = leastOf(contacts) < CONTACTS_TIGHT;
    this.#isTight = areContactsTight || leastOf(shares) === 0;
    if (!areContactsTight) return { limit: free, ...lesserOf(shares, contacts) };
    // A destination that was prompt once passes those of which nothing is known, as long as the pool has many places.
    const prompt = this.#promptness.names({ alive: this.#pool.used < POOL_MAX / 2 });
    return { ...shares, firstContacts: { prompt, ...contacts, fresh: this.#fresh.left() } };
  }

  /** When a claim may return more without the end of an attempt; null if that is not to be expected. */
  nextChangeMs(): number | null {
    if (!this.#isTight) return null;
    const [inShare] = this.#inShare;
    const waits = inShare !== undefined && this.#late < LATE_MAX ? inShare.beganMs + WAITS_AFTER_MS : null;
    const moments = [waits, this.#pool.nextMs(), this.#fresh.nextMs()].filter((ms) => ms !== null);
    return moments.length === 0 ? null : Math.min(...moments);
  }

  /** Moves the attempts that have lasted long enough. */
  #advance(nowMs: number): void {
    for (const attempt of this.#inShare) {
      if (nowMs < attempt.beganMs + WAITS_AFTER_MS) break;
      this.#noteLate(attempt, nowMs);
      if (this.#late < LATE_MAX) this.#move(attempt, "late");
    }
    this.#pool.advance(nowMs);
    this.#fresh.advance(nowMs);
    for (const attempt of this.#unanswered) {
      const { accountId, beganMs } = attempt;
      if (nowMs < beganMs + SOON_MS) break;
      this.#unanswered.delete(attempt);
      this.#windows.shrink(accountId, { beganMs, nowMs });
      this.#waiting.add(attempt);
    }
    for (const attempt of this.#waiting) {
      if (nowMs < attempt.beganMs + WAITS_AFTER_MS) break;
      this.#waiting.delete(attempt);
      this.#noteLate(attempt, nowMs);
    }
  }

  /** The attempt waits, unless that is for its look-ups. */
  #noteLate(attempt: LanedAttempt, nowMs: number): void {
    const { destination, routedMs } = attempt;
    if (attempt.isLate || destination === null || nowMs - routedMs < OWN_WAIT_MS) return;
    attempt.isLate = true;
    this.#promptness.addLate(destination);
  }

  #poolOf({ lane }: LanedAttempt): ContactPool {
    return lane === "fresh" ? this.#fresh : this.#pool;
  }

  #move(attempt: LanedAttempt, lane: Lane): void {
    this.#leave(attempt);
    this.#enter(attempt, lane);
  }

  #enter(attempt: LanedAttempt, lane: Lane): void {
    const { accountId, beganMs } = attempt;
    attempt.lane = lane;
    if (lane === "share") {
      this.#share.add(accountId, 1);
      this.#inShare.add(attempt);
    }
    if (lane === "late") this.#late += 1;
    if (lane === "fresh") this.#fresh.enter(attempt, beganMs + FRESH_COUNTS_MS);
    if (lane === "contact") this.#pool.enter(attempt, beganMs + this.#windows.countsMs(this.#pool.placesOf(accountId)));
    if (attempt.isPooled) this.#unanswered.add(attempt);
  }

  #leave(attempt: LanedAttempt): void {
    const { lane, accountId } = attempt;
    if (lane === "share") this.#share.add(accountId, -1);
    if (lane === "late") this.#late -= 1;
    if (lane === "dot") this.#atDot -= 1;
    if (attempt.isPooled) this.#poolOf(attempt).leave(attempt);
    this.#inShare.delete(attempt);
    this.#unanswered.delete(attempt);
    this.#waiting.delete(attempt);
  }
}

/** An attempt under way, from its claim on. */
export class LanedAttempt {
  readonly accountId: string;
  readonly domain: string;
  readonly beganMs: number;
  /** Null until it is known. */
  destination: string | null = null;
  /** When it became known. */
  routedMs = Number.POSITIVE_INFINITY;
  lane: Lane = "contact";
  /** As one that begins. */
  countsUntilMs = 0;
  /** Whether its destination is known to have it wait. */
  isLate = false;

  readonly #isBrief: boolean;

  constructor(began: { accountId: string; domain: string; beganMs: number; isBrief: boolean }) {
    this.accountId = began.accountId;
    this.domain = began.domain;
    this.beganMs = began.beganMs;
    this.#isBrief = began.isBrief;
  }

  get isPooled(): boolean {
    return this.lane === "contact" || this.lane === "fresh";
  }

  /** Whether it is in a pool, or was until its final dot. */
  get isContact(): boolean {
    return this.isPooled || this.lane === "dot";
  }

  /** Whether the attempt, if it is the first one at its message, has little time for each step, because many others wait. */
  get isBrief(): boolean {
    return this.#isBrief && this.isPooled;
  }
}

const leastOf = ({ perAccount, accountAllowance }: AccountLimits): number =>
  Math.min(perAccount, ...Object.values(accountAllowance));

/** Both limits: an account that has an allowance in only one of them has the other's default. */
function lesserOf(a: AccountLimits, b: AccountLimits): AccountLimits {
  const accountAllowance: Record<string, number> = {};
  for (const id of new Set([...Object.keys(a.accountAllowance), ...Object.keys(b.accountAllowance)]))
    accountAllowance[id] = Math.min(a.accountAllowance[id] ?? a.perAccount, b.accountAllowance[id] ?? b.perAccount);
  return { perAccount: Math.min(a.perAccount, b.perAccount), accountAllowance };
}
