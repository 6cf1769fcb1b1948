/**
 * Who may start an attempt, by the destinations' windows. Tells the claim how much of each destination and recipient domain
 * is welcome, so that what cannot start stays in the spool; of a destination that has been closed for long, its mail is
 * claimed and put off instead, so that its schedule and its age go on.
 */
import { type Clock, rfc3339 } from "../../lib/clock.ts";
import type { Closed, CongestionWindows, Slot } from "./congestion-window.ts";
import type { LoadSignal } from "./load-signal.ts";

/** To be given back with `leave`. A null slot belongs to no destination. */
export interface Pass {
  type: "pass";
  domain: string;
  slot: Slot | null;
}

/** The destination has no place left. */
export interface Full {
  type: "full";
  destination: string;
}

/** The destination is closed, and the work is not to wait for it. */
export interface PutOff {
  type: "put_off";
  destination: string;
  closed: Closed;
}

/** What a claim needs to know; see ClaimRequest in the spool's port. */
export interface Allowances {
  perDomain: number;
  allowance: Record<string, number>;
}

/** A work whose route and policy are being looked up. */
interface Preparing {
  domain: string;
  /** Where the domain's mail went last; null when that is not known. */
  destination: string | null;
  beganMs: number;
}

/**
 * A work that is being prepared counts as its destination's for so long. No longer, since the look-ups depend on servers that
 * the recipient domain names: they must not keep other domains' mail from a provider.
 */
const PREPARING_COUNTS_MS = 1000;

/** Domains whose last destination is known. */
const DOMAINS_MAX = 50_000;

/** Narrow destinations told to each claim while they have no attempts; of more, some works come only to be given back. */
const NARROW_MAX = 200;

/** Closed destinations whose mail waits in the spool, as each claim must be told of them; the others' is put off. */
const WAITED_FOR_MAX = 200;

export class DestinationThrottle {
  readonly #destinations: CongestionWindows;
  /** Where each domain's mail went last: a hint for claims, as each attempt finds its destination itself. */
  #last = new Map<string, string>();
  /** How many attempts each recipient domain has under way, of the destinations that have any. */
  #active = new Map<string, Map<string, number>>();
  /** Destinations that were full and may get less than one of which nothing is known. */
  #narrow = new Set<string>();
  /** Closed destinations whose mail waits in the spool. */
  #waitedFor = new Set<string>();
  #preparing = new Set<Preparing>();

  constructor(destinations: CongestionWindows) {
    this.#destinations = destinations;
  }

