/**
 * The row of a webhook endpoint, which has the same columns in both forms of the spool.
 */
import type { EventFilter, EventType } from "../port/events.ts";
import type { DisabledReason, Endpoint, SealedSecret } from "../port/webhooks.ts";
import { isTexts, soundJson } from "./stored-json.ts";

/** The columns of a filter. Lists are JSON; null selects all. */
export interface FilterRow {
  types: string | null;
  keys: string | null;
  domains: string | null;
}

export interface EndpointRow extends FilterRow {
  id: string;
  account_id: string;
  url: string;
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

/** The columns of EndpointRow. */
export const ENDPOINT_COLUMNS = `id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret,
  former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version`;

/** Encodes a list of a filter as it is stored. */
export const storedList = (list: readonly string[] | null): string | null => list && JSON.stringify(list);

/** Of an endpoint whose filter cannot be decoded: it may have left out what nobody but the account may see. */
export const SELECTS_NOTHING: EventFilter = { types: [], keys: [], domains: [] };

/** An endpoint whose filter cannot be decoded reads as paused, with a filter that selects nothing. */
export function endpointOf(row: EndpointRow): Endpoint {
  const filter = filterOf(row);
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

/** Returns null if the stored filter cannot be decoded. */
export function filterOf(row: FilterRow): EventFilter | null {
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
