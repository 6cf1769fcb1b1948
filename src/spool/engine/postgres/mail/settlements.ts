/**
 * The settlement of an attempt by this node: what is written for each recipient, under which event ids, and what follows once it
 * is stored. The database compares the lease and stores it (work-writes.ts). Which results an attempt has, and when the next one
 * is due, is decided by delivery.
 */
import { newId } from "../../../../lib/new-id.ts";
import type { RecentCount } from "../../../../lib/recent-count.ts";
import { refusalKey, refusalsIn } from "../../../../message/result/suppression.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { Lease, Settlement } from "../../../port/mail.ts";
import { settledEvent } from "../../../records/settled-event.ts";
import type { RecentWork } from "../cluster/recent-work.ts";
import type { CommittedEvent } from "../cluster/timeline-guard.ts";
import type { Database } from "../connection/database.ts";
import type { GroupCommit } from "../connection/group-commit.ts";
import { statement } from "../connection/statement.ts";
import { applyRefusals, type RefusalChange } from "../incoming/refusal-history.ts";
import type { ActivityCounts } from "../reports/activity.ts";
import type { DueWork } from "./due-work.ts";
import type { LeasedJob, LeasedWork } from "./leased-work.ts";
import { SETTLE, type SettledRecipient, type SettleWrite } from "./work-writes.ts";

const findUnknown = statement<{ position: number; atMs: number }>(
  `SELECT position, at_ms AS "atMs" FROM unknown_recipients WHERE seq = $1 AND owner = $2 AND epoch = $3`,
);
const findEvents = statement<{ id: string }>("SELECT id FROM events WHERE seq = $1 AND id = ANY ($2)");

/** The results of an attempt. */
export interface AttemptResults {
  atMs: number;
  settlements: Settlement[];
}

export interface SettlementParts {
  database: Database;
  commits: GroupCommit;
  leased: LeasedWork;
  dueWork: DueWork;
  activity: ActivityCounts;
  recent: RecentWork;
  /** Recipients that this node delivers. */
  delivered: RecentCount;
  leaseIsCurrent: (lease: Lease) => boolean;
  /** An event of a transaction that was committed. */
  onCommitted: (event: CommittedEvent) => void;
  /** Called after a commit. */
  onEvents: (accountIds: ReadonlySet<string>) => void;
  onSettled: (messageId: string) => void;
  /** Everything that follows a settlement is done. Claims may return other jobs now. */
  onRoom: () => void;
}

export class Settlements {
  readonly #parts: SettlementParts;

  constructor(parts: SettlementParts) {
    this.#parts = parts;
  }

