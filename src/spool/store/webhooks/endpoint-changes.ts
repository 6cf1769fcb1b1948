/**
 * Changes of a webhook endpoint by a person, and that its account was notified. Each runs under the lock of the endpoint's row.
 */
import { first, type Session } from "../../engine/session.ts";
import { type Statement, statement } from "../../engine/statement.ts";
import type { EndpointChange } from "../../port/webhooks.ts";
import { storedList } from "../../records/endpoint-row.ts";

type Change<T extends EndpointChange["change"]["type"]> = Extract<EndpointChange["change"], { type: T }>;

interface LockedEndpoint {
  id: string;
  accountId: string;
  position: number;
}

const find = statement<LockedEndpoint>(
  `SELECT id, account_id AS "accountId", position FROM endpoints WHERE id = $1 AND account_id = $2`,
);

const edit = statement(
  `UPDATE endpoints SET url = $2, types = $3, keys = $4, domains = $5, version = version + 1, position_version = version + 1
     WHERE id = $1`,
);

const pause = statement(
  "UPDATE endpoints SET paused_at_ms = coalesce(paused_at_ms, $2), version = version + 1 WHERE id = $1",
);

const resume = statement(
  `UPDATE endpoints SET paused_at_ms = NULL, disabled_at_ms = NULL, disabled_reason = NULL, failing_since_ms = NULL,
       version = version + 1
     WHERE id = $1`,
);

const makeAllDue = statement("UPDATE endpoint_retries SET next_attempt_at_ms = 0, attempts = 0 WHERE endpoint_id = $1");

const rotate = statement(
  `UPDATE endpoints SET former_sealed_secret = sealed_secret, former_until_ms = $2, sealed_secret = $3, version = version + 1
     WHERE id = $1`,
);

const firstAfter = statement<{ number: number; atMs: number }>(
  `SELECT number, at_ms AS "atMs" FROM account_events WHERE account_id = $1 AND number > $2 AND number <= $3
     ORDER BY number LIMIT 1`,
);

const setBack = statement(
  "UPDATE endpoints SET position = $2, version = version + 1, position_version = version + 1 WHERE id = $1",
);

// The sender meets these events again.
const dropRetriesAfter = statement("DELETE FROM endpoint_retries WHERE endpoint_id = $1 AND next_number > $2");

const findOrderKey = statement<{ orderKey: number }>(
  `SELECT order_key AS "orderKey" FROM account_events WHERE account_id = $1 AND number = $2 AND shown`,
);

const wait = statement(
  `INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms)
     VALUES ($1, $2, $3, $3, 0, $4)
     ON CONFLICT (endpoint_id, seq) DO UPDATE SET attempts = 0, next_attempt_at_ms = excluded.next_attempt_at_ms,
       next_number = CASE WHEN endpoint_retries.next_number < excluded.next_number
                       THEN endpoint_retries.next_number ELSE excluded.next_number END,
       last_number = CASE WHEN endpoint_retries.last_number > excluded.last_number
                       THEN endpoint_retries.last_number ELSE excluded.last_number END`,
);

const notified = statement("UPDATE endpoints SET notified_at_ms = $2 WHERE id = $1 AND disabled_at_ms IS NOT NULL");

export const endpointChangeOperations = {
  reads: {},
  writes: {
    async changeEndpoint(session: Session, { accountId, endpointId, change }: EndpointChange): Promise<boolean> {
      await session.lock("endpoints", endpointId);
      const endpoint = await first(session, find, [endpointId, accountId]);
      return endpoint !== null && apply(session, endpoint, change);
    },
  },
};

/** Returns false if the change concerns an event that does not exist. */
async function apply(session: Session, endpoint: LockedEndpoint, change: EndpointChange["change"]): Promise<boolean> {
  const { id } = endpoint;
  const update = async (query: Statement, ...values: unknown[]): Promise<true> => {
    await session.run(query, [id, ...values]);
    return true;
  };
  switch (change.type) {
    case "edit":
      return update(edit, change.url, ...[change.types, change.keys, change.domains].map(storedList));
    case "pause":
      return update(pause, change.atMs);
    case "resume":
      await update(resume);
      return update(makeAllDue);
    case "rotate":
      return update(rotate, change.formerUntilMs, change.sealedSecret);
    case "replay": {
      const position = await positionBefore(session, endpoint, change.sinceMs);
      await update(setBack, position);
      return update(dropRetriesAfter, position);
    }
    case "replay_one":
      return replayOne(session, endpoint, change);
    case "notified":
      return update(notified, change.atMs);
  }
}

/**
 * A binary search for the least position after which no event is from before `sinceMs`; at most the endpoint's. The numbers have gaps, so
 * each step reads the first event after one.
 */
async function positionBefore(
  session: Session,
  { accountId, position }: LockedEndpoint,
  sinceMs: number,
): Promise<number> {
  let [low, high] = [0, position];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await first(session, firstAfter, [accountId, middle, position]);
    if (event === null || event.atMs >= sinceMs) high = middle;
    else low = event.number;
  }
  return low;
}

async function replayOne(
  session: Session,
  { id, accountId, position }: LockedEndpoint,
  { eventNumber, atMs }: Change<"replay_one">,
): Promise<boolean> {
  const event = await first(session, findOrderKey, [accountId, eventNumber]);
  if (event === null) return false;
  // An event after the position is sent anyway, behind the earlier ones of its order key.
  if (eventNumber <= position) await session.run(wait, [id, event.orderKey, eventNumber, atMs]);
  return true;
}
