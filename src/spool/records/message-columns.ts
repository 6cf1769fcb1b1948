/**
 * The columns that the table messages has on both databases, each with its type and its value for a new message. Acceptance on both
 * databases and the message to SQLite's writer use this list. Beside it, each database gives `seq`.
 */
import type { NewMessage } from "../port/mail.ts";

/** As ColumnType in column-types.ts. */
interface ValueOfType {
  text: string;
  "text?": string | null;
  bigint: number;
  "bigint?": number | null;
  bool: boolean;
}

type Value = ValueOfType[keyof ValueOfType];

type Column = readonly [name: string, type: keyof ValueOfType, of: (message: NewMessage) => Value];

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

export const MESSAGE_COLUMNS = [
  ["id", "text", (m) => m.id],
  ["account_id", "text", (m) => m.accountId],
  ["key_id", "text", (m) => m.keyId],
  ["domain_id", "text", (m) => m.domainId],
  ["created_at_ms", "bigint", (m) => m.createdAtMs],
  ["expires_at_ms", "bigint", (m) => m.expiresAtMs],
  ["deadline_ms", "bigint?", (m) => m.deadlineMs ?? null],
  ["sender", "text", (m) => m.from],
  ["subject", "text", (m) => m.subject],
  ["message_id", "text", (m) => m.messageId],
  ["size_bytes", "bigint", (m) => m.content.length],
  ["tags", "text?", (m) => json(m.tags)],
  ["metadata", "text?", (m) => json(m.metadata)],
  ["test", "bool", (m) => m.test ?? false],
  ["eight_bit", "bool", (m) => m.eightBit ?? false],
  ["request_id", "text?", (m) => m.requestId ?? null],
  ["idempotency_key", "text?", (m) => m.clientKey ?? null],
] as const satisfies readonly Column[];

export type MessageColumn = (typeof MESSAGE_COLUMNS)[number][0];

type TypeOf<Name extends MessageColumn> = Extract<(typeof MESSAGE_COLUMNS)[number], readonly [Name, ...unknown[]]>[1];

/** A stored row. SQLite has a bool as 0 or 1. */
export type MessageRow = {
  [Name in MessageColumn]: TypeOf<Name> extends "bool" ? number : ValueOfType[TypeOf<Name>];
};

/** The names of the columns, for SQL. */
export const MESSAGE_COLUMN_NAMES = MESSAGE_COLUMNS.map(([name]) => name).join(", ");

export const MESSAGE_TYPES = Object.fromEntries(MESSAGE_COLUMNS.map(([name, type]) => [name, type])) as {
  [Name in MessageColumn]: TypeOf<Name>;
};
