/**
 * Reads the report of one message with its recipients and their histories, in one snapshot. records/message-report.ts decides what
 * it shows.
 */
import { MessageDamaged } from "../../../port/errors.ts";
import type { MessageReport } from "../../../port/results.ts";
import {
  MESSAGE_REPORT_LIMITS,
  type MessageReportLimits,
  type MessageRow,
  messageReport,
  type RecipientRow,
} from "../../../records/message-report.ts";
import { IN_QUARANTINE } from "../../../records/quarantined.ts";
import type { FeedbackRow } from "../../../records/recipient-feedback.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { readHistories } from "../mail/histories.ts";
import { shortened } from "../mail/shortened-text.ts";

interface FoundMessage extends Omit<MessageRow, "updatedAtMs"> {
  seq: number;
  foundAtMs: number | null;
  part: NonNullable<MessageReport["quarantined"]>["part"];
  error: string;
}

const findMessage = statement<FoundMessage>(
  `SELECT m.seq, m.id, m.account_id AS "accountId", m.key_id AS "keyId", m.created_at_ms AS "createdAtMs",
          m.expires_at_ms AS "expiresAtMs", m.deadline_ms AS "deadlineMs", m.sender AS "from",
          (SELECT name FROM domains d WHERE d.id = m.domain_id) AS "senderDomain",
          ${shortened("m.subject")} AS subject, ${shortened("m.message_id")} AS "messageId", m.tags, m.metadata,
          m.request_id AS "requestId", m.idempotency_key AS "idempotencyKey", m.test,
          q.found_at_ms AS "foundAtMs", q.part, q.error
     FROM messages m LEFT JOIN quarantined q ON q.seq = m.seq AND q.${IN_QUARANTINE} WHERE m.id = $1`,
);

// A marked recipient is at its final dot: nothing is due before the reply. One without a place would have lost its result.
const findRecipients = statement<RecipientRow>(
  `SELECT r.position, r.email, r.domain, r.field,
          CASE WHEN w.seq IS NOT NULL THEN 'pending' WHEN u.seq IS NOT NULL THEN 'unknown'
               ELSE coalesce(e.result, 'unknown') END AS result,
          e.reason, e.category, coalesce(w.attempts, u.attempts, e.attempts, 0) AS attempts,
          CASE WHEN w.mark IS NULL THEN w.due_ms END AS "dueMs", coalesce(e.at_ms, $2) AS "updatedAtMs", e.smtp
     FROM recipients r
     LEFT JOIN work w ON w.seq = r.seq AND w.position = r.position
     LEFT JOIN unknown_recipients u ON u.seq = r.seq AND u.position = r.position
     LEFT JOIN (
       SELECT DISTINCT ON (position) position, at_ms, result, reason, category, attempts, smtp
         FROM events WHERE seq = $1 AND position IS NOT NULL ORDER BY position, number DESC
     ) AS e ON e.position = r.position
     WHERE r.seq = $1 ORDER BY r.position`,
);

const findFeedback = statement<FeedbackRow>(
  `SELECT position, kind, at_ms AS "atMs", detail FROM feedback WHERE seq = $1`,
);

/** As Results.report. */
export async function reportMessage(
  database: Database,
  messageId: string,
  limits: MessageReportLimits = MESSAGE_REPORT_LIMITS,
): Promise<MessageReport | null> {
  try {
    return await database.snapshot((session) => readReport(session, storedText(messageId), limits));
  } catch (error) {
    if (isDamaged(error)) throw new MessageDamaged((error as Error).message, { cause: error });
    throw error;
  }
}

async function readReport(
  session: Session,
  messageId: string,
  limits: MessageReportLimits,
): Promise<MessageReport | null> {
  const [found] = (await session.run(findMessage, [messageId])).rows;
  if (found === undefined) return null;
  const { seq, foundAtMs, part, error, ...row } = found;
  const recipients = (await session.run(findRecipients, [seq, row.createdAtMs])).rows;
  const histories = await readHistories(session, {
    seq,
    recipients: recipients.length,
    bytesMax: limits.eventsBytesMax,
  });
  const feedback = (await session.run(findFeedback, [seq])).rows;
  const updatedAtMs = recipients.reduce(
    (newest, recipient) => Math.max(newest, recipient.updatedAtMs),
    row.createdAtMs,
  );
  const quarantined = foundAtMs === null ? undefined : { foundAtMs, part, error };
  return messageReport({ message: { ...row, updatedAtMs }, recipients, histories, feedback, quarantined }, limits);
}