  /** Returns `lease_lost` if nothing was stored. */
  async settle(
    messageId: string,
    lease: Lease,
    { atMs, settlements }: AttemptResults,
  ): Promise<"settled" | "lease_lost"> {
    let isSettled = false;
    const positions = settlements.map(({ position }) => position);
    for (const [leased, own] of this.#parts.leased.jobsUnder(lease, messageId, positions)) {
      const ofJob = settlements.filter(({ position }) => own.includes(position));
      isSettled = (await this.#settle(leased, { atMs, settlements: ofJob })) || isSettled;
    }
    return isSettled ? "settled" : "lease_lost";
  }

  /** Returns whether anything was stored. */
  async #settle(leased: LeasedJob, results: AttemptResults): Promise<boolean> {
    const { leaseIsCurrent, onEvents, onSettled, onRoom } = this.#parts;
    const { job } = leased;
    // The reply is evidence, also under a lease that has expired: the database decides whether it is still wanted.
    const unknownAtMs = leaseIsCurrent(job.lease) ? NONE : await this.#unknownSince(leased);
    const write = settleWrite(leased, results);
    const stored = await this.#store(leased, write);
    this.#parts.leased.end(
      leased,
      write.recipients.map(({ position }) => position),
    );
    if (stored.length === 0) return false;
    for (const recipient of stored) this.#count(leased, recipient, { atMs: write.atMs, unknownAtMs });
    onEvents(new Set([job.accountId]));
    onSettled(job.messageId);
    await this.#storeRefusals(leased, results);
    onRoom();
    return true;
  }

  /** When recipients of an expired lease became unknown, by position. */
  async #unknownSince({ seq, lease }: LeasedJob): Promise<ReadonlyMap<number, number>> {
    const { rows } = await this.#parts.database.run(findUnknown, [seq, lease.owner, lease.epoch]);
    return new Map(rows.map(({ position, atMs }) => [position, atMs]));
  }

  /**
   * Stores a settlement. Returns the recipients of which it is stored. A repetition after a lost connection has the same event
   * ids, so it finds out whether the first one was stored after all.
   */
  async #store(leased: LeasedJob, write: SettleWrite): Promise<SettledRecipient[]> {
    const isRepeated = leased.eventIds !== undefined;
    leased.eventIds ??= new Map();
    for (const recipient of write.recipients) {
      const known = leased.eventIds.get(recipient.position);
      if (known === undefined) leased.eventIds.set(recipient.position, recipient.eventId);
      else recipient.eventId = known;
    }
    const settled = await this.#parts.commits.submit(SETTLE, write);
    if (settled.size > 0 || !isRepeated) return write.recipients.filter(({ position }) => settled.has(position));
    const ids = write.recipients.map(({ eventId }) => eventId);
    const stored = new Set((await this.#parts.database.run(findEvents, [write.seq, ids])).rows.map(({ id }) => id));
    return write.recipients.filter(({ eventId }) => stored.has(eventId));
  }

  /** Counts the result of a recipient, and notes when it is due again. */
  #count(
    { seq, job }: LeasedJob,
    { position, result, dueMs, eventId, attempts }: SettledRecipient,
    { atMs, unknownAtMs }: { atMs: number; unknownAtMs: ReadonlyMap<number, number> },
  ): void {
    const { activity, delivered, dueWork, recent, onCommitted } = this.#parts;
    onCommitted({ seq, id: eventId });
    if (result === "delivered" || result === "unknown") recent.finished(seq, position, attempts, atMs);
    const countedAtMs = unknownAtMs.get(position);
    if (!isTestRoute(job.domain)) {
      if (countedAtMs !== undefined) activity.retried({ accountId: job.accountId, result: "unknown", countedAtMs });
      activity.settled(job, atMs, result);
      if (result === "delivered") delivered.add(1);
    }
    if (dueMs === null) return;
    dueWork.noteDue(dueMs);
    this.#parts.leased.noteDeferred(job, atMs);
  }

  /** Adds refusals to those of their addresses, after the settlement: at worst an address is tried once more. */
  async #storeRefusals(leased: LeasedJob, results: AttemptResults): Promise<void> {
    const changes = refusalChanges(leased, results);
    if (changes.length === 0) return;
    try {
      await this.#parts.database.transaction((session) => applyRefusals(session, changes));
    } catch (error) {
      // The result is stored: the settlement must not be repeated.
      if (!(error instanceof SpoolUnavailable)) throw error;
    }
  }
}

const NONE: ReadonlyMap<number, number> = new Map();

function refusalChanges({ job }: LeasedJob, { atMs, settlements }: AttemptResults): RefusalChange[] {
  if (isTestRoute(job.domain)) return [];
  const refusals = refusalsIn(settlements, atMs);
  return settlements.flatMap(({ position }, i) => {
    const recipient = job.recipients.find((each) => each.position === position);
    const refusal = refusals[i] ?? null;
    if (recipient === undefined || refusal === null) return [];
    return [{ accountId: job.accountId, address: refusalKey(recipient.email, job.domain), refusal }];
  });
}

function settleWrite({ seq, job, lease }: LeasedJob, { atMs, settlements }: AttemptResults): SettleWrite {
  const recipients = settlements.flatMap((settlement): SettledRecipient[] => {
    const { position, result, reason, category, nextAttemptAtMs: dueMs, outcome, untried } = settlement;
    const recipient = job.recipients.find((each) => each.position === position);
    if (recipient === undefined) return [];
    const attempt = recipient.attempts + (untried ? 0 : 1);
    const tries = JSON.stringify(settlement.tries);
    const { attemptReason = reason } = settlement;
    const entry = { result, outcome, reason: attemptReason, category, nextAttemptAtMs: dueMs, tries, atMs, attempt };
    return [
      {
        position,
        email: recipient.email,
        domain: job.domain,
        result,
        reason,
        category,
        attempts: attempt,
        dueMs,
        // An earlier refusal would contradict an unknown result.
        smtp: settlement.smtp ?? (result === "unknown" ? null : recipient.smtp),
        eventId: newId("evt"),
        ...settledEvent(entry, settlement.suppression),
      },
    ];
  });
  return { seq, accountId: job.accountId, atMs, lease, recipients };
}
