/**
 * Reads the report of one message with its recipients and their histories. On SQLite it runs on the thread that serves HTTP, so it limits
 * how much it reads and parses, whatever is stored. records/message-report.ts decides what it shows.
 */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { MessageReport } from "../../port/results.ts";
import {
  MESSAGE_REPORT_LIMITS,
  type MessageReportLimits,
  type MessageRow,
  messageReport,
  type RecipientRow,
} from "../../records/message-report.ts";
import { IN_QUARANTINE } from "../../records/quarantined.ts";
import type { FeedbackRow } from "../../records/recipient-feedback.ts";
import { readHistories } from "./histories.ts";
import { shortened } from "./shortened-text.ts";

const findMessage = statement<MessageRow & { seq: number }>(
  `SELECT m.seq, m.id, m.account_id AS "accountId", m.key_id AS "keyId", m.created_at_ms AS "createdAtMs",
          coalesce((SELECT max(at_ms) FROM events e WHERE e.seq = m.seq), m.created_at_ms) AS "updatedAtMs", m.expires_at_ms AS "expiresAtMs", m.deadline_ms AS "deadlineMs", m.send_at_ms AS "sendAtMs", m.sender AS "from",
          (SELECT name FROM domains d WHERE d.id = m.domain_id) AS "senderDomain", ${shortened("m.subject")} AS subject,
          ${shortened("m.message_id")} AS "messageId", m.tags, m.metadata, m.request_id AS "requestId",
          m.idempotency_key AS "idempotencyKey", m.test
     FROM messages m WHERE m.id = $1`,
  { booleans: ["test"] },
);

/*
 * A recipient without a place has the result of its newest event, and would have lost it without one; a marked recipient is at its final
 * dot: nothing is due before the reply. PostgreSQL reads a message's events once, however many recipients it has.
 */
const findRecipients = statement<Omit<RecipientRow, "updatedAtMs"> & { updatedAtMs: number | null }>(
  `SELECT position, email, domain, field, result, reason, category, attempts, iif(mark IS NULL, due_ms, NULL) AS "dueMs",
          at_ms AS "updatedAtMs", smtp
     FROM recipient_states WHERE seq = $1 ORDER BY position`,
  {
    postgres: `SELECT r.position, r.email, r.domain, r.field,
          CASE WHEN w.seq IS NOT NULL THEN 'pending' WHEN u.seq IS NOT NULL THEN 'unknown'
               ELSE coalesce(e.result, 'unknown') END AS result,
          e.reason, e.category, coalesce(w.attempts, u.attempts, e.attempts, 0) AS attempts,
          CASE WHEN w.mark IS NULL THEN w.due_ms END AS "dueMs", e.at_ms AS "updatedAtMs", e.smtp
     FROM recipients r
     LEFT JOIN work w ON w.seq = r.seq AND w.position = r.position
     LEFT JOIN unknown_recipients u ON u.seq = r.seq AND u.position = r.position
     LEFT JOIN (
       SELECT DISTINCT ON (position) position, at_ms, result, reason, category, attempts, smtp
         FROM events WHERE seq = $1 AND position IS NOT NULL ORDER BY position, number DESC
     ) AS e ON e.position = r.position
     WHERE r.seq = $1 ORDER BY r.position`,
  },
);

const findFeedback = statement<FeedbackRow>(
  `SELECT position, kind, at_ms AS "atMs", detail FROM feedback WHERE seq = $1`,
  { ifDamaged: "feedback" },
);

const findQuarantined = statement<NonNullable<MessageReport["quarantined"]>>(
  `SELECT found_at_ms AS "foundAtMs", part, error FROM quarantined WHERE seq = $1 AND ${IN_QUARANTINE}`,
  { ifDamaged: "the quarantine" },
);

export interface AskedReport {
  /** As Results.report's. */
  accountId?: string | undefined;
  limits?: MessageReportLimits;
}

/** As Results.report, but throws a damage as the database reports it. To be run in a snapshot. */
export async function reportMessage(
  session: Session,
  messageId: string,
  { accountId, limits = MESSAGE_REPORT_LIMITS }: AskedReport = {},
): Promise<MessageReport | null> {
  const found = await first(session, findMessage, [messageId]);
  if (found === null || (accountId !== undefined && found.accountId !== accountId)) return null;
  const { seq, ...message } = found;
  const { rows } = await session.run(findRecipients, [seq]);
  const recipients = rows.map((row) => ({ ...row, updatedAtMs: row.updatedAtMs ?? message.createdAtMs }));
  const { eventsBytesMax: bytesMax } = limits;
  const histories = await readHistories(session, { seq, recipients: recipients.length, bytesMax });
  const feedback = (await session.run(findFeedback, [seq])).rows;
  const quarantined = (await first(session, findQuarantined, [seq])) ?? undefined;
  return messageReport({ message, recipients, histories, feedback, quarantined }, limits);
}
