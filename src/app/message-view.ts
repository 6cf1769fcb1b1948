/** The JSON form of a message with its results, as GET /api/sending/messages/{id} and `messages show --json` return it. */
import { rfc3339 } from "../lib/clock.ts";
import { explain } from "../message/explanation.ts";
import { sentenceFor } from "../message/reasons.ts";
import type { MessageReport, RecipientReport, SpoolEvent } from "../spool/port/results.ts";

export function messageView(report: MessageReport) {
  return {
    id: report.id,
    state: "accepted",
    created_at: rfc3339(report.createdAtMs),
    updated_at: rfc3339(report.updatedAtMs),
    from: report.from,
    subject: report.subject,
    message_id: report.messageId,
    tags: report.tags,
    metadata: report.metadata,
    ...(report.test ? { test: true } : {}),
    expires_at: rfc3339(report.expiresAtMs),
    recipients: report.recipients.map(recipientView),
  };
}

function recipientView(recipient: RecipientReport) {
  return {
    email: recipient.email,
    field: recipient.field,
    result: recipient.result,
    reason: recipient.reason,
    category: recipient.category,
    attempts: recipient.attempts,
    next_attempt_at: recipient.nextAttemptAtMs === null ? null : rfc3339(recipient.nextAttemptAtMs),
    updated_at: rfc3339(recipient.updatedAtMs),
    smtp: recipient.smtp,
    events: recipient.events.map(eventView),
    ...(recipient.eventsOmitted === undefined ? {} : { events_omitted: recipient.eventsOmitted }),
  };
}

function eventView(event: SpoolEvent) {
  const at = rfc3339(event.at_ms);
  if (event.type === "accepted") return { at, type: event.type };
  if (event.type === "suppressed") {
    const refusals = event.refusals.map(({ at_ms, ...refusal }) => ({ at: rfc3339(at_ms), ...refusal }));
    const period = { since: rfc3339(event.since_ms), until: rfc3339(event.until_ms) };
    return { at, type: event.type, detail: sentenceFor("suppressed"), ...period, refusals };
  }
  const { type, attempt, reason, category = null, tries, next_attempt_at_ms } = event;
  const detail = reason === null ? null : explain(reason, category);
  const next = next_attempt_at_ms === null ? null : rfc3339(next_attempt_at_ms);
  return { at, type, attempt, reason, category, detail, tries, next_attempt_at: next };
}
