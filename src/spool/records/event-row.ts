/** Events as they are read: the row of an event with what it shows of its message, recipient and domain, and its decoding. */
import type { Category } from "../../message/result/category.ts";
import type { Result } from "../../message/result/outcome.ts";
import type { EventRecipient, EventType, OutboxEvent } from "../port/events.ts";
import { metadataOf, tagsOf } from "./message-labels.ts";
import { eventFeedback, KIND_OF_EVENT } from "./recipient-feedback.ts";
import { isObject, isReply, soundJson } from "./stored-json.ts";

/** The order key of the events of domains. No message has the number 0. */
export const DOMAINS_ORDER_KEY = 0;

export interface EventRow {
  accountId: string;
  number: number;
  id: string;
  atMs: number;
  /** Null for an entry that belongs only to the recipient's history. */
  type: EventType | null;
  orderKey: number;
  /** Null for an event of a domain. */
  sequence: number | null;
  /** The domain that the event is about; null for an event of a message. */
  ownDomain: string | null;
  /** The bound domain: `ownDomain`, or the sender's. */
  domain: string | null;
  result: Result | null;
  reason: string | null;
  category: Category | null;
  attempts: number | null;
  smtp: string | null;
  email: string | null;
  /** The detail of the feedback that the event reports, in JSON; null for other events. */
  feedback: string | null;
  messageId: string | null;
  keyId: string | null;
  tags: string | null;
  metadata: string | null;
  /** Null for an event of a domain. */
  test: boolean | null;
}

/** The kind of feedback by the type of an event, for a CASE. */
export const FEEDBACK_KINDS = Object.entries(KIND_OF_EVENT)
  .map(([type, kind]) => `WHEN '${type}' THEN '${kind}'`)
  .join(" ");

/** Returns null for an event that cannot be shown. */
export function eventOf(row: EventRow): OutboxEvent | null {
  const { accountId, number, id, atMs, type, orderKey } = row;
  if (type === null) return null;
  const shown = row.ownDomain === null ? ofMessage(row) : ofDomain(row.ownDomain);
  return shown && { accountId, number, id, atMs, type, orderKey, ...shown };
}

type Shown = Omit<OutboxEvent, "accountId" | "number" | "id" | "atMs" | "type" | "orderKey">;

function ofDomain(domain: string): Shown {
  return { domain, sequence: null, messageId: null, keyId: null, recipient: null, tags: [], metadata: {}, test: false };
}

function ofMessage(row: EventRow): Shown | null {
  const { sequence, messageId, keyId, result } = row;
  const recipient = recipientOf(row);
  if (messageId === null || keyId === null || (result !== null && recipient === null)) return null;
  const labels = { tags: tagsOf(row.tags), metadata: metadataOf(row.metadata) };
  const own = { domain: row.domain ?? "", sequence, messageId, keyId, recipient, ...labels, test: row.test === true };
  return { ...own, ...feedbackOf(row) };
}

function feedbackOf({ type, atMs, feedback }: EventRow): Pick<OutboxEvent, "bounce" | "complaint"> {
  return type === null || feedback === null ? {} : eventFeedback({ type, atMs }, soundJson(feedback, isObject));
}

function recipientOf({ email, result, reason, category, attempts, smtp }: EventRow): EventRecipient | null {
  if (email === null || result === null) return null;
  const reply = smtp === null ? null : soundJson(smtp, isReply);
  if (smtp !== null && reply === null) return null;
  return { email, result, reason, category, attempts: attempts ?? 0, smtp: reply };
}
