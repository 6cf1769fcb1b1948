/**
 * Reads a delivery job from the rows of its message and recipients, and checks that they are as acceptance stored them.
 */

import type { Database } from "better-sqlite3";
import type { Category } from "../../../../message/result/category.ts";
import type { SmtpRecord } from "../../../../message/result/outcome.ts";
import type { DueJob } from "../../../port/mail.ts";
import { tagsOf } from "../../../records/message-labels.ts";
import { isReply, soundJson } from "../../../records/stored-json.ts";
import { domainOf, routeOf } from "../../../records/test-routes.ts";
import { NEWEST_EVENT } from "../../../schema/newest-event.ts";
import { NUMBER, TEXT } from "../connection/parameters.ts";
import { RowDamaged } from "../files/damage.ts";
import { noAttempts } from "./recipient-states.ts";

/** The columns of a recipient that a job needs. */
export interface JobRecipientRow {
  position: number;
  email: string;
  attempts: number;
  reason: string | null;
  category: Category | null;
  smtp: string | null;
}

/** The columns of a message that a job needs. */
export interface JobMessageRow {
  id: string;
  account_id: string;
  key_id: string;
  domain_id: string;
  sender: string;
  created_at_ms: number;
  expires_at_ms: number;
  deadline_ms: number | null;
  send_at_ms: number | null;
  size_bytes: number;
  eight_bit: number;
  tags: string | null;
  test: number;
}

export const JOB_MESSAGE = `
  SELECT id, account_id, key_id, domain_id, sender, created_at_ms, expires_at_ms, deadline_ms, send_at_ms, size_bytes, eight_bit, tags, test FROM messages
    WHERE seq = ?`;

export class JobReader {
  readonly #message;
  readonly #recipients;

  constructor(db: Database) {
    this.#message = db.prepare<[number], JobMessageRow>(JOB_MESSAGE);
    this.#recipients = db.prepare<[number, string, number], JobRecipientRow>(
      `SELECT w.position, r.email, w.attempts, e.reason, e.category, e.smtp
         FROM work w LEFT JOIN recipients r ON r.seq = w.seq AND r.position = w.position ${NEWEST_EVENT}
         WHERE w.seq = ${NUMBER} AND w.domain = ${TEXT} AND w.mark IS NULL AND w.due_ms <= ${NUMBER}`,
    );
  }

  /** Returns the job of the message's due recipients at this domain. Throws if a row is damaged. */
  read(seq: number, domain: string, nowMs: number): DueJob {
    const m = this.#message.get(seq);
    if (m === undefined) throw new RowDamaged("the message of these recipients is missing");
    const rows = this.#recipients.all(seq, domain, nowMs);
    checkMessage(m);
    checkRecipients(rows, domain, m);
    return {
      messageId: m.id,
      accountId: m.account_id,
      keyId: m.key_id,
      domainId: m.domain_id,
      domain,
      from: m.sender,
      createdAtMs: m.created_at_ms,
      expiresAtMs: m.expires_at_ms,
      ...(m.deadline_ms === null ? {} : { deadlineMs: m.deadline_ms }),
      ...(m.send_at_ms === null ? {} : { sendAtMs: m.send_at_ms }),
      sizeBytes: m.size_bytes,
      eightBit: m.eight_bit === 1,
      ...(m.tags === null ? {} : { tags: tagsOf(m.tags) }),
      recipients: rows.map((row) => ({ ...row, smtp: row.smtp === null ? null : replyOf(row.smtp) })),
    };
  }
}

/** Throws if what an attempt needs of the message is not as acceptance stores it. */
export function checkMessage(m: JobMessageRow): void {
  const ids = [m.id, m.account_id, m.key_id, m.domain_id];
  if (!ids.every((id) => typeof id === "string")) throw new RowDamaged("an id of the message is not text");
  const numbers = [m.created_at_ms, m.expires_at_ms, m.deadline_ms ?? 0, m.send_at_ms ?? 0, m.size_bytes];
  if (!numbers.every(Number.isInteger)) throw new RowDamaged("a time or size of the message is not a number");
  if (domainOf(m.sender) === null) throw new RowDamaged("the sender is not an email address");
}

/** As `checkMessage`, for the message's recipients at one domain. */
export function checkRecipients(rows: JobRecipientRow[], domain: string, message: JobMessageRow): void {
  const { account_id: accountId, test } = message;
  if (rows.length === 0) throw new RowDamaged("the index lists recipients that are not waiting");
  for (const { email, attempts, position } of rows) {
    if (routeOf(email, { accountId, isTest: test === 1 }) !== domain)
      throw new RowDamaged(`recipient ${position} is not an address at its domain`);
    if (!Number.isInteger(attempts)) throw noAttempts(position);
  }
}

function replyOf(stored: string): SmtpRecord {
  const reply = soundJson(stored, isReply);
  if (reply === null) throw new RowDamaged("a recipient's last reply cannot be decoded");
  return reply;
}
