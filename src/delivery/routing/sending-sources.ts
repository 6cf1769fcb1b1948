/**
 * Which sending addresses a message may leave from: those of the pool of its sender domain or its account that this server has and that
 * are not paused. Without an address in the default pool, mail of that pool leaves from what the system chooses.
 */
import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { systemAddresses } from "../../dns/own-addresses.ts";
import { boundedMap } from "../../lib/bounded-map.ts";
import { isSameAddress } from "../../lib/ip-address.ts";
import { isReceiver, sourceIn, withoutSource, withSource } from "../../receivers/names.ts";
import type { DueJob } from "../../spool/port/mail.ts";
import {
  addressesOn,
  DEFAULT_POOL,
  poolOf,
  type SendingAddress,
  type SendingPlan,
} from "../../spool/port/sending-addresses.ts";

export interface SendingSourcesParts {
  /** The addresses that live nodes have, this one's included. */
  live: () => readonly string[];
  /** The addresses of this server's interfaces. */
  ownAddresses?: () => readonly string[];
}

/** Destinations whose windows are remembered. */
const DESTINATIONS_MAX = 10_000;

export class SendingSources {
  readonly #parts: SendingSourcesParts;
  #plan: SendingPlan = { addresses: [], pools: [] };
  /** The addresses of the plan that this server has, and those of them that are not paused. */
  #own: readonly SendingAddress[] = [];
  #usable: readonly SendingAddress[] = [];
  #names = boundedMap<string[]>(DESTINATIONS_MAX);

  constructor(parts: SendingSourcesParts) {
    this.#parts = parts;
  }

  /** Replaces the plan, and looks again which of its addresses this server has. */
  set(plan: SendingPlan): void {
    const here = plan.addresses.length === 0 ? [] : (this.#parts.ownAddresses ?? systemAddresses)();
    const own = addressesOn(here, plan);
    const isSame = JSON.stringify([plan, own]) === JSON.stringify([this.#plan, this.#own]);
    if (isSame) return;
    this.#plan = plan;
    this.#own = own;
    this.#usable = own.filter(({ isPaused }) => !isPaused);
    this.#names = boundedMap<string[]>(DESTINATIONS_MAX);
  }

  /** The addresses of the plan that this server has, paused ones too. */
  get own(): readonly SendingAddress[] {
    return this.#own;
  }

  /** The destination as the mail of a job's pool has it: claims and windows keep pools apart. */
  destinationFor(job: Pick<DueJob, "accountId" | "from" | "tags">, destination: string): string {
    if (this.#isEmpty || !isReceiver(destination)) return destination;
    const domain = job.from.slice(job.from.lastIndexOf("@") + 1);
    const pool = poolOf(this.#plan.pools, { domain, accountId: job.accountId, tags: job.tags });
    return pool === DEFAULT_POOL ? destination : withSource(destination, pool);
  }

  /** As WindowNames has it. */
  readonly windowsOf = (destination: string): readonly string[] | null => {
    if (this.#isEmpty || !isReceiver(destination)) return null;
    const pool = sourceIn(destination) ?? DEFAULT_POOL;
    if (pool === DEFAULT_POOL && !this.#hasAddresses(pool)) return null;
    const known = this.#names.peek(destination);
    if (known !== undefined) return known;
    const receivers = withoutSource(destination);
    const addresses = inOrderFor(
      receivers,
      this.#usable.filter((address) => address.pool === pool),
    );
    const names = addresses.map(({ ip }) => withSource(receivers, ip));
    this.#names.set(destination, names);
    return names;
  };

  /** As WindowNames has it. */
  readonly windowsElsewhere = (destination: string): string[] => {
    const pool = sourceIn(destination) ?? DEFAULT_POOL;
    const live = this.#parts.live();
    return this.#plan.addresses
      .filter((each) => each.pool === pool && !each.isPaused && !this.#usable.includes(each))
      .filter(({ ip }) => live.some((each) => isSameAddress(each, ip)))
      .map(({ ip }) => withSource(withoutSource(destination), ip));
  };

  /** Whether mail of one account leaves from several pools, which queues of mail do not keep apart. */
  readonly hasMixedQueues = (destination: string): boolean =>
    this.windowsOf(destination) !== null &&
    this.#plan.pools.some(({ domains, tags }) => domains.length + tags.length > 0);

  /** Whether mail for one recipient domain may leave from the addresses of several pools. */
  get hasPools(): boolean {
    return this.#plan.pools.length > 0;
  }

  /** Whether a window is of no address, or of one that may be used. */
  readonly isInUse = (window: string): boolean => sourceIn(window) === null || this.addressOf(window) !== null;

  /** The address of a window; null where the system chooses. */
  addressOf(window: string | undefined): SendingAddress | null {
    const ip = window === undefined ? null : sourceIn(window);
    return this.#usable.find((address) => address.ip === ip) ?? null;
  }

  get #isEmpty(): boolean {
    return this.#plan.addresses.length === 0 && this.#plan.pools.length === 0;
  }

  #hasAddresses(pool: string): boolean {
    return this.#plan.addresses.some((address) => address.pool === pool);
  }
}

/**
 * IPv6 last, because hosts without it cannot be reached from there. Those that are warmed up come first: they get what a day allows, and the
 * others the rest. Otherwise each receiver has its own order, the same on all nodes.
 */
function inOrderFor(receivers: string, addresses: readonly SendingAddress[]): SendingAddress[] {
  const rankOf = ({ ip, warmUp }: SendingAddress): string =>
    `${isIPv6(ip) ? 1 : 0}${warmUp === null ? 1 : 0}${createHash("sha256").update(`${receivers} ${ip}`).digest("hex")}`;
  return [...addresses].sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
}
