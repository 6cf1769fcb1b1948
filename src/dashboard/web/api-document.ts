/**
 * An OpenAPI document as its page needs it: what an operation takes and answers, each schema as rows of fields with their
 * type and limits in words. What the API is, the document says; how it looks, api-page.tsx.
 */

/** JSON Schema (2020-12), as far as the API's schemas use it. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  enum?: readonly string[];
  const?: unknown;
  default?: unknown;
  format?: string;
  examples?: readonly unknown[];
  contentEncoding?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  propertyNames?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
}

export interface Parameter {
  name: string;
  in: "query" | "header" | "path";
  required?: boolean;
  description: string;
  schema: Schema;
  example?: string;
}

export interface Answer {
  description: string;
  headers: Readonly<Record<string, { $ref: string }>>;
  content: Readonly<Record<string, { schema: Schema }>>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  /** Empty where no key is asked for; absent for the document's own. */
  security?: readonly unknown[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Readonly<Record<string, { schema: Schema; example: unknown }>> };
  responses: Readonly<Record<string, Answer>>;
}

export interface ApiDocument {
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: {
    headers: Readonly<Record<string, { description: string }>>;
    schemas: Readonly<Record<string, Schema>>;
  };
}

export interface PlacedOperation extends Operation {
  method: string;
  path: string;
}

/** Every operation of a tag, in the document's order. */
export function operationsOf({ paths }: ApiDocument, tag: string): PlacedOperation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  return all.filter(({ tags }) => tags.includes(tag));
}

/** The last part of a reference: a schema's or a header's name. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

export interface FieldRow {
  /** With where it is: `attachments[].filename`. */
  name: string;
  required: boolean;
  schema: Schema;
}

/** An object's fields, and under each those of the objects in it that have no name of their own. */
export function fieldsOf(schema: Schema, within = ""): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = within + name;
    const inner = innerObject(field);
    const below = inner === null ? [] : fieldsOf(inner, field.type === "array" ? `${at}[].` : `${at}.`);
    return [{ name: at, required: schema.required?.includes(name) ?? false, schema: field }, ...below];
  });
}

function innerObject(schema: Schema): Schema | null {
  const candidates = [schema, schema.items ?? {}, ...(schema.anyOf ?? [])];
  return candidates.find(({ properties }) => properties !== undefined) ?? null;
}

/** Longer lists of values are shown beside the description instead of the type. */
const VALUES_IN_TYPE_MAX = 10;

/** The values of an enumeration that is too long to be shown as a type; empty for any other schema. */
export function longEnumOf({ enum: values = [] }: Schema): readonly string[] {
  return values.length > VALUES_IN_TYPE_MAX ? values : [];
}

/** A type in words; `ref` names an object that is told elsewhere. */
export type TypeWord = { text: string } | { ref: string };

export function typeOf(schema: Schema): TypeWord[] {
  if (schema.$ref !== undefined) return [{ ref: nameOf(schema.$ref) }];
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeOf));
  if (schema.const !== undefined) return [{ text: JSON.stringify(schema.const) }];
  if (schema.enum !== undefined && longEnumOf(schema).length === 0)
    return [{ text: schema.enum.map((value) => JSON.stringify(value)).join(" or ") }];
  return joined([schema.type ?? "any"].flat().map((type) => plainTypeOf(type, schema)));
}

const joined = (words: TypeWord[][]): TypeWord[] =>
  words.flatMap((each, i) => (i === 0 ? each : [{ text: " or " }, ...each]));

function plainTypeOf(type: string, { format, items, contentEncoding, additionalProperties }: Schema): TypeWord[] {
  if (type === "array" && items?.type === "string") return [{ text: "array of strings" }];
  if (type === "array" && items !== undefined) return [{ text: "array of " }, ...typeOf(items)];
  if (type === "object" && typeof additionalProperties === "object") return [{ text: "object of strings" }];
  if (type === "integer") return [{ text: "whole number" }];
  if (type !== "string") return [{ text: type }];
  if (format === "date-time") return [{ text: "time (RFC 3339)" }];
  if (format === "email") return [{ text: "address" }];
  return [{ text: contentEncoding === undefined ? "string" : contentEncoding }];
}

/** The limits of a value in words, such as `1 to 100`. */
export function limitsOf(schema: Schema): string[] {
  const { items, additionalProperties, propertyNames } = schema;
  const values = typeof additionalProperties === "object" ? additionalProperties : {};
  return [
    range(schema.minimum, schema.maximum, ""),
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "entries"),
    range(undefined, schema.maxProperties, "entries"),
    prefixed("names ", range(propertyNames?.minLength, propertyNames?.maxLength, "characters")),
    prefixed("each ", range(items?.minLength, items?.maxLength, "characters")),
    prefixed("values ", range(values.minLength, values.maxLength, "characters")),
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ].filter((words) => words !== "");
}

const prefixed = (prefix: string, words: string): string => (words === "" ? "" : prefix + words);

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const tail = unit === "" ? "" : ` ${unit}`;
  if (least !== undefined && most !== undefined) return `${least} to ${most}${tail}`;
  if (most !== undefined) return `at most ${most}${tail}`;
  if (least === undefined) return "";
  return `at least ${least}${tail === " entries" && least === 1 ? " entry" : tail}`;
}
