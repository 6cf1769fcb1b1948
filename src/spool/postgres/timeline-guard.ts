/**
 * Notices that the database was restored from a backup, or that a failover has lost transactions: messages that wait in it may have
 * been delivered since. Delivery is then paused until an operator decides (port/delivery-pause.ts).
 *
 * A restored server has another system identifier or timeline, and so has a standby that was promoted. Tables that were restored
 * from a dump have other OIDs, also on the same server. A promotion that lost nothing is no reason to pause: a node that has
 * worked with the server before looks for the last transaction that it committed. If it is there, so are all transactions of this
 * node before it.
 */
import type { Clock } from "../../lib/clock.ts";
import { type DeliveryPause, PAUSE_ENTRY } from "../port/delivery-pause.ts";
import { SpoolUnavailable } from "../port/errors.ts";
import { type Session, statement } from "./statement.ts";

/** The entry of the key-value store that has the server, its timeline and the table of the last transactions. */
const TIMELINE_ENTRY = "timeline";

/** After a failover, nodes that have worked with the server before have this time to find that nothing is lost. */
const VERIFIED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 500;

// The name of the present WAL file begins with the timeline, in eight hexadecimal digits.
const readTimeline = statement<{ timeline: string }>(
  `SELECT concat_ws(' ', system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), 'key_values'::regclass::oid)
       AS timeline FROM pg_control_system()`,
);
const readStored = statement<{ text: string }>("SELECT text FROM key_values WHERE name = $1");
const store = statement(
  "INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
);
const storeFirst = statement("INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING");
const hasEvent = statement("SELECT 1 FROM events WHERE seq = $1 AND id = $2");
const hasNode = statement("SELECT 1 FROM nodes WHERE number = $1");
const hasLiveNode = statement(
  "SELECT 1 FROM nodes WHERE ended_at IS NULL AND lease_until > clock_timestamp() - interval '10 s' LIMIT 1",
);
const newest = statement<{ seq: number | null; atMs: number | null }>(
  `SELECT (SELECT max(seq) FROM messages) AS seq, (extract(epoch FROM max(heartbeat_at)) * 1000)::bigint AS "atMs" FROM nodes`,
);

/** An event of a transaction that this node has committed. */
export interface CommittedEvent {
  seq: number;
  id: string;
}

export interface TimelineGuardOptions {
  clock: Clock;
  /** This node's number; null while it has none. */
  nodeNumber: () => number | null;
  /** Delivery was paused: this node must give up all that it leases. */
  onPaused: (session: Session, pause: DeliveryPause) => Promise<void>;
}

export class TimelineGuard {
  readonly #options: TimelineGuardOptions;
  /** The server, timeline and table that this process works with; null before the first check. */
  #timeline: string | null = null;
  #lastCommitted: CommittedEvent | null = null;

  constructor(options: TimelineGuardOptions) {
    this.#options = options;
  }

  /** Notes the newest transaction of this node that has written events. */
  committed(event: CommittedEvent): void {
    this.#lastCommitted = event;
  }

  /** To be called with each new connection before it writes. Rejects with SpoolUnavailable once it has paused delivery. */
  async check(session: Session): Promise<void> {
    const [row] = (await session.run(readTimeline)).rows;
    if (row === undefined || row.timeline === this.#timeline) return;
    const { timeline } = row;
    const isSafe = this.#timeline === null ? await this.#isKnown(session, timeline) : await this.#isComplete(session);
    if (!isSafe) {
      const pause = await this.#pause(session);
      await session.run(store, [TIMELINE_ENTRY, timeline]);
      this.#accept(timeline);
      await this.#options.onPaused(session, pause);
      throw new SpoolUnavailable("the database was restored, or has lost transactions: delivery is paused");
    }
    await session.run(store, [TIMELINE_ENTRY, timeline]);
    this.#timeline = timeline;
  }

  #accept(timeline: string): void {
    this.#timeline = timeline;
    this.#lastCommitted = null;
  }

  /** A process that starts: the timeline is that of the last transactions, or nodes that run have accepted it. */
  async #isKnown(session: Session, timeline: string): Promise<boolean> {
    const { clock } = this.#options;
    await session.run(storeFirst, [TIMELINE_ENTRY, timeline]);
    for (const untilMs = clock.monotonicMs() + VERIFIED_WITHIN_MS; ; ) {
      const [stored] = (await session.run(readStored, [TIMELINE_ENTRY])).rows;
      if (stored?.text === timeline) return true;
      if (clock.monotonicMs() >= untilMs || (await session.run(hasLiveNode)).count === 0) return false;
      await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    }
  }

  /** Whether the last transaction of this node is in the database. */
  async #isComplete(session: Session): Promise<boolean> {
    const event = this.#lastCommitted;
    if (event !== null) return (await session.run(hasEvent, [event.seq, event.id])).count > 0;
    const number = this.#options.nodeNumber();
    return number !== null && (await session.run(hasNode, [number])).count > 0;
  }

  async #pause(session: Session): Promise<DeliveryPause> {
    const [row] = (await session.run(newest)).rows;
    const pause = { backupAtMs: row?.atMs ?? null, newestSeq: row?.seq ?? 0 };
    // A pause that is in effect already covers an earlier backup, of which all messages are older.
    await session.run(store, [PAUSE_ENTRY, JSON.stringify(pause)]);
    return pause;
  }
}
