/** Validates the JSON body of a request by the schema that OpenAPI shows. */
import { Ajv, type ErrorObject } from "ajv";
import { isTimestamp } from "../../lib/timestamp.ts";
import { isBareAddress } from "../../message/address.ts";
import { closestWord } from "../../message/closest-word.ts";
import { echo, type FieldError, fieldErrorsOf, surrogateError } from "../../message/field-errors.ts";
import { Problem } from "../response/problems.ts";
import type { Schema } from "../response/schema.ts";

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false });
ajv.addFormat("date-time", isTimestamp);
ajv.addFormat("email", isBareAddress);

/** Unknown fields for which the closest known one is looked for. */
const SUGGESTIONS_MAX = 20;

/** Creates a reader of bodies. It throws the 400 problem with every fault. Null in an optional field is absent. */
export function bodyReader(schema: Schema): (bytes: Buffer) => Record<string, unknown> {
  const read = objectReader(schema);
  return (bytes) => read(parse(bytes));
}

/** The same for an object that is parsed already. */
export function objectReader(schema: Schema): (given: Record<string, unknown>) => Record<string, unknown> {
  const matches = ajv.compile({ ...schema, additionalProperties: false });
  const required = new Set((schema.required ?? []) as string[]);
  const known = Object.keys((schema.properties ?? {}) as object);
  return (given) => {
    const body = withoutNulls(given, required);
    const fault = sizeFault(body, (schema.properties ?? {}) as Record<string, Schema>);
    if (fault !== null) throw invalidBody([fault]);
    if (matches(body)) return body;
    throw invalidBody(fieldErrorsOf(matches.errors ?? [], unknownField(known), expected));
  };
}

export const invalidBody = (errors: FieldError[]): Problem =>
  new Problem("invalid_request", errors.map((e) => `${e.field}: ${e.detail}`).join(" "), { errors });

/** Turns a clause of a use case into a sentence. */
export const sentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;

function parse(bytes: Buffer): Record<string, unknown> {
  const body = parsed(bytes);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalidBody([{ field: "body", detail: "The body must be a JSON object." }]);
}

function parsed(bytes: Buffer): unknown {
  const text = new TextDecoder("utf-8", { fatal: true });
  try {
    const body = text.decode(bytes);
    if (surrogateError(body) === null) return JSON.parse(body);
  } catch {}
  throw new Problem("invalid_json", "The body is not valid JSON in UTF-8.");
}

function withoutNulls(body: Record<string, unknown>, required: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== null || required.has(name)));
}

/** Members of an object, and entries of a list, that are examined one by one. */
const MEMBERS_MAX = 100;
const ENTRIES_MAX = 1000;

/** The fault of a body with more parts than are examined: each would be a separate error. */
function sizeFault(body: Record<string, unknown>, properties: Record<string, Schema>): FieldError | null {
  if (Object.keys(body).length > MEMBERS_MAX) return { field: "body", detail: TOO_MANY(MEMBERS_MAX) };
  for (const [field, value] of Object.entries(body)) {
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    const { maxItems } = Object.hasOwn(properties, field) ? (properties[field] ?? {}) : {};
    const max = isList ? Number(maxItems ?? ENTRIES_MAX) : MEMBERS_MAX;
    const count = isList ? value.length : Object.keys(value).length;
    if (count > max) return { field: echo(field), detail: TOO_MANY(max) };
  }
  return null;
}

const TOO_MANY = (max: number): string => `This has more than ${max} entries.`;

function unknownField(known: readonly string[]) {
  let left = SUGGESTIONS_MAX;
  return (name: string, path: readonly string[]): string => {
    left -= 1;
    const word = left < 0 || path.length > 0 ? null : closestWord(name, known);
    return word === null ? "There is no such field." : `There is no such field. Did you mean ${word}?`;
  };
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function expected({ keyword, params }: ErrorObject): string {
  switch (keyword) {
    case "type":
      return [params.type]
        .flat()
        .map((type: string) => TYPES[type] ?? type)
        .join(" or ");
    case "enum":
      return `one of ${(params.allowedValues as string[]).join(", ")}`;
    case "format":
      return params.format === "email"
        ? "an email address without a name"
        : "a time by RFC 3339, such as 2030-01-31T00:00:00Z";
    case "maximum":
      return `at most ${params.limit}`;
    case "pattern":
      return "of the form that the document describes";
    default:
      return "as the document describes";
  }
}
