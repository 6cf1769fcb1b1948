/**
 * Stores what the sender did for an endpoint: the results of attempts, what waits behind them, and the endpoint's position. The update of
 * the endpoint's row comes first, because its lock orders settlements and changes of the endpoint at all nodes.
 */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { WebhookSettlement } from "../../port/webhooks.ts";
import { type FilterRow, filterOf, SELECTS_NOTHING } from "../../records/endpoint-row.ts";
import { addAttempts } from "./endpoint-attempts.ts";
import { type SettledEndpoint, storeRetries } from "./endpoint-retries.ts";

type UpdatedRow = Omit<SettledEndpoint, "filter"> & FilterRow & { attempts: number };

// `$6` and `$7` are null unless the endpoint is to be disabled. A person may have enabled it, or given it another URL, since these events
// were sent.
const update = statement<UpdatedRow>(
  `UPDATE endpoints SET
       position = CASE WHEN $2 >= position_version AND $3 > position THEN $3 ELSE position END,
       failing_since_ms = CASE WHEN $4 THEN NULL ELSE coalesce(failing_since_ms, $5) END,
       disabled_at_ms = coalesce(disabled_at_ms, CASE WHEN version = $2 THEN CAST($6 AS bigint) END),
       disabled_reason = coalesce(disabled_reason, CASE WHEN version = $2 THEN CAST($7 AS text) END),
       attempts = attempts + $8
     WHERE id = $1
     RETURNING id, account_id AS "accountId", types, keys, domains, position, attempts, $2 < position_version AS "isOutdated"`,
  { booleans: ["isOutdated"] },
);

export const webhookSettlementOperations = { reads: {}, writes: { settleWebhooks } };

/** One statement for a settlement that only moves the position. */
async function settleWebhooks(session: Session, settlement: WebhookSettlement): Promise<void> {
  const endpoint = await first(session, update, updateValues(settlement));
  // The endpoint was removed meanwhile.
  if (endpoint === null) return;
  await storeRetries(session, { ...endpoint, filter: filterOf(endpoint) ?? SELECTS_NOTHING }, settlement);
  await addAttempts(session, endpoint, settlement.results);
}

/** Whether the settlement only moves the endpoint's position, or disables it. */
export const hasPositionOnly = ({ results, blocked, gone, isRecovered }: WebhookSettlement): boolean =>
  results.length + blocked.length + gone.length === 0 && !isRecovered;

function updateValues({ endpointId, version, position, atMs, results, disable }: WebhookSettlement): unknown[] {
  const hasSuccess = results.some(({ outcome }) => outcome.type === "sent");
  const failingSinceMs = results[0]?.attempt.atMs ?? null;
  const disabledAtMs = disable === null ? null : atMs;
  return [endpointId, version, position, hasSuccess, failingSinceMs, disabledAtMs, disable, results.length];
}
