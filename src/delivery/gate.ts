/**
 * Who may start an attempt: recipient domains mapped to their destinations, and the destinations' windows. Tells the
 * claim how much of each domain is welcome, so that what cannot start stays in the spool; of a destination that has been
 * closed for long, its mail is claimed and put off instead, so that its schedule and its age go on.
 */
import { type Clock, rfc3339 } from "../clock.ts";
import type { Closed, Destinations, Slot } from "./destinations.ts";
import type { LoadSignal } from "./load-signal.ts";

export interface GateParts {
  destinations: Destinations;
  /** The destination of a recipient domain; null when there is none to overload (no such domain, DNS in trouble). */
  destinationOf: (domain: string) => Promise<string | null>;
}

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

interface Mapping {
  destination: string;
  /** By the monotonic clock, as all times here. */
  untilMs: number;
}

/** MX records change seldom; an old mapping only means that the wrong window was asked. */
const MAPPING_KEPT_MS = 600_000;
const MAPPINGS_MAX = 50_000;

/** Narrow destinations told to each claim while they have no attempts; of more, some works come only to be given back. */
const NARROW_MAX = 200;

/** Closed destinations whose mail waits in the spool, as each claim must be told of them; the others' is put off. */
const WAITED_FOR_MAX = 200;

export class Gate {
  #parts: GateParts;
  #mappings = new Map<string, Mapping>();
  /** How many attempts each recipient domain has under way, of the destinations that have any. */
  #active = new Map<string, Map<string, number>>();
  /** Destinations that were full and may get less than one of which nothing is known. */
  #narrow = new Set<string>();
  /** Closed destinations whose mail waits in the spool. */
  #waitedFor = new Set<string>();
  /** Works whose destination is being looked up, by domain. */
  #lookedUp = new Map<string, number>();

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /**
   * How many works of each destination may be claimed now, and of each recipient domain that has attempts under way. The
   * spool learns what other domains belong to a full destination when their works are given back.
   */
  allowances(nowMs: number): Allowances {
    const { destinations } = this.#parts;
    const allowance: Record<string, number> = {};
    for (const destination of this.#narrow) {
      const room = destinations.room(destination, nowMs);
      if (room < destinations.start) allowance[destination] = room;
      else this.#narrow.delete(destination);
    }
    for (const destination of this.#waitedFor) {
      const closed = destinations.closed(destination, nowMs);
      if (closed === null) this.#rememberNarrow(destination);
      if (closed === null || closed.isLong) this.#waitedFor.delete(destination);
      else allowance[destination] = destinations.room(destination, nowMs);
    }
    for (const [destination, domains] of this.#active) {
      const room = this.#welcome(destination, nowMs);
      allowance[destination] = room;
      for (const domain of domains.keys()) {
        if (this.#known(domain, nowMs) === destination) allowance[domain] = room;
      }
    }
    for (const [domain, works] of this.#lookedUp) allowance[domain] = Math.max(0, destinations.start - works);
    return { perDomain: destinations.start, allowance };
  }

  /** When a destination whose mail waits may next be probed; null when there is none, or the moment has come already. */
  nextProbeMs(nowMs: number): number | null {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const destination of this.#waitedFor) {
      const probeAtMs = this.#parts.destinations.closed(destination, nowMs)?.probeAtMs ?? nowMs;
      if (probeAtMs > nowMs) nextMs = Math.min(nextMs, probeAtMs);
    }
    return nextMs === Number.POSITIVE_INFINITY ? null : nextMs;
  }

  /** A known destination's place is taken before this returns. */
  async enter(domain: string, nowMs: number): Promise<Pass | Full | PutOff> {
    const known = this.#known(domain, nowMs);
    if (known !== null) return this.#take(known, domain, nowMs);
    // Counted until the place is taken, so that no claim in between sees it free.
    count(this.#lookedUp, domain, 1);
    const found = await this.#parts.destinationOf(domain);
    if (found !== null) this.#learn(domain, { destination: found, untilMs: nowMs + MAPPING_KEPT_MS });
    // DNS in trouble now may be well a moment later, in the attempt: an old destination bounds that better than none.
    const destination = found ?? this.#mappings.get(domain)?.destination ?? null;
    const entered: Pass | Full | PutOff =
      destination === null ? { type: "pass", domain, slot: null } : this.#take(destination, domain, nowMs);
    count(this.#lookedUp, domain, -1);
    return entered;
  }

  /** An attempt found the domain's mail to go there now. */
  moved(domain: string, destination: string, nowMs: number): void {
    this.#learn(domain, { destination, untilMs: nowMs + MAPPING_KEPT_MS });
  }

  leave({ slot, domain }: Pass, signal: LoadSignal, nowMs: number): void {
    if (slot === null) return;
    this.#parts.destinations.leave(slot, signal, nowMs);
    if (this.#parts.destinations.closed(slot.name, nowMs)?.isLong === false) this.#waitFor(slot.name);
    const domains = this.#active.get(slot.name);
    if (domains === undefined) return;
    count(domains, domain, -1);
    if (domains.size === 0) this.#active.delete(slot.name);
  }

  #known(domain: string, nowMs: number): string | null {
    const mapping = this.#mappings.get(domain);
    return mapping !== undefined && nowMs < mapping.untilMs ? mapping.destination : null;
  }

  /** How many works of a destination a claim may bring. */
  #welcome(destination: string, nowMs: number): number {
    const { destinations } = this.#parts;
    const isLong = destinations.closed(destination, nowMs)?.isLong === true;
    return isLong ? destinations.start : destinations.room(destination, nowMs);
  }

  #take(destination: string, domain: string, nowMs: number): Pass | Full | PutOff {
    const { destinations } = this.#parts;
    const slot = destinations.enter(destination, nowMs);
    if (slot === null) return this.#turnAway(destination, destinations.closed(destination, nowMs));
    const domains = this.#active.get(destination) ?? new Map<string, number>();
    this.#active.set(destination, domains);
    count(domains, domain, 1);
    return { type: "pass", domain, slot };
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

  #learn(domain: string, mapping: Mapping): void {
    this.#mappings.delete(domain);
    this.#mappings.set(domain, mapping);
    const [oldest] = this.#mappings.keys();
    if (this.#mappings.size > MAPPINGS_MAX && oldest !== undefined) this.#mappings.delete(oldest);
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
