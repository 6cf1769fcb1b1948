/** A change as a rule describes it: what was done to what, and which fields it changed. It holds no secret. */
import { AUDIT_FIELDS_MAX, type AuditFields, type AuditTarget } from "../../spool/port/audit.ts";

/** Every action of the trail. Stored and documented, so a name does not change. */
export const ACTIONS = [
  "account.created",
  "account.deleted",
  "account.restored",
  "account.quota_set",
  "account.status_pages_set",
  "account.entered",
  "user.created",
  "user.joined",
  "user.role_changed",
  "user.removed",
  "user.password_changed",
  "user.password_reset_requested",
  "user.second_factor_on",
  "user.second_factor_off",
  "user.provider_linked",
  "user.notices_set",
  "user.session_ended",
  "user.sessions_ended",
  "invitation.created",
  "invitation.accepted",
  "invitation.revoked",
  "sign_in",
  "sign_in_failed",
  "key.created",
  "key.changed",
  "key.revoked",
  "key.released",
  "key.fuse_set",
  "domain.added",
  "domain.removed",
  "domain.return_path_set",
  "domain.dkim_rotation_started",
  "domain.dkim_rotation_cancelled",
  "webhook.created",
  "webhook.changed",
  "webhook.paused",
  "webhook.resumed",
  "webhook.secret_rotated",
  "webhook.replayed",
  "webhook.removed",
  "suppression.added",
  "suppression.removed",
  "message.retried",
  "message.resolved",
  "message.cancelled",
  "message.discarded",
  "destination.paused",
  "destination.resumed",
  "destination.retried",
  "destination.tls_set",
  "receiver.limits_set",
  "receiver.limits_reset",
  "address.added",
  "address.changed",
  "address.paused",
  "address.resumed",
  "address.warm_up_set",
  "address.removed",
  "pool.created",
  "pool.changed",
  "pool.removed",
  "delivery.resumed",
  "node.drained",
  "node.resumed",
  "setting.changed",
] as const;
export type Action = (typeof ACTIONS)[number];

export interface Change {
  action: Action;
  /** Null for the whole installation. */
  accountId: string | null;
  target: AuditTarget;
  before?: AuditFields | null;
  after?: AuditFields | null;
  /** Recipients and messages of one step of an action: the steps of a request are one entry, with the sums in `after`. */
  counts?: { recipients: number; messages: readonly string[] };
  /** The user that a visitor has proven to be by this change. */
  proven?: { id: string; email: string };
  /** The change is a part of these: it is left out where the same request has made one of them. */
  partOf?: readonly Action[];
}

/** The fields that differ, on both sides; null if there are none. */
export function difference(
  before: AuditFields,
  after: AuditFields,
): { before: AuditFields; after: AuditFields } | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return null;
  const of = (fields: AuditFields) => Object.fromEntries(changed.map((name) => [name, fields[name] ?? null]));
  return { before: of(before), after: of(after) };
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** The fields within AUDIT_FIELDS_MAX octets of JSON: the largest values are replaced by their size. */
export function bounded(fields: AuditFields | null | undefined): AuditFields | null {
  if (fields === null || fields === undefined) return null;
  const kept: Record<string, unknown> = { ...fields };
  const bySize = Object.keys(kept).sort((a, b) => sizeOf(kept[b]) - sizeOf(kept[a]));
  for (const name of bySize) {
    if (sizeOf(kept) <= AUDIT_FIELDS_MAX) return kept;
    kept[name] = `left out: ${sizeOf(kept[name])} octets`;
  }
  return sizeOf(kept) <= AUDIT_FIELDS_MAX ? kept : { left_out: `${bySize.length} fields` };
}
