/**
 * Messages in the tables of a spool on PostgreSQL, in states that take several nodes and much time to reach: with leases of other
 * nodes, with marks, years old.
 */
import { randomBytes } from "node:crypto";
import type { Category } from "../../../src/message/result/category.ts";
import type { SmtpRecord } from "../../../src/message/result/outcome.ts";
import type { Database } from "../../../src/spool/engine/postgres/connection/database.ts";
import { statement } from "../../../src/spool/engine/postgres/connection/statement.ts";
import { storedText } from "../../../src/spool/engine/postgres/connection/stored-text.ts";
import { type NewEvent, writeEvents } from "../../../src/spool/engine/postgres/mail/event-writer.ts";
import { dayOfNumber, firstNumberAt } from "../../../src/spool/engine/postgres/mail/message-number.ts";
import { Partitions } from "../../../src/spool/engine/postgres/partitions/partitions.ts";
import { contentChecksum, partChecksum } from "../../../src/spool/records/content-checksum.ts";
import { typeOfResult } from "../../../src/spool/records/result-event.ts";

/** The lease of a row of work. */
export const LEASE = { owner: 7, epoch: 3 };

export const MARK = '{"at_ms":1,"mx":"mx.a.example","ip":null}';

export interface StoredRecipient {
  email?: string;
  domain?: string;
  /** `new`: never attempted. `leased` and `marked` are in an attempt of the lease LEASE. */
  state: "new" | "pending" | "leased" | "marked" | "unknown" | "failed" | "delivered";
  /** When it is due; by default when the message was accepted. */
  dueMs?: number;
  /** When it got its result; by default when the message was accepted. */
  atMs?: number;
  attempts?: number;
  reason?: string;
  category?: Category;
  smtp?: SmtpRecord;
}

export interface StoredMessage {
  accountId?: string;
  createdAtMs: number;
  expiresAtMs?: number;
  deadlineMs?: number;
  tags?: string[];
  /** Its first part and the later ones; null for one that was deleted. */
  content?: Buffer[] | null;
  recipients: StoredRecipient[];
}

