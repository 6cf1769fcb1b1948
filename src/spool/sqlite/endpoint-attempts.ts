/**
 * The log of attempts of each webhook endpoint: the newest ones, for people to read. Nothing that is sent depends on it, so a
 * settlement goes on without it where it is damaged. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { AttemptFilter, WebhookAttempt, WebhookResult } from "../port/webhooks.ts";
import { ATTEMPTS_KEPT_MAX } from "../records/webhook-limits.ts";
import type { DamageLog } from "./damage.ts";

/** The place that is reported if the log is damaged. */
export const ATTEMPTS_LOG = "the attempts of webhooks";

/** Prepares the addition of results, in their order. */
export function prepareAttemptLog(
  db: Database,
  damage: DamageLog,
): (endpointId: string, results: readonly WebhookResult[]) => void {
  const newest = db
    .prepare<[string], number | null>("SELECT max(number) FROM endpoint_attempts WHERE endpoint_id = ?")
    .pluck();
  const add = db.prepare(
    `INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms,
         attempt, result, status, next_attempt_at_ms, error, response)
       VALUES (@endpointId, @number, @eventNumber, @id, @type, @messageId, @atMs, @durationMs, @attempt, @result,
         @status, @nextAttemptAtMs, @error, @response)`,
  );
  const drop = db.prepare("DELETE FROM endpoint_attempts WHERE endpoint_id = ? AND number <= ?");
  function addAll(endpointId: string, results: readonly WebhookResult[]): void {
    let number = newest.get(endpointId) ?? 0;
    for (const { event, attempt, outcome } of results) {
      number += 1;
      const { number: eventNumber, id, type, messageId } = event;
      const result = outcome.type;
      const nextAttemptAtMs = outcome.type === "deferred" ? outcome.nextAttemptAtMs : null;
      add.run({ ...attempt, endpointId, number, eventNumber, id, type, messageId, result, nextAttemptAtMs });
    }
    drop.run(endpointId, number - ATTEMPTS_KEPT_MAX);
  }
  return (endpointId, results) => {
    if (results.length > 0) damage.runOptional(ATTEMPTS_LOG, () => addAll(endpointId, results), undefined);
  };
}

export function prepareAttemptReads(db: Database) {
  const attempts = db.prepare<
    { endpointId: string; beforeNumber: number; failedOnly: number; messageId: string | null; limit: number },
    WebhookAttempt
  >(
    `SELECT number, event_number AS eventNumber, event_id AS eventId, type, message_id AS messageId, at_ms AS atMs,
            duration_ms AS durationMs, attempt, status, error, response, next_attempt_at_ms AS nextAttemptAtMs, result
       FROM endpoint_attempts
       WHERE endpoint_id = @endpointId AND number < @beforeNumber AND (@failedOnly = 0 OR result <> 'sent')
         AND (@messageId IS NULL OR message_id = @messageId)
       ORDER BY number DESC LIMIT @limit`,
  );
  return {
    webhookAttempts: ({ beforeNumber, failedOnly, messageId, ...filter }: AttemptFilter) =>
      attempts.all({
        ...filter,
        beforeNumber: beforeNumber ?? Number.MAX_SAFE_INTEGER,
        failedOnly: failedOnly ? 1 : 0,
        messageId: messageId ?? null,
      }),
  };
}
