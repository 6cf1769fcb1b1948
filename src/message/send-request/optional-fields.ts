/**
 * Validates the optional fields of a send request: copies, Reply-To, header fields, attachments, tags, metadata, expiry, the time of
 * sending, unsubscribe and the status page.
 * Skips values that the schema has rejected: those errors are already listed.
 */
import type { Mailbox } from "../address.ts";
import { isLongerThan } from "../character-limit.ts";
import { echo, type FieldError, surrogateError } from "../field-errors.ts";
import { parseDuration } from "../retry.ts";
import { parseSendTime, SEND_AT_LENGTH_MAX } from "../send-time.ts";
import { type Attachment, type AttachmentRequest, validateAttachment } from "./attachment.ts";
import { type CustomHeader, HEADER_LIMITS, headerNameError, headerValueError } from "./custom-header.ts";
import { type ValidationState, validateMailboxes } from "./mailbox-fields.ts";
import {
  EXPIRES_IN_LENGTH_MAX,
  METADATA_NAME_LENGTH_MAX,
  METADATA_VALUE_LENGTH_MAX,
  TAG_LENGTH_MAX,
} from "./send-request-schema.ts";

/** A field that the request omits, or leaves empty, is absent. */
export interface OptionalFields {
  cc?: Mailbox[];
  bcc?: Mailbox[];
  replyTo?: Mailbox[];
  headers?: CustomHeader[];
  attachments?: Attachment[];
  /** Without repetitions. */
  tags?: string[];
  metadata?: Record<string, string>;
  expiresInMs?: number;
  /** Milliseconds since the epoch; it may be in the past. */
  sendAtMs?: number;
  /** Asks for one-click unsubscribe (RFC 8058). */
  unsubscribe?: true;
  /** Asks for a link to a status page. */
  statusPage?: true;
}

/** Returns the optional fields of a request's body. Adds the errors that the schema does not cover to `state.errors`. */
export function validateOptionalFields(
  body: Record<string, unknown>,
  state: ValidationState & { nowMs?: number | undefined },
): OptionalFields {
  const fields: OptionalFields = {};
  const { errors } = state;
  const { cc, bcc, reply_to, headers, attachments, tags, metadata, expires_in, send_at, unsubscribe, status_page } =
    body;
  if (cc !== undefined) setUnlessEmpty(fields, "cc", validateMailboxes("cc", cc, state));
  if (bcc !== undefined) setUnlessEmpty(fields, "bcc", validateMailboxes("bcc", bcc, state));
  if (reply_to !== undefined) {
    setUnlessEmpty(fields, "replyTo", validateMailboxes("reply_to", reply_to, { seen: new Set(), errors }));
  }
  if (headers !== undefined) setUnlessEmpty(fields, "headers", validateHeaders(headers, errors));
  if (attachments !== undefined) setUnlessEmpty(fields, "attachments", validateAttachments(body, errors));
  if (tags !== undefined) setUnlessEmpty(fields, "tags", validateTags(tags, errors));
  if (metadata !== undefined) validateMetadata(metadata, fields, errors);
  if (expires_in !== undefined) validateExpiry(expires_in, fields, errors);
  if (send_at !== undefined) validateSendAt(send_at, fields, state);
  if (unsubscribe === true) fields.unsubscribe = true;
  if (status_page === true) fields.statusPage = true;
  return fields;
}

