/**
 * Stores what the sender did for an endpoint: the results of attempts, what waits behind them, and the endpoint's position. The
 * caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { Endpoint, WebhookSettlement } from "../port/webhooks.ts";
import type { DamageLog } from "./damage.ts";
import { prepareAttemptLog } from "./endpoint-attempts.ts";
import { EndpointRetries } from "./endpoint-retries.ts";
import { prepareEndpoint } from "./endpoints.ts";
import type { WriteHandlers } from "./writer-operations.ts";

export function prepareWebhookSettlement(db: Database, damage: DamageLog): Pick<WriteHandlers, "settleWebhooks"> {
  const find = prepareEndpoint(db, damage);
  const positionVersion = db.prepare<[string], number>("SELECT position_version FROM endpoints WHERE id = ?").pluck();
  const retries = new EndpointRetries(db, damage);
  const update = prepareUpdate(db);
  const log = prepareAttemptLog(db, damage);
  return {
    settleWebhooks(settlement) {
      const endpoint = find(settlement.endpointId);
      // It was removed meanwhile.
      if (endpoint === null) return { value: undefined };
      const isOutdated = settlement.version < (positionVersion.get(endpoint.id) ?? 0);
      retries.settle(endpoint, settlement, isOutdated);
      update(endpoint, settlement);
      log(endpoint.id, settlement.results);
      return { value: undefined };
    },
  };
}

function prepareUpdate(db: Database): (endpoint: Endpoint, settlement: WebhookSettlement) => void {
  const update = db.prepare(
    `UPDATE endpoints SET position = iif(@version >= position_version, max(position, @position), position), failing_since_ms = @failingSinceMs,
         disabled_at_ms = coalesce(disabled_at_ms, @disabledAtMs), disabled_reason = coalesce(disabled_reason, @reason)
       WHERE id = @id`,
  );
  return (endpoint, settlement) => {
    // A person may have enabled the endpoint or given it another URL since these events were sent.
    const isCurrent = endpoint.version === settlement.version;
    const reason = isCurrent ? settlement.disable : null;
    update.run({
      id: endpoint.id,
      version: settlement.version,
      position: settlement.position,
      failingSinceMs: failingSince(endpoint, settlement),
      disabledAtMs: reason === null ? null : settlement.atMs,
      reason,
    });
  };
}

function failingSince({ failingSinceMs }: Endpoint, { results }: WebhookSettlement): number | null {
  if (results.some(({ outcome }) => outcome.type === "sent")) return null;
  return failingSinceMs ?? results[0]?.attempt.atMs ?? null;
}
