/**
 * Acceptance, as a kind of the group commit: stores messages with their recipients, work, first events and idempotency records.
 * A message passes or not as a whole, and what decides it is read in the same transaction: whether its key was revoked, and
 * whether its idempotency key was used before.
 *
 * A message does not pass either if an address of its recipients has refusals, or is suppressed for another cause, unless that was
 * looked at: message/result/suppression.ts decides about refusals, so it costs a second try. acceptance.ts finds out why a message did not pass.
 */
import { DAY_MS } from "../../../../lib/units.ts";
import type { NewMessage, RecipientField } from "../../../port/mail.ts";
import type { Columns } from "../../../records/column-types.ts";
import { MESSAGE_COLUMN_NAMES, MESSAGE_COLUMNS, MESSAGE_TYPES } from "../../../records/message-columns.ts";
import { ArrayParameters } from "../connection/array-parameters.ts";
import type { WriteKind } from "../connection/group-commit.ts";
import { statement } from "../connection/statement.ts";
import { storedText, storedValue } from "../connection/stored-text.ts";
import { type Command, EVENT_COLUMNS, EVENT_ROWS, eventColumns, type NewEvent } from "./event-writer.ts";
import type { RowLease } from "./work-writes.ts";

/** How long an idempotency record is valid. */
export const IDEMPOTENCY_KEPT_MS = DAY_MS;

export interface AcceptWrite {
  seq: number;
  message: NewMessage;
  /** The first part of the content; the whole content unless it has later parts. */
  content: { first: Buffer; crc32: number; laterParts: number | null; sizeBytes: number };
  recipients: AcceptedRecipient[];
  /** Null where the work is left to any node. */
  lease: RowLease | null;
  acceptedEventId: string;
  /** The events of suppressed recipients, and of those of a scheduled message. */
  firstEvents: NewEvent[];
  /** Whether it was looked at if the recipients' addresses are suppressed. */
  isChecked: boolean;
}

export interface AcceptedRecipient {
  email: string;
  domain: string;
  field: RecipientField | null;
  /** As refused_addresses has it. */
  address: string;
  isSuppressed: boolean;
}

const KEY_REVOKED = `(SELECT revoked_at_ms FROM api_keys k WHERE k.id = m.key_id) IS NOT NULL`;

// A scalar subquery is a probe of the index for each row; EXISTS might become a join that reads the whole table.
const recordIn = (table: string): string =>
  `(SELECT 1 FROM ${table} f WHERE f.account_id = r.account_id AND f.address = r.address) = 1`;

/** Whether the address of a recipient may be suppressed. */
const HAS_RECORD = `(${recordIn("refused_addresses")} OR ${recordIn("suppressed_addresses")})`;

const MESSAGES: Columns = { seq: "bigint", ...MESSAGE_TYPES };

const RECIPIENTS: Columns = {
  seq: "bigint",
  position: "int",
  account_id: "text",
  email: "text",
  domain: "text",
  field: "text?",
};

const TAGS: Columns = { seq: "bigint", account_id: "text", tag: "text" };

const KEYS: Columns = {
  account_id: "text",
  key: "text",
  payload_hash: "text",
  id: "text",
  created_at_ms: "bigint",
  key_id: "text",
  seq: "bigint",
};
const ADDRESSES: Columns = { seq: "bigint", account_id: "text", address: "text" };

const CONTENTS: Columns = {
  seq: "bigint",
  crc32: "bigint",
  later_parts: "int?",
  body_hash: "text?",
  first: "int",
  size: "int",
};
const WORK: Columns = {
  seq: "bigint",
  position: "int",
  account_id: "text",
  domain: "text",
  due_ms: "bigint",
  owner: "bigint?",
  epoch: "bigint?",
};

const keys = new ArrayParameters();
const takeIdempotencyKeys = statement(
  `INSERT INTO idempotency AS used (account_id, key, payload_hash, message_id, created_at_ms)
     SELECT account_id, key, payload_hash, id, created_at_ms
       FROM ${keys.rows("m", KEYS)}
       WHERE NOT ${KEY_REVOKED} AND seq <> ALL (coalesce((
         SELECT array_agg(r.seq) FROM ${keys.rows("r", ADDRESSES)} WHERE ${HAS_RECORD}), '{}'))
       ORDER BY account_id, key
     ON CONFLICT (account_id, key) DO UPDATE
       SET payload_hash = excluded.payload_hash, message_id = excluded.message_id, created_at_ms = excluded.created_at_ms
       WHERE used.created_at_ms <= excluded.created_at_ms - ${IDEMPOTENCY_KEPT_MS}`,
);

/*
 * Comparing seq with an array of a batch's numbers is faster than a join here: a batch is small, and its size is unknown to the
 * planner.
 */
