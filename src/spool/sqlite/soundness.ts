/**
 * Whether what is stored of one message can be read, and is what acceptance and settlements stored. SQLite keeps no
 * checksums, so the content has one of its own; contents stored before schema 10 have none, only a length.
 */
import { crc32 } from "node:zlib";
import type { Database } from "better-sqlite3";
import { domainOf, isReply, RowDamaged, soundJson } from "./damage.ts";

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

export function prepareSoundness(db: Database) {
  const contentRow = db.prepare<[number], ContentRow>(
    `SELECT m.size_bytes AS sizeBytes, c.content, c.crc32 AS crc
       FROM messages m LEFT JOIN contents c USING (seq) WHERE m.seq = ?`,
  );
  const sender = db.prepare<[number], string>("SELECT sender FROM messages WHERE seq = ?").pluck();
  const recipients = db.prepare<[number], RecipientRow>(
    "SELECT position, email, domain, smtp FROM recipients WHERE seq = ?",
  );

  /** The content as accepted. Throws where it is damaged. */
  function content(seq: number): Buffer {
    const row = contentRow.get(seq);
    if (row === undefined) throw new RowDamaged("the message is missing");
    const { content: stored, sizeBytes, crc } = row;
    if (stored === null) throw new RowDamaged("the content is missing");
    if (!Buffer.isBuffer(stored) || stored.length !== sizeBytes)
      throw new RowDamaged(`the content is not ${sizeBytes} bytes long`);
    if (crc !== null && crc32(stored) !== crc) throw new RowDamaged("the content does not match its checksum");
    return stored;
  }

  return {
    content,

    /** Throws where a settlement of the message would read or change what is damaged. */
    checkRows(seq: number): void {
      if (domainOf(sender.get(seq)) === null) throw new RowDamaged("the sender is not an email address");
      const rows = recipients.all(seq);
      if (rows.length === 0) throw new RowDamaged("the recipients are missing");
      for (const { position, email, domain, smtp } of rows) {
        if (domainOf(email) !== domain) throw new RowDamaged(`recipient ${position} is not an address at its domain`);
        if (smtp !== null && soundJson(smtp, isReply) === null)
          throw new RowDamaged(`the last reply to recipient ${position} cannot be decoded`);
      }
    },
  };
}

/** How many attempts a recipient has had that an index lists. Throws where its row is damaged. */
export function prepareAttempts(db: Database): (recipient: { seq: number; position: number }) => number {
  const attemptsOf = db
    .prepare<[number, number], number>("SELECT attempts FROM recipients WHERE seq = ? AND position = ?")
    .pluck();
  return ({ seq, position }) => {
    const attempts = attemptsOf.get(seq, position);
    if (attempts === undefined) throw new RowDamaged("the index lists a recipient that is missing");
    return attempts;
  };
}

export type Soundness = ReturnType<typeof prepareSoundness>;
