/**
 * Claims: leases the messages that the claim plan asks for. The scheduler decides their order and number; this file finds
 * each one in the work_waiting index and reads its job. A message that cannot be read is quarantined, and the claim
 * goes on with the others.
 */

import type { Database } from "better-sqlite3";
import type { ClaimRequest, DeliveryJob, DueJob, ExpiredRequest, Lease } from "../../../port/mail.ts";
import { ClaimPlan, type Lookup, type LookupResult } from "../../../scheduler/claim-plan.ts";
import type { DomainQueue, QueueKey } from "../../../scheduler/fair-scheduler.ts";
import type { RecipientKey } from "../../session.ts";
import { NUMBER, TEXT } from "../connection/parameters.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { isDamage, readTwice } from "../files/damage.ts";
import { ExpiredMail } from "./expired-mail.ts";
import { JobReader } from "./job-reader.ts";

/** Damaged messages found in one claim before it ends early. */
const DAMAGED_MAX = 100;

/** When to claim again after a claim that found damage and leased nothing. */
const AFTER_DAMAGE_MS = 1000;

export interface ClaimParts extends Pick<WriterParts, "scheduler" | "hotQueue" | "leases" | "quarantine" | "damage"> {
  /** Called when a part of the work_waiting index cannot be read. */
  indexDamaged: () => void;
}

/** A request with the claimant that makes it. */
export interface OwnedClaimRequest extends ClaimRequest {
  owner: string;
}

export interface OwnedExpiredRequest extends ExpiredRequest {
  owner: string;
}

export interface ExpiredClaimRequest extends OwnedExpiredRequest {
  isPaused: (domain: string) => boolean;
}

/** A claim whose jobs are all under one lease. */
export interface OwnedClaim {
  jobs: ClaimedJob[];
  nextDueMs: number | null;
  lease: Lease;
}

/** A job without its lease, which is the claim's. */
type ClaimedJob = Omit<DeliveryJob, "lease">;

interface Found extends LookupResult {
  /** Null if there is no such message. */
  seq: number | null;
}

export class Claims {
  readonly #parts: ClaimParts;
  readonly #jobs: JobReader;
  readonly #expired: ExpiredMail;
  readonly #due;
  readonly #acceptedAt;
  readonly #nextDue;
  readonly #dataVersion;
  #seenVersion;