const added = new ArrayParameters();
const addMessages = statement<{ seq: number }>(
  `WITH passed AS (
     INSERT INTO messages (seq, ${MESSAGE_COLUMN_NAMES})
       SELECT seq, ${MESSAGE_COLUMN_NAMES} FROM ${added.rows("m", { ...MESSAGES, key: "text?" })}
         WHERE NOT ${KEY_REVOKED}
           AND (m.key IS NULL OR
                (SELECT message_id FROM idempotency i WHERE i.account_id = m.account_id AND i.key = m.key) = m.id)
           AND seq <> ALL (coalesce((
             SELECT array_agg(r.seq) FROM ${added.rows("r", ADDRESSES)} WHERE ${HAS_RECORD}), '{}'))
       RETURNING seq
   ), numbers AS MATERIALIZED (
     SELECT coalesce(array_agg(seq), '{}') AS seqs FROM passed
   ), content AS (
     INSERT INTO contents (seq, part, crc32, later_parts, body_hash, content)
       SELECT seq, 0, crc32, later_parts, body_hash, substring(${added.value("bytea")} FROM first FOR size)
         FROM ${added.rows("c", CONTENTS)}
         WHERE seq = ANY ((SELECT seqs FROM numbers)::bigint[])
   ), recipient AS (
     INSERT INTO recipients (seq, position, account_id, email, domain, field)
       SELECT seq, position, account_id, email, domain, field
         FROM ${added.rows("r", RECIPIENTS)}
         WHERE seq = ANY ((SELECT seqs FROM numbers)::bigint[])
   ), tag AS (
     INSERT INTO message_tags (seq, account_id, tag)
       SELECT seq, account_id, tag FROM ${added.rows("t", TAGS)}
         WHERE seq = ANY ((SELECT seqs FROM numbers)::bigint[])
   ), work AS (
     INSERT INTO work (seq, position, account_id, domain, due_ms, attempts, owner, epoch)
       SELECT seq, position, account_id, domain, due_ms, 0, owner, epoch
         FROM ${added.rows("w", WORK)}
         WHERE seq = ANY ((SELECT seqs FROM numbers)::bigint[])
   )
   SELECT unnest(seqs) AS seq FROM numbers`,
);

// A message that did not pass has no row, but its number may be in use by another (see MessageNumbers.skip).
const addAcceptedEvents = statement(
  `INSERT INTO events (${EVENT_COLUMNS})
     SELECT seq, nextval('event_numbers'), account_id, id, at_ms, 'message.accepted', NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            NULL
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[])
         AS e (seq, account_id, id, at_ms, message_id)
       WHERE (SELECT m.id FROM messages m WHERE m.seq = e.seq) = e.message_id`,
);

// As the events above, only of messages that passed: the number of one that did not may be in use by another.
const addFirstEvents = statement(
  `INSERT INTO events (${EVENT_COLUMNS})
     SELECT seq, nextval('event_numbers'), account_id, id, at_ms, type, position, result, reason, category, attempts, smtp,
            history, domain
       FROM ${EVENT_ROWS} WHERE EXISTS (
         SELECT FROM unnest($14::bigint[], $15::text[]) AS passed (seq, message_id)
           WHERE passed.seq = added.seq AND (SELECT m.id FROM messages m WHERE m.seq = passed.seq) = passed.message_id)`,
);

function firstEventCommands(writes: readonly AcceptWrite[]): Command[] {
  const events = writes.flatMap(({ firstEvents }) => firstEvents);
  if (events.length === 0) return [];
  const ids = [writes.map(({ seq }) => seq), writes.map(({ message }) => message.id)];
  return [{ query: addFirstEvents, values: [...eventColumns(events), ...ids] }];
}

// A separate statement for a column: the statement of all messages does not get longer for the few that are scheduled.
const setSendTimes = statement(
  `UPDATE messages m SET send_at_ms = s.send_at_ms FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS s (seq, id, send_at_ms)
     WHERE m.seq = s.seq AND m.id = s.id`,
);

function scheduleCommands(writes: readonly AcceptWrite[]): Command[] {
  const scheduled = writes.filter(({ message }) => message.sendAtMs !== undefined);
  if (scheduled.length === 0) return [];
  const values = [
    scheduled.map(({ seq }) => seq),
    scheduled.map(({ message }) => message.id),
    scheduled.map(({ message }) => message.sendAtMs),
  ];
  return [{ query: setSendTimes, values }];
}

/** Replies with whether the message passed. */
export const ACCEPT: WriteKind<AcceptWrite, boolean> = {
  commands: (writes) => [
    ...idempotencyCommands(writes),
    { query: addMessages, values: messageColumns(writes) },
    ...scheduleCommands(writes),
  ],
  accountsOf: (writes) => writes.map(({ message }) => message.accountId),
  eventCommands: (writes) => [
    { query: addAcceptedEvents, values: acceptedColumns(writes) },
    ...firstEventCommands(writes),
  ],
  replies(writes, results) {
    const added = results[idempotencyCommands(writes).length]?.rows ?? [];
    const passed = new Set(added.map(({ seq }: { seq: number }) => seq));
    return writes.map(({ seq }) => passed.has(seq));
  },
  sizeOf: ({ content }) => content.first.length,
};

