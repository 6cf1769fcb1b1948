/**
 * What the schema has against a request, in plain sentences, each at its field. Which faults there are is ajv's; nothing
 * here echoes more than a name.
 */
import type { ErrorObject } from "ajv";

export interface FieldError {
  /** The field's name, `to[3]` or `attachments[0].content` within a list or an object, `body` for the whole. */
  field: string;
  /** A sentence. */
  detail: string;
}

/** An answer names at most this many faults, so that a huge request cannot cause a huger answer. */
export const ERRORS_MAX = 1000;
const ECHO_LENGTH_MAX = 100;

/** One entry for each fault. */
export function schemaErrors(faults: readonly ErrorObject[]): FieldError[] {
  // The `if` and `propertyNames` keywords report a fault of their own beside those of the schemas in them.
  const own = faults.filter(
    (fault) => !fault.schemaPath.startsWith("#/else/") && !fault.schemaPath.includes("/propertyNames/"),
  );
  return own.slice(0, ERRORS_MAX).map(schemaError);
}

/** A name of the request's own as it may be repeated in an answer. */
export function echo(text: string): string {
  const shown = text.length <= ECHO_LENGTH_MAX ? text : `${text.slice(0, ECHO_LENGTH_MAX - 1)}…`;
  return shown.replace(/\p{Surrogate}/gu, "\ufffd");
}

function schemaError({ keyword, instancePath, params }: ErrorObject): FieldError {
  const path = instancePath.split("/").slice(1).map(unescapePointer);
  const field = fieldName(path);
  switch (keyword) {
    case "required":
      return { field: fieldName([...path, params.missingProperty]), detail: "This field is required." };
    case "additionalProperties":
      return { field: fieldName([...path, params.additionalProperty]), detail: "There is no such field." };
    case "if":
      return { field: "text", detail: "At least one of html and text is required." };
    case "minItems":
      return { field, detail: "At least one recipient is required." };
    case "maxItems":
    case "maxProperties":
      return { field, detail: `There are more than ${params.limit}.` };
    case "minLength":
      return { field, detail: "This is empty." };
    case "maxLength":
      return { field, detail: `This is longer than ${params.limit} characters.` };
    case "propertyNames":
      return { field: fieldName([...path, params.propertyName]), detail: "This name is empty or too long." };
    case "minimum":
      return { field, detail: `This must be at least ${params.limit}.` };
    default:
      return { field, detail: `This must be ${wantedAt(path)}.` };
  }
}

/** RFC 6901 §4. */
const unescapePointer = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

export function fieldName([root = "body", ...path]: string[]): string {
  return echo(root + path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join(""));
}

const A_STRING = "a string";
const ADDRESSES = "a string or an array of strings";
const WANTED: Readonly<Record<string, string>> = {
  to: ADDRESSES,
  cc: ADDRESSES,
  bcc: ADDRESSES,
  reply_to: ADDRESSES,
  headers: "an object of strings",
  attachments: "an array of objects",
  tags: "an array of strings",
  metadata: "an object of strings",
  expires_in: "a whole number of seconds or a duration such as 30m",
};

function wantedAt([root = "", ...path]: string[]): string {
  if (path.length === 0) return WANTED[root] ?? A_STRING;
  return root === "attachments" && path.length === 1 ? "an object" : A_STRING;
}
