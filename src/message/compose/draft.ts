/**
 * The way of a send request from its bytes to a message: JSON text, schema, validation, submission, draft, content. Pure, so
 * that short requests run on the thread that serves HTTP and long ones on their own thread.
 */
import type { Mailbox } from "../address.ts";
import type { Content } from "../content.ts";
import type { FieldError } from "../field-errors.ts";
import { parseJson } from "../send-request/json-text.ts";
import { type ValidationContext, validateSendRequest } from "../send-request/send-request-validation.ts";
import { payloadHash, type Submission } from "../send-request/submission.ts";
import { compose } from "./compose.ts";

/** The values that distinguish a message from others of the same request. */
export interface DraftIdentity {
  /** The part of the Message-ID before the @. */
  token: string;
  dateMs: number;
  /** As in ComposeOptions. */
  boundary: string;
  hashesBody?: boolean;
}

export interface DraftOptions extends DraftIdentity {
  recipientsMax: number;
}

/** The fields that acceptance stores apart from the content. */
export type DraftSummary = Pick<
  Submission,
  | "from"
  | "to"
  | "cc"
  | "bcc"
  | "subject"
  | "tags"
  | "metadata"
  | "expiresInMs"
  | "sendAtMs"
  | "unsubscribe"
  | "statusPage"
> & {
  /** Of the fields that are shown beside From as who has sent the message, which must be allowed to send as well. */
  senders?: ShownSender[];
};

export interface ShownSender {
  /** The field's name, as written. */
  field: string;
  /** Null, in a field that says who has sent the message again, for anything but one address. */
  mailbox: Mailbox | null;
  /** Whether the field says who has sent the message again (RFC 5322 §3.6.6). */
  isResent: boolean;
}

/** A valid request. Hash and content are computed on demand, because a request can be rejected before either is needed. */
export interface Draft {
  summary: DraftSummary;
  /** With its angle brackets. */
  messageId: string;
  /** The idempotency key of one message of a batch; absent without one. */
  ownKey?: string;
  /** As `payloadHash` of submission.ts. */
  payloadHash(): string;
  /** The built message, with further header fields before its own if some are given; each ends with CRLF. */
  content(fields?: string): Content;
  /** Whether it has a Feedback-ID field; the header of its content says it if absent. */
  hasFeedbackId?: boolean;
  /** Whether the body has octets above 127. False unless present. */
  eightBit?: boolean;
}

export type DraftError =
  | { code: "invalid_json"; detail: string }
  | { code: "invalid_request" | "too_many_recipients"; errors: FieldError[] };

export type DraftResult = { type: "valid"; draft: Draft } | { type: "invalid"; error: DraftError };

/** The messages of one request, each valid or not; or the error of the request as a whole. */
export type DraftsResult = { type: "parsed"; drafts: DraftResult[] } | { type: "invalid"; error: DraftError };

/** Parses and validates the body of a send request. */
export function parseDraft(body: Buffer, options: DraftOptions): DraftResult {
  const parsed = parseJson(body);
  if (parsed.type === "invalid") return { type: "invalid", error: parsed };
  const validated = validateSendRequest(parsed.value, contextOf(options));
  if (validated.type === "invalid") return { type: "invalid", error: validated };
  return { type: "valid", draft: draftOf(validated.submission, options) };
}

/** What a request with these options is validated by. */
export const contextOf = ({ recipientsMax, dateMs }: DraftOptions): ValidationContext => ({
  recipientsMax,
  nowMs: dateMs,
});

/** Returns the draft of a valid submission. A scheduled message has the date at which it is to be sent. */
export function draftOf(submission: Submission, { token, dateMs, boundary, hashesBody = true }: DraftIdentity): Draft {
  const messageId = `<${token}@${submission.from.domain}>`;
  const options = { messageId, date: new Date(Math.max(dateMs, submission.sendAtMs ?? 0)), boundary, hashesBody };
  return {
    summary: submission,
    messageId,
    payloadHash: () => payloadHash(submission),
    content: (fields) => compose(submission, options, fields),
    hasFeedbackId: submission.headers?.some(({ name }) => name.toLowerCase() === "feedback-id") ?? false,
  };
}

/** Returns the summary without further fields, so that texts and attachments are not copied to another thread. */
export function summaryOf(summary: DraftSummary): DraftSummary {
  const { from, to, cc, bcc, subject, tags, metadata, expiresInMs, sendAtMs, unsubscribe, statusPage } = summary;
  const optional = { cc, bcc, tags, metadata, expiresInMs, sendAtMs, unsubscribe, statusPage };
  const present = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  return { from, to, subject, ...present };
}
