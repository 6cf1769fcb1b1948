/**
 * Webhook endpoints: their rows, making them and removing them. See endpoint-changes.ts for their changes and
 * webhook-settlement.ts for what is sent to them. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { Endpoint } from "../port/webhooks.ts";
import { ENDPOINT_COLUMNS, type EndpointRow, endpointOf, filterOf, storedList } from "../records/endpoint-row.ts";
import { type DamageLog, type DamageReports, RowDamaged } from "./damage.ts";
import { ATTEMPTS_LOG } from "./endpoint-attempts.ts";
import type { WriteHandlers } from "./writer-operations.ts";

type EndpointWrites = Pick<WriteHandlers, "createEndpoint" | "removeEndpoint">;

export function prepareEndpointWrites(db: Database, damage: DamageLog): EndpointWrites {
  return { createEndpoint: prepareCreate(db), removeEndpoint: prepareRemove(db, damage) };
}

function prepareCreate(db: Database): EndpointWrites["createEndpoint"] {
  const count = db.prepare<[string], number>("SELECT count(*) FROM endpoints WHERE account_id = ?").pluck();
  const add = db.prepare(
    `INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, position, version)
       VALUES (@id, @accountId, @url, @types, @keys, @domains, @createdAtMs, @sealedSecret,
         coalesce((SELECT max(number) FROM outbox WHERE account_id = @accountId), 0), 1)`,
  );
  return ({ endpointsMax, types, keys, domains, ...endpoint }) => {
    if ((count.get(endpoint.accountId) ?? 0) >= endpointsMax) return { value: "too_many" };
    add.run({ ...endpoint, types: storedList(types), keys: storedList(keys), domains: storedList(domains) });
    return { value: "created" };
  };
}

function prepareRemove(db: Database, damage: DamageLog): EndpointWrites["removeEndpoint"] {
  const exists = db.prepare("SELECT 1 FROM endpoints WHERE id = ? AND account_id = ?");
  const dropRetries = db.prepare("DELETE FROM endpoint_retries WHERE endpoint_id = ?");
  const dropAttempts = db.prepare("DELETE FROM endpoint_attempts WHERE endpoint_id = ?");
  const remove = db.prepare("DELETE FROM endpoints WHERE id = ?");
  return ({ accountId, endpointId }) => {
    if (exists.get(endpointId, accountId) === undefined) return { value: false };
    dropRetries.run(endpointId);
    damage.runOptional(ATTEMPTS_LOG, () => void dropAttempts.run(endpointId), undefined);
    remove.run(endpointId);
    return { value: true };
  };
}

export function prepareEndpointReads(db: Database, damage: DamageReports) {
  const endpoint = prepareEndpoint(db, damage);
  const endpoints = db.prepare<{ accountId: string | null }, EndpointRow>(
    `SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE @accountId IS NULL OR account_id = @accountId ORDER BY created_at_ms, id`,
  );
  return {
    endpoint,
    endpoints: (accountId: string | null) => endpoints.all({ accountId }).map((row) => endpointNoting(row, damage)),
  };
}

/** Prepares the reading of an endpoint by its id. */
export function prepareEndpoint(db: Database, damage: DamageReports): (endpointId: string) => Endpoint | null {
  const endpoint = db.prepare<[string], EndpointRow>(`SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE id = ?`);
  return (endpointId) => {
    const row = endpoint.get(endpointId);
    return row === undefined ? null : endpointNoting(row, damage);
  };
}

/** Reports a filter that cannot be decoded. */
function endpointNoting(row: EndpointRow, damage: DamageReports): Endpoint {
  if (filterOf(row) === null) {
    damage.note(`the filter of the webhook endpoint ${row.id}`, new RowDamaged("it cannot be decoded"));
  }
  return endpointOf(row);
}
