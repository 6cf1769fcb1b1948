/**
 * Point reads on a read-only connection in the caller's thread: a few rows by key, microseconds each. Larger reads (content,
 * recovery, claims) go through the writer's thread instead.
 */
import type { Database } from "better-sqlite3";
import type { QueueEntry, QueueFilter } from "../port/results.ts";
import { dueOf } from "../records/stored-due.ts";
import { LISTED_LENGTH_MAX, storedReply } from "../records/stored-reply.ts";
import { prepareAccountReads } from "./accounts.ts";
import { prepareKeyReads } from "./api-keys.ts";
import type { DamageReports } from "./damage.ts";
import { prepareDomainReads } from "./domains.ts";
import { prepareIncomingReads } from "./incoming.ts";
import { prepareInvitationReads } from "./invitations.ts";
import { prepareKeyValueReads } from "./key-value-store.ts";
import { MessageReports } from "./message-report.ts";
import { prepareEventReads } from "./outbox-reads.ts";
import { preparePauseReads } from "./pauses.ts";
import { prepareQuarantineReads } from "./quarantine.ts";
import { prepareReturnPathReads } from "./return-paths.ts";
import { prepareRotationReads } from "./rotations.ts";
import { prepareSecondFactorReads } from "./second-factors.ts";
import { prepareSecretReads } from "./secrets.ts";
import { prepareSessionReads } from "./sessions.ts";
import { prepareStsReads } from "./sts-policies.ts";
import { prepareTlsSessionReads } from "./tls-sessions.ts";
import { prepareUserReads } from "./users.ts";
import { prepareWebhookReads } from "./webhook-reads.ts";

export type PointReads = ReturnType<typeof preparePointReads>;

/** Values whose loss does no harm (key-value entries, MTA-STS policies) read as absent if they are damaged. */
export function preparePointReads(db: Database, damage: DamageReports) {
  const reports = new MessageReports(db);
  return {
    dataVersion: prepareDataVersion(db),
    report: (messageId: string) => reports.report(messageId),
    idempotencyRecord: prepareIdempotencyRecord(db),
    queue: prepareQueueList(db),
    ...prepareAccountReads(db),
    ...prepareKeyReads(db),
    ...prepareDomainReads(db, damage),
    ...prepareRotationReads(db),
    ...prepareReturnPathReads(db, damage),
    ...prepareSecretReads(db),
    ...prepareUserReads(db),
    ...prepareInvitationReads(db),
    ...prepareSecondFactorReads(db),
    ...prepareSessionReads(db),
    ...preparePauseReads(db),
    ...prepareQuarantineReads(db),
    ...prepareStsReads(db, damage),
    ...prepareTlsSessionReads(db, damage),
    ...prepareKeyValueReads(db, damage),
    ...prepareEventReads(db, damage),
    ...prepareWebhookReads(db, damage),
    ...prepareIncomingReads(db, damage),
  };
}

/** A number that changes whenever another connection has committed, the writer's among them. */
function prepareDataVersion(db: Database): () => number {
  const version = db.prepare<[], number>("PRAGMA data_version").pluck();
  return () => version.get() ?? 0;
}

function prepareIdempotencyRecord(db: Database) {
  const record = db.prepare<[string, string, number], { id: string; payloadHash: string }>(
    `SELECT message_id AS id, payload_hash AS payloadHash FROM idempotency
       WHERE account_id = ? AND key = ? AND created_at_ms > ?`,
  );
  return (accountId: string, key: string, sinceMs: number) => record.get(accountId, key, sinceMs) ?? null;
}

interface QueueRow extends Omit<QueueEntry, "smtp" | "nextAttemptAtMs" | "test"> {
  test: number;
  smtp: string | null;
  dueMs: number | null;
  deadlineMs: number | null;
}

interface QueueParameters {
  accountId: string;
  domain: string | null;
  test: number | null;
  result: QueueEntry["result"] | null;
  limit: number;
}

function prepareQueueList(db: Database): (filter: QueueFilter) => QueueEntry[] {
  const rows = db.prepare<QueueParameters, QueueRow>(
    `SELECT m.id AS messageId, r.email, r.domain, iif(r.state = 'unknown', 'unknown', 'pending') AS result, r.reason,
            r.category, r.attempts, r.next_attempt_at_ms AS dueMs, m.deadline_ms AS deadlineMs,
            m.created_at_ms AS createdAtMs, m.test, r.smtp
       FROM recipients r JOIN messages m USING (seq)
       WHERE r.account_id = @accountId AND r.state IN ('pending', 'marked', 'unknown')
         AND (@domain IS NULL OR r.domain = @domain) AND (@test IS NULL OR m.test = @test)
         AND (@result IS NULL OR (r.state = 'unknown') = (@result = 'unknown'))
       ORDER BY r.state = 'unknown', r.next_attempt_at_ms, r.seq, r.position LIMIT @limit`,
  );
  return ({ accountId, domain = null, test, result = null, limit }) =>
    rows
      .all({ accountId, domain, test: test === undefined ? null : Number(test), result, limit })
      .map(({ dueMs, deadlineMs, ...row }) => ({
        ...row,
        test: row.test === 1,
        ...dueOf(dueMs, deadlineMs),
        smtp: storedReply(row.smtp, LISTED_LENGTH_MAX),
      }));
}
