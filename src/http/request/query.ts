/**
 * Reads query parameters by the schemas that OpenAPI shows. Every fault is reported with its parameter; unknown parameters are
 * rejected.
 */
import { Ajv } from "ajv";
import type { Context } from "koa";
import { isTimestamp } from "../../lib/timestamp.ts";
import { isBareAddress } from "../../message/address.ts";
import type { FieldError } from "../../message/field-errors.ts";
import { Problem } from "../response/problems.ts";

/** One parameter. Errors read "Must be" and the description. */
export interface ParameterSchema {
  type: "string" | "integer";
  description: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: number;
  enum?: readonly string[];
  pattern?: string;
  format?: "email" | "date-time";
}

export type QuerySchema = Readonly<Record<string, ParameterSchema>>;

export type Query<S extends QuerySchema> = {
  [Name in keyof S]?: S[Name]["type"] extends "integer" ? number : string;
};

/** Entries of a page of a list. */
export const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** The parameter that sets the entries of a page. */
export const LIMIT_PARAMETER = {
  type: "integer",
  minimum: 1,
  maximum: LIMIT_MAX,
  default: LIMIT_DEFAULT,
  description: `a whole number from 1 to ${LIMIT_MAX}`,
} as const satisfies ParameterSchema;

const NAME_LENGTH_MAX = 100;

const ajv = new Ajv({ allErrors: true });
ajv.addFormat("date-time", isTimestamp);
ajv.addFormat("email", isBareAddress);

/** Creates a reader of the given parameters. It throws a 400 Problem with every fault. */
export function queryReader<const S extends QuerySchema>(schema: S): (ctx: Context) => Query<S> {
  const matches = ajv.compile({ type: "object", additionalProperties: false, properties: schema });
  return (ctx) => {
    const given = Object.entries(ctx.query).map(([name, value]) => [name, typed(schema[name], value)]);
    const query: unknown = Object.fromEntries(given);
    const isText = !given.some(([, value]) => typeof value === "string" && value.includes("\0"));
    if (isText && matches(query)) return query as Query<S>;
    if (!isText) throw invalidQuery([{ field: "query", detail: "It contains a NUL character." }]);
    const errors = new Map<string, FieldError>();
    for (const { instancePath, params } of matches.errors ?? []) {
      const name: string = params.additionalProperty ?? instancePath.slice(1);
      const known = Object.hasOwn(schema, name) ? schema[name] : undefined;
      const detail = known === undefined ? "Unknown parameter." : `Must be ${known.description}.`;
      errors.set(name, { field: name.slice(0, NAME_LENGTH_MAX), detail });
    }
    throw invalidQuery([...errors.values()]);
  };
}

export function invalidQuery(errors: FieldError[]): Problem {
  return new Problem("invalid_request", errors.map((e) => `${e.field}: ${e.detail}`).join(" "), { errors });
}

/** Converts integers. Anything else stays text, and a repeated parameter an array, for the schema to reject. */
function typed(schema: ParameterSchema | undefined, value: unknown): unknown {
  const isNumber = schema?.type === "integer" && typeof value === "string" && /^\d{1,9}$/.test(value);
  return isNumber ? Number(value) : value;
}
