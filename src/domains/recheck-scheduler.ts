/**
 * Runs the checks of domains when they are due, as long as the service runs. Decides which domain is next and how many run
 * concurrently; verify.ts runs the checks. Accounts are served round-robin with few concurrent checks each: many domains, or
 * DNS servers that never answer, delay only their own account.
 */
import type { Clock } from "../lib/clock.ts";
import { InterruptibleSleep } from "../lib/interruptible-sleep.ts";
import type { Logger } from "../lib/log.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { Domain } from "../spool/port/domains.ts";
import type { CheckContext } from "./check.ts";
import { RETRY_INTERVAL_MS } from "./verification-state.ts";
import { saveVerification, verifyBound } from "./verify.ts";

/** Domains that another process adds are found after at most this long. */
const SLEEP_MAX_MS = 60_000;
/** The shortest time between two reads that find nothing to start. */
const SLEEP_MIN_MS = 1000;
const CONCURRENT_MAX = 16;
const CONCURRENT_PER_ACCOUNT = 2;
/** Domains in one read. Running domains are still due, so the limits exceed those of concurrent checks. */
const READ_PER_ACCOUNT = 4 * CONCURRENT_PER_ACCOUNT;
const READ_MAX = 4 * CONCURRENT_MAX;
/** How long a read is used; domains that fell due in the meantime are in the next one. */
const READ_TTL_MS = 1000;

export interface RecheckOptions {
  registry: Pick<Registry, "domainsDue" | "nextDomainCheckMs" | "saveChecks" | "returnPathNamed" | "saveReturnPath">;
  context: CheckContext;
  clock: Clock;
  log: Logger;
}

interface RunningCheck {
  accountId: string;
  ended: Promise<void>;
}

/** The scheduler of domain checks. Errors with one domain, or with the registry, are logged and never stop it. */
export class RecheckScheduler {
  readonly #options: RecheckOptions;
  readonly #sleep: InterruptibleSleep;
  /** By domain id. */
  readonly #running = new Map<string, RunningCheck>();
  /** Domains that were read and are not started yet, in the order to start them. */
  #due: Domain[] = [];
  /** By the monotonic clock. */
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Delays of checks whose result could not be saved, see #holdSlot. */
  readonly #holds = new Set<InterruptibleSleep>();
  /** The account whose domain was started last. */
  #lastAccountId = "";
  #loop: Promise<void> = Promise.resolve();
  #stopped = false;
  #abandoned = false;

  constructor(options: RecheckOptions) {
    this.#options = options;
    this.#sleep = new InterruptibleSleep(options.clock);
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Reads the due domains at once, for example after a domain is added. */
  wake(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY;
    this.#sleep.interrupt();
  }

  /** Starts no more checks. Resolves when the running ones have ended, or after `limitMs`; later results are not saved. */
  async stop(limitMs: number): Promise<void> {
    this.#stopped = true;
    for (const sleep of [this.#sleep, ...this.#holds]) sleep.interrupt();
    await this.#loop;
    const limit = new InterruptibleSleep(this.#options.clock);
    const ended = Promise.all([...this.#running.values()].map((check) => check.ended));
    await Promise.race([ended, limit.for(limitMs)]);
    limit.interrupt();
    this.#abandoned = true;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) await this.#sleep.for(await this.#startDue());
  }

  /** Starts the due checks that the limits allow. Returns how long to sleep unless a check ends earlier. */
  async #startDue(): Promise<number> {
    const { registry, clock, log } = this.#options;
    try {
      if (clock.monotonicMs() - this.#readAtMs >= READ_TTL_MS) this.#due = [];
      if (this.#startAllowed()) return SLEEP_MIN_MS;
      if (this.#running.size === CONCURRENT_MAX) return SLEEP_MAX_MS;
      this.#due = await this.#readDue();
      if (this.#startAllowed()) return SLEEP_MIN_MS;
      const nextMs = (await registry.nextDomainCheckMs()) ?? Number.POSITIVE_INFINITY;
      return Math.min(Math.max(nextMs - clock.now(), SLEEP_MIN_MS), SLEEP_MAX_MS);
    } catch (error) {
      log.warn({ err: error }, "reading due domains failed");
      return SLEEP_MAX_MS;
    }
  }

  /** The due domains that are not running. */
  async #readDue(): Promise<Domain[]> {
    const { registry, clock } = this.#options;
    // The read may still return a domain whose check ends during the read.
    const running = new Set(this.#running.keys());
    this.#readAtMs = clock.monotonicMs();
    const due = await registry.domainsDue({
      nowMs: clock.now(),
      afterAccountId: this.#lastAccountId,
      perAccount: READ_PER_ACCOUNT,
      limit: READ_MAX,
    });
    return due.filter(({ id }) => !running.has(id));
  }

  /** Returns whether it started any check. */
  #startAllowed(): boolean {
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
    if (this.#stopped || this.#running.size === CONCURRENT_MAX) return false;
    const ofAccount = [...this.#running.values()].filter((check) => check.accountId === accountId);
    return ofAccount.length < CONCURRENT_PER_ACCOUNT;
  }

  #begin(domain: Domain): void {
    this.#lastAccountId = domain.accountId;
    const ended = this.#check(domain).finally(() => {
      this.#running.delete(domain.id);
      this.#sleep.interrupt();
    });
    this.#running.set(domain.id, { accountId: domain.accountId, ended });
  }

  async #check(domain: Domain): Promise<void> {
    const { registry, context, clock, log } = this.#options;
    try {
      const verification = await verifyBound(registry, domain, { context, nowMs: clock.now() });
      if (this.#abandoned) return;
      await saveVerification(registry, domain.id, verification);
      const { verified } = verification;
      if (verified !== domain.verified) log.info({ domain: domain.name, verified }, "domain verification changed");
    } catch (error) {
      log.error({ err: error, domain: domain.name }, "domain check failed");
      await this.#postpone(domain);
    }
  }

  /** A domain whose check throws must not stay ahead of the account's other domains. */
  async #postpone(domain: Domain): Promise<void> {
    const { registry, clock, log } = this.#options;
    try {
      await registry.saveChecks(domain.id, domain.checks, domain.verified, clock.now() + RETRY_INTERVAL_MS);
    } catch (error) {
      log.warn({ err: error, domain: domain.name }, "postponing the domain check failed");
      await this.#holdSlot();
    }
  }

  /** Delays the end of a check that could not be saved: the domain is still due and would be checked in a busy loop. */
  async #holdSlot(): Promise<void> {
    const hold = new InterruptibleSleep(this.#options.clock);
    this.#holds.add(hold);
    if (!this.#stopped) await hold.for(SLEEP_MAX_MS);
    this.#holds.delete(hold);
  }
}
