/**
 * Reads everything that a claim, an attempt and a settlement need of one message, to find out whether it is damaged: PostgreSQL
 * cannot read a page of it, or a part of it is missing or has changed.
 */
import { isTestRoute, testRouteOf } from "../../../../message/test-route.ts";
import { MessageDamaged } from "../../../port/errors.ts";
import type { StoredContent } from "../../../port/mail.ts";
import type { RecipientKey } from "../../session.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { type Session, statement } from "../connection/statement.ts";
import { readContent } from "../mail/content-reads.ts";
import { newestStates } from "../reports/recipient-states.ts";
import type { DamagedMessage } from "./quarantine.ts";

interface MessageRow {
  messageId: string;
  accountId: string;
  isTest: boolean;
}

interface OpenRow extends RecipientKey {
  domain: string;
  email: string | null;
}

const findMessage = statement<MessageRow>(
  `SELECT id AS "messageId", account_id AS "accountId", test AS "isTest" FROM messages WHERE seq = $1`,
);

const findOpen = statement<OpenRow>(
  `SELECT o.seq, o.position, o.domain, r.email
     FROM (SELECT seq, position, domain FROM work WHERE seq = $1 UNION ALL
           SELECT seq, position, domain FROM unknown_recipients WHERE seq = $1) AS o
     LEFT JOIN recipients r ON r.seq = $1 AND r.position = o.position`,
);

/** Throws MessageDamaged unless exactly the recipients of a test message are on the test route of their account. */
export function checkRoute(
  domain: string,
  position: number,
  { accountId, isTest }: { accountId: string; isTest: boolean },
): void {
  if (isTest ? domain === testRouteOf(accountId) : !isTestRoute(domain)) return;
  throw new MessageDamaged(`recipient ${position} is ${isTest ? "not " : ""}on a test route`);
}

/** Returns the size of the content in bytes. Rejects with MessageDamaged if a part of the message cannot be read. */
export async function checkMessage(session: Session, seq: number): Promise<number> {
  try {
    const messageId = await checkRows(session, seq);
    return await contentSize(await readContent(session, { seq, messageId }));
  } catch (error) {
    if (isDamaged(error)) throw new MessageDamaged((error as Error).message, { cause: error });
    throw error;
  }
}

/** Those of these messages whose rows are damaged. Not for use in a transaction, which ends with the first of them. */
export async function damagedAmong(database: Database, seqs: Iterable<number>): Promise<DamagedMessage[]> {
  const damaged: DamagedMessage[] = [];
  for (const seq of seqs) {
    try {
      await checkRows(database, seq);
    } catch (error) {
      if (!(error instanceof MessageDamaged) && !isDamaged(error)) throw error;
      damaged.push({ seq, part: "message", error: error as Error });
    }
  }
  return damaged;
}

async function checkRows(session: Session, seq: number): Promise<string> {
  const [message] = (await session.run(findMessage, [seq])).rows;
  if (message === undefined) throw new MessageDamaged("the message is missing");
  const { rows } = await session.run(findOpen, [seq]);
  const missing = rows.find(({ email }) => email === null);
  if (missing !== undefined) throw new MessageDamaged(`recipient ${missing.position} is missing`);
  for (const { domain, position } of rows) checkRoute(domain, position, message);
  await newestStates(session, rows);
  return message.messageId;
}

async function contentSize({ first, laterParts, part }: StoredContent): Promise<number> {
  let bytes = first.length;
  for (let number = 1; number <= laterParts; number += 1) bytes += (await part(number)).length;
  return bytes;
}
