/**
 * A message's way through the PostgreSQL spool, as one node sees it: acceptance, claims, marks, settlements and releases. What is
 * leased is known in memory, and every write compares the lease with the database's. This file decides which jobs the node holds,
 * and when claims may find more. The steps that write are in acceptance.ts, claims.ts, settlements.ts and releases.ts.
 */

import type { Clock } from "../../../../lib/clock.ts";
import type { RecentCount } from "../../../../lib/recent-count.ts";
import { SlabBuffer } from "../../../../lib/slab-buffer.ts";
import { MIB } from "../../../../lib/units.ts";
import type {
  Acceptance,
  Claim,
  ClaimRequest,
  DeliveryJob,
  ExpiredRequest,
  Lease,
  Mark,
  MarkResult,
  NewMessage,
  ReleasedJob,
  Settlement,
  StoredContent,
} from "../../../port/mail.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { checkRoutes } from "../../../records/test-routes.ts";
import { FairScheduler } from "../../../scheduler/fair-scheduler.ts";
import type { NodeLease } from "../cluster/node-lease.ts";
import type { RecentWork } from "../cluster/recent-work.ts";
import type { CommittedEvent } from "../cluster/timeline-guard.ts";
import type { Database } from "../connection/database.ts";
import type { GroupCommit } from "../connection/group-commit.ts";
import { statement } from "../connection/statement.ts";
import type { Partitions } from "../partitions/partitions.ts";
import type { ActivityCounts } from "../reports/activity.ts";
import { AcceptProbe } from "./accept-probe.ts";
import { Acceptor, type Stored } from "./acceptance.ts";
import { type ClaimParts, Claims } from "./claims.ts";
import { DomainDestinations } from "./domain-destinations.ts";
import { DueWork } from "./due-work.ts";
import { ExpiredWork } from "./expired-work.ts";
import { LeaseGrants } from "./lease-grants.ts";
import { Releases } from "./lease-releases.ts";
import { type LeasedJob, LeasedWork } from "./leased-work.ts";
import { MessageNumbers } from "./message-number.ts";
import { OrphanedLeases } from "./orphaned-leases.ts";
import type { QuotaBlocks } from "./quota-blocks.ts";
import { Settlements } from "./settlements.ts";
import { type LeasedRow, MARK, type RowLease } from "./work-writes.ts";

/** Contents just accepted, kept for the first attempt: it usually follows at once, and need not read them back. */
const RECENT_BYTES_MAX = 24 * MIB;

/**
 * Jobs that this node holds: what it delivers in some ten seconds. Mail accepted beyond that, and beyond HELD_OF_DOMAIN_MAX, is left
 * to any node, which costs the database a claim and another version of the row: with a sixth of these limits, a burst of 10,000
 * messages to one domain took twice the server's CPU time.
 */
const HELD_MAX = 16_384;
const HELD_OF_DOMAIN_MAX = 12_288;

/** Jobs held for longer are released when this node holds many. */
const HELD_LONG_MS = 600_000;

export interface MailParts {
  database: Database;
  commits: GroupCommit;
  partitions: Partitions;
  quotas: QuotaBlocks;
  activity: ActivityCounts;
  /** Recipients that this node delivers. */
  delivered: RecentCount;
  clock: Clock;
  node: NodeLease;
  pausedDomains: () => Promise<ReadonlySet<string> | null>;
  readContent: (message: { seq: number | null; messageId: string }) => Promise<StoredContent>;
  partBytes?: number | undefined;
  duePollMs?: number | undefined;
  recent: RecentWork;
  /** An event of a transaction that was committed. */
  onCommitted: (event: CommittedEvent) => void;
  /** Work may have become due for another node. */
  onShared: () => void;
  /** Called after a commit. */
  onEvents: (accountIds: ReadonlySet<string>) => void;
  onSettled: (messageId: string) => void;
}

const countWork = statement<{ count: number }>(`SELECT count(*) FROM work WHERE ${isInQueueSql("seq")}`);

export class MailStore {
  readonly #parts: MailParts;
  readonly #leased: LeasedWork;
  readonly #dueWork: DueWork;
  readonly #destinations: DomainDestinations;
  readonly #claims: Claims;
  readonly #expired: ExpiredWork;
  readonly #acceptor: Acceptor;
  readonly #settlements: Settlements;
  readonly #releases: Releases;
  readonly #grants: LeaseGrants;
  readonly #recent = new SlabBuffer(RECENT_BYTES_MAX);
  #numbers: MessageNumbers;
  readonly #orphaned: OrphanedLeases;
  readonly #probe: AcceptProbe;
  /** Calls under way that may begin or end leases. */
  #underWay = 0;
  #due: () => void = () => {};

