/** The JSON form of a message as Resend's API returns it. */
import { rfc3339 } from "../../lib/clock.ts";
import type { MessageBodies } from "../../message/reading/message-bodies.ts";
import type { MessageReport } from "../../spool/port/results.ts";
import { lastEventOf } from "./last-event.ts";
import { tagsOf } from "./tags.ts";

/** An entry of GET /emails. */
export function emailEntry({ id, messageId, from, subject, createdAtMs, sendAtMs, recipients }: MessageReport) {
  const emailsOf = (field: string) => recipients.filter((each) => each.field === field).map(({ email }) => email);
  return {
    id,
    message_id: messageId,
    to: emailsOf("to"),
    from,
    created_at: rfc3339(createdAtMs),
    subject,
    cc: emailsOf("cc"),
    bcc: emailsOf("bcc"),
    last_event: lastEventOf(recipients),
    scheduled_at: sendAtMs === null ? null : rfc3339(sendAtMs),
  };
}

/** The response of GET /emails/{id}. `bodies`: null if the content was deleted. */
export function emailView(report: MessageReport, bodies: MessageBodies | null) {
  const { text = null, html = null, replyTo = [], fromName = null } = bodies ?? {};
  return {
    object: "email",
    ...emailEntry(report),
    from: fromName === null ? report.from : `${phrase(fromName)} <${report.from}>`,
    ...(bodies === null ? {} : { reply_to: replyTo }),
    ...(html === null ? {} : { html }),
    ...(text === null ? {} : { text }),
    tags: tagsOf(report.metadata),
  };
}

/** The name in quotes where it needs them in an address. */
const phrase = (name: string): string => (/[",;<>()@\\]/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name);
