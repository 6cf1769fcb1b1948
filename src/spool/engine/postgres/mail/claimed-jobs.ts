/**
 * Claims rows of work, and reads the jobs of what was claimed. Which rows are claimed is decided in due-work.ts. A message that
 * cannot be read is quarantined, and the claim is repeated without it.
 */
import type { Category } from "../../../../message/result/category.ts";
import { MessageDamaged } from "../../../port/errors.ts";
import type { JobRecipient } from "../../../port/mail.ts";
import { tagsOf } from "../../../records/message-labels.ts";
import { isReply, soundJson } from "../../../records/stored-json.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { type Session, type Statement, statement } from "../connection/statement.ts";
import { checkRoute, damagedAmong } from "../quarantine/message-check.ts";
import { addToQuarantine } from "../quarantine/quarantine.ts";
import type { GrantedLease } from "./lease-grants.ts";
import type { LeasedJob } from "./leased-work.ts";

/** How often a claim is repeated. Each time it may meet other damaged messages. */
const REPEATS_MAX = 3;

const findMessages = statement<MessageRow>(
  `SELECT m.seq, m.id AS "messageId", m.key_id AS "keyId", m.domain_id AS "domainId", m.sender, m.created_at_ms AS "createdAtMs",
          m.expires_at_ms AS "expiresAtMs", m.deadline_ms AS "deadlineMs", m.send_at_ms AS "sendAtMs", m.size_bytes AS "sizeBytes",
          m.eight_bit AS "eightBit", m.tags, m.test AS "isTest"
     FROM unnest($1::bigint[]) AS w (seq) JOIN messages m ON m.seq = w.seq`,
);

const findRecipients = statement<RecipientRow>(
  `SELECT w.seq, w.position, r.email, e.reason, e.category, e.smtp
     FROM unnest($1::bigint[], $2::int[]) AS w (seq, position)
     JOIN recipients r ON r.seq = w.seq AND r.position = w.position
     LEFT JOIN LATERAL (
       SELECT reason, category, smtp FROM events
         WHERE seq = w.seq AND position = w.position ORDER BY number DESC LIMIT 1) e ON true`,
);

/** A row of work as the statement of a claim returns it. */
export interface ClaimedRow {
  seq: number;
  position: number;
  accountId: string;
  domain: string;
  dueMs: number;
  attempts: number;
}

interface MessageRow {
  seq: number;
  messageId: string;
  keyId: string;
  domainId: string;
  sender: string;
  createdAtMs: number;
  expiresAtMs: number;
  deadlineMs: number | null;
  sendAtMs: number | null;
  sizeBytes: number;
  eightBit: boolean;
  tags: string | null;
  isTest: boolean;
}

interface RecipientRow {
  seq: number;
  position: number;
  email: string;
  reason: string | null;
  category: Category | null;
  smtp: string | null;
}

/** Runs a statement that leases rows of work, and returns their jobs. */
export async function claimJobs(
  database: Database,
  { nowMs, lease }: { nowMs: number; lease: GrantedLease },
  claim: Statement<ClaimedRow>,
  values: readonly unknown[],
): Promise<LeasedJob[]> {
  for (let repeats = 0; ; repeats += 1) {
    const seqs = new Set<number>();
    try {
      return await database.transaction(async (session) => {
        const { rows } = await session.run(claim, values);
        for (const { seq } of rows) seqs.add(seq);
        return readJobs(session, rows, lease);
      });
    } catch (error) {
      if (!(error instanceof MessageDamaged) && !isDamaged(error)) throw error;
      const damaged = await damagedAmong(database, seqs);
      if (damaged.length === 0 || repeats === REPEATS_MAX) throw error;
      await addToQuarantine(database, damaged, nowMs);
    }
  }
}

/** The jobs of rows that were claimed. Rejects with MessageDamaged if rows of one are missing, or on a wrong route. */
async function readJobs(session: Session, rows: ClaimedRow[], lease: GrantedLease): Promise<LeasedJob[]> {
  if (rows.length === 0) return [];
  const seqs = rows.map(({ seq }) => seq);
  const messages = new Map<number, MessageRow>();
  for (const row of (await session.run(findMessages, [[...new Set(seqs)]])).rows) messages.set(row.seq, row);
  const recipients = new Map<string, RecipientRow>();
  const found = await session.run(findRecipients, [seqs, rows.map(({ position }) => position)]);
  for (const row of found.rows) recipients.set(`${row.seq} ${row.position}`, row);
  const jobs = new Map<string, LeasedJob>();
  for (const row of rows) {
    const message = messages.get(row.seq);
    const recipient = recipients.get(`${row.seq} ${row.position}`);
    if (message === undefined || recipient === undefined)
      throw new MessageDamaged(`work refers to message ${row.seq}, which is missing`);
    checkRoute(row.domain, row.position, { accountId: row.accountId, isTest: message.isTest });
    const name = `${row.seq} ${row.domain}`;
    const known = jobs.get(name) ?? jobOf(message, row, lease);
    known.dueMs = Math.min(known.dueMs, row.dueMs);
    known.job.recipients.push(recipientOf(row, recipient));
    jobs.set(name, known);
  }
  for (const { job } of jobs.values()) job.recipients.sort((a, b) => a.position - b.position);
  return [...jobs.values()];
}

function jobOf(message: MessageRow, { accountId, domain, dueMs }: ClaimedRow, lease: GrantedLease): LeasedJob {
  const {
    seq,
    messageId,
    keyId,
    domainId,
    sender: from,
    createdAtMs,
    expiresAtMs,
    deadlineMs,
    sendAtMs,
    sizeBytes,
    eightBit,
    tags,
  } = message;
  const job = { messageId, accountId, keyId, domainId, domain, from, createdAtMs, expiresAtMs, sizeBytes, eightBit };
  const times = { ...(deadlineMs === null ? {} : { deadlineMs }), ...(sendAtMs === null ? {} : { sendAtMs }) };
  return {
    seq,
    dueMs,
    arrivedMs: null,
    lease: lease.row,
    job: { ...job, ...times, ...(tags === null ? {} : { tags: tagsOf(tags) }), lease: lease.port, recipients: [] },
  };
}

function recipientOf(
  { position, attempts }: ClaimedRow,
  { email, reason, category, smtp }: RecipientRow,
): JobRecipient {
  return { position, email, attempts, reason, category, smtp: smtp === null ? null : soundJson(smtp, isReply) };
}
