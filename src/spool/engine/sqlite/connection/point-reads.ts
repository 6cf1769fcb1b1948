/**
 * Point reads on a read-only connection in the caller's thread: a few rows by key, microseconds each. Larger reads (content,
 * recovery, claims) go through the writer's thread instead.
 */
import type { Database } from "better-sqlite3";
import type { DamageReports } from "../files/damage.ts";
import { prepareSentMessages } from "../incoming/sent-messages.ts";
import { prepareQuotaUsed } from "../mail/quotas.ts";
import { prepareQuarantineReads } from "../quarantine/quarantine.ts";
import { prepareQueueList } from "../reports/queue-list.ts";
import { prepareEventReads } from "../webhooks/event-reads.ts";
import { prepareWebhookReads } from "../webhooks/webhook-reads.ts";

export type PointReads = ReturnType<typeof preparePointReads>;

/** Values whose loss does no harm (MTA-STS policies) read as absent if they are damaged. */
export function preparePointReads(db: Database, damage: DamageReports) {
  return {
    dataVersion: prepareDataVersion(db),
    idempotencyRecord: prepareIdempotencyRecord(db),
    queue: prepareQueueList(db),
    quotaUsed: prepareQuotaUsed(db),
    ...prepareQuarantineReads(db),
    ...prepareEventReads(db, damage),
    ...prepareWebhookReads(db, damage),
    ...prepareSentMessages(db),
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
