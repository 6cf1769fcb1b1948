/**
 * Writes copied messages: numbers them, and puts each row into the table of its message's day. Marked recipients are leased to a
 * node that does not exist, so the recovery of the first node that starts settles them, as after a crash.
 */
import { randomInt } from "node:crypto";
import { newId } from "../../../../lib/new-id.ts";
import {
  type CopiedMessage,
  EVENT_NAMES,
  EVENT_TYPES,
  type EventRow,
  type UnknownRow,
} from "../../../records/copied-message.ts";
import type { Columns } from "../../../records/copied-tables.ts";
import { MESSAGE_COLUMNS } from "../../../records/message-columns.ts";
import { tagsOf } from "../../../records/message-labels.ts";
import { MESSAGES, RECIPIENTS, TAGS } from "../mail/mail-columns.ts";
import { dayOfNumber, firstNumberAt } from "../mail/message-number.ts";
import { type PartitionedTable, partitionName } from "../partitions/partitions.ts";
import type { CopyWriter } from "./copy-writer.ts";

const EVENTS: Columns = { seq: "bigint", ...EVENT_TYPES };

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
  /** Returns a number greater than those of all events. */
  newEventNumber: () => number;
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
    this.#addEvent(event, seq);
    await this.#writeIfFull();
  }

  /** Adds everything of a message under the number `seq`. */
  async add(copied: CopiedMessage, seq: number): Promise<void> {
    await this.#makeDay(seq);
    this.#addMessage(copied, seq);
    this.#addRecipients(copied, seq);
    for (const event of [...copied.events, ...this.#missingEvents(copied)]) this.#addEvent(event, seq);
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

  #addEvent(event: EventRow, seq: number): void {
    this.#add("events", EVENTS, [seq, ...EVENT_NAMES.map((name) => event[name])]);
  }

  /** The events of results that are stored without one. */
  #missingEvents({ message, unknown }: CopiedMessage): EventRow[] {
    const { newEventNumber } = this.#parts;
    const beside = { account_id: message.account_id, type: null, history: null, domain: null };
    return unknown
      .filter(({ result }) => result !== null)
      .map((row) => ({ ...row, ...beside, number: newEventNumber(), id: newId("evt") }));
  }

  #addRecipients(copied: CopiedMessage, seq: number): void {
    const { writer } = this.#parts;
    const { account_id: accountId } = copied.message;
    const domains = new Map<number, string>();
    for (const { position, email, domain, field } of copied.recipients) {
      this.#add("recipients", RECIPIENTS, [seq, position, accountId, email, domain, field]);
      domains.set(position, domain);
    }
    const keyOf = (position: number) => [seq, position, accountId, domains.get(position) ?? ""];
    for (const { position, due_ms, attempts, mark } of copied.work) {
      const lease = mark === null ? [null, null] : [this.#formerNode, EPOCH];
      writer.add("work", WORK, [...keyOf(position), due_ms, attempts, ...lease, mark]);
    }
    const unknown = copied.unknown.filter(({ result }) => result === null);
    for (const { position, attempts, at_ms } of [...unknown, ...withoutResult(copied)]) {
      writer.add("unknown_recipients", UNKNOWN, [...keyOf(position), attempts, at_ms]);
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

/** The recipients that are in no place and have no final event, because of damage: it is unknown what became of them. */
function withoutResult({
  message,
  recipients,
  work,
  unknown,
  events,
}: CopiedMessage): Pick<UnknownRow, "position" | "attempts" | "at_ms">[] {
  const placed = new Set([...work, ...unknown].map(({ position }) => position));
  const newest = new Map(events.map((event) => [event.position, event]));
  return recipients.flatMap(({ position }) => {
    const { result = null, attempts = 0, at_ms = message.created_at_ms } = newest.get(position) ?? {};
    const isFinal = result === "delivered" || result === "failed";
    return isFinal || placed.has(position) ? [] : [{ position, attempts: attempts ?? 0, at_ms }];
  });
}
