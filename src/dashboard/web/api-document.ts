/**
 * Reads an OpenAPI document for the API reference: operations, and schemas as rows of fields with their type and limits in
 * words. The markup is in views/api-operation.tsx and views/api-fields.tsx.
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

export interface ApiResponse {
  description: string;
  headers: Readonly<Record<string, { $ref: string }>>;
  /** By media type; absent where the response has no body. */
  content?: Readonly<Record<string, ResponseContent>>;
}

interface ResponseContent {
  schema: Schema;
  example?: unknown;
  /** By name. */
  examples?: Readonly<Record<string, { value: unknown }>>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  /** Empty where no API key is required; absent where the document's default applies. */
  security?: readonly unknown[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Readonly<Record<string, { schema: Schema; example: unknown }>> };
  responses: Readonly<Record<string, ApiResponse>>;
}

/** A request that the service sends. */
interface WebhookOperation {
  summary: string;
  parameters: readonly Parameter[];
  responses: Readonly<Record<string, { description: string }>>;
}

export interface ApiDocument {
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** By the type of the event. They differ in their summaries only. */
  webhooks: Readonly<Record<string, { post: WebhookOperation }>>;
  components: {
    headers: Readonly<Record<string, { description: string }>>;
    schemas: Readonly<Record<string, Schema>>;
  };
}

export interface RoutedOperation extends Operation {
  method: string;
  path: string;
}

/** Returns the operations of a tag, in the document's order. */
function operationsOf({ paths }: ApiDocument, tag: string): RoutedOperation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  return all.filter(({ tags }) => tags.includes(tag));
}

/** The object of every problem's response. The page of errors describes it. */
export const PROBLEM = "Problem";

export interface ApiGroup {
  name: string;
  /** The first sentence of its description, without the full stop. */
  title: string;
  /** The rest of it, such as: Permission `manage`. */
  note: string;
  operations: readonly RoutedOperation[];
}

export function groupsOf(api: ApiDocument): ApiGroup[] {
  return api.tags.map(({ name, description }) => {
    const [, title = description, note = ""] = /^(.*?)\.(?:\s+(.*))?$/s.exec(description) ?? [];
    return { name, title, note, operations: operationsOf(api, name) };
  });
}

/** Resolves a schema's $ref. The fields of objects of which one is to be chosen are those of all; required is what each requires. */
export function resolve(api: ApiDocument, schema: Schema): Schema {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) return resolve(api, api.components.schemas[nameOf($ref)] ?? {});
  const choices = anyOf?.map((choice) => resolve(api, choice)) ?? [];
  if (choices.length === 0 || choices.some(({ properties }) => properties === undefined)) return schema;
  const [first, ...others] = choices.map(({ required = [] }) => required);
  return {
    ...schema,
    properties: Object.assign({}, ...choices.map(({ properties }) => properties)),
    required: first?.filter((name) => others.every((required) => required.includes(name))) ?? [],
  };
}

/** Returns the last segment of a $ref: the name of a schema or header. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

/** Returns the names of the schemas that a schema refers to, and those that these refer to, each before what it refers to. */
export function referencedBy(api: ApiDocument, schema: unknown): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as Schema;
    if ($ref?.startsWith(SCHEMA_REF) !== true) {
      for (const inner of Object.values(value)) visit(inner);
    } else if (!found.has(nameOf($ref))) {
      found.add(nameOf($ref));
      visit(api.components.schemas[nameOf($ref)]);
    }
  };
  visit(schema);
  return [...found];
}

/** Fewer fields are repeated instead of referred to. */
const SHARED_FIELDS_MIN = 5;

/** Whether an object has all fields of another one, which are worth a reference. */
export function includesFields({ properties = {} }: Schema, { properties: others = {} }: Schema): boolean {
  const names = Object.keys(others);
  return (
    names.length >= SHARED_FIELDS_MIN &&
    names.length < Object.keys(properties).length &&
    names.every((name) => JSON.stringify(properties[name]) === JSON.stringify(others[name]))
  );
}

/** Returns an object without the fields of another one. */
export function fieldsBeyond(schema: Schema, { properties: others = {} }: Schema): Schema {
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !Object.hasOwn(others, name));
  return { ...schema, properties: Object.fromEntries(own) };
}

const SCHEMA_REF = "#/components/schemas/";

export interface FieldRow {
  /** The path within the object, such as `attachments[].filename`. */
  name: string;
  required: boolean;
  schema: Schema;
}

/** Lists an object's fields; the fields of an unnamed inner object follow the field that holds it. */
export function fieldsOf(schema: Schema, within = ""): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = within + name;
    const inner = innerObject(field);
    const below = inner === null ? [] : fieldsOf(inner, [field.type].flat().includes("array") ? `${at}[].` : `${at}.`);
    return [{ name: at, required: schema.required?.includes(name) ?? false, schema: field }, ...below];
  });
}

function innerObject(schema: Schema): Schema | null {
  const candidates = [schema, schema.items ?? {}, ...(schema.anyOf ?? [])];
  return candidates.find(({ properties }) => properties !== undefined) ?? null;
}

/** Longer enumerations are listed below the description instead of in the type. */
const VALUES_IN_TYPE_MAX = 10;

/** Returns the values of an enumeration that is too long for the type column; empty for any other schema. */
export function longEnumOf({ items, enum: values = items?.enum ?? [] }: Schema): readonly string[] {
  return values.length > VALUES_IN_TYPE_MAX ? values : [];
}

/** Part of a type in words; `ref` names a schema that the page describes elsewhere. */
export type TypePart = { text: string } | { ref: string };

export function typeOf(schema: Schema): TypePart[] {
  if (schema.$ref !== undefined) return [{ ref: nameOf(schema.$ref) }];
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeOf));
  if (schema.const !== undefined) return [{ text: JSON.stringify(schema.const) }];
  if (schema.enum !== undefined && longEnumOf(schema).length === 0)
    return [{ text: schema.enum.map((value) => JSON.stringify(value)).join(" or ") }];
  return joined([schema.type ?? "any"].flat().map((type) => plainTypeOf(type, schema)));
}

const joined = (types: TypePart[][]): TypePart[] =>
  types.flatMap((each, i) => (i === 0 ? each : [{ text: " or " }, ...each]));

function plainTypeOf(type: string, { format, items, contentEncoding, additionalProperties }: Schema): TypePart[] {
  if (type === "array" && items?.enum !== undefined) return [{ text: "array of " }, ...typeOf(items)];
  if (type === "array" && (items?.type === "string" || items?.type === "object")) {
    return [{ text: `array of ${items.type}s` }];
  }
  if (type === "array" && items !== undefined) return [{ text: "array of " }, ...typeOf(items)];
  if (type === "object" && typeof additionalProperties === "object") return [{ text: "object of strings" }];
  if (type === "integer") return [{ text: "whole number" }];
  if (type !== "string") return [{ text: type }];
  if (format === "date-time") return [{ text: "time (RFC 3339)" }];
  if (format === "email") return [{ text: "email address" }];
  return [{ text: contentEncoding === undefined ? "string" : contentEncoding }];
}

/** Returns a value's limits in words, such as `1 to 100`. */
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
