/** Fills a spool on PostgreSQL with many messages at once, and describes them, so that a test can tell what a search must find. */
import type { Category } from "../../../src/message/result/category.ts";
import type { Result } from "../../../src/message/result/outcome.ts";
import type { Database } from "../../../src/spool/engine/postgres/connection/database.ts";
import { unprepared } from "../../../src/spool/engine/postgres/connection/statement.ts";
import { dayOfNumber, firstNumberAt } from "../../../src/spool/engine/postgres/mail/message-number.ts";
import { Partitions } from "../../../src/spool/engine/postgres/partitions/partitions.ts";
import type { MessageFilter } from "../../../src/spool/port/reports.ts";

const DAY_MS = 86_400_000;

export interface LargeMail {
  messages: number;
  /** The messages are spread over so many days. */
  days: number;
  /** When the newest is accepted. */
  nowMs: number;
}

export interface KnownMessage {
  seq: number;
  id: string;
  accountId: string;
  keyId: string;
  createdAtMs: number;
  subject: string;
  tags: string[];
  recipients: KnownRecipient[];
}

interface KnownRecipient {
  email: string;
  result: Result;
  category: Category | null;
  /** Earlier results, the oldest first. */
  former: Result[];
}

/** Stores the messages and returns them, the newest first. */
export async function fillLargeMail(database: Database, { messages, days, nowMs }: LargeMail): Promise<KnownMessage[]> {
  const stepMs = (days * DAY_MS) / messages;
  const known = Array.from({ length: messages }, (_, i) => knownMessage(i, Math.trunc(nowMs - i * stepMs)));
  const partitions = new Partitions(database);
  for (const day of new Set(known.map(({ seq }) => dayOfNumber(seq)))) await partitions.make(day);
  await addMessages(database, known);
  await addRecipients(database, known);
  return known;
}

function knownMessage(i: number, createdAtMs: number): KnownMessage {
  const recipients = [recipientOf(i, `Customer${i}@host${i % 50}.example`)];
  if (i % 5 === 0) recipients.push(recipientOf(i * 7 + 1, "info@post.example"));
  return {
    seq: firstNumberAt(createdAtMs) + (i % 16),
    id: `msg_${String(i).padStart(24, "0")}`,
    accountId: i % 11 === 7 ? "acc_other" : "acc_default",
    keyId: i % 40 === 10 ? "key_rare" : "key_usual",
    createdAtMs,
    subject: `Order ${i} is on its way`,
    tags: i % 4 === 2 ? ["welcome", `t${i % 100}`] : [],
    recipients,
  };
}

function recipientOf(i: number, email: string): KnownRecipient {
  const category = i % 3 === 0 ? "reputation" : "network";
  if (i % 23 === 5) return { email, result: "failed", category, former: i % 2 === 0 ? ["failed", "pending"] : [] };
  if (i % 97 === 13) return { email, result: "unknown", category, former: [] };
  if (i % 31 === 3) return { email, result: "pending", category, former: ["failed"] };
  if (i % 31 === 4) return { email, result: "pending", category: null, former: [] };
  return { email, result: "delivered", category: null, former: i % 29 === 1 ? ["failed", "pending"] : [] };
}

/** Whether the filter selects the message. */
export function isSelected(message: KnownMessage, filter: Omit<MessageFilter, "limit">): boolean {
  const { accountId, subject = "", text = "", keyId = message.keyId, tag, sinceMs = 0, untilMs = Infinity } = filter;
  if (message.accountId !== accountId || message.keyId !== keyId) return false;
  if (!message.subject.toLowerCase().includes(subject.toLowerCase())) return false;
  if (tag !== undefined && !message.tags.includes(tag)) return false;
  const texts = [message.subject, ...message.recipients.map(({ email }) => email)];
  const isIn = (part: string): boolean => part.toLowerCase().includes(text.toLowerCase());
  if (!texts.some(isIn) && !message.tags.includes(text.toLowerCase())) return false;
  if (message.createdAtMs < sinceMs || message.createdAtMs >= untilMs) return false;
  return message.recipients.some((recipient) => isRecipientSelected(recipient, filter));
}

