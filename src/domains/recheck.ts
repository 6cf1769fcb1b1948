/**
 * Checks bound domains again when they fall due, for as long as the service runs.
 * Decides which domain is checked next and how many at once; what a check finds is verify.ts's business.
 * Accounts take turns and each has few checks under way: many domains, or DNS that never answers, delay their own account only.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { Domain } from "../spool/port/domains.ts";
import type { CheckContext } from "./check.ts";
import { Sleep } from "./sleep.ts";
import { SOON_MS } from "./standing.ts";
import { verifyDomain } from "./verify.ts";

/** Domains added by another process are found after this long. */
const SLEEP_MAX_MS = 60_000;
/** The shortest time between two reads that find nothing to start. */
const SLEEP_MIN_MS = 1000;
const AT_ONCE = 16;
const PER_ACCOUNT = 2;
/** Domains in one read. Domains under way are still due, so this is more than the free places of an account and in all. */
const READ_PER_ACCOUNT = 4 * PER_ACCOUNT;
const READ_MAX = 4 * AT_ONCE;
/** How long a read is used: after it, domains that fell due meanwhile get their turn. */
const READ_KEPT_MS = 1000;

export interface Rechecking {
  registry: Pick<Registry, "domainsDue" | "nextDomainCheckMs" | "saveChecks">;
  context: CheckContext;
  clock: Clock;
  log: Logger;
}

interface UnderWay {
  accountId: string;
  ended: Promise<void>;
}

/** The scheduler of checks. Trouble with one domain, or with the registry, is logged and never ends it. */
export class Rechecks {
  readonly #rechecking: Rechecking;
  readonly #sleep: Sleep;
  /** By the domain's id. */
  readonly #underWay = new Map<string, UnderWay>();
  /** Read and not started yet, in the order of their turns. */
  #due: Domain[] = [];
  /** By the monotonic clock. */
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Places that stay taken for a while, see #rest. */
  readonly #rests = new Set<Sleep>();
  /** The account whose turn was last. */
  #lastAccountId = "";
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #abandoned = false;

  constructor(rechecking: Rechecking) {
    this.#rechecking = rechecking;
    this.#sleep = new Sleep(rechecking.clock);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Looks for due domains now, such as one that was just bound. */
  wake(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY;
    this.#sleep.end();
  }

  /** Starts no more checks. Resolves once those under way have ended, or after `limitMs`; what ends later is not stored. */
  async stop(limitMs: number): Promise<void> {
    this.#stopped = true;
    for (const sleep of [this.#sleep, ...this.#rests]) sleep.end();
    await this.#running;
    const limit = new Sleep(this.#rechecking.clock);
    const ended = Promise.all([...this.#underWay.values()].map((check) => check.ended));
    await Promise.race([ended, limit.for(limitMs)]);
    limit.end();
    this.#abandoned = true;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) await this.#sleep.for(await this.#startDue());
  }

  /** Starts the checks that are due and have a place. Returns how long to sleep unless a check ends before. */
  async #startDue(): Promise<number> {
    const { registry, clock, log } = this.#rechecking;
    try {
      if (clock.monotonicMs() - this.#readAtMs >= READ_KEPT_MS) this.#due = [];
      if (this.#startWhatMay()) return SLEEP_MIN_MS;
      if (this.#underWay.size === AT_ONCE) return SLEEP_MAX_MS;
      this.#due = await this.#read();
      if (this.#startWhatMay()) return SLEEP_MIN_MS;
      const nextMs = (await registry.nextDomainCheckMs()) ?? Number.POSITIVE_INFINITY;
      return Math.min(Math.max(nextMs - clock.now(), SLEEP_MIN_MS), SLEEP_MAX_MS);
    } catch (error) {
      log.warn({ err: error }, "due domains could not be read");
      return SLEEP_MAX_MS;
    }
  }

  /** The due domains that are not under way. */
  async #read(): Promise<Domain[]> {
    const { registry, clock } = this.#rechecking;
    // A check that ends during the read may be due in it still.
    const underWay = new Set(this.#underWay.keys());
    this.#readAtMs = clock.monotonicMs();
    const due = await registry.domainsDue({
      nowMs: clock.now(),
      afterAccountId: this.#lastAccountId,
      perAccount: READ_PER_ACCOUNT,
      limit: READ_MAX,
    });
    return due.filter(({ id }) => !underWay.has(id));
  }

  /** Returns whether it started any. */
  #startWhatMay(): boolean {
    const rest: Domain[] = [];
    for (const domain of this.#due) {
      if (this.#mayStart(domain)) this.#begin(domain);
      else rest.push(domain);
    }
    const started = rest.length < this.#due.length;
    this.#due = rest;
    return started;
  }

  #mayStart({ accountId }: Domain): boolean {
    if (this.#stopped || this.#underWay.size === AT_ONCE) return false;
    const ofAccount = [...this.#underWay.values()].filter((check) => check.accountId === accountId);
    return ofAccount.length < PER_ACCOUNT;
  }

  #begin(domain: Domain): void {
    this.#lastAccountId = domain.accountId;
    const ended = this.#check(domain).finally(() => {
      this.#underWay.delete(domain.id);
      this.#sleep.end();
    });
    this.#underWay.set(domain.id, { accountId: domain.accountId, ended });
  }

  async #check(domain: Domain): Promise<void> {
    const { registry, context, clock, log } = this.#rechecking;
    try {
      const { checks, verified, nextCheckAtMs } = await verifyDomain(domain, context, clock.now());
      if (this.#abandoned) return;
      await registry.saveChecks(domain.id, checks, verified, nextCheckAtMs);
      if (verified !== domain.verified) log.info({ domain: domain.name, verified }, "domain's standing changed");
    } catch (error) {
      log.error({ err: error, domain: domain.name }, "domain could not be checked");
      await this.#postpone(domain);
    }
  }

  /** A domain that cannot be checked must not stay in front of its account's others. */
  async #postpone(domain: Domain): Promise<void> {
    const { registry, clock, log } = this.#rechecking;
    try {
      await registry.saveChecks(domain.id, domain.checks, domain.verified, clock.now() + SOON_MS);
    } catch (error) {
      log.warn({ err: error, domain: domain.name }, "domain's next check could not be postponed");
      await this.#rest();
    }
  }

  /** Keeps a place taken for a while: what could not be stored is due at once, and would be checked without end. */
  async #rest(): Promise<void> {
    const rest = new Sleep(this.#rechecking.clock);
    this.#rests.add(rest);
    if (!this.#stopped) await rest.for(SLEEP_MAX_MS);
    this.#rests.delete(rest);
  }
}
