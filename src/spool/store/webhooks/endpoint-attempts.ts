/**
 * The log of attempts of each webhook endpoint: the newest ones, for people to read. Nothing that is sent depends on it, so a settlement
 * goes on without it where it is damaged.
 */
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { AttemptFilter, WebhookAttempt, WebhookResult } from "../../port/webhooks.ts";
import { ATTEMPTS_KEPT_MAX } from "../../records/webhook-limits.ts";
import { rowParameters, runForRows, statementOfRows } from "../rows/many-rows.ts";

const OPTIONAL = { ifDamaged: "the attempts of webhooks" };

/** Attempts beyond the limit are deleted once so many were added, and are not shown until then. */
const ADDED_PER_DELETION = 100;

const add = statementOfRows(
  (rowCount) =>
    `INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt,
         result, status, next_attempt_at_ms, error, response)
       VALUES ${rowParameters(rowCount, 13)}`,
  OPTIONAL,
);

const dropThrough = statement("DELETE FROM endpoint_attempts WHERE endpoint_id = $1 AND number <= $2", OPTIONAL);
const dropAll = statement("DELETE FROM endpoint_attempts WHERE endpoint_id = $1", OPTIONAL);

const list = statement<WebhookAttempt>(
  `SELECT number, event_number AS "eventNumber", event_id AS "eventId", type, message_id AS "messageId", at_ms AS "atMs",
          duration_ms AS "durationMs", attempt, status, error, response, next_attempt_at_ms AS "nextAttemptAtMs", result
     FROM endpoint_attempts
     WHERE endpoint_id = $1 AND number < $2 AND (NOT $3 OR result <> 'sent') AND (CAST($4 AS text) IS NULL OR message_id = $4)
       AND number > (SELECT attempts FROM endpoints WHERE id = $1) - ${ATTEMPTS_KEPT_MAX}
     ORDER BY number DESC LIMIT $5`,
);

export const endpointAttemptOperations = {
  reads: {
    async attempts(
      session: Session,
      { endpointId, beforeNumber, failedOnly, messageId, limit }: AttemptFilter,
    ): Promise<WebhookAttempt[]> {
      const before = beforeNumber ?? Number.MAX_SAFE_INTEGER;
      return (await session.run(list, [endpointId, before, failedOnly, messageId ?? null, limit])).rows;
    },
  },
  writes: {},
};

/** Adds results, in their order, of which the last one has the number `newest`. */
export async function addAttempts(
  session: Session,
  { id, attempts: newest }: { id: string; attempts: number },
  results: readonly WebhookResult[],
): Promise<void> {
  if (results.length === 0) return;
  const former = newest - results.length;
  await runForRows(session, add, { shared: id, rows: results.map((result, i) => valuesOf(former + i + 1, result)) });
  const isDue = Math.floor(former / ADDED_PER_DELETION) < Math.floor(newest / ADDED_PER_DELETION);
  if (isDue && newest > ATTEMPTS_KEPT_MAX) await session.run(dropThrough, [id, newest - ATTEMPTS_KEPT_MAX]);
}

function valuesOf(number: number, { event, attempt, outcome }: WebhookResult): unknown[] {
  const nextAttemptAtMs = outcome.type === "deferred" ? outcome.nextAttemptAtMs : null;
  return [
    number,
    event.number,
    event.id,
    event.type,
    event.messageId,
    attempt.atMs,
    attempt.durationMs,
    attempt.attempt,
    outcome.type,
    attempt.status,
    nextAttemptAtMs,
    attempt.error,
    attempt.response,
  ];
}

export async function removeAttempts(session: Session, endpointId: string): Promise<void> {
  await session.run(dropAll, [endpointId]);
}