  /**
   * How many works of each destination may be claimed now, and of each recipient domain that has attempts under way. The
   * spool learns what other domains belong to a full destination when their works are given back.
   */
  allowances(nowMs: number): Allowances {
    const destinations = this.#destinations;
    const allowance: Record<string, number> = {};
    const expected = this.#expected(nowMs);
    const allow = (destination: string, room: number): void => {
      allowance[destination] = Math.max(0, room - (expected.get(destination) ?? 0));
    };
    for (const destination of this.#narrow) {
      const room = destinations.room(destination, nowMs);
      if (room < destinations.start) allow(destination, room);
      else this.#narrow.delete(destination);
    }
    for (const destination of this.#waitedFor) {
      const closed = destinations.closed(destination, nowMs);
      if (closed === null) this.#rememberNarrow(destination);
      if (closed === null || closed.isLong) this.#waitedFor.delete(destination);
      else allow(destination, destinations.room(destination, nowMs));
    }
    for (const destination of new Set([...this.#active.keys(), ...expected.keys()]))
      allow(destination, this.#welcome(destination, nowMs));
    for (const [destination, domains] of this.#active) {
      for (const domain of domains.keys()) {
        if (this.#last.get(domain) === destination) allowance[domain] = allowance[destination] ?? 0;
      }
    }
    this.#boundPreparing(allowance, nowMs);
    return { perDomain: destinations.start, allowance };
  }

  /** How many works that are being prepared count as each destination's. */
  #expected(nowMs: number): Map<string, number> {
    const expected = new Map<string, number>();
    for (const { destination, beganMs } of this.#preparing) {
      if (destination !== null && nowMs < beganMs + PREPARING_COUNTS_MS) count(expected, destination, 1);
    }
    return expected;
  }

  /** No domain has more works that are being prepared than its destination has room for. */
  #boundPreparing(allowance: Record<string, number>, nowMs: number): void {
    const preparing = new Map<string, number>();
    for (const { domain } of this.#preparing) count(preparing, domain, 1);
    for (const [domain, jobs] of preparing) {
      const last = this.#last.get(domain);
      const room = last === undefined ? this.#destinations.start : this.#welcome(last, nowMs);
      allowance[domain] = Math.min(allowance[domain] ?? room, Math.max(0, room - jobs));
    }
  }

  /**
   * When there may be room that no attempt's end brings: at a destination whose mail waits for a probe, or whose mail takes
   * long to prepare. Null when there is no such moment ahead.
   */
  nextRoomMs(nowMs: number): number | null {
    const moments: number[] = [];
    for (const destination of this.#waitedFor) {
      const closed = this.#destinations.closed(destination, nowMs);
      if (closed !== null) moments.push(closed.probeAtMs);
    }
    for (const { destination, beganMs } of this.#preparing)
      if (destination !== null) moments.push(beganMs + PREPARING_COUNTS_MS);
    const nextMs = Math.min(...moments.filter((ms) => ms > nowMs));
    return nextMs === Number.POSITIVE_INFINITY ? null : nextMs;
  }

  /** A work at the domain is being prepared from now on. Returns what to call when it no longer is, just before `enter`. */
  prepare(domain: string, nowMs: number): () => void {
    const preparing = { domain, destination: this.#last.get(domain) ?? null, beganMs: nowMs };
    this.#preparing.add(preparing);
    return () => void this.#preparing.delete(preparing);
  }

  /** Takes a place for mail to the domain, which goes to the destination; null for none. */
  enter(domain: string, destination: string | null, nowMs: number): Pass | Full | PutOff {
    if (destination === null) return { type: "pass", domain, slot: null };
    this.#learn(domain, destination);
    const slot = this.#destinations.enter(destination, nowMs);
    if (slot === null) return this.#turnAway(destination, this.#destinations.closed(destination, nowMs));
    const domains = this.#active.get(destination) ?? new Map<string, number>();
    this.#active.set(destination, domains);
    count(domains, domain, 1);
    return { type: "pass", domain, slot };
  }

  leave({ slot, domain }: Pass, signal: LoadSignal, nowMs: number): void {
    if (slot === null) return;
    this.#destinations.leave(slot, signal, nowMs);
    if (this.#destinations.closed(slot.name, nowMs)?.isLong === false) this.#waitFor(slot.name);
    const domains = this.#active.get(slot.name);
    if (domains === undefined) return;
    count(domains, domain, -1);
    if (domains.size === 0) this.#active.delete(slot.name);
  }

  /** How many works of a destination a claim may bring. */
  #welcome(destination: string, nowMs: number): number {
    const destinations = this.#destinations;
    const isLong = destinations.closed(destination, nowMs)?.isLong === true;
    return isLong ? destinations.start : destinations.room(destination, nowMs);
  }

  #turnAway(destination: string, closed: Closed | null): Full | PutOff {
    if (closed === null) {
      this.#rememberNarrow(destination);
      return { type: "full", destination };
    }
    const mayWait = !closed.isLong && this.#waitFor(destination);
    return mayWait ? { type: "full", destination } : { type: "put_off", destination, closed };
  }

  /** Lets a closed destination's mail wait for its next probe; returns whether it may. */
  #waitFor(destination: string): boolean {
    this.#narrow.delete(destination);
    if (!this.#waitedFor.has(destination) && this.#waitedFor.size >= WAITED_FOR_MAX) return false;
    this.#waitedFor.add(destination);
    return true;
  }

  #rememberNarrow(destination: string): void {
    this.#narrow.delete(destination);
    this.#narrow.add(destination);
    const [oldest] = this.#narrow;
    if (this.#narrow.size > NARROW_MAX && oldest !== undefined) this.#narrow.delete(oldest);
  }

  #learn(domain: string, destination: string): void {
    this.#last.delete(domain);
    this.#last.set(domain, destination);
    const [oldest] = this.#last.keys();
    if (this.#last.size > DOMAINS_MAX && oldest !== undefined) this.#last.delete(oldest);
  }
}

/** Why a work is put off. Not what the destination said last: that may name another account's recipient. */
export function putOffWords({ closed: { sinceMs, probeAtMs } }: PutOff, clock: Clock): string {
  const aheadMs = clock.now() - clock.monotonicMs();
  const [since, probe] = [sinceMs, probeAtMs].map((ms) => rfc3339(Math.round(ms + aheadMs)));
  return `not tried: the destination has refused all mail since ${since}, for rate, load or reputation; next probe from ${probe}`;
}

function count(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const changed = (counts.get(name) ?? 0) + change;
  if (changed === 0) counts.delete(name);
  else counts.set(name, changed);
}
