/**
 * Webhook endpoints and what has been sent to them. An endpoint has a position in its account's events: all events through it
 * were sent, left out by the filter, or wait for another attempt. Times are milliseconds since the epoch.
 */
import type { EventFilter, EventType, OutboxEvent } from "./events.ts";

export interface SealedSecret {
  /** The secret is not used from then on; null for the present one. */
  bytes: Buffer;
  /** From then on the secret is not used any more; null for the present one. */
  untilMs: number | null;
}

export interface Endpoint extends EventFilter {
  id: string;
  accountId: string;
  url: string;
  createdAtMs: number;
  /** The present secret, and during a rotation the former one. */
  secrets: SealedSecret[];
  pausedAtMs: number | null;
  /** `notifiedAtMs`: when the account was last notified that the endpoint was disabled, now or before. */
  disabled: { atMs: number; reason: DisabledReason; notifiedAtMs: number | null } | null;
  /** The first failure since the last success; null if the last attempt succeeded or none was made. */
  failingSinceMs: number | null;
  position: number;
  /**
   * Rises with each change by a person. A settlement with another version does not disable, and one from before a replay or an
   * edit does not move the position.
   */
  version: number;
}

/** `gone`: the endpoint responded 410. `failing`: all attempts have failed for days. */
export type DisabledReason = "gone" | "failing";

export interface NewEndpoint extends EventFilter {
  /** `end_` and random characters: the secret is sealed under it. */
  id: string;
  accountId: string;
  url: string;
  createdAtMs: number;
  sealedSecret: Buffer;
  /** Most endpoints of an account. */
  endpointsMax: number;
}

export interface EndpointChange {
  accountId: string;
  endpointId: string;
  change:
    | ({ type: "edit"; url: string } & EventFilter)
    | { type: "pause"; atMs: number }
    /** Ends a pause, and enables a disabled endpoint. All waiting retries are due at once, with as many attempts as new events. */
    | { type: "resume" }
    /** The present secret is valid until `formerUntilMs` beside the new one. */
    | { type: "rotate"; sealedSecret: Buffer; formerUntilMs: number }
    /** Sends the events again that happened at this moment or later, and then those that follow. */
    | { type: "replay"; sinceMs: number }
    /** Sends one event again, and what waits behind it for the same message. No effect if it was not sent yet. */
    | { type: "replay_one"; eventNumber: number; atMs: number }
    | { type: "notified"; atMs: number };
}

/** One attempt, as it is shown. */
export interface WebhookAttempt {
  /** Counts the endpoint's attempts. */
  number: number;
  eventNumber: number;
  eventId: string;
  type: EventType;
  messageId: string | null;
  atMs: number;
  durationMs: number;
  /** Counts the attempts at this event from 1. */
  attempt: number;
  /** The HTTP status; null without a response. */
  status: number | null;
  /** A sentence if there was no response or it was not read; null otherwise. */
  error: string | null;
  /** The beginning of the response's body, at most 1 KiB. */
  response: string;
  /** Null if the attempt succeeded, or none follows. */
  nextAttemptAtMs: number | null;
  result: "sent" | "deferred" | "given_up";
}

export interface AttemptFilter {
  endpointId: string;
  /** Only attempts before this one; null for the newest. */
  beforeNumber: number | null;
  /** Leaves out attempts that succeeded. */
  failedOnly: boolean;
  messageId?: string;
  limit: number;
}

export interface EndpointStore {
  createEndpoint(endpoint: NewEndpoint): Promise<Endpoint | "too_many">;
  /** The oldest first; of all accounts if null. */
  endpoints(accountId: string | null): Promise<Endpoint[]>;
  /** Returns false if the account has no such endpoint, or, for `replay_one`, no such event. */
  changeEndpoint(change: EndpointChange): Promise<boolean>;
  removeEndpoint(accountId: string, endpointId: string): Promise<boolean>;
  /** The newest first. */
  attempts(filter: AttemptFilter): Promise<WebhookAttempt[]>;
  /** One event of the account; null if it is not kept any more. */
  event(accountId: string, eventNumber: number): Promise<OutboxEvent | null>;
  /** How many order keys wait for another attempt, and how many events were not attempted yet (counted up to 10,000). */
  waitingAt(endpointId: string): Promise<{ retries: number; events: number }>;
}

/** Events after the endpoint's position, or after `afterNumber`. */
export interface FreshEvents {
  events: FreshEvent[];
  /** As EventPage's. */
  throughNumber: number;
  isEnd: boolean;
}

interface FreshEvent {
  event: OutboxEvent;
  /** Whether an earlier event with the same order key waits for another attempt. */
  isBlocked: boolean;
  /** Whether the event itself is part of what waits, or was sent before it: after a crash, events are read again. */
  isCovered: boolean;
}

export interface DueRetries {
  /** At most one for each order key, the longest due first. */
  retries: { event: OutboxEvent; attempts: number; dueMs: number }[];
  /** Order keys whose event was deleted at the end of its retention period; to be settled as `gone`. */
  gone: number[];
  /** When the next retry is due; null if none waits. */
  nextDueMs: number | null;
  /** How many order keys wait. */
  count: number;
}

export interface WebhookResult {
  event: Pick<OutboxEvent, "number" | "id" | "type" | "messageId" | "orderKey">;
  attempt: Pick<WebhookAttempt, "atMs" | "durationMs" | "attempt" | "status" | "error" | "response">;
  outcome: { type: "sent" } | { type: "deferred"; nextAttemptAtMs: number } | { type: "given_up" };
}

export interface WebhookSettlement {
  endpointId: string;
  version: number;
  atMs: number;
  /** The endpoint's new position. */
  position: number;
  results: WebhookResult[];
  /** Events that wait behind an earlier one of their order key. */
  blocked: { orderKey: number; number: number }[];
  /** Order keys of `DueRetries.gone`. */
  gone: number[];
  /** Makes all waiting retries due now: the endpoint works again. */
  isRecovered: boolean;
  disable: DisabledReason | null;
}

/** The sender's side: one process sends to an endpoint. */
export interface WebhookQueue {
  /**
   * Looks at events after `afterNumber`, as Events.events does; events that are not kept any more are skipped. Returns none if
   * the endpoint was changed or removed meanwhile.
   */
  freshEvents(endpoint: Endpoint, afterNumber: number, limit: number): Promise<FreshEvents>;
  /** None of an endpoint that is paused or disabled. */
  dueRetries(endpointId: string, nowMs: number, limit: number): Promise<DueRetries>;
  /**
   * Stores results and the position in one transaction. A failed event keeps later ones of its order key waiting. After the
   * last attempt (`given_up`) or a success, the next of them is due at once.
   */
  settleWebhooks(settlement: WebhookSettlement): Promise<void>;
}

export interface Webhooks extends EndpointStore, WebhookQueue {}
