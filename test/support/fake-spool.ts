/** The part of the spool that delivery uses for claims and results, in memory and without a thread. */

import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { ClaimRequest, DeliveryJob, ExpiredRequest, Lease, Settlement } from "../../src/spool/port/mail.ts";
import type { Spool } from "../../src/spool/port/spool.ts";
import { HOUR_MS } from "./messages.ts";

export type FakeSpool = InMemorySpool;

/** With `withShares`, a claim's limits per account apply too; otherwise only those per domain. */
export function fakeSpool({ withShares = false } = {}): FakeSpool {
  return new InMemorySpool(withShares);
}

interface WaitingJob {
  job: DeliveryJob;
  dueMs: number;
}

class InMemorySpool implements Pick<Spool, "claim" | "claimExpired" | "settle" | "release" | "onDue"> {
  /** While true, every method rejects with SpoolUnavailable. */
  down = false;
  readonly claims: ClaimRequest[] = [];
  /** The stored settlements. */
  readonly settled: { messageId: string; atMs: number; settlements: Settlement[] }[] = [];
  /** How often a settlement was attempted. */
  offers = 0;
  readonly #withShares: boolean;
  #waiting: WaitingJob[] = [];
  readonly #leased = new Map<string, DeliveryJob>();
  /** Messages that another claimant has taken. */
  readonly #lost = new Set<string>();
  /** The destinations of released jobs, by domain. */
  readonly #destinations = new Map<string, string>();
  #notify = () => {};
  #count = 0;

  constructor(withShares: boolean) {
    this.#withShares = withShares;
  }

  onDue(notify: () => void): void {
    this.#notify = notify;
  }

  /** Adds a message with one recipient at the domain, without notifying the dispatcher. */
  put(domain: string, { dueMs = 0, ...parts }: Partial<DeliveryJob> & { dueMs?: number } = {}): DeliveryJob {
    this.#count += 1;
    const job = newWork(`msg_${this.#count}`, domain, parts);
    this.#waiting.push({ job, dueMs });
    return job;
  }

  /** Like `put`, and notifies the dispatcher. */
  arrive(domain: string, parts?: Partial<DeliveryJob> & { dueMs?: number }): DeliveryJob {
    const job = this.put(domain, parts);
    this.#notify();
    return job;
  }

  async claim(request: ClaimRequest) {
    this.claims.push(request);
    if (this.down) throw new SpoolUnavailable("down");
    return this.#claimNow(request);
  }

  async claimExpired({ nowMs, limit }: ExpiredRequest): Promise<DeliveryJob[]> {
    if (this.down) throw new SpoolUnavailable("down");
    const isOver = ({ job, dueMs }: { job: DeliveryJob; dueMs: number }): boolean =>
      dueMs <= nowMs && Math.min(job.expiresAtMs, job.deadlineMs ?? job.expiresAtMs) <= nowMs;
    const expired = this.#waiting.filter(isOver).slice(0, limit);
    this.#waiting = this.#waiting.filter((entry) => !expired.includes(entry));
    for (const { job } of expired) this.#leased.set(job.messageId, job);
    return expired.map(({ job }) => job);
  }

  /** As if the lease of a job under way had expired and another claimant had taken the message. */
  takeOver(messageId: string): void {
    this.#endLease(messageId);
    this.#lost.add(messageId);
  }

  async settle(messageId: string, atMs: number, settlements: Settlement[]): Promise<"settled" | "lease_lost"> {
    this.offers += 1;
    if (this.down) throw new SpoolUnavailable("down");
    if (this.#lost.has(messageId)) return "lease_lost";
    const job = this.#endLease(messageId);
    this.settled.push({ messageId, atMs, settlements });
    for (const { result, category, nextAttemptAtMs, smtp } of settlements) {
      if (result !== "pending") continue;
      const recipients = job.recipients.map((r) => ({
        ...r,
        attempts: r.attempts + 1,
        category,
        smtp: smtp ?? r.smtp,
      }));
      this.#waiting.push({ job: { ...job, recipients }, dueMs: nextAttemptAtMs ?? 0 });
    }
    this.#notify();
    return "settled";
  }

  async release({ messageId, destination }: Parameters<Spool["release"]>[0]): Promise<void> {
    if (this.#lost.has(messageId)) return;
    const job = this.#endLease(messageId);
    if (destination !== undefined) this.#destinations.set(job.domain, destination);
    this.#waiting.push({ job, dueMs: 0 });
    this.#notify();
  }

  #endLease(messageId: string): DeliveryJob {
    const job = this.#leased.get(messageId);
    if (job === undefined) throw new Error(`${messageId} is not leased`);
    this.#leased.delete(messageId);
    return job;
  }

  #claimNow({ nowMs, limit, perDomain, allowance, perAccount, accountAllowance = {} }: ClaimRequest) {
    const domains = new Map(Object.entries(allowance));
    const accounts = new Map(Object.entries(accountAllowance));
    const accountLeft = (id: string) =>
      this.#withShares ? (accounts.get(id) ?? perAccount ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const leftOf = (name: string) => domains.get(name) ?? perDomain;
    const destinationOf = (domain: string) => this.#destinations.get(domain) ?? domain;
    const domainLeft = (domain: string) => Math.min(leftOf(domain), leftOf(destinationOf(domain)));
    const mayClaim = ({ domain, accountId }: DeliveryJob) => domainLeft(domain) > 0 && accountLeft(accountId) > 0;
    const jobs: DeliveryJob[] = [];
    for (const entry of [...this.#waiting]) {
      const { job, dueMs } = entry;
      if (dueMs > nowMs || jobs.length === limit || !mayClaim(job)) continue;
      accounts.set(job.accountId, accountLeft(job.accountId) - 1);
      this.#waiting.splice(this.#waiting.indexOf(entry), 1);
      this.#leased.set(job.messageId, job);
      for (const name of new Set([job.domain, destinationOf(job.domain)])) domains.set(name, leftOf(name) - 1);
      jobs.push(job);
    }
    const open = this.#waiting.filter(({ job }) => mayClaim(job)).map(({ dueMs }) => dueMs);
    return { jobs, nextDueMs: open.length === 0 ? null : Math.min(...open) };
  }
}

/** The lease of every job here. */
export const LEASE: Lease = { owner: "claimant_1", epoch: 1, expiresAtMs: null };

export function newWork(messageId: string, domain: string, parts: Partial<DeliveryJob> = {}): DeliveryJob {
  return {
    messageId,
    accountId: "acc_default",
    keyId: "key_a",
    domainId: "dom_a",
    domain,
    from: "news@shop.example",
    createdAtMs: 1_000_000,
    expiresAtMs: 1_000_000 + 48 * HOUR_MS,
    sizeBytes: 100,
    eightBit: false,
    recipients: [{ position: 0, email: `ann@${domain}`, attempts: 0, reason: null, category: null, smtp: null }],
    lease: LEASE,
    ...parts,
  };
}
