/**
 * How many more jobs a claim may lease from the database: only what the claim's limits allow to be attempted, and a few ahead.
 * What the node holds counts, and so does what the claim has returned.
 */
import type { ClaimRequest } from "../../../port/mail.ts";
import type { DomainDestinations } from "./domain-destinations.ts";
import type { QueueName } from "./due-queues.ts";

/** Jobs beyond the limit of a recipient domain or destination that has one of its own, which may be small. */
const AHEAD = 8;

export interface RoomParts {
  request: Pick<ClaimRequest, "allowance" | "perDomain" | "firstContacts">;
  destinations: Pick<DomainDestinations, "of">;
  /** Recipient domains of the jobs that count, with their number. Is called once, when the room is first needed. */
  held: () => Iterable<readonly [domain: string, jobs: number]>;
}

export class ClaimRoom {
  readonly #parts: RoomParts;
  /** What is left by recipient domain and by destination; both apply. */
  readonly #left = new Map<string, number>();
  #held: ReadonlyMap<string, number> | null = null;
  /** Names that are no first contact; null if those are not limited. */
  readonly #prompt: ReadonlySet<string> | null;
  /** First contacts left by account. None is leased ahead. */
  readonly #contactsLeft: Map<string, number>;

  constructor(parts: RoomParts) {
    this.#parts = parts;
    const { firstContacts } = parts.request;
    this.#prompt = firstContacts === undefined ? null : new Set(firstContacts.prompt);
    this.#contactsLeft = new Map(Object.entries(firstContacts?.accountAllowance ?? {}));
  }

  /** How many jobs of a queue may be leased. Domains of one destination share its limit. */
  of({ accountId, domain }: QueueName): number {
    const left = this.#leftOf(domain);
    const destination = this.#destinationOf(domain);
    const ofDestination = destination === null ? left : this.#leftOf(destination);
    const contacts = this.#isFirstContact(domain) ? this.#contactsLeftOf(accountId) : Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(left, ofDestination, contacts));
  }

  /** Counts jobs of a queue that are leased; less than 0 if they are not leased after all. */
  take({ accountId, domain }: QueueName, jobs: number): void {
    if (this.#isFirstContact(domain)) this.#contactsLeft.set(accountId, this.#contactsLeftOf(accountId) - jobs);
    this.#left.set(domain, this.#leftOf(domain) - jobs);
    const destination = this.#destinationOf(domain);
    if (destination !== null) this.#left.set(destination, this.#leftOf(destination) - jobs);
  }

  #isFirstContact(domain: string): boolean {
    return this.#prompt !== null && !this.#prompt.has(this.#parts.destinations.of(domain) ?? domain);
  }

  #contactsLeftOf(accountId: string): number {
    return this.#contactsLeft.get(accountId) ?? this.#parts.request.firstContacts?.perAccount ?? 0;
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