function setUnlessEmpty<Name extends "cc" | "bcc" | "replyTo" | "headers" | "attachments" | "tags">(
  fields: OptionalFields,
  name: Name,
  list: NonNullable<OptionalFields[Name]>,
): void {
  if (list.length > 0) fields[name] = list;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function validateHeaders(value: unknown, errors: FieldError[]): CustomHeader[] {
  const names = new Set<string>();
  const headers: CustomHeader[] = [];
  for (const [name, text] of Object.entries(isObject(value) ? value : {})) {
    if (typeof text !== "string" || isLongerThan(name, HEADER_LIMITS.nameLengthMax)) continue;
    const isRepeated = names.has(name.toLowerCase());
    names.add(name.toLowerCase());
    const nameError = headerNameError(name) ?? (isRepeated ? "This header field occurs more than once." : null);
    const isTooLong = isLongerThan(text, HEADER_LIMITS.valueLengthMax);
    const detail = nameError ?? (isTooLong ? null : headerValueError({ name, value: text }));
    if (detail !== null) errors.push({ field: echo(`headers.${name}`), detail });
    if (!isTooLong) headers.push({ name, value: text.trim() });
  }
  return headers;
}

function validateAttachments({ attachments, html }: Record<string, unknown>, errors: FieldError[]): Attachment[] {
  const contentIds = new Set<string>();
  const hasHtml = typeof html === "string" && html !== "";
  const result: Attachment[] = [];
  for (const [index, request] of (Array.isArray(attachments) ? attachments : []).entries()) {
    if (!isAttachmentRequest(request)) continue;
    const { attachment, errors: own } = validateAttachment(request);
    const id = attachment.contentId;
    if (id !== null && !hasHtml) own.push({ field: "content_id", detail: "An inline image needs an html body." });
    if (id !== null && contentIds.has(id)) {
      own.push({ field: "content_id", detail: "Another attachment has this content_id." });
    }
    if (id !== null) contentIds.add(id);
    errors.push(...own.map(({ field, detail }) => ({ field: `attachments[${index}].${field}`, detail })));
    result.push(attachment);
  }
  return result;
}

function isAttachmentRequest(value: unknown): value is AttachmentRequest {
  if (!isObject(value)) return false;
  const { filename, content, content_type: type = "", content_id: id = "" } = value;
  return [filename, content, type, id].every((text) => typeof text === "string");
}

function validateTags(value: unknown, errors: FieldError[]): string[] {
  const tags = new Set<string>();
  for (const [index, tag] of (Array.isArray(value) ? value : []).entries()) {
    if (typeof tag !== "string" || isLongerThan(tag, TAG_LENGTH_MAX)) continue;
    const detail = /\p{Cc}/u.test(tag) ? "This contains a control character." : surrogateError(tag);
    if (detail !== null) errors.push({ field: `tags[${index}]`, detail });
    tags.add(tag);
  }
  return [...tags];
}

function validateMetadata(value: unknown, fields: OptionalFields, errors: FieldError[]): void {
  if (!isObject(value)) return;
  const entries = Object.entries(value).filter(isShortEntry);
  for (const [name, text] of entries) {
    const detail = surrogateError(name) ?? surrogateError(text);
    if (detail !== null) errors.push({ field: echo(`metadata.${name}`), detail });
  }
  if (entries.length > 0) fields.metadata = Object.fromEntries(entries);
}

const isShortEntry = (entry: [string, unknown]): entry is [string, string] =>
  typeof entry[1] === "string" &&
  !isLongerThan(entry[0], METADATA_NAME_LENGTH_MAX) &&
  !isLongerThan(entry[1], METADATA_VALUE_LENGTH_MAX);

function validateSendAt(
  value: unknown,
  fields: OptionalFields,
  { errors, nowMs = Number.POSITIVE_INFINITY }: ValidationState & { nowMs?: number | undefined },
): void {
  if (typeof value !== "string" || isLongerThan(value, SEND_AT_LENGTH_MAX)) return;
  const time = parseSendTime(value, nowMs);
  if (time.type === "valid") fields.sendAtMs = time.atMs;
  else errors.push({ field: "send_at", detail: time.detail });
}

/** Longer than any RETRY_MAX_AGE. A greater number of seconds is reduced to it. */
const EXPIRY_MAX_MS = 3650 * 86_400_000;

function validateExpiry(value: unknown, fields: OptionalFields, errors: FieldError[]): void {
  if (typeof value === "string" && isLongerThan(value, EXPIRES_IN_LENGTH_MAX)) return;
  const ms = typeof value === "number" ? value * 1000 : typeof value === "string" ? parseDuration(value) : 0;
  if (typeof value === "string" && (ms === null || ms === 0)) {
    errors.push({ field: "expires_in", detail: "This must be a whole number of seconds or a duration such as 30m." });
  }
  if (ms !== null && ms > 0) fields.expiresInMs = Math.min(ms, EXPIRY_MAX_MS);
}
