/**
 * The audit trail: what users, operators, API keys and the command line changed. app/audit/ decides what is recorded; its entries hold no
 * secret. Times are milliseconds since the epoch. Every method rejects with SpoolUnavailable as the spool's do (see errors.ts).
 */

/** `visitor`: a person without a session, for example one who opens an invitation's link. */
export type ActorKind = "user" | "key" | "command_line" | "visitor";

/** Who made a change, and from where. */
export interface AuditActor {
  kind: ActorKind;
  /** Of the user or the API key; null for others. */
  id: string | null;
  /** The user's email address, the name of the key, or `command line`; null for a visitor who is not known. */
  name: string | null;
  /** The client's address; null for the command line. */
  ip: string | null;
}

/** What a change is about. */
export interface AuditTarget {
  /** Such as `domain` or `user`. */
  kind: string;
  id: string | null;
  name: string | null;
}

/** The fields that changed, by name: what JSON can hold. */
export type AuditFields = Readonly<Record<string, unknown>>;

/** The most octets of the JSON of an entry's `before`, and of its `after`. */
export const AUDIT_FIELDS_MAX = 8192;

export interface AuditEntry {
  id: string;
  atMs: number;
  /** Null for the whole installation. */
  accountId: string | null;
  actor: AuditActor;
  /** Such as `domain.added`. */
  action: string;
  target: AuditTarget;
  /** Null if there was nothing before, or nothing is known of it. */
  before: AuditFields | null;
  after: AuditFields | null;
}

/** Entries listed at once. */
export const AUDIT_LISTED_MAX = 100;

export interface AuditFilter {
  /** Null for all accounts and the installation. */
  accountId: string | null;
  /** A part of the actor's name, regardless of the case of ASCII letters, or the actor's id. */
  by?: string;
  /** The beginning of the action. */
  action?: string;
  /** The id or the name of the target. */
  target?: string;
  /** At this moment or later. */
  sinceMs?: number;
  /** Before this moment. */
  untilMs?: number;
  /** `cursor` of the previous page. */
  cursor?: number;
  /** From 1 to AUDIT_LISTED_MAX. */
  limit: number;
}

export interface AuditPage {
  /** The newest first. */
  entries: AuditEntry[];
  /** Null at the end. */
  cursor: number | null;
}

export interface AuditTrail {
  /** Adds an entry. An earlier one with the same id keeps its time and its place, and gets this target, `before` and `after`. */
  recordAudit(entry: AuditEntry): Promise<void>;
  /** Rejects with TooManyReports as the methods of reports.ts do. */
  auditEntries(filter: AuditFilter): Promise<AuditPage>;
  /** Deletes at most `limit` entries from before a moment, the oldest first. Returns how many. */
  removeAuditBefore(beforeMs: number, limit: number): Promise<number>;
}
