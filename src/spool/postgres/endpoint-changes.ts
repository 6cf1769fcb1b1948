/**
 * Changes of a webhook endpoint by a person, and that its account was notified. Each runs under the lock of the endpoint's row.
 */
import type { EndpointChange, EndpointStore } from "../port/webhooks.ts";
import { storedList } from "../records/endpoint-row.ts";
import type { Database } from "./database.ts";
import { DOMAINS_ORDER_KEY } from "./event-rows.ts";
import { type Session, type Statement, statement } from "./statement.ts";

type Change<T extends EndpointChange["change"]["type"]> = Extract<EndpointChange["change"], { type: T }>;

interface LockedEndpoint {
  id: string;
  accountId: string;
  position: number;
}

const lock = statement<LockedEndpoint>(
  `SELECT id, account_id AS "accountId", position FROM endpoints WHERE id = $1 AND account_id = $2 FOR NO KEY UPDATE`,
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

/*
 * A binary search for the least position after which no event is from before `$3`; at most the endpoint's. The numbers have
 * gaps, so each step reads the first event after one.
 */
const searchPosition = statement<{ position: number }>(
  `WITH RECURSIVE search (low, high) AS (
     SELECT 0::bigint, $2::bigint
     UNION ALL
     SELECT CASE WHEN is_before THEN number ELSE low END, CASE WHEN is_before THEN high ELSE middle END
       FROM (SELECT low, high, (low + high) / 2 AS middle FROM search WHERE low < high) AS step
       LEFT JOIN LATERAL (
         SELECT number, at_ms < $3 AS is_before FROM events WHERE account_id = $1 AND number > middle AND number <= $2
           ORDER BY number LIMIT 1) AS event ON true)
   SELECT low AS position FROM search WHERE low >= high`,
);

const setBack = statement(
  "UPDATE endpoints SET position = $2, version = version + 1, position_version = version + 1 WHERE id = $1",
);

// The sender meets these events again.
const dropRetriesAfter = statement("DELETE FROM endpoint_retries WHERE endpoint_id = $1 AND next_number > $2");

const findOrderKey = statement<{ orderKey: number }>(
  `SELECT CASE WHEN domain IS NULL THEN seq ELSE ${DOMAINS_ORDER_KEY} END AS "orderKey"
     FROM events WHERE account_id = $1 AND number = $2 AND type IS NOT NULL`,
);

const wait = statement(
  `INSERT INTO endpoint_retries AS retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms)
     VALUES ($1, $2, $3, $3, 0, $4)
     ON CONFLICT (endpoint_id, seq) DO UPDATE SET next_number = least(retries.next_number, excluded.next_number),
       last_number = greatest(retries.last_number, excluded.last_number), attempts = 0,
       next_attempt_at_ms = excluded.next_attempt_at_ms`,
);

const notified = statement("UPDATE endpoints SET notified_at_ms = $2 WHERE id = $1 AND disabled_at_ms IS NOT NULL");

export function endpointChanges(database: Database): Pick<EndpointStore, "changeEndpoint"> {
  return {
    changeEndpoint({ accountId, endpointId, change }) {
      return database.transaction(async (session) => {
        const [endpoint] = (await session.run(lock, [endpointId, accountId])).rows;
        return endpoint !== undefined && apply(session, endpoint, change);
      });
    },
  };
}

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
    case "replay":
      return replay(session, endpoint, change);
    case "replay_one":
      return replayOne(session, endpoint, change);
    case "notified":
      return update(notified, change.atMs);
  }
}

async function replay(
  session: Session,
  { id, accountId, position }: LockedEndpoint,
  { sinceMs }: Change<"replay">,
): Promise<true> {
  const [found] = (await session.run(searchPosition, [accountId, position, sinceMs])).rows;
  if (found === undefined) throw new Error(`the search for a position of the endpoint ${id} has no end`);
  await session.run(setBack, [id, found.position]);
  await session.run(dropRetriesAfter, [id, found.position]);
  return true;
}

async function replayOne(
  session: Session,
  { id, accountId, position }: LockedEndpoint,
  { eventNumber, atMs }: Change<"replay_one">,
): Promise<boolean> {
  const [event] = (await session.run(findOrderKey, [accountId, eventNumber])).rows;
  if (event === undefined) return false;
  // An event after the position is sent anyway, behind the earlier ones of its order key.
  if (eventNumber <= position) await session.run(wait, [id, event.orderKey, eventNumber, atMs]);
  return true;
}