const idempotencyCommands = (writes: readonly AcceptWrite[]): Command[] => {
  const keyed = writes.filter(({ message }) => message.idempotency !== null);
  if (keyed.length === 0) return [];
  return [{ query: takeIdempotencyKeys, values: [...idempotencyColumns(keyed), ...addressColumns(keyed)] }];
};

function idempotencyColumns(writes: readonly AcceptWrite[]): unknown[] {
  return [
    writes.map(({ message }) => message.accountId),
    writes.map(({ message }) => message.idempotency?.key),
    writes.map(({ message }) => message.idempotency?.payloadHash),
    writes.map(({ message }) => message.id),
    writes.map(({ message }) => message.createdAtMs),
    writes.map(({ message }) => message.keyId),
    writes.map(({ seq }) => seq),
  ];
}

/** The addresses whose records keep a message from passing. */
function addressColumns(writes: readonly AcceptWrite[]): [number[], string[], string[]] {
  const columns: [number[], string[], string[]] = [[], [], []];
  for (const { seq, message, recipients, isChecked } of writes) {
    if (isChecked || message.test) continue;
    for (const { address } of recipients) {
      columns[0].push(seq);
      columns[1].push(message.accountId);
      columns[2].push(address);
    }
  }
  return columns;
}

function messageColumns(writes: readonly AcceptWrite[]): unknown[] {
  return [
    writes.map(({ seq }) => seq),
    ...MESSAGE_COLUMNS.map(([, , of]) => writes.map(({ message }) => storedValue(of(message)))),
    writes.map(({ message }) => message.idempotency?.key ?? null),
    ...addressColumns(writes),
    ...contentColumns(writes),
    ...recipientColumns(writes),
    ...tagColumns(writes),
    ...workColumns(writes),
  ];
}

/** All contents are one binary parameter, because an array of them would be sent as hexadecimal text. */
function contentColumns(writes: readonly AcceptWrite[]): unknown[] {
  let end = 1;
  const firsts = writes.map(({ content }) => {
    const first = end;
    end += content.first.length;
    return first;
  });
  return [
    Buffer.concat(writes.map(({ content }) => content.first)),
    writes.map(({ seq }) => seq),
    writes.map(({ content }) => content.crc32),
    writes.map(({ content }) => content.laterParts),
    writes.map(({ message }) => message.bodyHash),
    firsts,
    writes.map(({ content }) => content.first.length),
  ];
}

function recipientColumns(writes: readonly AcceptWrite[]): unknown[] {
  const rows = writes.flatMap(({ seq, message, recipients }) =>
    recipients.map((recipient, position) => ({ seq, position, accountId: message.accountId, ...recipient })),
  );
  return [
    rows.map(({ seq }) => seq),
    rows.map(({ position }) => position),
    rows.map(({ accountId }) => accountId),
    rows.map(({ email }) => storedText(email)),
    rows.map(({ domain }) => domain),
    rows.map(({ field }) => field),
  ];
}

function tagColumns(writes: readonly AcceptWrite[]): unknown[] {
  const rows = writes.flatMap(({ seq, message }) =>
    [...new Set((message.tags ?? []).map(storedText))].map((tag) => ({ seq, accountId: message.accountId, tag })),
  );
  return [rows.map(({ seq }) => seq), rows.map(({ accountId }) => accountId), rows.map(({ tag }) => tag)];
}

function workColumns(writes: readonly AcceptWrite[]): unknown[] {
  const rows = writes.flatMap(({ seq, message, recipients, lease }) =>
    recipients.flatMap(({ domain, isSuppressed }, position) =>
      isSuppressed ? [] : [{ seq, position, domain, message, lease }],
    ),
  );
  return [
    rows.map(({ seq }) => seq),
    rows.map(({ position }) => position),
    rows.map(({ message }) => message.accountId),
    rows.map(({ domain }) => domain),
    rows.map(({ message }) => message.sendAtMs ?? message.createdAtMs),
    rows.map(({ lease }) => lease?.owner ?? null),
    rows.map(({ lease }) => lease?.epoch ?? null),
  ];
}

function acceptedColumns(writes: readonly AcceptWrite[]): unknown[] {
  return [
    writes.map(({ seq }) => seq),
    writes.map(({ message }) => message.accountId),
    writes.map(({ acceptedEventId }) => acceptedEventId),
    writes.map(({ message }) => message.createdAtMs),
    writes.map(({ message }) => message.id),
  ];
}
