/**
 * The fields of a send request that many do without: copies, replies, header fields, attachments, and what the sender
 * notes beside a message. Reads what the schema has accepted and skips what it has rejected.
 */
import type { Mailbox } from "./address.ts";
import { type Attachment, type AttachmentRequest, readAttachment } from "./attachment.ts";
import { isLongerThan } from "./character-limit.ts";
import { type CustomHeader, HEADER_LIMITS, headerNameFault, headerValueFault } from "./custom-header.ts";
import { echo, type FieldError } from "./request-fault.ts";
import { type Reading, readMailboxes } from "./request-mailbox.ts";
import { parseDuration } from "./retry.ts";
import {
  EXPIRES_IN_LENGTH_MAX,
  METADATA_NAME_LENGTH_MAX,
  METADATA_VALUE_LENGTH_MAX,
  TAG_LENGTH_MAX,
} from "./send-request.ts";

/** What a request leaves out, or leaves empty, is not there. */
export interface Extras {
  cc?: Mailbox[];
  bcc?: Mailbox[];
  replyTo?: Mailbox[];
  headers?: CustomHeader[];
  attachments?: Attachment[];
  /** None twice. */
  tags?: string[];
  metadata?: Record<string, string>;
  expiresInMs?: number;
}

/** The extras of a request's body; faults that the schema cannot see are noted. */
export function readExtras(body: Record<string, unknown>, reading: Reading): Extras {
  const extras: Extras = {};
  const { errors } = reading;
  const { cc, bcc, reply_to, headers, attachments, tags, metadata, expires_in } = body;
  if (cc !== undefined) setUnlessEmpty(extras, "cc", readMailboxes("cc", cc, reading));
  if (bcc !== undefined) setUnlessEmpty(extras, "bcc", readMailboxes("bcc", bcc, reading));
  if (reply_to !== undefined) {
    setUnlessEmpty(extras, "replyTo", readMailboxes("reply_to", reply_to, { seen: new Set(), errors }));
  }
  if (headers !== undefined) setUnlessEmpty(extras, "headers", readHeaders(headers, errors));
  if (attachments !== undefined) setUnlessEmpty(extras, "attachments", readAttachments(body, errors));
  if (tags !== undefined) setUnlessEmpty(extras, "tags", readTags(tags, errors));
  if (metadata !== undefined) readMetadata(metadata, extras, errors);
  if (expires_in !== undefined) readExpiry(expires_in, extras, errors);
  return extras;
}

function setUnlessEmpty<Name extends "cc" | "bcc" | "replyTo" | "headers" | "attachments" | "tags">(
  extras: Extras,
  name: Name,
  list: NonNullable<Extras[Name]>,
): void {
  if (list.length > 0) extras[name] = list;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readHeaders(value: unknown, errors: FieldError[]): CustomHeader[] {
  const names = new Set<string>();
  const headers: CustomHeader[] = [];
  for (const [name, text] of Object.entries(isObject(value) ? value : {})) {
    if (typeof text !== "string" || isLongerThan(name, HEADER_LIMITS.nameLengthMax)) continue;
    const isRepeated = names.has(name.toLowerCase());
    names.add(name.toLowerCase());
    const repeated = isRepeated ? "This header field is there twice." : null;
    const nameDetail = headerNameFault(name) ?? repeated;
    const isTooLong = isLongerThan(text, HEADER_LIMITS.valueLengthMax);
    const detail = nameDetail ?? (isTooLong ? null : headerValueFault(text));
    if (detail !== null) errors.push({ field: echo(`headers.${name}`), detail });
    if (!isTooLong) headers.push({ name, value: text.trim() });
  }
  return headers;
}

function readAttachments({ attachments, html }: Record<string, unknown>, errors: FieldError[]): Attachment[] {
  const contentIds = new Set<string>();
  const hasHtml = typeof html === "string" && html !== "";
  const read: Attachment[] = [];
  for (const [index, request] of (Array.isArray(attachments) ? attachments : []).entries()) {
    if (!isAttachmentRequest(request)) continue;
    const { attachment, faults } = readAttachment(request);
    const id = attachment.contentId;
    if (id !== null && !hasHtml) faults.push({ field: "content_id", detail: "An inline image needs an html body." });
    if (id !== null && contentIds.has(id)) faults.push({ field: "content_id", detail: "This one is there twice." });
    if (id !== null) contentIds.add(id);
    errors.push(...faults.map(({ field, detail }) => ({ field: `attachments[${index}].${field}`, detail })));
    read.push(attachment);
  }
  return read;
}

function isAttachmentRequest(value: unknown): value is AttachmentRequest {
  if (!isObject(value)) return false;
  const { filename, content, content_type: type = "", content_id: id = "" } = value;
  return [filename, content, type, id].every((text) => typeof text === "string");
}

function readTags(value: unknown, errors: FieldError[]): string[] {
  const tags = new Set<string>();
  for (const [index, tag] of (Array.isArray(value) ? value : []).entries()) {
    if (typeof tag !== "string" || isLongerThan(tag, TAG_LENGTH_MAX)) continue;
    const detail = /\p{Cc}/u.test(tag) ? "This contains a control character." : surrogateFault(tag);
    if (detail !== null) errors.push({ field: `tags[${index}]`, detail });
    tags.add(tag);
  }
  return [...tags];
}

function readMetadata(value: unknown, extras: Extras, errors: FieldError[]): void {
  if (!isObject(value)) return;
  const entries = Object.entries(value).filter(isShortEntry);
  for (const [name, text] of entries) {
    const detail = surrogateFault(name) ?? surrogateFault(text);
    if (detail !== null) errors.push({ field: echo(`metadata.${name}`), detail });
  }
  if (entries.length > 0) extras.metadata = Object.fromEntries(entries);
}

const isShortEntry = (entry: [string, unknown]): entry is [string, string] =>
  typeof entry[1] === "string" &&
  !isLongerThan(entry[0], METADATA_NAME_LENGTH_MAX) &&
  !isLongerThan(entry[1], METADATA_VALUE_LENGTH_MAX);

function surrogateFault(text: string): string | null {
  return /\p{Surrogate}/u.test(text) ? "This contains half of a surrogate pair, which is not a character." : null;
}

/** Longer than any RETRY_MAX_AGE: a greater number of seconds says the same. */
const EXPIRY_MAX_MS = 3650 * 86_400_000;

function readExpiry(value: unknown, extras: Extras, errors: FieldError[]): void {
  if (typeof value === "string" && isLongerThan(value, EXPIRES_IN_LENGTH_MAX)) return;
  const ms = typeof value === "number" ? value * 1000 : typeof value === "string" ? parseDuration(value) : 0;
  if (typeof value === "string" && (ms === null || ms === 0)) {
    errors.push({ field: "expires_in", detail: "This must be a whole number of seconds or a duration such as 30m." });
  }
  if (ms !== null && ms > 0) extras.expiresInMs = Math.min(ms, EXPIRY_MAX_MS);
}
