/** Listing the audit trail, for the dashboard, the command line and the HTTP interface. */
import { rfc3339 } from "../../lib/clock.ts";
import type { Accounts } from "../../spool/port/accounts.ts";
import { AUDIT_LISTED_MAX, type AuditEntry, type AuditFilter, type AuditTrail } from "../../spool/port/audit.ts";

/** What the list is read from; a Store has both. */
export type AuditSources = Pick<AuditTrail, "auditEntries"> & Pick<Accounts, "accounts">;

export interface AuditRequest {
  /** Null for all accounts and the installation: only for operators. */
  accountId: string | null;
  /** As AuditFilter's; empty texts select all. */
  by?: string;
  action?: string;
  target?: string;
  sinceMs?: number;
  untilMs?: number;
  /** `next` of the previous page; null for the first. One that is malformed lists the first page. */
  after?: string | null;
  /** Bounded to AUDIT_LISTED_MAX. */
  limit?: number;
}

/** An entry with the name of its account: null for the installation, and for an account that is emptied. */
export interface ListedEntry extends AuditEntry {
  account: string | null;
}

export interface ListedAudit {
  /** The newest first. */
  entries: ListedEntry[];
  /** `after` of the next page; null at the end. */
  next: string | null;
}

/** Rejects with SpoolUnavailable, and with TooManyReports. */
export async function listAudit(store: AuditSources, request: AuditRequest): Promise<ListedAudit> {
  const { entries, cursor } = await store.auditEntries(filterOf(request));
  const names = new Map((await store.accounts()).map(({ id, name, isEmptied }) => [id, isEmptied ? null : name]));
  const listed = entries.map((entry) => ({
    ...entry,
    account: entry.accountId === null ? null : (names.get(entry.accountId) ?? null),
  }));
  return { entries: listed, next: cursor === null ? null : String(cursor) };
}

function filterOf(request: AuditRequest): AuditFilter {
  const { accountId, sinceMs, untilMs, after = null, limit = AUDIT_LISTED_MAX } = request;
  const texts = ["by", "action", "target"] as const;
  return {
    accountId,
    ...Object.fromEntries(texts.flatMap((name) => (request[name] ? [[name, request[name]]] : []))),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
    ...(after !== null && /^\d{1,15}$/.test(after) ? { cursor: Number(after) } : {}),
    limit: Math.min(Math.max(1, limit), AUDIT_LISTED_MAX),
  };
}

/** An entry as JSON. */
export const auditView = ({ id, atMs, actor, action, target, account, accountId, before, after }: ListedEntry) => ({
  id,
  at: rfc3339(atMs),
  actor: { type: actor.kind, id: actor.id, name: actor.name },
  ip: actor.ip,
  action,
  target: { type: target.kind, id: target.id, name: target.name },
  account: accountId === null ? null : { id: accountId, name: account },
  before,
  after,
});
