/**
 * Duties: which node does what must be done once. A node holds a duty by a lease that it renews after each heartbeat. A duty is
 * free when its lease expires, when its node ends, and when its node gives it up.
 *
 * The duties of a group are shared evenly: a node with more than its share stops those tasks, and gives their duties up with the
 * next heartbeat, so that steps under way can end. A draining node does so with all of them.
 *
 * A duty that was lost ends here before another node takes it, unless the database's clock leaps. A step of a task that is under
 * way at that moment still runs to its end, so steps of two nodes must not damage each other.
 */
import type { Clock } from "../../../../lib/clock.ts";
import type { Tenure } from "../../../port/duties.ts";
import { type Session, statement } from "../connection/statement.ts";
import { LEASE_MS } from "./nodes-table.ts";

/** This node ends a task so long before others may take its duty. */
const MARGIN_MS = 1000;

interface Found {
  name: string;
  isOwn: boolean;
  isFree: boolean;
  /** Nodes that share the duties, this one included. */
  nodes: number;
}

const IS_FREE = `(duties.owner IS NULL OR duties.until < clock_timestamp()
    OR NOT EXISTS (SELECT FROM nodes WHERE number = duties.owner AND ended_at IS NULL))`;

// Nodes of another version may not know all of these duties, so their shares are not left to them.
const find = statement<Found>(
  `SELECT wanted.name, coalesce(duties.owner = $1, false) AS "isOwn", duties.name IS NULL OR ${IS_FREE} AS "isFree",
          (SELECT count(*) FROM nodes WHERE ended_at IS NULL AND NOT draining AND lease_until >= clock_timestamp()
             AND version = (SELECT version FROM nodes WHERE number = $1)) AS nodes
     FROM unnest($2::text[]) WITH ORDINALITY AS wanted (name, place) LEFT JOIN duties USING (name) ORDER BY place`,
);

// What others hold is left out before the conflict, because ON CONFLICT locks each row that it looks at. In the order of the
// names: two nodes cannot wait for each other in a circle.
const take = statement<{ name: string; epoch: number }>(
  `INSERT INTO duties (name, owner, epoch, until)
     SELECT name, $1, 1, clock_timestamp() + ${LEASE_MS} * interval '1 ms'
       FROM unnest($2::text[]) AS wanted (name)
      WHERE NOT EXISTS (SELECT FROM duties WHERE duties.name = wanted.name AND duties.owner <> $1 AND NOT ${IS_FREE})
      ORDER BY name
   ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until,
       epoch = duties.epoch + CASE WHEN duties.owner = excluded.owner THEN 0 ELSE 1 END
     WHERE duties.owner = excluded.owner OR ${IS_FREE}
   RETURNING name, epoch`,
);

// The rows are locked in the order of their names, as above.
const giveUp = statement(
  `UPDATE duties SET owner = NULL
     WHERE name IN (SELECT name FROM duties WHERE owner = $1 AND ($2::text[] IS NULL OR name = ANY ($2::text[]))
                      ORDER BY name FOR UPDATE)`,
);

export class NodeDuties<Name extends string> {
  readonly #clock: Clock;
  readonly #groups: readonly (readonly Name[])[];
  readonly #listeners = new Set<() => void>();
  #held = new Map<string, Holding>();
  /** Their tasks are ending. This node gives them up with the next heartbeat. */
  #leaving = new Map<string, Holding>();
  /** Not renewed in time. Their tasks are ending, too. */
  #lapsed: readonly Holding[] = [];
  #hasResigned = false;
  #cancelTimer: () => void = () => {};

  constructor(clock: Clock, groups: readonly (readonly Name[])[]) {
    this.#clock = clock;
    this.#groups = groups;
  }

  /** Whether this node holds the duty, without asking the database. */
  holds(name: Name): boolean {
    return this.tenure(name) !== null;
  }

  /** Null if this node does not hold the duty. */
  tenure(name: Name): Tenure | null {
    const holding = this.#held.get(name);
    return holding !== undefined && holding.leftMs > MARGIN_MS ? holding : null;
  }

