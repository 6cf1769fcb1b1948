/**
 * Events: one for each thing that happened to a message, its recipients or a bound domain, written in the transaction
 * that makes it true. Events are kept as long as results. Times are milliseconds since the epoch.
 */
import type { Category } from "../../message/result/category.ts";
import type { Result, SmtpRecord } from "../../message/result/outcome.ts";
import type { Bounce, Complaint } from "./results.ts";

export const EVENT_TYPES = [
  "message.accepted",
  "recipient.delivered",
  "recipient.deferred",
  "recipient.failed",
  "recipient.unknown",
  "recipient.suppressed",
  "recipient.bounced",
  "recipient.complained",
  "recipient.unsubscribed",
  "domain.verified",
  "domain.failing",
  "domain.lost",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** A recipient as of an event. */
export interface EventRecipient {
  email: string;
  result: Result;
  reason: string | null;
  category: Category | null;
  /** Attempts so far. */
  attempts: number;
  smtp: SmtpRecord | null;
}

export interface OutboxEvent {
  /** `evt_` and random characters. */
  id: string;
  accountId: string;
  /** The event's position among the account's events: later transactions have greater numbers, and none is given twice. */
  number: number;
  atMs: number;
  type: EventType;
  /** Counts the events of its message from 1, without a gap; null for an event of a domain. */
  sequence: number | null;
  /** Null for an event of a domain. */
  messageId: string | null;
  /** The key that sent the message; null for an event of a domain. */
  keyId: string | null;
  /** Events with the same value are sent in order: those of a message, and those of all domains of an account. */
  orderKey: number;
  /** The domain: the sender's, or the one that the event is about. */
  domain: string;
  /** Null for an event of a whole message or of a domain. */
  recipient: EventRecipient | null;
  /** Of `recipient.bounced`. */
  bounce?: Bounce;
  /** Of `recipient.complained`. */
  complaint?: Complaint;
  tags: string[];
  metadata: Record<string, string>;
  /** Whether the message was sent with a test key; false for an event of a domain. */
  test: boolean;
}

/** Selects events; null selects all. */
export interface EventFilter {
  types: readonly EventType[] | null;
  /** Key ids. Events of domains have no key, and are selected only by null. */
  keys: readonly string[] | null;
  /** Names of bound domains. */
  domains: readonly string[] | null;
}

/** Whether the filter selects an event. */
export function selects(
  { types, keys, domains }: EventFilter,
  { type, keyId, domain }: { type: EventType; keyId: string | null; domain: string | null },
): boolean {
  if (types !== null && !types.includes(type)) return false;
  if (keys !== null && (keyId === null || !keys.includes(keyId))) return false;
  return domains === null || (domain !== null && domains.includes(domain));
}

export interface EventQuery {
  accountId: string;
  /** Null: from the oldest event that is kept. */
  afterNumber: number | null;
  filter: EventFilter;
  /** Includes events of domains. */
  withDomains: boolean;
  /** Most events to return. */
  limit: number;
}

/** A page may have fewer events than `limit`, even none, although more follow: a read looks at a bounded number of events. */
export interface EventPage {
  /** In the order of their numbers. */
  events: OutboxEvent[];
  /** All events through this number were looked at: the next query's `afterNumber`. */
  throughNumber: number;
  /** No event follows now. */
  isEnd: boolean;
}

/**
 * Called after a commit with the accounts that have new events; null if a webhook endpoint was changed, or if another process may
 * have changed any account.
 */
export type EventListener = (accountIds: ReadonlySet<string> | null) => void;

export interface Events {
  /** Returns "expired" if an event after `afterNumber` was deleted at the end of its retention period, or `afterNumber` is ahead of all. */
  events(query: EventQuery): Promise<EventPage | "expired">;
  /** Returns a function that ends the calls. */
  onEvents(listener: EventListener): () => void;
}
