/**
 * Reads the content of a message, part by part, and compares each with its checksum. What becomes of a damaged message is decided
 * in quarantine.ts.
 */
import type { QueryResultRow } from "pg";
import { MessageDamaged } from "../../../port/errors.ts";
import type { StoredContent } from "../../../port/mail.ts";
import { contentChecksum, partChecksum } from "../../../records/content-checksum.ts";
import { isDamaged } from "../connection/database-error.ts";
import { type Result, type Session, type Statement, statement } from "../connection/statement.ts";

export interface ContentKey {
  /** Null to look it up. */
  seq: number | null;
  messageId: string;
}

interface FirstRow {
  content: Buffer;
  crc: number;
  bodyHash: string | null;
  laterParts: number | null;
}

const findSeq = statement<{ seq: number }>("SELECT seq FROM messages WHERE id = $1");
const findFirst = statement<FirstRow>(
  `SELECT content, crc32 AS crc, body_hash AS "bodyHash", later_parts AS "laterParts"
     FROM contents WHERE seq = $1 AND part = 0`,
);
const findPart = statement<{ content: Buffer; crc: number }>(
  "SELECT content, crc32 AS crc FROM contents WHERE seq = $1 AND part = $2",
);

/** Reads the first part of a content. Rejects with MessageDamaged if a part is missing or has changed, as `part` does. */
export async function readContent(session: Session, { seq: known, messageId }: ContentKey): Promise<StoredContent> {
  const seq = known ?? (await read(session, findSeq, [messageId])).rows[0]?.seq;
  if (seq === undefined) throw new MessageDamaged("the message is missing");
  const [row] = (await read(session, findFirst, [seq])).rows;
  if (row === undefined) throw new MessageDamaged("the content is missing");
  const { content: first, crc, bodyHash, laterParts } = row;
  if (contentChecksum(first, row) !== crc) throw new MessageDamaged("the content does not match its checksum");
  const part = (number: number): Promise<Buffer> => readPart(session, { seq, messageId, part: number });
  return { first, laterParts: laterParts ?? 0, part, bodyHash };
}

async function readPart(session: Session, key: { seq: number; messageId: string; part: number }): Promise<Buffer> {
  const { seq, part } = key;
  const [row] = (await read(session, findPart, [seq, part])).rows;
  if (row === undefined) throw new MessageDamaged(`part ${part} of the content is missing`);
  if (partChecksum(row.content, key) === row.crc) return row.content;
  throw new MessageDamaged(`part ${part} of the content does not match its checksum`);
}

/** Rejects with MessageDamaged if PostgreSQL cannot read a page. */
async function read<Row extends QueryResultRow>(
  session: Session,
  query: Statement<Row>,
  values: unknown[],
): Promise<Result<Row>> {
  try {
    return await session.run(query, values);
  } catch (error) {
    if (isDamaged(error)) throw new MessageDamaged((error as Error).message, { cause: error });
    throw error;
  }
}
