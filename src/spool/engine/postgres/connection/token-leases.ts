/**
 * The token buckets of a node. A node that is alone has them in memory. Once there are others, they share the buckets in the
 * database: a node takes tokens of many buckets in one statement, some in advance where it uses a bucket steadily, and returns
 * those that it does not use. Tokens of a node that dies are lost until the bucket has refilled.
 *
 * What a node has used while it was alone counts when another one joins: until it has noticed that, at the next heartbeat, both
 * may use a full bucket.
 */
import type { Clock } from "../../../../lib/clock.ts";
import type { Rate } from "../../../../lib/token-buckets.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { RateLimits, SharedBuckets } from "../../../port/token-buckets.ts";
import { LocalBuckets } from "../../../records/local-buckets.ts";
import { exchangeTokens, removeBuckets } from "./rate-buckets.ts";
import type { Session } from "./statement.ts";
import { TokenLease } from "./token-lease.ts";

/** Requests in one statement. */
const REQUESTS_MAX = 200;

export interface TokenLeasesOptions {
  database: Session;
  clock: Clock;
  /** Whether other nodes use the buckets too. */
  hasOthers: () => boolean;
}

/** The buckets of one kind. */
interface Kind {
  name: string;
  rate: Rate;
  /** Those of a node that is alone. */
  local: LocalBuckets;
  /** By name. */
  leases: Map<string, TokenLease>;
}

export class TokenLeases implements RateLimits {
  readonly #options: TokenLeasesOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #asking = new Set<TokenLease>();
  /** Whether the buckets are in memory. */
  #isAlone = false;
  #isTakingOver = false;
  #underWay: Promise<void> | null = null;

  constructor(options: TokenLeasesOptions) {
    this.#options = options;
  }