const addMessage = statement(
  `INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, expires_at_ms, deadline_ms, sender, subject,
       message_id, size_bytes, tags)
     VALUES ($1, $2, $3, 'key_a', 'dom_a', $4, $5, $6, 'news@shop.example', 'Hello', '<m@shop.example>', $7, $8)`,
);
const addTag = statement("INSERT INTO message_tags (seq, account_id, tag) VALUES ($1, $2, $3)");
const addPart = statement("INSERT INTO contents (seq, part, crc32, later_parts, content) VALUES ($1, $2, $3, $4, $5)");
const addRecipient = statement(
  "INSERT INTO recipients (seq, position, account_id, email, domain) VALUES ($1, $2, $3, $4, $5)",
);
const addWork = statement(
  `INSERT INTO work (seq, position, account_id, domain, due_ms, attempts, owner, epoch, mark)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const addUnknown = statement(
  `INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms, owner, epoch)
     VALUES ($1, $2, $3, $4, $5, $6, ${LEASE.owner}, ${LEASE.epoch})`,
);

export interface WorkRow {
  seq: number;
  position: number;
  dueMs: number;
  attempts: number;
  owner: number | null;
  mark: string | null;
}

export interface UnknownRow {
  seq: number;
  position: number;
  atMs: number;
  owner: number | null;
}

export interface EventRow {
  type: string | null;
  position: number | null;
  result: string | null;
  reason: string | null;
  attempts: number | null;
  smtp: string | null;
  history: string | null;
}

const allWork = statement<WorkRow>(
  `SELECT seq, position, due_ms AS "dueMs", attempts, owner, mark FROM work ORDER BY seq, position`,
);
const allUnknown = statement<UnknownRow>(
  `SELECT seq, position, at_ms AS "atMs", owner FROM unknown_recipients ORDER BY seq, position`,
);
const eventsOf = statement<EventRow>(
  "SELECT type, position, result, reason, attempts, smtp, history FROM events WHERE seq = $1 ORDER BY number",
);

type Placed = Required<Pick<StoredRecipient, "domain" | "attempts" | "atMs">> &
  StoredRecipient & { seq: number; position: number; accountId: string; dueMs: number };

export class StoredMail {
  readonly #database: Database;
  readonly #partitions: Partitions;
  #added = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#partitions = new Partitions(database);
  }

  /** Stores a message. Those of one moment have rising numbers. */
  async add(message: StoredMessage): Promise<{ seq: number; id: string }> {
    const { accountId = "acc_default", createdAtMs, content = [Buffer.from("Subject: Hello\r\n\r\nHi\r\n")] } = message;
    const seq = firstNumberAt(createdAtMs) + this.#added;
    this.#added += 1;
    const id = `msg_${randomBytes(12).toString("hex")}`;
    await this.#partitions.make(dayOfNumber(seq));
    const size = (content ?? []).reduce((bytes, part) => bytes + part.length, 0);
    const { expiresAtMs = createdAtMs + 172_800_000, deadlineMs = null, tags = [] } = message;
    const json = tags.length === 0 ? null : JSON.stringify(tags);
    await this.#database.run(addMessage, [seq, id, accountId, createdAtMs, expiresAtMs, deadlineMs, size, json]);
    for (const tag of tags) await this.#database.run(addTag, [seq, accountId, storedText(tag)]);
    if (content !== null) await this.addParts(seq, { messageId: id, content });
    const recipients = message.recipients.map((recipient, position): Placed => {
      const { domain = "a.example", attempts = recipient.state === "new" ? 0 : 1, atMs = createdAtMs } = recipient;
      const { dueMs = createdAtMs } = recipient;
      return { ...recipient, seq, position, accountId, domain, attempts, atMs, dueMs };
    });
    for (const recipient of recipients) await this.#place(recipient);
    const accepted: NewEvent = {
      seq,
      accountId,
      atMs: createdAtMs,
      type: "message.accepted",
      recipient: null,
      history: null,
    };
    const events = [accepted, ...recipients.flatMap(eventOf)];
    await this.#database.transaction((session) => writeEvents(session, events));
    return { seq, id };
  }

  /** Stores the parts of a content, from the first or from a later one. */
  async addParts(
    seq: number,
    { messageId, content, from = 0 }: { messageId: string; content: Buffer[]; from?: number },
  ): Promise<void> {
    const laterParts = content.length === 1 ? null : content.length - 1;
    for (const [i, bytes] of content.entries()) {
      const part = from + i;
      const isFirst = part === 0;
      const checksum = isFirst
        ? contentChecksum(bytes, { bodyHash: null, laterParts })
        : partChecksum(bytes, { messageId, part });
      await this.#database.run(addPart, [seq, part, checksum, isFirst ? laterParts : null, bytes]);
    }
  }

  /** The rows of work, in the order of the recipients. */
  async work(): Promise<WorkRow[]> {
    return (await this.#database.run(allWork)).rows;
  }

  /** The unknown recipients, in their order. */
  async unknown(): Promise<UnknownRow[]> {
    return (await this.#database.run(allUnknown)).rows;
  }

  /** A message's events and history entries, the oldest first. */
  async events(seq: number): Promise<EventRow[]> {
    return (await this.#database.run(eventsOf, [seq])).rows;
  }

  async #place(recipient: Placed): Promise<void> {
    const { seq, position, accountId, domain, dueMs, attempts, atMs, state } = recipient;
    const { email = `user${position}@${domain}` } = recipient;
    await this.#database.run(addRecipient, [seq, position, accountId, email, domain]);
    const { owner, epoch } = state === "leased" || state === "marked" ? LEASE : { owner: null, epoch: null };
    const mark = state === "marked" ? MARK : null;
    if (state === "unknown") {
      await this.#database.run(addUnknown, [seq, position, accountId, domain, attempts, atMs]);
    } else if (state !== "failed" && state !== "delivered") {
      await this.#database.run(addWork, [seq, position, accountId, domain, dueMs, attempts, owner, epoch, mark]);
    }
  }
}

function eventOf(recipient: Placed): NewEvent[] {
  const { seq, position, accountId, atMs, state, attempts, dueMs } = recipient;
  if (state === "new") return [];
  const result = state === "leased" || state === "marked" ? "pending" : state;
  const { reason = "test", category = "other", smtp = null } = recipient;
  const cause = result === "delivered" ? { reason: null, category: null } : { reason, category };
  return [
    {
      seq,
      accountId,
      atMs,
      type: typeOfResult(result),
      recipient: { position, result, ...cause, attempts, smtp },
      history: {
        at_ms: atMs,
        type: result === "pending" ? "deferred" : result,
        attempt: attempts,
        ...cause,
        tries: [],
        next_attempt_at_ms: result === "pending" ? dueMs : null,
      },
    },
  ];
}
