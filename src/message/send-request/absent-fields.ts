/**
 * Null in an optional field of a send request means that the field is absent: some clients write every field that they know. A required
 * field that is null stays, and is an error.
 */
import { attachmentSchema, sendRequestSchema } from "./send-request-schema.ts";

type Fields = Record<string, unknown>;

const REQUIRED: ReadonlySet<string> = new Set(sendRequestSchema.required);
const REQUIRED_OF_ATTACHMENT: ReadonlySet<string> = new Set(attachmentSchema.required);
const KNOWN: ReadonlySet<string> = new Set(Object.keys(sendRequestSchema.properties));
const KNOWN_OF_ATTACHMENT: ReadonlySet<string> = new Set(Object.keys(attachmentSchema.properties));

const isOptional = (name: string): boolean => KNOWN.has(name) && !REQUIRED.has(name);
const isOptionalOfAttachment = (name: string): boolean =>
  KNOWN_OF_ATTACHMENT.has(name) && !REQUIRED_OF_ATTACHMENT.has(name);

/** Returns the body without optional fields that are null, also those of attachments, headers and metadata. Unknown fields stay. */
export function withoutNulls(body: Fields): Fields {
  const fields = without(body, isOptional);
  const { headers, metadata, attachments } = fields;
  const inner = {
    headers: isObject(headers) ? without(headers, () => true) : headers,
    metadata: isObject(metadata) ? without(metadata, () => true) : metadata,
    attachments: Array.isArray(attachments) ? withoutNullsOf(attachments) : attachments,
  };
  const changed = Object.entries(inner).filter(([name, value]) => value !== fields[name]);
  return changed.length === 0 ? fields : { ...fields, ...Object.fromEntries(changed) };
}

function withoutNullsOf(attachments: unknown[]): unknown[] {
  const own = attachments.map((each) => (isObject(each) ? without(each, isOptionalOfAttachment) : each));
  return own.some((each, i) => each !== attachments[i]) ? own : attachments;
}

/** Returns the object itself if there is nothing to leave out, as in most requests. */
function without(fields: Fields, mayBeAbsent: (name: string) => boolean): Fields {
  const isAbsent = (name: string): boolean => fields[name] === null && mayBeAbsent(name);
  for (const name in fields) {
    if (isAbsent(name)) return Object.fromEntries(Object.entries(fields).filter(([each]) => !isAbsent(each)));
  }
  return fields;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
