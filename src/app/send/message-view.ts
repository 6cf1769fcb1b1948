/** The JSON form of a message with its results, as GET /api/sending/messages/{id} and `messages show --json` return it. */
import { rfc3339 } from "../../lib/clock.ts";
import { explain, suppressionSentence } from "../../message/result/explanation.ts";
import { receiverOfReply } from "../../receivers/limits.ts";
import type { AttemptEvent, MessageReport, RecipientReport, SpoolEvent } from "../../spool/port/results.ts";
import { bounceView, complaintView } from "./feedback-view.ts";

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
    ...(report.sendAtMs === null ? {} : { send_at: rfc3339(report.sendAtMs) }),
    expires_at: rfc3339(report.expiresAtMs),
    recipients: report.recipients.map((recipient) => recipientView(recipient, report)),
  };
}

function recipientView(recipient: RecipientReport, { quarantined }: MessageReport) {
  // No attempt is made of a quarantined message until it is released.
  const nextMs = quarantined === undefined ? recipient.nextAttemptAtMs : null;
  return {
    email: recipient.email,
    field: recipient.field,
    result: recipient.result,
    reason: recipient.reason,
    category: recipient.category,
    attempts: recipient.attempts,
    next_attempt_at: nextMs === null ? null : rfc3339(nextMs),
    updated_at: rfc3339(recipient.updatedAtMs),
    smtp: recipient.smtp,
    receiver: receiverOfReply(recipient.smtp),
    ...feedbackOf(recipient),
    events: recipient.events.map(eventView),
    ...(recipient.eventsOmitted === undefined ? {} : { events_omitted: recipient.eventsOmitted }),
  };
}

/** What has come back; a member that is not known is absent. */
function feedbackOf({ bounce, complaint, unsubscribedAtMs }: RecipientReport) {
  return {
    ...(bounce === undefined ? {} : { bounce: bounceView(bounce) }),
    ...(complaint === undefined ? {} : { complaint: complaintView(complaint) }),
    ...(unsubscribedAtMs === undefined ? {} : { unsubscribed_at: rfc3339(unsubscribedAtMs) }),
  };
}

function eventView(event: SpoolEvent) {
  const at = rfc3339(event.at_ms);
  switch (event.type) {
    case "accepted":
    case "unsubscribed":
    case "confirmed":
      return { at, type: event.type };
    case "complaint_unverified":
      return { at, type: event.type, kind: event.kind };
    case "scheduled": {
      const { type, send_at_ms, by } = event;
      return { at, type, send_at: rfc3339(send_at_ms), ...(by === undefined ? {} : { by }) };
    }
    case "suppressed":
      return { at, ...suppressedView(event) };
    case "bounced": {
      const { at_ms: _, rule, ...bounce } = event;
      return { at, ...bounce, ...(rule === undefined ? {} : { rule }) };
    }
    case "complained":
      return { at, type: event.type, kind: event.kind };
    case "resolved":
    case "cancelled":
    case "discarded":
      return { at, type: event.type, result: event.result, by: event.by };
    default:
      return { at, ...attemptView(event) };
  }
}

function suppressedView(event: Extract<SpoolEvent, { type: "suppressed" }>) {
  const { type, cause = "refusals", since_ms, until_ms } = event;
  const refusals = event.refusals.map(({ at_ms, ...refusal }) => ({ at: rfc3339(at_ms), ...refusal }));
  const period = { since: rfc3339(since_ms), until: until_ms === null ? null : rfc3339(until_ms) };
  return { type, cause, detail: suppressionSentence(cause), ...period, refusals };
}

function attemptView(event: AttemptEvent) {
  const { type, attempt, reason, category = null, tries, next_attempt_at_ms, by } = event;
  const detail = reason === null ? null : explain(reason, category);
  const next = next_attempt_at_ms === null ? null : rfc3339(next_attempt_at_ms);
  const view = { type, attempt, reason, category, detail, tries, next_attempt_at: next };
  return by === undefined ? view : { ...view, by };
}
