/**
 * Writes copied messages: numbers them, and puts each row into the table of its message's day. Marked recipients are leased to a
 * node that does not exist, so the recovery of the first node that starts settles them, as after a crash.
 */
import { randomInt } from "node:crypto";
import type { CopiedMessage, EventRow, RecipientRow } from "../../../records/copied-message.ts";
import type { Columns } from "../../../records/copied-tables.ts";
import { MESSAGE_COLUMNS } from "../../../records/message-columns.ts";
import { tagsOf } from "../../../records/message-labels.ts";
import { MESSAGES, RECIPIENTS, TAGS } from "../mail/mail-columns.ts";
import { dayOfNumber, firstNumberAt } from "../mail/message-number.ts";
import { type PartitionedTable, partitionName } from "../partitions/partitions.ts";
import { EVENTS, eventRow, eventRows, type NewNumbers } from "./copy-events.ts";
import type { CopyWriter } from "./copy-writer.ts";

const CONTENTS: Columns = {
  seq: "bigint",
  part: "int",
  crc32: "bigint",
  later_parts: "int?",
  body_hash: "text?",
  content: "bytea",
};

const WORK: Columns = {
  seq: "bigint",
  position: "int",
  account_id: "text",
  domain: "text",
  due_ms: "bigint",
  attempts: "int",
  owner: "bigint?",
  epoch: "bigint?",
  mark: "text?",
};

const UNKNOWN: Columns = {
  seq: "bigint",
  position: "int",
  account_id: "text",
  domain: "text",
  attempts: "int",
  at_ms: "bigint",
};

const NODE_NUMBER_MAX = 2 ** 47;
const EPOCH = 1;

/** Numbers messages in the order of their times, those of a millisecond one after the other. */
export class CopiedNumbers {
  /** The numbers of domains' events. */
  readonly #reserved = new Set<number>();
  #last = Number.NEGATIVE_INFINITY;

  /** Returns a number for an event of a domain. To be called before all calls of `next`. */
  reserve(atMs: number): number {
    let number = firstNumberAt(atMs);
    while (this.#reserved.has(number)) number += 1;
    this.#reserved.add(number);
    return number;
  }

  /** Returns a number for a message; `createdAtMs` is not before that of the call before. */
  next(createdAtMs: number): number {
    let number = Math.max(this.#last + 1, firstNumberAt(createdAtMs));
    while (this.#reserved.has(number)) number += 1;
    this.#last = number;
    return number;
  }
}

export interface MessageCopierParts {
  writer: CopyWriter;
  eventNumbers: NewNumbers;
  /** Makes the tables of a day that has none yet. */
  makeDay: (day: number) => Promise<void>;
}

export class MessageCopier {
  readonly #parts: MessageCopierParts;
  readonly #days = new Set<number>();
  /** Random as the numbers of nodes: no node has had it. */
  readonly #formerNode = randomInt(1, NODE_NUMBER_MAX);

  constructor(parts: MessageCopierParts) {
    this.#parts = parts;
  }

  async addDomainEvent(event: EventRow, seq: number): Promise<void> {
    await this.#makeDay(seq);
    this.#add("events", EVENTS, eventRow(event, seq));
    await this.#writeIfFull();
  }

  /** Adds everything of a message under the number `seq`. */
  async add(copied: CopiedMessage, seq: number): Promise<void> {
    await this.#makeDay(seq);
    this.#addMessage(copied, seq);
    for (const recipient of copied.recipients) this.#addRecipient(copied.message.account_id, recipient, seq);
    for (const row of eventRows(copied, seq, this.#parts.eventNumbers)) this.#add("events", EVENTS, row);
    await this.#addContent(copied, seq);
    await this.#writeIfFull();
  }

  #addMessage({ message }: CopiedMessage, seq: number): void {
    this.#add("messages", MESSAGES, [seq, ...MESSAGE_COLUMNS.map(([name]) => message[name])]);
    for (const tag of new Set(tagsOf(message.tags))) this.#add("message_tags", TAGS, [seq, message.account_id, tag]);
  }

  async #addContent({ content, parts }: CopiedMessage, seq: number): Promise<void> {
    if (content === null) return;
    const { first, crc32, bodyHash, laterParts } = content;
    this.#add("contents", CONTENTS, [seq, 0, crc32, laterParts, bodyHash, first]);
    for (const { part, content: bytes, crc32: checksum } of parts) {
      this.#add("contents", CONTENTS, [seq, part, checksum, null, null, bytes]);
      await this.#writeIfFull();
    }
  }

  #addRecipient(accountId: string, recipient: RecipientRow, seq: number): void {
    const { position, email, domain, field, state, attempts, nextAttemptAtMs, updatedAtMs, mark } = recipient;
    const { writer } = this.#parts;
    this.#add("recipients", RECIPIENTS, [seq, position, accountId, email, domain, field]);
    const key = [seq, position, accountId, domain];
    if (state === "unknown") writer.add("unknown_recipients", UNKNOWN, [...key, attempts, updatedAtMs]);
    if (state === "pending") writer.add("work", WORK, [...key, nextAttemptAtMs, attempts, null, null, null]);
    if (state === "marked") {
      writer.add("work", WORK, [...key, updatedAtMs, attempts, this.#formerNode, EPOCH, mark]);
    }
  }

  #add(table: PartitionedTable, columns: Columns, row: readonly unknown[]): void {
    const day = dayOfNumber(row[0] as number);
    this.#parts.writer.add(partitionName(table, day), columns, row);
  }

  async #makeDay(seq: number): Promise<void> {
    const day = dayOfNumber(seq);
    if (this.#days.has(day)) return;
    this.#days.add(day);
    await this.#parts.writer.settled();
    await this.#parts.makeDay(day);
  }

  async #writeIfFull(): Promise<void> {
    if (this.#parts.writer.isFull) await this.#parts.writer.write();
  }
}
