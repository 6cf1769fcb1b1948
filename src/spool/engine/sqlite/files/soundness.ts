/**
 * Checks that the rows of one message can be read and are as acceptance and settlements stored them. SQLite keeps no
 * checksums, so each part of the content has its own. Contents stored before schema 10 have only a length.
 */
import type { Database } from "better-sqlite3";
import { contentChecksum, partChecksum } from "../../../records/content-checksum.ts";
import { isReply, soundJson } from "../../../records/stored-json.ts";
import { domainOf, routeOf } from "../../../records/test-routes.ts";
import { NEWEST_EVENT } from "../../../schema/newest-event.ts";
import type { RecipientKey } from "../../session.ts";
import { NUMBER } from "../connection/parameters.ts";
import { PARTS_SPAN } from "../mail/content-parts.ts";
import { RowDamaged } from "./damage.ts";

interface ContentRow {
  sizeBytes: number;
  content: Buffer | null;
  crc: number | null;
  bodyHash: string | null;
  laterParts: number | null;
}

interface PartRow {
  messageId: string;
  content: Buffer | null;
  crc: number | null;
}

/** The first part of a content, and what is stored beside it. */
export interface FirstPart {
  first: Buffer;
  laterParts: number;
  bodyHash: string | null;
  /** The size of the whole content. */
  sizeBytes: number;
}

interface MessageRow {
  sender: string;
  accountId: string;
  test: number;
}

interface RecipientRow {
  position: number;
  email: string;
  domain: string;
  smtp: string | null;
}

export class Soundness {
  readonly #content;
  readonly #part;
  readonly #message;
  readonly #recipients;

  constructor(db: Database) {
    this.#content = db.prepare<[number], ContentRow>(
      `SELECT m.size_bytes AS sizeBytes, c.content, c.crc32 AS crc, c.body_hash AS bodyHash,
              c.later_parts AS laterParts
         FROM messages m LEFT JOIN contents c USING (seq) WHERE m.seq = ${NUMBER}`,
    );
    this.#part = db.prepare<[number, number], PartRow>(
      `SELECT m.id AS messageId, p.content, p.crc32 AS crc
         FROM messages m JOIN contents c USING (seq) LEFT JOIN content_parts p ON p.number = c.tail * ${PARTS_SPAN} + ?
         WHERE m.seq = ${NUMBER}`,
    );
    this.#message = db.prepare<[number], MessageRow>(
      "SELECT sender, account_id AS accountId, test FROM messages WHERE seq = ?",
    );
    this.#recipients = db.prepare<[number], RecipientRow>(
      `SELECT r.position, r.email, r.domain, e.smtp FROM recipients r ${NEWEST_EVENT} WHERE r.seq = ${NUMBER}`,
    );
  }

  /** Returns the first part of the content as accepted. Throws if it is damaged. */
  firstPart(seq: number): FirstPart {
    const { content: first, bodyHash, laterParts, sizeBytes } = this.#firstRow(seq);
    return { first, bodyHash, laterParts: laterParts ?? 0, sizeBytes };
  }

  /** Returns a later part of the content as accepted. Throws if it is damaged. */
  part(seq: number, part: number): Buffer {
    const row = this.#part.get(part, seq);
    if (!Buffer.isBuffer(row?.content)) throw new RowDamaged(`part ${part} of the content is missing`);
    const { content, crc, messageId } = row;
    if (partChecksum(content, { messageId, part }) !== crc)
      throw new RowDamaged(`part ${part} of the content does not match its checksum`);
    return content;
  }

  /** Reads all parts of the content, one at a time. Returns its size in bytes; throws if it is damaged. */
  checkContent(seq: number): number {
    const { content: first, sizeBytes, laterParts } = this.#firstRow(seq);
    let bytes = first.length;
    for (let part = 1; part <= (laterParts ?? 0); part += 1) bytes += this.part(seq, part).length;
    if (bytes !== sizeBytes) throw wrongLength(sizeBytes);
    return bytes;
  }

  /** Its length is compared only where no later parts follow. */
  #firstRow(seq: number): ContentRow & { content: Buffer } {
    const row = this.#content.get(seq);
    if (row === undefined) throw new RowDamaged("the message is missing");
    const { content: stored, sizeBytes, crc, laterParts } = row;
    if (stored === null) throw new RowDamaged("the content is missing");
    if (!Buffer.isBuffer(stored) || (laterParts === null && stored.length !== sizeBytes)) throw wrongLength(sizeBytes);
    if (crc !== null && contentChecksum(stored, row) !== crc)
      throw new RowDamaged("the content does not match its checksum");
    if (laterParts !== null && !(sizeBytes > stored.length && sizeBytes <= stored.length * (laterParts + 1)))
      throw wrongLength(sizeBytes);
    return { ...row, content: stored };
  }

  /** Throws if a settlement of the message would read or change a damaged row. */
  checkRows(seq: number): void {
    const message = this.#message.get(seq);
    if (message === undefined || domainOf(message.sender) === null)
      throw new RowDamaged("the sender is not an email address");
    const isTest = message.test === 1;
    const rows = this.#recipients.all(seq);
    if (rows.length === 0) throw new RowDamaged("the recipients are missing");
    for (const { position, email, domain, smtp } of rows) {
      if (routeOf(email, { accountId: message.accountId, isTest }) !== domain)
        throw new RowDamaged(`recipient ${position} is not an address at its domain`);
      if (smtp !== null && soundJson(smtp, isReply) === null)
        throw new RowDamaged(`the last reply to recipient ${position} cannot be decoded`);
    }
  }
}

const wrongLength = (sizeBytes: number): RowDamaged => new RowDamaged(`the content is not ${sizeBytes} bytes long`);

/** Returns a function that reads how many attempts a waiting recipient has had. It throws if the row is damaged. */
export function prepareAttempts(db: Database): (recipient: RecipientKey) => number {
  const attemptsOf = db
    .prepare<[number, number], number>("SELECT attempts FROM work WHERE seq = ? AND position = ?")
    .pluck();
  return ({ seq, position }) => {
    const attempts = attemptsOf.get(seq, position);
    if (attempts === undefined) throw new RowDamaged("the index lists a recipient that is missing");
    return attempts;
  };
}
