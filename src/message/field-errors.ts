/**
 * Turns the schema's errors (ajv) into one sentence for each field, and names fields in responses. Responses repeat names of
 * the request, shortened, and no other part of it.
 */
import type { ErrorObject } from "ajv";

export interface FieldError {
  /** The field's name; within a list or an object as `to[3]` or `attachments[0].content`; `body` for the whole body. */
  field: string;
  /** A sentence. */
  detail: string;
}

/** Errors in one response. Bounds the response to a request of any size. */
export const ERRORS_MAX = 1000;
const ECHO_LENGTH_MAX = 100;

/** Returns the sentence about a field that does not exist, at a path as instancePath has it. */
export type UnknownFieldDetail = (name: string, path: readonly string[]) => string;

/** Returns what a field must be where no other sentence says it. `path` is as instancePath has it. */
export type ExpectedField = (error: ErrorObject, path: readonly string[]) => string;

/** Converts ajv's errors, one entry for each. */
export function fieldErrorsOf(
  schemaErrors: readonly ErrorObject[],
  unknownField: UnknownFieldDetail,
  expected: ExpectedField,
): FieldError[] {
  // The `if` and `propertyNames` keywords report an additional error beside those of their subschemas.
  const own = schemaErrors.filter(
    (error) => !error.schemaPath.startsWith("#/else/") && !error.schemaPath.includes("/propertyNames/"),
  );
  return own.slice(0, ERRORS_MAX).map((error) => fieldErrorOf(error, unknownField, expected));
}

/** Returns a name from the request in a form that is safe to repeat in a response: at most 100 characters, valid UTF-16. */
export function echo(text: string): string {
  const shown = text.length <= ECHO_LENGTH_MAX ? text : `${text.slice(0, ECHO_LENGTH_MAX - 1)}…`;
  return shown.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Returns the error of a text that cannot be encoded as UTF-8, or null. */
export function surrogateError(text: string): string | null {
  return text.isWellFormed() ? null : "This contains an unpaired surrogate, which is not a character.";
}

function fieldErrorOf(error: ErrorObject, unknownField: UnknownFieldDetail, expected: ExpectedField): FieldError {
  const { keyword, instancePath, params } = error;
  const path = instancePath.split("/").slice(1).map(unescapePointer);
  const field = fieldName(path);
  switch (keyword) {
    case "required":
      return { field: fieldName([...path, params.missingProperty]), detail: "This field is required." };
    case "additionalProperties":
      return {
        field: fieldName([...path, params.additionalProperty]),
        detail: unknownField(params.additionalProperty, path),
      };
    case "if":
      return { field: "text", detail: "At least one of html and text is required." };
    case "minItems":
      return { field, detail: "At least one recipient is required." };
    case "maxItems":
    case "maxProperties":
      return { field, detail: `This has more than ${params.limit} entries.` };
    case "minLength":
      return { field, detail: "This is empty." };
    case "maxLength":
      return { field, detail: `This is longer than ${params.limit} characters.` };
    case "propertyNames":
      return { field: fieldName([...path, params.propertyName]), detail: "This name is empty or too long." };
    case "minimum":
      return { field, detail: `This must be at least ${params.limit}.` };
    default:
      return { field, detail: `This must be ${expected(error, path)}.` };
  }
}

/** RFC 6901 §4. */
const unescapePointer = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

/** Returns the name of the field at a path: `attachments[0].content`. */
export function fieldName([root = "body", ...path]: string[]): string {
  return echo(root + path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join(""));
}
