/**
 * Notices that the database was restored from a backup, or that a standby was promoted, which may lack the last transactions:
 * messages that wait in it may have been delivered since.
 *
 * After a promotion, this node marks what the database has lost of its own work (lost-work.ts), gives new events greater numbers,
 * and claims nothing until all nodes that had worked with the former primary have done the same, or REVIEW_MAX_MS have passed
 * (failover-review.ts). Everything else goes on.
 *
 * A restored server has another system identifier, and tables that were restored from a dump have other OIDs. A disk that was put
 * back has a shorter log on the same timeline. Then, and where no node remembers the lost time, delivery is paused until an operator
 * decides (port/delivery-pause.ts), also if the last transaction of this node is there: those of others may be lost.
 */
import type { Clock } from "../../../../lib/clock.ts";
import type { DeliveryPause } from "../../../port/delivery-pause.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";
import {
  afterFormer,
  conclude,
  pauseDelivery,
  type ReviewEnd,
  type Testimony,
  TIMELINE_ENTRY,
  testify,
} from "./failover-review.ts";
import { type LostWork, markLostWork, type OwnWork } from "./lost-work.ts";
import { isPromoted, skipEventNumbers, type Timeline, timelineOf, timelineText } from "./timeline.ts";

/** After a promotion, nodes that worked with the former primary have this time to speak. */
const REVIEW_MAX_MS = 10_000;

/** A process that starts meanwhile waits for them a little longer. */
const VERIFIED_WITHIN_MS = REVIEW_MAX_MS + 5000;
const LOOK_EVERY_MS = 500;

const readStored = statement<{ text: string }>("SELECT text FROM key_values WHERE name = $1");
const store = statement(
  "INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
);
const storeFirst = statement("INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING");
const hasEvent = statement("SELECT 1 FROM events WHERE seq = $1 AND id = $2");
const hasNodes = statement("SELECT 1 FROM nodes WHERE ended_at IS NULL LIMIT 1");

/** An event of a transaction that this node has committed. */
export interface CommittedEvent {
  seq: number;
  id: string;
}

/** What a heartbeat has seen of the primary. */
export interface SeenPrimary {
  flushedLsn: number;
  isSynchronous: boolean;
  nowMs: number;
}

export interface TimelineGuardOptions {
  clock: Clock;
  /** Opens its own connections, on which nothing is checked. */
  database: Database;
  /** The name of this node. */
  name: string;
  /** This node's number; null while it has none. */
  nodeNumber: () => number | null;
  /** What this node may have to mark, and from when on it knows that. */
  ownWork: () => OwnWork & { completeSinceMs: number | null };
  /** Delivery was paused: this node must give up all that it leases. */
  onPaused: (session: Session, pause: DeliveryPause | null) => Promise<void>;
  /** The database has lost work of this node. */
  onLost: (lost: LostWork) => void;
  /** The nodes agree. `isOwn`: this node has ended the review. */
  onReviewed: (end: ReviewEnd, isOwn: boolean) => void;
}

export class TimelineGuard {
  readonly #options: TimelineGuardOptions;
  /** That which this process works with; null before the first check. */
  #timeline: Timeline | null = null;
  #lastCommitted: CommittedEvent | null = null;
  #seen: SeenPrimary | null = null;
  /** When the review of the present timeline began, by the monotonic clock; null unless one is under way. */
  #reviewSinceMs: number | null = null;
  /** What this node has said in the reviews that have not ended. */
  #testimony: Testimony | null = null;
  #entering: Promise<void> | null = null;

  constructor(options: TimelineGuardOptions) {
    this.#options = options;
  }

  /** Whether nothing may be claimed, and nothing be recovered, because nodes may not have marked what they have delivered. */
  get isReviewing(): boolean {
    return this.#reviewSinceMs !== null || this.#entering !== null;
  }

  /** Notes the newest transaction of this node that has written events. */
  committed(event: CommittedEvent): void {
    this.#lastCommitted = event;
  }

  /** Notes what a heartbeat has seen. */
  seen(primary: SeenPrimary): void {
    this.#seen = primary;
  }

