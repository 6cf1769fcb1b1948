/**
 * Translates a message as Resend's API takes it (its published OpenAPI document) to a send request of Postrider's API, whose
 * validation decides. What Postrider does not have is rejected by name. Fields with the value null count as absent.
 */
import { ERRORS_MAX, echo, type FieldError } from "../../message/field-errors.ts";
import {
  type ValidationContext,
  type ValidationResult,
  validateSendRequest,
} from "../../message/send-request/send-request-validation.ts";
import { translateTags } from "./tags.ts";

type Fields = Record<string, unknown>;

/** Fields with the same name and meaning in both APIs. */
export const SAME_FIELDS = ["from", "to", "cc", "bcc", "reply_to", "subject", "html", "text", "headers"] as const;

export const TRANSLATED_FIELDS = ["attachments", "tags", "scheduled_at"] as const;

const SAME: ReadonlySet<string> = new Set(SAME_FIELDS);
const TRANSLATED: ReadonlySet<string> = new Set(TRANSLATED_FIELDS);

/** Why a field that Resend has is rejected. */
export const NOT_SERVED: ReadonlyMap<string, string> = new Map([
  ["template", "Postrider has no templates. Send html or text."],
  ["topic_id", "Postrider has no topics. Leave this field out."],
]);

const NO_PHRASES = 'Postrider does not read phrases such as "in 1 min".';

const REMOTE_FILE = "Postrider does not fetch remote files. Send the file itself in content.";

/** Validates a message of a parsed JSON body. Errors name Resend's fields. */
export function validateResendRequest(body: unknown, limits: ValidationContext): ValidationResult {
  if (!isObject(body)) return validateSendRequest(body, limits);
  const errors: FieldError[] = [];
  const given = withoutNulls(body);
  const known = Object.entries(given).filter(([name]) => SAME.has(name));
  for (const name of Object.keys(given)) {
    const detail = NOT_SERVED.get(name) ?? (SAME.has(name) || TRANSLATED.has(name) ? null : "This field is unknown.");
    if (detail !== null && errors.length < ERRORS_MAX) errors.push({ field: echo(name), detail });
  }
  const { labels, fieldOf } = translateTags(given.tags, errors);
  const request = { ...Object.fromEntries(known), ...attachmentsOf(given, errors), ...timeOf(given), ...labels };
  const validated = validateSendRequest(request, limits);
  if (validated.type === "valid" && errors.length === 0) return validated;
  if (validated.type === "valid") return { type: "invalid", code: "invalid_request", errors };
  const own = validated.errors.map((error) => ofTime(error) ?? { ...error, field: fieldOf(error.field) });
  const code = errors.length === 0 ? validated.code : "invalid_request";
  return { type: "invalid", code, errors: [...errors, ...own].slice(0, ERRORS_MAX) };
}

const timeOf = ({ scheduled_at: time }: Fields): Fields => (time === undefined ? {} : { send_at: time });

/** Null for the error of any other field. */
const ofTime = ({ field, detail }: FieldError): FieldError | null =>
  field === "send_at" ? { field: "scheduled_at", detail: `${detail} ${NO_PHRASES}` } : null;

function attachmentsOf({ attachments }: Fields, errors: FieldError[]): Fields {
  if (!Array.isArray(attachments)) return attachments === undefined ? {} : { attachments };
  return { attachments: attachments.map((each, i) => translateAttachment(each, `attachments[${i}]`, errors)) };
}

/** `inline_content_id` is an earlier name of `content_id`, which some clients still send. */
function translateAttachment(attachment: unknown, field: string, errors: FieldError[]): unknown {
  if (!isObject(attachment)) return attachment;
  const { path, inline_content_id, content, ...same } = withoutNulls(attachment);
  if (path !== undefined && errors.length < ERRORS_MAX) errors.push({ field: `${field}.path`, detail: REMOTE_FILE });
  return {
    ...(content === undefined ? {} : { content: base64Of(content) }),
    ...(inline_content_id === undefined ? {} : { content_id: inline_content_id }),
    ...same,
  };
}

/** An array of bytes is base64 already (byte-arrays.ts). */
function base64Of(content: unknown): unknown {
  return isObject(content) && content.type === "Buffer" && typeof content.data === "string" ? content.data : content;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
