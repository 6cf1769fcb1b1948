/**
 * Decides what a send request is: its faults in plain sentences, and the submission it stands for. Types and most limits
 * are the schema's (send-request.ts), what many requests do without is read by extras.ts. Who may send from which domain is
 * for others.
 */
import { createHash } from "node:crypto";
import { Ajv } from "ajv";
import type { Mailbox } from "./address.ts";
import type { Attachment } from "./attachment.ts";
import { isLongerThan, withCharacterLimits } from "./character-limit.ts";
import { type Extras, readExtras } from "./extras.ts";
import { jsonHash } from "./json-hash.ts";
import { ERRORS_MAX, echo, type FieldError, schemaErrors } from "./request-fault.ts";
import { readMailbox, readMailboxes } from "./request-mailbox.ts";
import { CONTENT_LENGTH_MAX, ENTRIES_MAX, SUBJECT_LENGTH_MAX, sendRequestSchema } from "./send-request.ts";

export type { FieldError } from "./request-fault.ts";
export { sendRequestSchema } from "./send-request.ts";

export interface Submission extends Extras {
  from: Mailbox;
  /** At least one. No mailbox is twice in `to`, `cc` and `bcc` together. */
  to: Mailbox[];
  subject: string;
  html: string | null;
  text: string | null;
}

export type ReadSubmission =
  | { type: "valid"; submission: Submission }
  | { type: "invalid"; code: "invalid_request" | "too_many_recipients"; errors: FieldError[] };

const matchesSchema = withCharacterLimits(
  new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false }),
).compile(sendRequestSchema);

/** Reads a parsed JSON body. All faults are in one answer, one entry for each. */
export function readSubmission(body: unknown, limits: { recipientsMax: number }): ReadSubmission {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return refused([{ field: "body", detail: "The body must be a JSON object." }]);
  }
  const crowded = crowdedPart(body);
  if (crowded !== null) return refused([{ field: crowded, detail: `There are more than ${ENTRIES_MAX}.` }]);
  const errors: FieldError[] = [];
  if (!matchesSchema(body)) errors.push(...schemaErrors(matchesSchema.errors ?? []));
  const fields = body as Record<string, unknown>;
  const from = readMailbox("from", fields.from, errors);
  const seen = new Set<string>();
  const to = readMailboxes("to", fields.to, { seen, errors });
  const subject = readText("subject", fields.subject, errors);
  const html = readText("html", fields.html, errors);
  const text = readText("text", fields.text, errors);
  const extras = readExtras(fields, { seen, errors });
  const count = to.length + (extras.cc?.length ?? 0) + (extras.bcc?.length ?? 0);
  const excess = count > limits.recipientsMax ? tooMany(count, limits.recipientsMax) : null;
  if (excess !== null && errors.length === 0) {
    return { type: "invalid", code: "too_many_recipients", errors: [excess] };
  }
  if (excess !== null) errors.push(excess);
  if (from === null || subject === null || errors.length > 0) return refused(errors);
  return { type: "valid", submission: { from, to, subject, html, text, ...extras } };
}

/** The field, or `body`, that has too many entries to be read at all; null when none has. */
function crowdedPart(body: object): string | null {
  const count = (part: unknown): number =>
    typeof part === "object" && part !== null ? (Array.isArray(part) ? part : Object.keys(part)).length : 0;
  if (count(body) > ENTRIES_MAX) return "body";
  const [name] = Object.entries(body).find(([, part]) => count(part) > ENTRIES_MAX) ?? [];
  return name === undefined ? null : echo(name);
}

/** SHA-256 (hex) of what a submission says, however it was written: what decides whether a replay is the same request. */
export function payloadHash(s: Submission): string {
  const more = {
    cc: s.cc?.map(mailboxIdentity),
    bcc: s.bcc?.map(mailboxIdentity),
    replyTo: s.replyTo?.map(mailboxIdentity),
    headers: s.headers?.map((h): [string, string] => [h.name, h.value]).sort(byName),
    attachments: s.attachments?.map(attachmentIdentity),
    tags: s.tags,
    metadata: s.metadata && Object.entries(s.metadata).sort(byName),
    expiresInMs: s.expiresInMs,
  };
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  const whole = [mailboxIdentity(s.from), s.to.map(mailboxIdentity), s.subject, s.html, s.text, ...given];
  return jsonHash(whole);
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : Number(a > b));

function mailboxIdentity(mailbox: Mailbox): (string | null)[] {
  return [mailbox.name, mailbox.local, mailbox.domain];
}

function attachmentIdentity({ filename, contentType, contentId, content }: Attachment): (string | null)[] {
  return [filename, contentType, contentId, createHash("sha256").update(content).digest("hex")];
}

function refused(errors: FieldError[]): ReadSubmission {
  return { type: "invalid", code: "invalid_request", errors: errors.slice(0, ERRORS_MAX) };
}

function tooMany(count: number, max: number): FieldError {
  return { field: "to", detail: `There are ${count} recipients; at most ${max} are allowed in one message.` };
}

/** The text, or null with its fault noted unless the schema has named it. */
function readText(field: "subject" | "html" | "text", value: unknown, errors: FieldError[]): string | null {
  const lengthMax = field === "subject" ? SUBJECT_LENGTH_MAX : CONTENT_LENGTH_MAX;
  if (typeof value !== "string" || isLongerThan(value, lengthMax)) return null;
  const detail = textFault(value, field === "subject");
  if (detail !== null) errors.push({ field, detail });
  return value;
}

function textFault(text: string, oneLine: boolean): string | null {
  if (text.includes("\0")) return "This contains a NUL.";
  if (oneLine && text.includes("\r")) return "This contains a carriage return (CR); it must be one line.";
  if (oneLine && text.includes("\n")) return "This contains a line feed (LF); it must be one line.";
  if (/\p{Surrogate}/u.test(text)) return "This contains half of a surrogate pair, which is not a character.";
  return null;
}
