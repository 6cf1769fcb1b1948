/**
 * Writes copied messages, each row into the table of its message's day. Marked recipients are leased to a node that does not exist, so the
 * recovery of the first node that starts settles them, as after a crash.
 */
import { randomInt } from "node:crypto";
import { newId } from "../../lib/new-id.ts";
import type { CopyWriter } from "../engine/postgres/copy/copy-writer.ts";
import { dayOfNumber } from "../engine/postgres/mail/message-number.ts";
import { PARTITIONED_TABLES, partitionName } from "../engine/postgres/partitions/partitions.ts";
import type { Row } from "../records/column-types.ts";
import { tagsOf } from "../records/message-labels.ts";
import type { CopiedTable } from "./copied-tables.ts";
import type { CopiedMessage } from "./message-rows.ts";

const NODE_NUMBER_MAX = 2 ** 47;
const EPOCH = 1;

export interface MessageCopierParts {
  writer: CopyWriter;
  tables: ReadonlyMap<string, CopiedTable>;
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

  async addDomainEvent(event: Row, seq: number): Promise<void> {
    await this.#makeDay(seq);
    this.#add("events", { ...event, seq });
    await this.#writeIfFull();
  }

  /** Adds everything of a message under the number `seq`. */
  async add(copied: CopiedMessage, seq: number): Promise<void> {
    await this.#makeDay(seq);
    const { message, rows } = copied;
    const { account_id } = message;
    this.#add("messages", { ...message, seq });
    for (const tag of new Set(tagsOf((message.tags ?? null) as string | null))) {
      this.#add("message_tags", { seq, account_id, tag });
    }
    this.#addRecipients(copied, seq);
    const missing = rows.unknown_recipients.filter((row) => row.result !== null && row.result !== undefined);
    for (const event of rows.events) this.#add("events", { ...event, seq });
    // Of results that are stored without one.
    for (const row of missing) {
      const number = this.#parts.newEventNumber();
      this.#add("events", { ...row, seq, account_id, domain: null, number, id: newId("evt") });
    }
    await this.#addContent(copied, seq);
    await this.#writeIfFull();
  }

  #addRecipients({ message: { account_id, created_at_ms }, rows }: CopiedMessage, seq: number): void {
    const domains = new Map<unknown, unknown>();
    for (const row of rows.recipients) {
      this.#add("recipients", { ...row, seq, account_id });
      domains.set(row.position, row.domain);
    }
    const placed = new Set<unknown>();
    const addPlace = (table: string, row: Row): void => {
      placed.add(row.position);
      this.#add(table, { ...row, seq, account_id, domain: domains.get(row.position) ?? "" });
    };
    for (const row of rows.work) {
      const lease = row.mark === null ? {} : { owner: this.#formerNode, epoch: EPOCH };
      addPlace("work", { ...row, ...lease });
    }
    for (const row of rows.unknown_recipients) {
      if (row.result === null || row.result === undefined) addPlace("unknown_recipients", row);
      else placed.add(row.position);
    }
    // Those in no place and without a final event, because of damage: it is unknown what became of them.
    const newest = new Map(rows.events.map((event) => [event.position, event]));
    for (const { position } of rows.recipients) {
      const { result, attempts, at_ms = created_at_ms } = newest.get(position) ?? {};
      if (placed.has(position) || result === "delivered" || result === "failed") continue;
      addPlace("unknown_recipients", { position, attempts: attempts ?? 0, at_ms });
    }
  }

  async #addContent({ content, parts }: CopiedMessage, seq: number): Promise<void> {
    if (content === null) return;
    const { first, crc32, bodyHash: body_hash, laterParts: later_parts } = content;
    this.#add("contents", { seq, part: 0, crc32, later_parts, body_hash, content: first });
    for (const row of parts) {
      this.#add("contents", { ...row, seq });
      await this.#writeIfFull();
    }
  }

  #add(table: string, row: Row): void {
    const { writer, tables } = this.#parts;
    const partitioned = PARTITIONED_TABLES.find((name) => name === table);
    const name = partitioned === undefined ? table : partitionName(partitioned, dayOfNumber(row.seq as number));
    writer.add(name, tables.get(table)?.columns ?? {}, row);
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
