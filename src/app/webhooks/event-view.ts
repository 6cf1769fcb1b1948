/** The JSON form of an event, as GET /api/sending/events returns it and webhooks carry it in `data`. */
import { rfc3339 } from "../../lib/clock.ts";
import { receiverOfReply } from "../../receivers/limits.ts";
import type { OutboxEvent } from "../../spool/port/events.ts";
import { bounceView, complaintView } from "../send/feedback-view.ts";

export function eventView(event: OutboxEvent) {
  return {
    id: event.id,
    type: event.type,
    at: rfc3339(event.atMs),
    sequence: event.sequence,
    message_id: event.messageId,
    domain: event.domain,
    recipient: event.recipient && { ...event.recipient, receiver: receiverOfReply(event.recipient.smtp) },
    ...(event.bounce === undefined ? {} : { bounce: bounceView(event.bounce) }),
    ...(event.complaint === undefined ? {} : { complaint: complaintView(event.complaint) }),
    tags: event.tags,
    metadata: event.metadata,
    test: event.test,
  };
}

export type EventView = ReturnType<typeof eventView>;