  /** To be called with each new connection before it writes. Rejects with SpoolUnavailable once it has paused delivery. */
  async check(session: Session): Promise<void> {
    for (;;) {
      // A heartbeat that ends meanwhile may have seen more than this read.
      const [timeline, seen] = [this.#timeline, this.#seen];
      const next = await timelineOf(session);
      if (timeline !== this.#timeline) continue;
      if (this.#isSame(next, seen)) return;
      this.#entering ??= this.#enter(session, next).finally(() => {
        this.#entering = null;
      });
      await this.#entering;
    }
  }

  /** To be called after each heartbeat: ends the review of a promoted database when it may end. */
  async review(): Promise<void> {
    const sinceMs = this.#reviewSinceMs;
    const timeline = this.#timeline;
    if (sinceMs === null || timeline === null) return;
    const { clock, database, onReviewed, onPaused } = this.#options;
    const force = clock.monotonicMs() - sinceMs >= REVIEW_MAX_MS;
    const concluded = await database.transaction((session) => conclude(session, timeline, force));
    if (concluded === null) return;
    this.#reviewSinceMs = null;
    this.#testimony = null;
    onReviewed(concluded.end, concluded.isOwn);
    if (concluded.end.isPaused) await onPaused(database, null);
  }

  /** The log of one server only grows, unless its disk is put back. */
  #isSame(next: Timeline, seen: SeenPrimary | null): boolean {
    if (this.#timeline === null || timelineText(this.#timeline) !== timelineText(next)) return false;
    return seen === null || next.insertLsn >= seen.flushedLsn;
  }

  async #enter(session: Session, next: Timeline): Promise<void> {
    const before = this.#timeline;
    if (before === null) {
      if (!(await this.#isKnown(session, timelineText(next)))) await this.#pause(session, next);
    } else if (isPromoted(before, next)) await this.#enterPromoted(next);
    else await this.#pause(session, next);
    this.#accept(next);
  }

  async #enterPromoted(next: Timeline): Promise<void> {
    const { clock, database, name, nodeNumber, ownWork, onLost } = this.#options;
    await skipEventNumbers(database);
    const work = ownWork();
    const hasLast = await this.#hasLast(database);
    const lost = await markLostWork(database, work, clock.now());
    const { flushedLsn = 0, nowMs: seenMs = null, isSynchronous = false } = this.#seen ?? {};
    const testimony = afterFormer(this.#testimony, {
      name,
      // Where commits wait for a standby, the log on the primary's disk is ahead of what was confirmed: heartbeats do not wait.
      isAhead: !isSynchronous && next.forkLsn !== null && flushedLsn > next.forkLsn,
      seenMs,
      forkMs: next.forkMs,
      isSynchronous,
      hasLast,
      completeSinceMs: work.completeSinceMs,
      lostMessages: lost.messageIds.length,
      lostRecipients: lost.recipients,
    });
    await database.transaction((session) => testify(session, next, { number: nodeNumber(), testimony }));
    this.#testimony = testimony;
    this.#reviewSinceMs = clock.monotonicMs();
    this.#accept(next);
    if (!hasLast || lost.messageIds.length > 0 || lost.recipients > 0) onLost(lost);
    await this.review();
  }

  #accept(timeline: Timeline): void {
    this.#timeline = timeline;
    this.#lastCommitted = null;
    this.#seen = null;
  }

  /** A process that starts: the timeline is that of the last transactions, or nodes that run have accepted it. */
  async #isKnown(session: Session, timeline: string): Promise<boolean> {
    const { clock } = this.#options;
    await session.run(storeFirst, [TIMELINE_ENTRY, timeline]);
    for (const untilMs = clock.monotonicMs() + VERIFIED_WITHIN_MS; ; ) {
      const [stored] = (await session.run(readStored, [TIMELINE_ENTRY])).rows;
      if (stored?.text === timeline) return true;
      if (clock.monotonicMs() >= untilMs || (await session.run(hasNodes)).count === 0) return false;
      await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    }
  }

  /** Whether the last transaction of this node is in the database. A node without events has nothing that it could miss. */
  async #hasLast(session: Session): Promise<boolean> {
    const event = this.#lastCommitted;
    return event === null || (await session.run(hasEvent, [event.seq, event.id])).count > 0;
  }

  async #pause(session: Session, timeline: Timeline): Promise<never> {
    const pause = await pauseDelivery(session);
    await skipEventNumbers(session);
    await session.run(store, [TIMELINE_ENTRY, timelineText(timeline)]);
    this.#accept(timeline);
    await this.#options.onPaused(session, pause);
    throw new SpoolUnavailable("the database was restored, or has lost transactions: delivery is paused");
  }
}
