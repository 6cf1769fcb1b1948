/**
 * Webhook endpoints: their rows, making them and removing them. See endpoint-changes.ts for their changes and
 * webhook-settlement.ts for what is sent to them. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { EventFilter, EventType } from "../port/events.ts";
import type { DisabledReason, Endpoint, SealedSecret } from "../port/webhooks.ts";
import { type DamageLog, type DamageReports, isTexts, RowDamaged, soundJson } from "./damage.ts";
import { ATTEMPTS_LOG } from "./endpoint-attempts.ts";
import type { WriteHandlers } from "./writer-operations.ts";

interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  types: string | null;
  keys: string | null;
  domains: string | null;
  created_at_ms: number;
  sealed_secret: Buffer;
  former_sealed_secret: Buffer | null;
  former_until_ms: number | null;
  paused_at_ms: number | null;
  disabled_at_ms: number | null;
  disabled_reason: DisabledReason | null;
  notified_at_ms: number | null;
  failing_since_ms: number | null;
  position: number;
  version: number;
}

const COLUMNS = `id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret,
  former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version`;

/** Encodes a list of a filter as it is stored. */
export const storedList = (list: readonly string[] | null): string | null => list && JSON.stringify(list);

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
    `SELECT ${COLUMNS} FROM endpoints WHERE @accountId IS NULL OR account_id = @accountId ORDER BY created_at_ms, id`,
  );
  return {
    endpoint,
    endpoints: (accountId: string | null) => endpoints.all({ accountId }).map((row) => endpointOf(row, damage)),
  };
}

/** Prepares the reading of an endpoint by its id. */
export function prepareEndpoint(db: Database, damage: DamageReports): (endpointId: string) => Endpoint | null {
  const endpoint = db.prepare<[string], EndpointRow>(`SELECT ${COLUMNS} FROM endpoints WHERE id = ?`);
  return (endpointId) => {
    const row = endpoint.get(endpointId);
    return row === undefined ? null : endpointOf(row, damage);
  };
}

/** Of an endpoint whose filter is damaged: it may have left out what nobody but the account may see. */
const SELECTS_NOTHING: EventFilter = { types: [], keys: [], domains: [] };

/** An endpoint whose filter cannot be decoded reads as paused, with a filter that selects nothing. */
function endpointOf(row: EndpointRow, damage: DamageReports): Endpoint {
  const filter = filterOf(row);
  if (filter === null) {
    damage.note(`the filter of the webhook endpoint ${row.id}`, new RowDamaged("it cannot be decoded"));
  }
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    createdAtMs: row.created_at_ms,
    secrets: secretsOf(row),
    pausedAtMs: row.paused_at_ms ?? (filter === null ? row.created_at_ms : null),
    disabled: disabledOf(row),
    failingSinceMs: row.failing_since_ms,
    position: row.position,
    version: row.version,
    ...(filter ?? SELECTS_NOTHING),
  };
}

function filterOf(row: EndpointRow): EventFilter | null {
  const [types, keys, domains] = [listOf(row.types), listOf(row.keys), listOf(row.domains)];
  if (types === undefined || keys === undefined || domains === undefined) return null;
  return { types: types as EventType[] | null, keys, domains };
}

/** Undefined if the stored list cannot be decoded. */
const listOf = (text: string | null): string[] | null | undefined =>
  text === null ? null : (soundJson(text, isTexts) ?? undefined);

function secretsOf(row: EndpointRow): SealedSecret[] {
  const present = { bytes: row.sealed_secret, untilMs: null };
  if (row.former_sealed_secret === null) return [present];
  return [present, { bytes: row.former_sealed_secret, untilMs: row.former_until_ms ?? 0 }];
}

function disabledOf(row: EndpointRow): Endpoint["disabled"] {
  if (row.disabled_at_ms === null) return null;
  return { atMs: row.disabled_at_ms, reason: row.disabled_reason ?? "failing", notifiedAtMs: row.notified_at_ms };
}