function isRecipientSelected(
  { email, ...state }: KnownRecipient,
  { recipient = "", recipientIs, ...filter }: Omit<MessageFilter, "limit">,
): boolean {
  const address = email.toLowerCase();
  const part = recipient.toLowerCase();
  if (recipientIs !== undefined && address !== recipientIs.toLowerCase()) return false;
  if (part.indexOf("@") > 0 && !address.startsWith(part)) return false;
  if (part.startsWith("@") ? !address.endsWith(part) : !address.includes(part)) return false;
  return (filter.result ?? state.result) === state.result && (filter.category ?? state.category) === state.category;
}

type Row = unknown[];

/** Adds rows whose values are in the order of the columns, which have these types. */
async function addRows(database: Database, table: string, columns: Record<string, string>, rows: Row[]): Promise<void> {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, i) => `$${i + 1}::${type}[]`);
  const text = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays})`;
  await database.run(
    unprepared(text),
    names.map((_, i) => rows.map((row) => row[i])),
  );
}

async function addMessages(database: Database, known: KnownMessage[]): Promise<void> {
  const messages = known.map((m) => [
    m.seq,
    m.id,
    m.accountId,
    m.keyId,
    "dom_a",
    m.createdAtMs,
    m.createdAtMs + DAY_MS,
  ]);
  const texts = known.map((m) => ["News@shop.example", m.subject, "<m@shop.example>", 900, tagsJson(m)]);
  const [bigint, text] = ["bigint", "text"];
  await addRows(
    database,
    "messages",
    {
      seq: bigint,
      id: text,
      account_id: text,
      key_id: text,
      domain_id: text,
      created_at_ms: bigint,
      expires_at_ms: bigint,
      sender: text,
      subject: text,
      message_id: text,
      size_bytes: bigint,
      tags: text,
    },
    messages.map((row, i) => [...row, ...(texts[i] ?? [])]),
  );
  const tags = known.flatMap((m) => m.tags.map((tag) => [m.seq, m.accountId, tag]));
  await addRows(database, "message_tags", { seq: bigint, account_id: text, tag: text }, tags);
}

const tagsJson = ({ tags }: KnownMessage): string | null => (tags.length === 0 ? null : JSON.stringify(tags));

async function addRecipients(database: Database, known: KnownMessage[]): Promise<void> {
  const all = known.flatMap((message) => message.recipients.map((r, position) => ({ ...r, position, message })));
  const [bigint, int, text] = ["bigint", "int", "text"];
  const key = { seq: bigint, position: int, account_id: text };
  const keyOf = ({ message, position }: (typeof all)[number]): Row => [message.seq, position, message.accountId];
  const domainOf = (email: string): string => email.slice(email.indexOf("@") + 1);
  const rows = all.map((r) => [...keyOf(r), r.email, domainOf(r.email)]);
  await addRows(database, "recipients", { ...key, email: text, domain: text }, rows);
  const pending = all.filter(({ result }) => result === "pending");
  const work = pending.map((r) => [...keyOf(r), domainOf(r.email), r.message.createdAtMs, r.former.length]);
  await addRows(database, "work", { ...key, domain: text, due_ms: bigint, attempts: int }, work);
  const unknown = all.filter(({ result }) => result === "unknown");
  const held = unknown.map((r) => [...keyOf(r), domainOf(r.email), 1, r.message.createdAtMs]);
  await addRows(database, "unknown_recipients", { ...key, domain: text, attempts: int, at_ms: bigint }, held);
  let number = 0;
  const events = all.flatMap((r) => {
    const last: [Result, Category | null][] =
      r.result === "pending" && r.category === null ? [] : [[r.result, r.category]];
    const results: [Result, Category | null][] = [
      ...r.former.map((result): [Result, Category] => [result, "other"]),
      ...last,
    ];
    return results.map(([result, category]) => {
      number += 1;
      return [...keyOf(r), number, `evt_${number}`, r.message.createdAtMs, "recipient.changed", result, category];
    });
  });
  await addRows(
    database,
    "events",
    { ...key, number: bigint, id: text, at_ms: bigint, type: text, result: text, category: text },
    events,
  );
}
