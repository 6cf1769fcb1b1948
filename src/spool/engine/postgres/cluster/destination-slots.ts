/**
 * The states of destinations that nodes share, in a table. Decides when a node shares them: always beside others, never alone. What
 * is in a state, and which slots follow from it, is decided by the caller.
 *
 * A node that was alone uses slots that no other one knows of. So a node that registers beside it gets none before the first one
 * has noticed it and has registered what it uses: then `sharing` is set in its row of nodes.
 */
import type { DestinationSlots, SharedDestination } from "../../../port/destination-slots.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { Database } from "../connection/database.ts";
import { lockSchema } from "../connection/schema-version.ts";
import { type Session, statement } from "../connection/statement.ts";

/** A state that no node has exchanged for so long is of no use any more. */
const KEPT = "interval '1 hour'";

/** Rows deleted by one statement. */
const SWEPT_MAX = 1000;

// In the order of the names: two nodes cannot wait for each other in a circle.
const lock = statement<{ name: string; state: string | null; nowMs: number }>(
  `INSERT INTO destinations (name, exchanged_at)
     SELECT name, clock_timestamp() FROM unnest($1::text[]) AS wanted (name) ORDER BY name
   ON CONFLICT (name) DO UPDATE SET exchanged_at = excluded.exchanged_at
   RETURNING name, state, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs"`,
);
const findNodes = statement<{ number: number; sharing: number | null }>(
  "SELECT number, sharing FROM nodes WHERE ended_at IS NULL",
);
const change = statement(
  `UPDATE destinations SET state = changed.state
     FROM unnest($1::text[], $2::text[]) AS changed (name, state) WHERE destinations.name = changed.name`,
);
const remove = statement("DELETE FROM destinations WHERE name = ANY ($1::text[])");
const share = statement("UPDATE nodes SET sharing = $2 WHERE number = $1 AND ended_at IS NULL");
const hasNodes = statement<{ exists: boolean }>("SELECT EXISTS (SELECT FROM nodes WHERE ended_at IS NULL) AS exists");
const shareNoMore = statement(
  `UPDATE nodes SET sharing = NULL WHERE number = $1 AND ended_at IS NULL
      AND NOT EXISTS (SELECT FROM nodes WHERE number <> $1 AND ended_at IS NULL)`,
);
const sweep = statement(
  `DELETE FROM destinations WHERE name IN (
     SELECT name FROM destinations WHERE exchanged_at < clock_timestamp() - ${KEPT}
       ORDER BY name LIMIT ${SWEPT_MAX} FOR UPDATE SKIP LOCKED)`,
);

/** The registration of this node. */
export interface SlotOwner {
  readonly number: number;
  /** Whether its lease holds, by a monotonic clock. */
  leaseIsCurrent(): boolean;
  /** Whether other nodes were registered at the last heartbeat. */
  readonly hasOthers: boolean;
}

export class NodeSlots implements DestinationSlots {
  readonly #database: Database;
  readonly #owner: SlotOwner;
  #areShared = false;
  /** The value of `sharing` while the node shares. */
  #sharing = 0;
  /** Whether `sharing` is stored. */
  #isStored = false;
  /** Whether another node was registered when this one registers. */
  #foundOthers = false;
  #isEnding = false;
  #changed: (() => void) | null = null;

  constructor(database: Database, owner: SlotOwner) {
    this.#database = database;
    this.#owner = owner;
  }

  get areShared(): boolean {
    return this.#areShared;
  }

  get self(): string {
    return nameOf(this.#owner.number, this.#sharing);
  }

  isCurrent(): boolean {
    return this.#owner.leaseIsCurrent();
  }

  onSharing(changed: () => void): void {
    this.#changed = changed;
  }

  async exchange(names: readonly string[], changeOf: (shared: SharedDestination) => string | null): Promise<void> {
    const { number } = this.#owner;
    const sharing = this.#sharing;
    const mustStore = !this.#isStored;
    await this.#database.transaction(async (session) => {
      const { rows } = await session.run(lock, [names]);
      // After the locks were taken: no state may name a node that this statement does not see.
      const nodes = (await session.run(findNodes)).rows;
      if (!nodes.some((node) => node.number === number))
        throw new SpoolUnavailable("the node's registration has ended");
      const live = new Set(nodes.map((node) => nameOf(node.number, node.sharing ?? 0)));
      const allShare = nodes.every((node) => node.sharing !== null || node.number === number);
      const self = nameOf(number, sharing);
      const changed = rows.map((row) => {
        return { name: row.name, state: changeOf({ ...row, self, allShare, isLive: (node) => live.has(node) }) };
      });
      const kept = changed.filter(({ state }) => state !== null);
      const gone = changed.filter(({ state }) => state === null).map(({ name }) => name);
      await session.run(change, [kept.map(({ name }) => name), kept.map(({ state }) => state)]);
      if (gone.length > 0) await session.run(remove, [gone]);
      if (mustStore) await session.run(share, [number, sharing]);
    });
    if (sharing === this.#sharing && number === this.#owner.number) this.#isStored = true;
  }

  /** In the transaction of a registration, before the node's row is added. */
  async beforeRegistration(session: Session): Promise<void> {
    this.#foundOthers = (await session.run(hasNodes)).rows[0]?.exists ?? true;
  }

  /** The node has a new number, and uses no slots under it. */
  registered(): void {
    this.#sharing = 0;
    // insertNode has stored it.
    this.#isStored = this.#foundOthers;
    this.#setShared(this.#foundOthers);
  }

  /** To be called after each heartbeat: finds out whether the node is alone. Never rejects. */
  async afterHeartbeat(): Promise<void> {
    const { hasOthers } = this.#owner;
    if (hasOthers && !this.#areShared) await this.#beginSharing();
    else if (!hasOthers && this.#areShared && !this.#isEnding) {
      this.#isEnding = true;
      await this.#endSharing().catch(ignoreOutage);
      this.#isEnding = false;
    }
  }

  /** Deletes states that no node has used for long. */
  async sweep(): Promise<void> {
    while ((await this.#database.run(sweep)).count === SWEPT_MAX);
  }

  async #beginSharing(): Promise<void> {
    this.#sharing += 1;
    this.#isStored = false;
    this.#setShared(true);
    // A node that delivers nothing has nothing to register.
    if (this.#changed === null) await this.exchange([], () => null).catch(ignoreOutage);
  }

  /** Under the lock of registrations, so that no other node registers meanwhile and relies on what is stored. */
  async #endSharing(): Promise<void> {
    const { number } = this.#owner;
    const { count } = await this.#database.transaction(async (session) => {
      await lockSchema(session);
      return session.run(shareNoMore, [number]);
    });
    if (count === 1 && number === this.#owner.number) this.#setShared(false);
  }

  #setShared(areShared: boolean): void {
    if (this.#areShared === areShared) return;
    this.#areShared = areShared;
    this.#changed?.();
  }
}

const nameOf = (number: number, sharing: number): string => `${number}/${sharing}`;

/** What an outage prevents, the next heartbeat does. */
function ignoreOutage(error: unknown): void {
  if (!(error instanceof SpoolUnavailable)) throw error;
}
