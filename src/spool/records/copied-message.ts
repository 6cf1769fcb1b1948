/** A message with everything that belongs to it, as a copy of the spool reads it from SQLite and writes it to PostgreSQL. */
import type { EventType } from "../port/events.ts";
import type { QuarantinedMessage } from "../port/quarantine.ts";
import type { ColumnType } from "./copied-tables.ts";
import type { MessageRow } from "./message-columns.ts";

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

export interface RecipientRow {
  position: number;
  email: string;
  domain: string;
  field: string | null;
}

/** A recipient that waits or is in an attempt. */
export interface WorkRow {
  position: number;
  due_ms: number;
  attempts: number;
  /** The evidence of the mark, in JSON; null unless the recipient is at its final dot. */
  mark: string | null;
}

/** A recipient whose result is unknown. */
export interface UnknownRow {
  position: number;
  attempts: number;
  at_ms: number;
  /** A result whose event could not be written, with what belongs to it; null for none. */
  result: string | null;
  reason: string | null;
  category: string | null;
  smtp: string | null;
}

/** The recipients of a message that are not final. The others have the result of their newest event. */
export interface Places {
  work: WorkRow[];
  unknown: UnknownRow[];
}

/** An event as it is stored. `position` and the columns of a recipient are null for the event of a whole message or of a domain. */
export interface EventRow {
  number: number;
  account_id: string;
  id: string;
  at_ms: number;
  /** Null for an entry that belongs to the recipient's history alone. */
  type: EventType | null;
  position: number | null;
  result: string | null;
  reason: string | null;
  category: string | null;
  attempts: number | null;
  /** The last reply, in JSON. */
  smtp: string | null;
  /** The entry of the recipient's history, in JSON. */
  history: string | null;
  /** The name of the domain if it is the event of one. */
  domain: string | null;
}

/** The columns of an event, in the order in which both databases read and write them. */
export const EVENT_TYPES = {
  number: "bigint",
  account_id: "text",
  id: "text",
  at_ms: "bigint",
  type: "text?",
  position: "int?",
  result: "text?",
  reason: "text?",
  category: "text?",
  attempts: "int?",
  smtp: "text?",
  history: "text?",
  domain: "text?",
} as const satisfies Record<keyof EventRow, ColumnType>;

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as (keyof EventRow)[];

export interface CopiedMessage extends Places {
  /** Its number in SQLite. */
  seq: number;
  message: MessageRow;
  /** Null if it was deleted, or cannot be read. */
  content: ContentRow | null;
  /** The later parts of the content, read one at a time. */
  parts: Iterable<PartRow>;
  recipients: RecipientRow[];
  /** In the order of their numbers. */
  events: EventRow[];
  /** Why it must not be sent; null unless something of it was found damaged. */
  damage: Pick<QuarantinedMessage, "part" | "error"> | null;
}
