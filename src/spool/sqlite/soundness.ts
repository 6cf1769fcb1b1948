/**
 * Checks that the rows of one message can be read and are as acceptance and settlements stored them. SQLite keeps no
 * checksums, so the content has its own. Contents stored before schema 10 have only a length.
 */
import { crc32 } from "node:zlib";
import type { Database } from "better-sqlite3";
import { domainOf, isReply, RowDamaged, soundJson } from "./damage.ts";
import type { RecipientKey } from "./recipient-key.ts";

interface ContentRow {
  sizeBytes: number;
  content: Buffer | null;
  crc: number | null;
}

interface RecipientRow {
  position: number;
  email: string;
  domain: string;
  smtp: string | null;
}

export class Soundness {
  readonly #content;
  readonly #sender;
  readonly #recipients;

  constructor(db: Database) {
    this.#content = db.prepare<[number], ContentRow>(
      `SELECT m.size_bytes AS sizeBytes, c.content, c.crc32 AS crc
         FROM messages m LEFT JOIN contents c USING (seq) WHERE m.seq = ?`,
    );
    this.#sender = db.prepare<[number], string>("SELECT sender FROM messages WHERE seq = ?").pluck();
    this.#recipients = db.prepare<[number], RecipientRow>(
      "SELECT position, email, domain, smtp FROM recipients WHERE seq = ?",
    );
  }

  /** Returns the content as accepted. Throws if it is damaged. */
  content(seq: number): Buffer {
    const row = this.#content.get(seq);
    if (row === undefined) throw new RowDamaged("the message is missing");
    const { content: stored, sizeBytes, crc } = row;
    if (stored === null) throw new RowDamaged("the content is missing");
    if (!Buffer.isBuffer(stored) || stored.length !== sizeBytes)
      throw new RowDamaged(`the content is not ${sizeBytes} bytes long`);
    if (crc !== null && crc32(stored) !== crc) throw new RowDamaged("the content does not match its checksum");
    return stored;
  }

  /** Throws if a settlement of the message would read or change a damaged row. */
  checkRows(seq: number): void {
    if (domainOf(this.#sender.get(seq)) === null) throw new RowDamaged("the sender is not an email address");
    const rows = this.#recipients.all(seq);
    if (rows.length === 0) throw new RowDamaged("the recipients are missing");
    for (const { position, email, domain, smtp } of rows) {
      if (domainOf(email) !== domain) throw new RowDamaged(`recipient ${position} is not an address at its domain`);
      if (smtp !== null && soundJson(smtp, isReply) === null)
        throw new RowDamaged(`the last reply to recipient ${position} cannot be decoded`);
    }
  }
}

/** Returns a function that reads how many attempts a recipient has had. It throws if the row is damaged. */
export function prepareAttempts(db: Database): (recipient: RecipientKey) => number {
  const attemptsOf = db
    .prepare<[number, number], number>("SELECT attempts FROM recipients WHERE seq = ? AND position = ?")
    .pluck();
  return ({ seq, position }) => {
    const attempts = attemptsOf.get(seq, position);
    if (attempts === undefined) throw new RowDamaged("the index lists a recipient that is missing");
    return attempts;
  };
}