  constructor(parts: MailParts) {
    this.#parts = parts;
    const { database, clock, node, pausedDomains } = parts;
    this.#probe = new AcceptProbe(database);
    const scheduler = new FairScheduler();
    this.#leased = new LeasedWork(scheduler);
    this.#dueWork = new DueWork(database, clock, parts.duePollMs);
    this.#destinations = new DomainDestinations(clock);
    this.#numbers = new MessageNumbers(node.slot);
    const orphans = { suspectOrphans: () => this.#orphaned.suspect() };
    this.#grants = new LeaseGrants({ node, leased: this.#leased, ...orphans });
    const claimParts: Pick<ClaimParts, "leased" | "pausedDomains" | "withLease" | "hold"> = {
      leased: this.#leased,
      pausedDomains,
      withLease: (use) => this.#grants.withLease(use),
      hold: (leased) => this.#hold(leased),
    };
    this.#claims = new Claims({
      ...claimParts,
      scheduler,
      dueWork: this.#dueWork,
      destinations: this.#destinations,
    });
    this.#expired = new ExpiredWork({ ...claimParts, database });
    this.#acceptor = new Acceptor({
      ...parts,
      onFailed: (error) => this.#probe.failed(error),
      numbers: () => this.#numbers,
      leaseFor: (message) => this.#leaseFor(message),
      notGranted: (lease, error) => this.#grants.notGranted(lease, error),
    });
    this.#settlements = new Settlements({
      ...parts,
      leased: this.#leased,
      dueWork: this.#dueWork,
      leaseIsCurrent: (lease) => this.leaseIsCurrent(lease),
      onRoom: () => this.#wake(),
    });
    this.#releases = new Releases({
      ...parts,
      ...orphans,
      leased: this.#leased,
      grants: this.#grants,
      destinations: this.#destinations,
      onReleased: () => this.#released(),
    });
    this.#orphaned = new OrphanedLeases({
      ...parts,
      owners: () => this.#grants.owners,
      knownRows: () => this.#grants.knownRows(),
    });
  }

  get probe(): AcceptProbe {
    return this.#probe;
  }

  /** The acceptance, and the reading of idempotency records. */
  get acceptor(): Acceptor {
    return this.#acceptor;
  }

  /** Recipients whose final dot may have left, and which have no result yet. */
  get marked(): LeasedRow[] {
    return this.#leased.marked();
  }

  /** The rows of what this node leases, and the numbers under which it may have leased work. */
  get leasedRows(): { owners: readonly number[]; leased: LeasedRow[] } {
    return { owners: this.#grants.owners, leased: this.#leased.rows() };
  }

  /** Recipients that this node leases. */
  get leases(): number {
    return this.#leased.recipients;
  }

  /** Whether nothing is leased, and nothing under way would lease anything unless another call begins. */
  get isIdle(): boolean {
    return this.#underWay === 0 && this.#leased.recipients === 0 && !this.#orphaned.isSuspected;
  }

  accept(message: NewMessage): Promise<Acceptance> {
    return this.#counted(this.#accept(message));
  }

  async #accept(message: NewMessage): Promise<Acceptance> {
    checkRoutes(message);
    const stored = await this.#acceptor.accept(message);
    if (!("seq" in stored)) return stored;
    const { suppressed } = stored;
    this.#parts.recent.accepted(stored.seq, message.id);
    this.#parts.onCommitted({ seq: stored.seq, id: stored.acceptedEventId });
    if (message.sendAtMs === undefined) this.#recent.put(message.id, message.content, message.bodyHash);
    this.#parts.activity.accepted(message, suppressed);
    this.#holdAccepted(stored, message);
    this.#parts.onEvents(new Set([message.accountId]));
    return { type: "accepted", id: message.id, ...(suppressed === 0 ? {} : { suppressed }) };
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const destinations = this.#destinations;
    if (destinations.leave(request.elsewhere ?? []))
      await this.releaseHeld(({ job }) => destinations.isElsewhere(job.domain));
    return this.#counted(this.#claims.claim(request));
  }

  async claimExpired(request: ExpiredRequest): Promise<DeliveryJob[]> {
    // Mail of closed destinations must not fill this node's memory for days.
    if (this.#leased.heldCount > HELD_MAX / 2)
      await this.releaseHeld(({ dueMs }) => dueMs < request.nowMs - HELD_LONG_MS);
    return this.#counted(this.#expired.claim(request));
  }

  async content(messageId: string): Promise<StoredContent> {
    const recent = this.#recent.takeNoted(messageId);
    if (recent === null) return this.#parts.readContent({ seq: this.#leased.seqOf(messageId), messageId });
    const part = (number: number): Promise<Buffer> =>
      Promise.reject(new RangeError(`the content has no part ${number}`));
    return { first: recent.bytes, laterParts: 0, part, bodyHash: recent.note };
  }

  leaseIsCurrent(lease: Lease): boolean {
    return this.#grants.isCurrent(lease);
  }

  async mark({ messageId, positions, lease, atMs, mx, ip }: Mark): Promise<MarkResult> {
    const [[leased, own] = [], ...others] = this.#leased.jobsUnder(lease, messageId, positions);
    const isWhole = others.length === 0 && own?.length === positions.length;
    if (leased === undefined || !isWhole || !this.leaseIsCurrent(lease)) return "lease_lost";
    const mark = JSON.stringify({ at_ms: atMs, mx, ip });
    const count = await this.#parts.commits.submit(MARK, { seq: leased.seq, positions, lease: leased.lease, mark });
    if (count === positions.length) {
      leased.marked = leased.marked === undefined ? positions : [...leased.marked, ...positions];
      return "marked";
    }
    return count === 0 ? "lease_lost" : "partly_lost";
  }

  settle(messageId: string, atMs: number, settlements: Settlement[], lease: Lease): Promise<"settled" | "lease_lost"> {
    return this.#settlements.settle(messageId, lease, { atMs, settlements });
  }

  async release(job: ReleasedJob): Promise<void> {
    await this.#releases.release(job);
    this.#wake();
  }

  async backlog(): Promise<number> {
    return (await this.#parts.database.run(countWork)).rows[0]?.count ?? 0;
  }

  onDue(wake: () => void): void {
    this.#due = wake;
  }

  /** Work that any node may claim may have become due. */
  noteDue(dueMs: number): void {
    this.#dueWork.noteDue(dueMs);
    this.#wake();
  }

  /** To be called every second: looks for due work that was left by other nodes, and for leases that this node does not know. */
  async poll(): Promise<void> {
    this.#wake();
    // What was accepted when the node began to drain, and cannot be claimed now, would never end.
    if (this.#parts.node.isDraining) await this.releaseHeld();
    if ((await this.#orphaned.release()) > 0) this.#released();
  }

  /**
   * The node has registered anew, so all of its leases are over. Attempts under way end by their settlement, which may still be
   * wanted.
   */
  dropHeld(): void {
    for (const leased of this.#leased.takeHeld(() => true)) this.#leased.forget(leased);
    this.#numbers = new MessageNumbers(this.#parts.node.slot);
    // What was committed under the former number after its recovery.
    this.#orphaned.suspect();
  }

  /** Leaves held jobs to any node. What an outage prevents is repeated later. */
  releaseHeld(matches: (leased: LeasedJob) => boolean = () => true): Promise<void> {
    return this.#counted(this.#releases.releaseHeld(matches));
  }

  async #counted<T>(call: Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await call;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Claims what is due of a message for this node, and returns it like new mail: an operator waits for it. */
  async claimFirst(messageId: string, nowMs: number): Promise<void> {
    await this.#grants.withLease(async (lease) => {
      for (const leased of await this.#dueWork.claimMessage(messageId, nowMs, lease)) {
        this.#hold({ ...leased, dueMs: nowMs, arrivedMs: nowMs });
      }
    });
    this.#wake();
  }

  #wake(): void {
    this.#due();
  }

  /** Work was released, which any node may claim. */
  #released(): void {
    this.#dueWork.noteDue(0);
    this.#parts.onShared();
  }

  #leaseFor({ accountId, recipients, sendAtMs }: NewMessage): RowLease | null {
    // Any node claims a scheduled message when it is due.
    if (sendAtMs !== undefined || this.#leased.heldCount >= HELD_MAX) return null;
    const isLeft = recipients.some(
      ({ domain }) =>
        this.#leased.heldOf(accountId, domain) >= HELD_OF_DOMAIN_MAX || this.#destinations.isElsewhere(domain),
    );
    return isLeft ? null : this.#grants.begin();
  }

  /** Holds the jobs of a message that was accepted, or leaves them to any node if they are not leased. */
  #holdAccepted({ seq, lease, jobs }: Stored, { createdAtMs, sendAtMs }: NewMessage): void {
    if (lease === null) {
      this.#dueWork.noteDue(sendAtMs ?? createdAtMs);
      this.#parts.onShared();
    } else {
      const port = this.#grants.portLease(lease);
      const times = { dueMs: createdAtMs, arrivedMs: createdAtMs };
      for (const job of jobs) this.#hold({ seq, ...times, lease, job: { ...job, lease: port } });
      this.#grants.granted(lease);
    }
    this.#wake();
  }

  /** Holds a job, unless the node has registered anew since it was leased. */
  #hold(leased: LeasedJob): void {
    const destination = this.#destinations.of(leased.job.domain);
    if (leased.lease.owner === this.#parts.node.number) this.#leased.hold(leased, destination);
    else this.#orphaned.suspect();
  }
}