  /** Calls `listener` after duties were taken or lost. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Renews this node's share of the duties, and takes what is free of it. A draining node gives all up. */
  async renew(session: Session, { number, isDraining }: { number: number; isDraining: boolean }): Promise<void> {
    if (this.#hasResigned) return this.#giveUpAll(session, number);
    await this.#giveUpLeaving(session, number);
    if (isDraining) return this.#leaveAll(session, number);
    const wanted = this.#shareOf((await session.run(find, [number, this.#groups.flat()])).rows);
    const renewedAt = new Moment(this.#clock);
    const { rows } = await session.run(take, [number, wanted]);
    if (!this.#hasResigned) this.#update(rows, renewedAt);
  }

  /** The node was fenced: it holds no duty any more. */
  lose(): void {
    this.#cancelTimer();
    for (const holding of [...this.#held.values(), ...this.#leaving.values(), ...this.#lapsed]) holding.end();
    this.#leaving.clear();
    this.#lapsed = [];
    this.#change(new Map());
  }

  /** The process is about to end: it holds no duty any more, and takes none. */
  stop(): void {
    this.#hasResigned = true;
    this.lose();
  }

  /** As `stop`, and gives all duties up at once. Their tasks must have ended. */
  async resign(session: Session, number: number): Promise<void> {
    this.stop();
    await this.#giveUpAll(session, number);
  }

  /** The duties to hold: those that this node has, and the free ones, up to its share of each group. */
  #shareOf(found: readonly Found[]): string[] {
    const shares = this.#groups.map((group) => {
      const rows = found.filter(({ name }) => group.includes(name as Name));
      const share = Math.ceil(group.length / Math.max(found[0]?.nodes ?? 1, 1));
      const own = rows.filter(({ isOwn }) => isOwn);
      const free = rows.filter(({ isOwn, isFree }) => isFree && !isOwn);
      return [...own, ...free].slice(0, share).map(({ name }) => name);
    });
    return shares.flat();
  }

  #update(rows: readonly { name: string; epoch: number }[], renewedAt: Moment): void {
    const taken = new Map(rows.map(({ name, epoch }) => [name, epoch]));
    for (const [name, holding] of this.#held) {
      if (taken.has(name)) continue;
      this.#leaving.set(name, holding);
    }
    // Another node has held these meanwhile, so that their tasks begin anew.
    const kept = [...this.#held].filter(([name, { epoch }]) => epoch === taken.get(name));
    for (const [, holding] of kept) holding.renewedAt = renewedAt;
    this.#change(new Map(kept));
    const held = [...taken].map(([name, epoch]): [string, Holding] => [
      name,
      this.#held.get(name) ?? new Holding(epoch, renewedAt),
    ]);
    this.#change(new Map(held));
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(renewedAt.leftMs - MARGIN_MS, () => this.#lapse());
  }

  #lapse(): void {
    this.#lapsed = [...this.#held.values()];
    this.#change(new Map());
  }

  async #leaveAll(session: Session, number: number): Promise<void> {
    if (this.#held.size === 0) return this.#giveUpAll(session, number);
    this.#leaving = this.#held;
    this.#change(new Map());
  }

  async #giveUpLeaving(session: Session, number: number): Promise<void> {
    if (this.#leaving.size === 0) return;
    const leaving = [...this.#leaving];
    for (const [, holding] of leaving) holding.end();
    await session.run(giveUp, [number, leaving.map(([name]) => name)]);
    this.#leaving.clear();
  }

  async #giveUpAll(session: Session, number: number): Promise<void> {
    await session.run(giveUp, [number, null]);
  }

  #change(held: Map<string, Holding>): void {
    const isSame = held.size === this.#held.size && [...held.keys()].every((name) => this.#held.has(name));
    this.#held = held;
    if (!isSame) for (const listener of this.#listeners) listener();
  }
}

/** When a renewal was sent. */
class Moment {
  readonly #clock: Clock;
  readonly #atMs: number;
  readonly #monotonicMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#atMs = clock.now();
    this.#monotonicMs = clock.monotonicMs();
  }

  /** The rest of the lease. The wall clock counts too, because the monotonic clock may stop while the host is suspended. */
  get leftMs(): number {
    return LEASE_MS - Math.max(this.#clock.monotonicMs() - this.#monotonicMs, this.#clock.now() - this.#atMs);
  }
}

class Holding implements Tenure {
  /** Counts the changes of the duty's owner. */
  readonly epoch: number;
  renewedAt: Moment;
  #hasEnded = false;

  constructor(epoch: number, renewedAt: Moment) {
    this.epoch = epoch;
    this.renewedAt = renewedAt;
  }

  get leftMs(): number {
    return this.#hasEnded ? 0 : this.renewedAt.leftMs;
  }

  isLatest(): boolean {
    return this.leftMs > 0;
  }

  end(): void {
    this.#hasEnded = true;
  }
}
