/**
 * Stores what the sender did for an endpoint: the results of attempts, what waits behind them, and the endpoint's position. The
 * update of the endpoint's row comes first, because its lock orders settlements and changes of the endpoint at all nodes.
 */
import type { WebhookQueue, WebhookSettlement } from "../port/webhooks.ts";
import { type FilterRow, filterOf, SELECTS_NOTHING } from "../records/endpoint-row.ts";
import type { Database } from "./database.ts";
import { addAttempts } from "./endpoint-attempts.ts";
import { type SettledEndpoint, storeRetries } from "./endpoint-retries.ts";
import { type Session, statement } from "./statement.ts";

type UpdatedRow = Omit<SettledEndpoint, keyof FilterRow> & FilterRow;

// `$6` and `$7` are null unless the endpoint is to be disabled. A person may have enabled it, or given it another URL, since
// these events were sent.
const update = statement<UpdatedRow>(
  `UPDATE endpoints SET
       position = CASE WHEN $2 >= position_version THEN greatest(position, $3) ELSE position END,
       failing_since_ms = CASE WHEN $4::boolean THEN NULL ELSE coalesce(failing_since_ms, $5) END,
       disabled_at_ms = coalesce(disabled_at_ms, CASE WHEN version = $2 THEN $6::bigint END),
       disabled_reason = coalesce(disabled_reason, CASE WHEN version = $2 THEN $7::text END)
     WHERE id = $1
     RETURNING id, account_id AS "accountId", types, keys, domains, position, $2 < position_version AS "isOutdated"`,
);

export function webhookSettlement(database: Database): Pick<WebhookQueue, "settleWebhooks"> {
  return {
    async settleWebhooks(settlement) {
      if (hasPositionOnly(settlement)) await database.run(update, updateValues(settlement));
      else await database.transaction((session) => settle(session, settlement));
    },
  };
}

async function settle(session: Session, settlement: WebhookSettlement): Promise<void> {
  const [row] = (await session.run(update, updateValues(settlement))).rows;
  // The endpoint was removed meanwhile.
  if (row === undefined) return;
  await storeRetries(session, { ...row, ...(filterOf(row) ?? SELECTS_NOTHING) }, settlement);
  await addAttempts(session, row.id, settlement.results);
}

const hasPositionOnly = ({ results, blocked, gone, isRecovered }: WebhookSettlement): boolean =>
  results.length + blocked.length + gone.length === 0 && !isRecovered;

function updateValues({ endpointId, version, position, atMs, results, disable }: WebhookSettlement): unknown[] {
  const hasSuccess = results.some(({ outcome }) => outcome.type === "sent");
  const failingSinceMs = results[0]?.attempt.atMs ?? null;
  const disabledAtMs = disable === null ? null : atMs;
  return [endpointId, version, position, hasSuccess, failingSinceMs, disabledAtMs, disable];
}
