/**
 * Decides what a send request is: its JSON Schema, its faults in plain sentences, and the submission it stands for.
 * Who may send from which domain, and every limit but the one on recipients, is for others.
 */
import { createHash } from "node:crypto";
import { Ajv, type ErrorObject } from "ajv";
import { type Mailbox, mailboxKey, parseMailbox } from "./address.ts";

/** JSON Schema (2020-12 and draft-07 alike) of the send request's body; readSubmission asks for more than it can say. */
export const sendRequestSchema = {
  title: "SendRequest",
  type: "object",
  additionalProperties: false,
  required: ["from", "to", "subject"],
  anyOf: [{ required: ["html"] }, { required: ["text"] }],
  properties: {
    from: { type: "string", description: "The sender: `a@b` or `Name <a@b>`." },
    to: {
      type: ["string", "array"],
      items: { type: "string" },
      minItems: 1,
      description: "The recipients, each `a@b` or `Name <a@b>`. A repeated one counts once.",
    },
    subject: { type: "string", description: "One line of text." },
    html: { type: "string", description: "The HTML body. At least one of `html` and `text` is required." },
    text: { type: "string", description: "The plain text body." },
  },
} as const;

export interface Submission {
  from: Mailbox;
  /** At least one, none twice. */
  to: Mailbox[];
  subject: string;
  html: string | null;
  text: string | null;
}

export interface FieldError {
  /** The field's name, `to[3]` within a list, `body` for the whole. */
  field: string;
  /** A sentence. */
  detail: string;
}

export type ReadSubmission =
  | { type: "valid"; submission: Submission }
  | { type: "invalid"; code: "invalid_request" | "too_many_recipients"; errors: FieldError[] };

/** An answer names at most this many faults, so that a huge request cannot cause a huger answer. */
const ERRORS_MAX = 1000;
const ECHO_LENGTH_MAX = 100;

const matchesSchema = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false }).compile(
  sendRequestSchema,
);

/** Reads a parsed JSON body. All faults are in one answer, one entry for each. */
export function readSubmission(body: unknown, limits: { recipientsMax: number }): ReadSubmission {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return refused([{ field: "body", detail: "The body must be a JSON object." }]);
  }
  const errors: FieldError[] = [];
  if (!matchesSchema(body)) errors.push(...schemaErrors(matchesSchema.errors ?? []));
  const fields = body as Record<string, unknown>;
  const from = readMailbox("from", fields.from, errors);
  const to = readRecipients(fields.to, errors);
  const subject = readText("subject", fields.subject, errors);
  const html = readText("html", fields.html, errors);
  const text = readText("text", fields.text, errors);
  const excess = to.length > limits.recipientsMax ? tooMany(to.length, limits.recipientsMax) : null;
  if (excess !== null && errors.length === 0) {
    return { type: "invalid", code: "too_many_recipients", errors: [excess] };
  }
  if (excess !== null) errors.push(excess);
  if (from === null || subject === null || errors.length > 0) return refused(errors);
  return { type: "valid", submission: { from, to, subject, html, text } };
}

/** SHA-256 (hex) of what a submission says, however it was written: what decides whether a replay is the same request. */
export function payloadHash(submission: Submission): string {
  const { from, to, subject, html, text } = submission;
  const canonical = JSON.stringify([mailboxIdentity(from), to.map(mailboxIdentity), subject, html, text]);
  return createHash("sha256").update(canonical).digest("hex");
}

function mailboxIdentity(mailbox: Mailbox): (string | null)[] {
  return [mailbox.name, mailbox.local, mailbox.domain];
}

function refused(errors: FieldError[]): ReadSubmission {
  return { type: "invalid", code: "invalid_request", errors: errors.slice(0, ERRORS_MAX) };
}

function tooMany(count: number, max: number): FieldError {
  return { field: "to", detail: `There are ${count} recipients; at most ${max} are allowed in one message.` };
}

function schemaErrors(faults: ErrorObject[]): FieldError[] {
  // The branches of the anyOf repeat what its own fault says.
  const own = faults.filter((fault) => !fault.schemaPath.startsWith("#/anyOf/"));
  return own.slice(0, ERRORS_MAX).map(schemaError);
}

function schemaError(fault: ErrorObject): FieldError {
  const field = fault.instancePath.slice(1).replace(/\/(\d+)$/, "[$1]");
  switch (fault.keyword) {
    case "required":
      return { field: fault.params.missingProperty, detail: "This field is required." };
    case "additionalProperties":
      return { field: echo(fault.params.additionalProperty), detail: "There is no such field." };
    case "anyOf":
      return { field: "text", detail: "At least one of html and text is required." };
    case "minItems":
      return { field, detail: "At least one recipient is required." };
    default:
      return {
        field,
        detail: field === "to" ? "This must be a string or an array of strings." : "This must be a string.",
      };
  }
}

function echo(text: string): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return wellFormed.length <= ECHO_LENGTH_MAX ? wellFormed : `${wellFormed.slice(0, ECHO_LENGTH_MAX - 1)}…`;
}

/** The mailbox, or null with its fault noted unless the schema has named it. */
function readMailbox(field: string, value: unknown, errors: FieldError[]): Mailbox | null {
  if (typeof value !== "string") return null;
  const parsed = parseMailbox(value);
  if (parsed.type === "invalid") {
    errors.push({ field, detail: parsed.detail });
    return null;
  }
  const { name, address, local, domain } = parsed;
  return { name, address, local, domain };
}

/** The valid recipients, each once at its first place. */
function readRecipients(value: unknown, errors: FieldError[]): Mailbox[] {
  if (typeof value === "string") return [readMailbox("to", value, errors)].filter((mailbox) => mailbox !== null);
  const recipients = new Map<string, Mailbox>();
  if (!Array.isArray(value)) return [];
  for (const [index, entry] of value.entries()) {
    const mailbox = readMailbox(`to[${index}]`, entry, errors);
    if (mailbox === null) continue;
    const key = mailboxKey(mailbox.local, mailbox.domain);
    if (!recipients.has(key)) recipients.set(key, mailbox);
  }
  return [...recipients.values()];
}

/** The text, or null with its fault noted unless the schema has named it. */
function readText(field: "subject" | "html" | "text", value: unknown, errors: FieldError[]): string | null {
  if (typeof value !== "string") return null;
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