  tokenBuckets(name: string, rate: Rate): SharedBuckets {
    const kind: Kind = { name, rate, local: new LocalBuckets(rate, this.#options.clock), leases: new Map() };
    this.#kinds.set(name, kind);
    return {
      take: (bucket) => this.#take(kind, bucket),
      expect: (bucket) => this.#expect(kind, bucket),
      owe: (bucket, count) => this.#owe(kind, bucket, count),
      putBack: (bucket) => (this.#isShared() ? this.#leaseOf(kind, bucket).putBack() : kind.local.putBack(bucket)),
      secondsToToken: (bucket) => this.#secondsToToken(kind, bucket),
      status: (bucket) => this.#status(kind, bucket),
    };
  }

  /** Returns tokens that are not used, and notices when this node is alone. To be called every second. */
  async settle(): Promise<void> {
    if (!this.#isShared()) return;
    if (!this.#options.hasOthers()) return this.#becomeAlone();
    const nowMs = this.#nowMs;
    for (const { leases } of this.#kinds.values()) {
      for (const [name, lease] of leases) {
        if (lease.isForgettable(nowMs)) leases.delete(name);
        else this.#askIfNeeded(lease);
      }
    }
  }

  /** Waits for the statements under way and those that follow them. */
  async close(): Promise<void> {
    while (this.#underWay !== null) await this.#underWay;
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  async #take(kind: Kind, name: string): Promise<boolean> {
    if (!this.#isShared()) return kind.local.take(name);
    const lease = this.#leaseOf(kind, name);
    const isTaken = lease.takeHeld(this.#nowMs) ?? lease.wait();
    this.#askIfNeeded(lease);
    return isTaken;
  }

  #expect(kind: Kind, name: string): void {
    if (!this.#isShared()) return;
    const lease = this.#leaseOf(kind, name);
    lease.expect(this.#nowMs);
    this.#askIfNeeded(lease);
  }

  #owe(kind: Kind, name: string, count: number): void {
    if (!this.#isShared()) {
      kind.local.owe(name, count);
      return;
    }
    const lease = this.#leaseOf(kind, name);
    lease.owe(count, this.#nowMs);
    this.#askIfNeeded(lease);
  }

  #secondsToToken(kind: Kind, name: string): number {
    if (!this.#isShared()) return kind.local.secondsToToken(name);
    const available = kind.leases.get(name)?.available(this.#nowMs) ?? kind.rate.burst;
    return Math.max(0, (1 - available) / kind.rate.perSecond);
  }

  #status(kind: Kind, name: string): { tokens: number; fullInS: number } {
    if (!this.#isShared()) return kind.local.status(name);
    const tokens = kind.leases.get(name)?.available(this.#nowMs) ?? kind.rate.burst;
    return { tokens, fullInS: Math.ceil((kind.rate.burst - tokens) / kind.rate.perSecond) };
  }

  /** Whether the buckets are those in the database: also as soon as there is another node. */
  #isShared(): boolean {
    if (this.#isAlone && this.#options.hasOthers()) this.#beginSharing();
    return !this.#isAlone;
  }

  /** The database learns what this node has used before it grants anything. */
  #beginSharing(): void {
    this.#isAlone = false;
    const nowMs = this.#nowMs;
    for (const kind of this.#kinds.values()) {
      for (const [name, owed] of kind.local.lacking()) {
        const lease = new TokenLease({ name: fullName(kind, name), rate: kind.rate, owed }, nowMs);
        kind.leases.set(name, lease);
        this.#askIfNeeded(lease);
      }
    }
  }

  /** This node goes on with the buckets as the others have left them. */
  async #becomeAlone(): Promise<void> {
    this.#isTakingOver = true;
    try {
      await this.#underWay;
      await this.#takeOver();
    } finally {
      this.#isTakingOver = false;
      this.#askSoon();
    }
  }

  async #takeOver(): Promise<void> {
    const removed = await removeBuckets(this.#options.database);
    this.#isAlone = true;
    this.#asking.clear();
    for (const kind of this.#kinds.values()) {
      const { leases } = kind;
      const local = new LocalBuckets(kind.rate, this.#options.clock);
      kind.local = local;
      kind.leases = new Map();
      const prefix = fullName(kind, "");
      for (const { name, fullInMs } of removed) {
        if (name.startsWith(prefix)) local.owe(name.slice(prefix.length), (fullInMs / 1000) * kind.rate.perSecond);
      }
      for (const [name, lease] of leases) local.owe(name, -lease.end(() => local.take(name)));
    }
  }

  #leaseOf(kind: Kind, name: string): TokenLease {
    const lease = kind.leases.get(name) ?? new TokenLease({ name: fullName(kind, name), rate: kind.rate }, this.#nowMs);
    kind.leases.set(name, lease);
    return lease;
  }

  #askIfNeeded(lease: TokenLease): void {
    if (!lease.hasToAsk(this.#nowMs)) return;
    this.#asking.add(lease);
    this.#askSoon();
  }

  /** In the next iteration of the event loop, so that those of one iteration share a statement. */
  #askSoon(): void {
    if (this.#underWay !== null || this.#isTakingOver || this.#asking.size === 0) return;
    this.#underWay = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#ask())
      .finally(() => {
        this.#underWay = null;
        this.#askSoon();
      });
  }

  /** A failure is that of the takes which wait. */
  async #ask(): Promise<void> {
    const leases = [...this.#asking].slice(0, REQUESTS_MAX);
    for (const lease of leases) this.#asking.delete(lease);
    const requests = leases.map((lease) => lease.request(this.#nowMs));
    const byName = new Map(requests.map(({ name }, i) => [name, leases[i]]));
    try {
      for (const grant of await exchangeTokens(this.#options.database, requests)) {
        byName.get(grant.name)?.granted(grant, this.#nowMs);
      }
      for (const lease of leases) this.#askIfNeeded(lease);
    } catch (error) {
      for (const lease of leases) lease.failed(error);
      if (!(error instanceof SpoolUnavailable)) throw error;
    }
  }
}

const fullName = ({ name: kind }: Kind, name: string): string => `${kind} ${name}`;