  constructor(db: Database, parts: ClaimParts) {
    this.#parts = parts;
    this.#jobs = new JobReader(db);
    this.#expired = new ExpiredMail(db, parts);
    this.#due = db.prepare<[string, string, number, number], RecipientKey & { dueMs: number }>(
      `SELECT seq, position, due_ms AS dueMs FROM work
         WHERE mark IS NULL AND account_id = ${TEXT} AND domain = ${TEXT} AND due_ms BETWEEN ${NUMBER} AND ${NUMBER}
         ORDER BY due_ms, seq`,
    );
    this.#acceptedAt = db.prepare<[string, string, number], RecipientKey>(
      `SELECT seq, position FROM work
         WHERE mark IS NULL AND account_id = ${TEXT} AND domain = ${TEXT} AND due_ms = ${NUMBER}
         ORDER BY seq DESC`,
    );
    this.#nextDue = db
      .prepare<[string, string, number], number>(
        `SELECT due_ms FROM work
           WHERE mark IS NULL AND account_id = ${TEXT} AND domain = ${TEXT} AND due_ms > ${NUMBER}
           ORDER BY due_ms LIMIT 1`,
      )
      .pluck();
    this.#dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
    this.#seenVersion = this.#dataVersion.get();
  }

  claim(request: OwnedClaimRequest): OwnedClaim {
    return this.#claim(request, (claim) => this.#fill(claim, request));
  }

  claimExpired(request: ExpiredClaimRequest): OwnedClaim {
    return this.#claim(request, (claim) => this.#fillExpired(claim, request));
  }

  #claim({ nowMs, owner }: OwnedExpiredRequest, fill: (claim: OwnedClaim) => void): OwnedClaim {
    this.#clearOutdated();
    this.#parts.quarantine.setNow(nowMs);
    const claim: OwnedClaim = { jobs: [], nextDueMs: null, lease: this.#parts.leases.begin(owner) };
    try {
      fill(claim);
      return claim;
    } catch (error) {
      // The caller does not get these jobs, so it would never end their leases.
      for (const job of claim.jobs) this.#endLease(job, claim.lease);
      throw error;
    }
  }

  /** Another process may have changed messages in the hot queue. */
  #clearOutdated(): void {
    const version = this.#dataVersion.get();
    if (version !== this.#seenVersion) this.#parts.hotQueue.clear();
    this.#seenVersion = version;
  }

  /** Adds jobs as the plan asks for them, and when to claim again. */
  #fill(claim: OwnedClaim, request: ClaimRequest): void {
    const { scheduler, quarantine } = this.#parts;
    const { nowMs } = request;
    const plan = new ClaimPlan(scheduler, request, () => quarantine.suspects > DAMAGED_MAX);
    for (let lookup = plan.next(); lookup !== null; lookup = plan.next()) {
      if (plan.finish(this.#lookUp(lookup, nowMs, claim))) noteFresh(claim.jobs);
    }
    const foundOnlyDamage = claim.jobs.length === 0 && quarantine.suspects > 0;
    claim.nextDueMs = foundOnlyDamage ? nowMs + AFTER_DAMAGE_MS : plan.nextClaimMs();
  }

  #fillExpired(claim: OwnedClaim, { nowMs, limit, isPaused }: ExpiredClaimRequest): void {
    for (const { seq, position, accountId, domain } of this.#expired.next({ nowMs, limit })) {
      if (isPaused(domain) || this.#isUnavailable({ seq, position }, domain)) continue;
      this.#lease(seq, { accountId, domain }, nowMs, claim);
    }
  }

  #lookUp(lookup: Lookup, nowMs: number, claim: OwnedClaim): LookupResult {
    const found = this.#findReadable(lookup, nowMs);
    if (found.seq === null) return found;
    const { account, domain } = lookup.queue;
    const isLeased = this.#lease(found.seq, { accountId: account.id, domain }, nowMs, claim);
    if (!isLeased) found.outcome = "unreadable_message";
    return found;
  }

  /** Returns whether the message can be read. */
  #lease(seq: number, queue: QueueKey, nowMs: number, { jobs, lease }: OwnedClaim): boolean {
    const job = this.#readJob(seq, queue, nowMs);
    if (job === null) return false;
    this.#parts.leases.take(seq, job, lease);
    jobs.push(job);
    return true;
  }

  #findReadable({ queue, acceptedMs }: Lookup, nowMs: number): Found {
    try {
      return acceptedMs === null ? this.#oldest(queue, nowMs) : this.#newest(queue, acceptedMs);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#parts.damage.note("the index of waiting recipients", error);
      this.#parts.indexDamaged();
      return { seq: null, outcome: "unreadable_index", nextDueMs: null };
    }
  }

  /** The queue's message due longest, of those that are neither leased nor quarantined. */
  #oldest(queue: DomainQueue, nowMs: number): Found {
    const { account, domain } = queue;
    const found: Found = { seq: null, outcome: "none", nextDueMs: nowMs };
    for (const row of this.#due.iterate(account.id, domain, queue.scanFromMs, nowMs)) {
      if (row.seq === found.seq || this.#isUnavailable(row, domain)) continue;
      // Another message is due as well.
      if (found.seq !== null) return found;
      found.seq = row.seq;
      found.outcome = "leased";
      queue.scanFromMs = row.dueMs;
    }
    found.nextDueMs = this.#nextDue.get(account.id, domain, nowMs) ?? null;
    return found;
  }

  #newest({ account, domain }: DomainQueue, acceptedMs: number): Found {
    const hot = this.#parts.hotQueue.newest({ accountId: account.id, domain, acceptedMs });
    const seq = hot === "unknown" ? this.#readNewest(account.id, domain, acceptedMs) : hot;
    if (seq === "none") return { seq: null, outcome: "none", nextDueMs: null };
    return { seq, outcome: "leased", nextDueMs: null };
  }

  #readNewest(accountId: string, domain: string, acceptedMs: number): number | "none" {
    for (const row of this.#acceptedAt.iterate(accountId, domain, acceptedMs)) {
      if (!this.#isUnavailable(row, domain)) return row.seq;
    }
    return "none";
  }

  #isUnavailable({ seq, position }: RecipientKey, domain: string): boolean {
    const { quarantine, leases } = this.#parts;
    return quarantine.has(seq) || leases.covers(seq, position, domain);
  }

  /** Quarantines a message that cannot be read, and returns null. */
  #readJob(seq: number, queue: QueueKey, nowMs: number): DueJob | null {
    const { domain } = queue;
    try {
      return this.#parts.hotQueue.take(seq, domain) ?? readTwice(() => this.#jobs.read(seq, domain, nowMs));
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#parts.quarantine.suspect({ seq, part: "message", error, queue });
      return null;
    }
  }

  #endLease({ messageId, accountId, domain, recipients }: DueJob, lease: Lease): void {
    const { scheduler, leases } = this.#parts;
    const { seq } = leases.messageOf(messageId) ?? {};
    if (seq === undefined) return;
    const positions = recipients.map(({ position }) => position);
    leases.end(lease, seq, positions);
    scheduler.requeue({ accountId, domain }, { destination: null, acceptedMs: null });
  }
}

/** Notes that the last of the jobs is fresh mail. */
function noteFresh(jobs: ClaimedJob[]): void {
  const last = jobs.at(-1);
  if (last !== undefined) last.isFresh = true;
}
