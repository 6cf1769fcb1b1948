/**
 * Validates a parsed send request and returns the submission or all of its errors. The schema (send-request-schema.ts) decides
 * types and most limits; optional-fields.ts validates the optional fields. Whether the sender may use a domain is decided
 * elsewhere.
 */
import { Ajv } from "ajv";
import { isLongerThan } from "../character-limit.ts";
import {
  ERRORS_MAX,
  echo,
  type FieldError,
  fieldErrorsOf,
  surrogateError,
  type UnknownFieldDetail,
} from "../field-errors.ts";
import { withoutNulls } from "./absent-fields.ts";
import { validateMailboxes, validateSender } from "./mailbox-fields.ts";
import { validateOptionalFields } from "./optional-fields.ts";
import { withCharacterLimits } from "./schema-character-limit.ts";
import { CONTENT_LENGTH_MAX, ENTRIES_MAX, SUBJECT_LENGTH_MAX, sendRequestSchema } from "./send-request-schema.ts";
import type { Submission } from "./submission.ts";
import { UNKNOWN, unknownFieldDetail } from "./unknown-fields.ts";
import { unsubscribeErrors } from "./unsubscribe-fields.ts";

export type ValidationResult =
  | { type: "valid"; submission: Submission }
  | { type: "invalid"; code: "invalid_request" | "too_many_recipients"; errors: FieldError[] };

const SUGGESTIONS_MAX = 20;

const ONE_RECIPIENT_OF_PAGE =
  "A message with a status page must have exactly one recipient, because the page shows one. Send a message to each.";

const matchesSchema = withCharacterLimits(
  // Times are read by send-time.ts.
  new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false, formats: { "date-time": true } }),
).compile(sendRequestSchema);

/** What a request is validated by. `nowMs`: when it arrived; times of the future are not limited without it. */
export interface ValidationContext {
  recipientsMax: number;
  nowMs?: number;
}

/** Validates a parsed JSON body. An invalid result lists every error once. */
export function validateSendRequest(body: unknown, limits: ValidationContext): ValidationResult {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return invalid([{ field: "body", detail: "The body must be a JSON object." }]);
  }
  const oversized = oversizedPart(body);
  if (oversized !== null) return invalid([{ field: oversized, detail: `This has more than ${ENTRIES_MAX} entries.` }]);
  const errors: FieldError[] = [];
  const fields = withoutNulls(body as Record<string, unknown>);
  if (!matchesSchema(fields))
    errors.push(...fieldErrorsOf(matchesSchema.errors ?? [], unknownDetails(), (_, path) => expectedAt(path)));
  const from = validateSender("from", fields.from, errors);
  const seen = new Set<string>();
  const to = validateMailboxes("to", fields.to, { seen, errors });
  const subject = validateText("subject", fields.subject, errors);
  const html = validateText("html", fields.html, errors);
  const text = validateText("text", fields.text, errors);
  const optional = validateOptionalFields(fields, { seen, errors, nowMs: limits.nowMs });
  const count = to.length + (optional.cc?.length ?? 0) + (optional.bcc?.length ?? 0);
  if (optional.unsubscribe) errors.push(...unsubscribeErrors({ recipients: count, headers: optional.headers }));
  if (optional.statusPage && count > 1) errors.push({ field: "status_page", detail: ONE_RECIPIENT_OF_PAGE });
  const excess = count > limits.recipientsMax ? tooManyRecipients(count, limits.recipientsMax) : null;
  if (excess !== null && errors.length === 0) {
    return { type: "invalid", code: "too_many_recipients", errors: [excess] };
  }
  if (excess !== null) errors.push(excess);
  if (from === null || subject === null || errors.length > 0) return invalid(errors);
  return { type: "valid", submission: { from, to, subject, html, text, ...optional } };
}

/** Suggests only for the first unknown fields: each one is compared with all that there are. */
function unknownDetails(): UnknownFieldDetail {
  let left = SUGGESTIONS_MAX;
  return (name, path) => {
    left -= 1;
    return left < 0 ? UNKNOWN : unknownFieldDetail(name, path[0] === "attachments");
  };
}

/** The field, or `body`, with more entries than are examined one by one; null if there is none. */
function oversizedPart(body: object): string | null {
  const count = (part: unknown): number =>
    typeof part === "object" && part !== null ? (Array.isArray(part) ? part : Object.keys(part)).length : 0;
  if (count(body) > ENTRIES_MAX) return "body";
  const [name] = Object.entries(body).find(([, part]) => count(part) > ENTRIES_MAX) ?? [];
  return name === undefined ? null : echo(name);
}

function invalid(errors: FieldError[]): ValidationResult {
  return { type: "invalid", code: "invalid_request", errors: errors.slice(0, ERRORS_MAX) };
}

function tooManyRecipients(count: number, max: number): FieldError {
  return { field: "to", detail: `The message has ${count} recipients; at most ${max} are allowed.` };
}

/** Returns the text, also one with an error; null if the schema has rejected it. */
function validateText(field: "subject" | "html" | "text", value: unknown, errors: FieldError[]): string | null {
  const lengthMax = field === "subject" ? SUBJECT_LENGTH_MAX : CONTENT_LENGTH_MAX;
  if (typeof value !== "string" || isLongerThan(value, lengthMax)) return null;
  const detail = textError(value, field === "subject");
  if (detail !== null) errors.push({ field, detail });
  return value;
}

function textError(text: string, oneLine: boolean): string | null {
  if (text.includes("\0")) return "This contains a NUL character.";
  if (oneLine && text.includes("\r")) return "This contains a carriage return (CR); it must be a single line.";
  if (oneLine && text.includes("\n")) return "This contains a line feed (LF); it must be a single line.";
  return surrogateError(text);
}

const A_STRING = "a string";
const ADDRESSES = "a string or an array of strings";
const EXPECTED: Readonly<Record<string, string>> = {
  to: ADDRESSES,
  cc: ADDRESSES,
  bcc: ADDRESSES,
  reply_to: ADDRESSES,
  headers: "an object of strings",
  attachments: "an array of objects",
  tags: "an array of strings",
  metadata: "an object of strings",
  send_at: "a time with its offset (RFC 3339), such as 2030-01-31T09:00:00Z",
  expires_in: "a whole number of seconds or a duration such as 30m",
};

function expectedAt([root = "", ...path]: readonly string[]): string {
  if (path.length === 0) return EXPECTED[root] ?? A_STRING;
  return root === "attachments" && path.length === 1 ? "an object" : A_STRING;
}
