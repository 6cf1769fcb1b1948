/** A message with everything that belongs to it, as a copy of the spool reads it from SQLite and writes it to PostgreSQL. */
import type { Category } from "../../message/result/category.ts";
import type { EventType } from "../port/events.ts";
import type { QuarantinedMessage } from "../port/quarantine.ts";

/** Times are milliseconds since the epoch; `tags` and `metadata` are JSON. */
export interface MessageRow {
  id: string;
  accountId: string;
  keyId: string;
  domainId: string;
  createdAtMs: number;
  expiresAtMs: number;
  deadlineMs: number | null;
  sender: string;
  subject: string;
  messageId: string;
  sizeBytes: number;
  tags: string | null;
  metadata: string | null;
  /** 0 or 1. */
  test: number;
  /** 0 or 1. */
  eightBit: number;
  requestId: string | null;
  idempotencyKey: string | null;
}

/** The first part of a content, and what is stored beside it. */
export interface ContentRow {
  first: Buffer;
  crc32: number;
  bodyHash: string | null;
  /** Null for none. */
  laterParts: number | null;
}

export interface PartRow {
  part: number;
  content: Buffer;
  crc32: number;
}

export const RECIPIENT_STATES = ["pending", "marked", "delivered", "failed", "unknown"] as const;

export type RecipientState = (typeof RECIPIENT_STATES)[number];

export interface RecipientRow {
  position: number;
  email: string;
  domain: string;
  field: string | null;
  state: RecipientState;
  reason: string | null;
  category: Category | null;
  attempts: number;
  /** Null unless the state is `pending`. */
  nextAttemptAtMs: number | null;
  updatedAtMs: number;
  /** The last reply, in JSON. */
  smtp: string | null;
  /** The evidence of the mark, in JSON; null unless the state is `marked`. */
  mark: string | null;
}

/** An entry of a recipient's history in JSON. */
export interface HistoryRow {
  position: number;
  entry: string;
}

/** An event of the outbox. */
export interface EventRow {
  accountId: string;
  number: number;
  id: string;
  atMs: number;
  type: EventType;
  /** The recipient as of the event, or the name of the domain, in JSON; null for the event of a whole message. */
  detail: string | null;
}

export interface CopiedMessage {
  /** Its number in SQLite. */
  seq: number;
  message: MessageRow;
  /** Null if it was deleted, or cannot be read. */
  content: ContentRow | null;
  /** The later parts of the content, read one at a time. */
  parts: Iterable<PartRow>;
  recipients: RecipientRow[];
  /** Those of a recipient are in their order. */
  histories: HistoryRow[];
  /** In the order of their numbers. */
  events: EventRow[];
  /** Why it must not be sent; null unless something of it was found damaged. */
  damage: Pick<QuarantinedMessage, "part" | "error"> | null;
}
