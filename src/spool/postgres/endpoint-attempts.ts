/**
 * The log of attempts of each webhook endpoint: the newest ones, for people to read. Nothing that is sent depends on it. The
 * caller of a write holds the lock of the endpoint's row.
 */
import type { EndpointStore, WebhookAttempt, WebhookResult } from "../port/webhooks.ts";
import { ATTEMPTS_KEPT_MAX } from "../records/webhook-limits.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const add = statement(
  `WITH newest AS (SELECT coalesce(max(number), 0) AS number FROM endpoint_attempts WHERE endpoint_id = $1),
     dropped AS (
       DELETE FROM endpoint_attempts
         WHERE endpoint_id = $1 AND number <= (SELECT number FROM newest) + cardinality($2::bigint[]) - ${ATTEMPTS_KEPT_MAX})
   INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt,
       result, status, next_attempt_at_ms, error, response)
     SELECT $1, newest.number + added.ordinality, event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result,
            status, next_attempt_at_ms, error, response
       FROM newest,
            unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::int[], $9::text[],
                   $10::int[], $11::bigint[], $12::text[], $13::text[]) WITH ORDINALITY
              AS added (event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result, status,
                        next_attempt_at_ms, error, response, ordinality)`,
);

/** Adds results, in their order, and deletes the oldest attempts beyond the limit. */
export async function addAttempts(
  session: Session,
  endpointId: string,
  results: readonly WebhookResult[],
): Promise<void> {
  if (results.length === 0) return;
  await session.run(add, [
    endpointId,
    results.map(({ event }) => event.number),
    results.map(({ event }) => event.id),
    results.map(({ event }) => event.type),
    results.map(({ event }) => event.messageId),
    results.map(({ attempt }) => attempt.atMs),
    results.map(({ attempt }) => attempt.durationMs),
    results.map(({ attempt }) => attempt.attempt),
    results.map(({ outcome }) => outcome.type),
    results.map(({ attempt }) => attempt.status),
    results.map(({ outcome }) => (outcome.type === "deferred" ? outcome.nextAttemptAtMs : null)),
    results.map(({ attempt: { error } }) => (error === null ? null : storedText(error))),
    results.map(({ attempt }) => storedText(attempt.response)),
  ]);
}

const list = statement<WebhookAttempt>(
  `SELECT number, event_number AS "eventNumber", event_id AS "eventId", type, message_id AS "messageId", at_ms AS "atMs",
          duration_ms AS "durationMs", attempt, status, error, response, next_attempt_at_ms AS "nextAttemptAtMs", result
     FROM endpoint_attempts
     WHERE endpoint_id = $1 AND number < $2 AND (NOT $3::boolean OR result <> 'sent')
       AND ($4::text IS NULL OR message_id = $4)
     ORDER BY number DESC LIMIT $5`,
);

export function attemptReads(database: Session): Pick<EndpointStore, "attempts"> {
  return {
    async attempts({ endpointId, beforeNumber, failedOnly, messageId, limit }) {
      const before = beforeNumber ?? Number.MAX_SAFE_INTEGER;
      return (await database.run(list, [endpointId, before, failedOnly, messageId ?? null, limit])).rows;
    },
  };
}
