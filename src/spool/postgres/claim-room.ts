/**
 * How many more jobs a claim may lease from the database: only what the claim's limits allow to be attempted, and a few ahead.
 * What the node holds counts, and so does what the claim has returned.
 */
import type { ClaimRequest } from "../port/mail.ts";
import type { DomainDestinations } from "./domain-destinations.ts";

/** Jobs beyond the limit of a recipient domain or destination that has one of its own, which may be small. */
const AHEAD = 8;

export interface RoomParts {
  request: Pick<ClaimRequest, "allowance" | "perDomain">;
  destinations: Pick<DomainDestinations, "of">;
  /** Recipient domains of the jobs that count, with their number. Is called once, when the room is first needed. */
  held: () => Iterable<readonly [domain: string, jobs: number]>;
}

export class ClaimRoom {
  readonly #parts: RoomParts;
  /** What is left by recipient domain and by destination; both apply. */
  readonly #left = new Map<string, number>();
  #held: ReadonlyMap<string, number> | null = null;

  constructor(parts: RoomParts) {
    this.#parts = parts;
  }

  /** How many jobs of a recipient domain may be leased. Domains of one destination share its limit. */
  of(domain: string): number {
    const left = this.#leftOf(domain);
    const destination = this.#destinationOf(domain);
    return Math.max(0, destination === null ? left : Math.min(left, this.#leftOf(destination)));
  }

  /** Counts jobs of a recipient domain that are leased; less than 0 if they are not leased after all. */
  take(domain: string, jobs: number): void {
    this.#left.set(domain, this.#leftOf(domain) - jobs);
    const destination = this.#destinationOf(domain);
    if (destination !== null) this.#left.set(destination, this.#leftOf(destination) - jobs);
  }

  /** Null if it is not known, or is named as the domain. */
  #destinationOf(domain: string): string | null {
    const destination = this.#parts.destinations.of(domain);
    return destination === domain ? null : destination;
  }

  #leftOf(name: string): number {
    const known = this.#left.get(name);
    if (known !== undefined) return known;
    const { allowance, perDomain } = this.#parts.request;
    const own = allowance[name];
    const left = (own ?? perDomain) - (this.#counted().get(name) ?? 0);
    const room = left > 0 && own !== undefined ? left + AHEAD : left;
    this.#left.set(name, room);
    return room;
  }

  #counted(): ReadonlyMap<string, number> {
    if (this.#held !== null) return this.#held;
    const counted = new Map<string, number>();
    const count = (name: string, jobs: number) => counted.set(name, (counted.get(name) ?? 0) + jobs);
    for (const [domain, jobs] of this.#parts.held()) {
      count(domain, jobs);
      const destination = this.#destinationOf(domain);
      if (destination !== null) count(destination, jobs);
    }
    this.#held = counted;
    return counted;
  }
}
