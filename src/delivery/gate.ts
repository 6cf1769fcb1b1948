/**
 * Who may start an attempt: recipient domains mapped to their destinations, and the destinations' windows. Tells the
 * claim how much of each domain is welcome, so that what cannot start stays in the spool.
 */
import type { Destinations, Signal, Slot } from "./destinations.ts";

export interface GateParts {
  destinations: Destinations;
  /** The destination of a recipient domain; null when there is none to overload (no such domain, DNS in trouble). */
  destinationOf: (domain: string) => Promise<string | null>;
}

/** To be given back with `leave`. A null slot belongs to no destination. */
export interface Pass {
  slot: Slot | null;
}

/** What a claim needs to know; see ClaimRequest in the spool's port. */
export interface Allowances {
  perDomain: number;
  allowance: Record<string, number>;
}

interface Mapping {
  destination: string;
  untilMs: number;
}

/** MX records change seldom; an old mapping only means that the wrong window was asked. */
const MAPPING_KEPT_MS = 600_000;
const MAPPINGS_MAX = 50_000;

export class Gate {
  #parts: GateParts;
  #mappings = new Map<string, Mapping>();
  /** Recipient domains of the destinations that have attempts under way. */
  #active = new Map<string, Set<string>>();
  /** Works whose destination is being looked up, by domain. */
  #lookedUp = new Map<string, number>();

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** How many works of each domain may be claimed now. */
  allowances(nowMs: number): Allowances {
    const allowance: Record<string, number> = {};
    for (const [destination, domains] of this.#active) {
      const room = this.#parts.destinations.room(destination);
      for (const domain of domains) {
        if (this.#known(domain, nowMs) === destination) allowance[domain] = room;
      }
    }
    for (const [domain, count] of this.#lookedUp)
      allowance[domain] = Math.max(0, this.#parts.destinations.start - count);
    return { perDomain: this.#parts.destinations.start, allowance };
  }

  /** A pass, or null when the destination is full. A known destination's place is taken before this returns. */
  async enter(domain: string, nowMs: number): Promise<Pass | null> {
    const known = this.#known(domain, nowMs);
    if (known !== null) return this.#take(known, domain, nowMs);
    // Counted until the place is taken, so that no claim in between sees it free.
    this.#countLookUp(domain, 1);
    const destination = await this.#parts.destinationOf(domain);
    if (destination !== null) this.#learn(domain, { destination, untilMs: nowMs + MAPPING_KEPT_MS });
    const pass = destination === null ? { slot: null } : this.#take(destination, domain, nowMs);
    this.#countLookUp(domain, -1);
    return pass;
  }

  leave({ slot }: Pass, signal: Signal, nowMs: number): void {
    if (slot === null) return;
    const { destinations } = this.#parts;
    destinations.leave(slot, signal, nowMs);
    if (destinations.isIdle(slot.name)) this.#active.delete(slot.name);
  }

  #known(domain: string, nowMs: number): string | null {
    const mapping = this.#mappings.get(domain);
    return mapping !== undefined && nowMs < mapping.untilMs ? mapping.destination : null;
  }

  #take(destination: string, domain: string, nowMs: number): Pass | null {
    const slot = this.#parts.destinations.enter(destination, nowMs);
    this.#active.set(destination, (this.#active.get(destination) ?? new Set()).add(domain));
    return slot === null ? null : { slot };
  }

  #countLookUp(domain: string, change: 1 | -1): void {
    const count = (this.#lookedUp.get(domain) ?? 0) + change;
    if (count === 0) this.#lookedUp.delete(domain);
    else this.#lookedUp.set(domain, count);
  }

  #learn(domain: string, mapping: Mapping): void {
    this.#mappings.delete(domain);
    this.#mappings.set(domain, mapping);
    const [oldest] = this.#mappings.keys();
    if (this.#mappings.size > MAPPINGS_MAX && oldest !== undefined) this.#mappings.delete(oldest);
  }
}
