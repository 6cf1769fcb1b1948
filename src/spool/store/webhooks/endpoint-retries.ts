/**
 * The stored order keys of an endpoint that wait for another attempt. records/endpoint-retries.ts decides what a settlement makes of them.
 * The caller holds the lock of the endpoint's row.
 */
import type { EventRange, Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { EventFilter } from "../../port/events.ts";
import type { WebhookSettlement } from "../../port/webhooks.ts";
import { type Retry, type RetryRange, type RetryStore, settleRetries } from "../../records/endpoint-retries.ts";
import { rowParameters, runForRows, statementOfRows, valueParameters } from "../rows/many-rows.ts";

/** The endpoint as it is after the settlement's update. */
export interface SettledEndpoint {
  id: string;
  accountId: string;
  filter: EventFilter;
  position: number;
  /** Whether the settlement is from before a replay or an edit: a new sender meets all events after the position again. */
  isOutdated: boolean;
}

const makeDue = statement(
  "UPDATE endpoint_retries SET next_attempt_at_ms = $2 WHERE endpoint_id = $1 AND next_attempt_at_ms > $2",
);

const find = statementOfRows<Retry & { orderKey: number }>(
  (rowCount) =>
    `SELECT seq AS "orderKey", next_number AS next, last_number AS last, attempts, next_attempt_at_ms AS "dueMs"
       FROM endpoint_retries WHERE endpoint_id = $1 AND seq IN (${valueParameters(rowCount)})`,
);

const store = statementOfRows(
  (rowCount) =>
    `INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms)
       VALUES ${rowParameters(rowCount, 5)}
       ON CONFLICT (endpoint_id, seq) DO UPDATE SET next_number = excluded.next_number, last_number = excluded.last_number,
         attempts = excluded.attempts, next_attempt_at_ms = excluded.next_attempt_at_ms`,
);

const remove = statementOfRows(
  (rowCount) => `DELETE FROM endpoint_retries WHERE endpoint_id = $1 AND seq IN (${valueParameters(rowCount)})`,
);

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
  const found = await runForRows(session, find, { shared: endpoint.id, rows: orderKeys.map((key) => [key]) });
  const stored = new Map(found.map(({ orderKey, ...retry }) => [orderKey, retry]));
  await write(session, endpoint.id, await changesOf(session, { endpoint, settlement, stored }));
}

const orderKeysOf = ({ results, blocked, gone }: WebhookSettlement): number[] => [
  ...new Set([...results.map(({ event }) => event.orderKey), ...blocked.map(({ orderKey }) => orderKey), ...gone]),
];

/** By order key; null for a retry to remove. */
type Changes = Map<number, Retry | null>;

/**
 * The decisions need to know of some events whether they are to be sent. Which ones shows only while deciding, so it is repeated until all
 * of them are read. Most settlements need none.
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
  readonly #unknown = new Map<string, EventRange>();

  has(orderKey: number, { next, last }: RetryRange): boolean {
    if (next > last) return false;
    const range = `${orderKey} ${next} ${last}`;
    const known = this.#known.get(range);
    if (known === undefined) this.#unknown.set(range, { orderKey, from: next, to: last });
    return known ?? false;
  }

  /** Reads what was asked since the last call, or the first part of it. Returns false if that was nothing. */
  async read(session: Session, { accountId, filter }: SettledEndpoint): Promise<boolean> {
    if (this.#unknown.size === 0) return false;
    const asked = [...this.#unknown];
    this.#unknown.clear();
    const events = await session.firstEvents(
      { accountId, ...filter },
      asked.map(([, range]) => range),
    );
    for (const [i, event] of events.entries()) this.#known.set(asked[i]?.[0] ?? "", event !== null);
    return true;
  }
}

async function write(session: Session, endpointId: string, changes: Changes): Promise<void> {
  const stored: unknown[][] = [];
  const removed: unknown[][] = [];
  for (const [orderKey, retry] of changes) {
    if (retry === null) removed.push([orderKey]);
    else stored.push([orderKey, retry.next, retry.last, retry.attempts, retry.dueMs]);
  }
  await runForRows(session, store, { shared: endpointId, rows: stored });
  await runForRows(session, remove, { shared: endpointId, rows: removed });
}
