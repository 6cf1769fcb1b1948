/**
 * The stored order keys of an endpoint that wait for another attempt. records/endpoint-retries.ts decides what a settlement makes
 * of them. The caller holds the lock of the endpoint's row.
 */
import type { EventFilter } from "../port/events.ts";
import type { WebhookSettlement } from "../port/webhooks.ts";
import { type Retry, type RetryRange, type RetryStore, settleRetries } from "../records/endpoint-retries.ts";
import { firstEvents } from "./ordered-events.ts";
import { type Session, statement } from "./statement.ts";

/** The endpoint as it is after the settlement's update. */
export interface SettledEndpoint extends EventFilter {
  id: string;
  accountId: string;
  position: number;
  /** Whether the settlement is from before a replay or an edit: a new sender meets all events after the position again. */
  isOutdated: boolean;
}

const makeDue = statement(
  "UPDATE endpoint_retries SET next_attempt_at_ms = $2 WHERE endpoint_id = $1 AND next_attempt_at_ms > $2",
);

const find = statement<Retry & { orderKey: number }>(
  `SELECT seq AS "orderKey", next_number AS next, last_number AS last, attempts, next_attempt_at_ms AS "dueMs"
     FROM endpoint_retries WHERE endpoint_id = $1 AND seq = ANY ($2::bigint[])`,
);

const store = statement(
  `INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::int[], $6::bigint[])
     ON CONFLICT (endpoint_id, seq) DO UPDATE SET next_number = excluded.next_number, last_number = excluded.last_number,
       attempts = excluded.attempts, next_attempt_at_ms = excluded.next_attempt_at_ms`,
);

const remove = statement("DELETE FROM endpoint_retries WHERE endpoint_id = $1 AND seq = ANY ($2::bigint[])");

/** Applies what a settlement says about retries. */
export async function storeRetries(
  session: Session,
  endpoint: SettledEndpoint,
  settlement: WebhookSettlement,
): Promise<void> {
  // First, so that a failure in this settlement waits for its own time.
  if (settlement.isRecovered) await session.run(makeDue, [endpoint.id, settlement.atMs]);
  const orderKeys = orderKeysOf(settlement);
  if (orderKeys.length === 0) return;
  const { rows } = await session.run(find, [endpoint.id, orderKeys]);
  const stored = new Map(rows.map(({ orderKey, ...retry }) => [orderKey, retry]));
  const changes = await changesOf(session, { endpoint, settlement, stored });
  await write(session, endpoint.id, changes);
}

const orderKeysOf = ({ results, blocked, gone }: WebhookSettlement): number[] => [
  ...new Set([...results.map(({ event }) => event.orderKey), ...blocked.map(({ orderKey }) => orderKey), ...gone]),
];

/** By order key; null for a retry to remove. */
type Changes = Map<number, Retry | null>;

/**
 * The decisions need to know of some events whether they are to be sent. Which ones shows only while deciding, so it is repeated
 * until all of them are read. Most settlements need none.
 */
async function changesOf(
  session: Session,
  {
    endpoint,
    settlement,
    stored,
  }: { endpoint: SettledEndpoint; settlement: WebhookSettlement; stored: ReadonlyMap<number, Retry> },
): Promise<Changes> {
  const position = endpoint.isOutdated ? endpoint.position : null;
  const wanted = new WantedEvents();
  for (;;) {
    const retries = new ChangedRetries(stored, wanted);
    settleRetries(retries, settlement, position);
    if (!(await wanted.read(session, endpoint))) return retries.changes;
  }
}

class ChangedRetries implements RetryStore {
  readonly changes: Changes = new Map();
  readonly #stored: ReadonlyMap<number, Retry>;
  readonly #wanted: WantedEvents;

  constructor(stored: ReadonlyMap<number, Retry>, wanted: WantedEvents) {
    this.#stored = stored;
    this.#wanted = wanted;
  }

  find(orderKey: number): Retry | undefined {
    const changed = this.changes.get(orderKey);
    return changed === undefined ? this.#stored.get(orderKey) : (changed ?? undefined);
  }

  store(orderKey: number, retry: Retry): void {
    this.changes.set(orderKey, retry);
  }

  remove(orderKey: number): void {
    this.changes.set(orderKey, null);
  }

  hasWanted(orderKey: number, range: RetryRange): boolean {
    return this.#wanted.has(orderKey, range);
  }
}

/** Whether an event in a range is to be sent, as far as it was read. */
class WantedEvents {
  readonly #known = new Map<string, boolean>();
  readonly #unknown = new Map<string, { orderKey: number; from: number; to: number }>();

  has(orderKey: number, { next, last }: RetryRange): boolean {
    if (next > last) return false;
    const range = `${orderKey} ${next} ${last}`;
    const known = this.#known.get(range);
    if (known === undefined) this.#unknown.set(range, { orderKey, from: next, to: last });
    return known ?? false;
  }

  /** Reads what was asked since the last call. Returns false if that was nothing. */
  async read(session: Session, endpoint: SettledEndpoint): Promise<boolean> {
    if (this.#unknown.size === 0) return false;
    const events = await firstEvents(session, endpoint, [...this.#unknown.values()]);
    for (const [i, range] of [...this.#unknown.keys()].entries()) this.#known.set(range, events[i] !== null);
    this.#unknown.clear();
    return true;
  }
}

async function write(session: Session, endpointId: string, changes: Changes): Promise<void> {
  const stored = [...changes].flatMap(([orderKey, retry]) => (retry === null ? [] : [{ orderKey, ...retry }]));
  const removed = [...changes].flatMap(([orderKey, retry]) => (retry === null ? [orderKey] : []));
  if (stored.length > 0) {
    await session.run(store, [
      endpointId,
      stored.map(({ orderKey }) => orderKey),
      stored.map(({ next }) => next),
      stored.map(({ last }) => last),
      stored.map(({ attempts }) => attempts),
      stored.map(({ dueMs }) => dueMs),
    ]);
  }
  if (removed.length > 0) await session.run(remove, [endpointId, removed]);
}
