/**
 * Whether a JSON Schema still holds for those who rely on a former one. What clients send (`request`) must be accepted as before; what
 * they read (`response`) must have at least what it had. A response may have new fields and new values of an enumeration.
 */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };
export type Direction = "request" | "response";

/** Both documents, in which `$ref` is looked up. */
export interface Documents {
  before: JsonObject;
  now: JsonObject;
}

const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const VERBATIM = ["pattern", "format", "const"];

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
const partsOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : []);

/** Follows `$ref` within a document. */
export function resolved(schema: Json | undefined, document: JsonObject): JsonObject {
  let current = schema;
  for (let steps = 0; isObject(current) && typeof current.$ref === "string" && steps < 20; steps += 1) {
    const names = current.$ref
      .replace(/^#\//, "")
      .split("/")
      .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    current = names.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), document);
  }
  return isObject(current) ? current : {};
}

/** Compares schemas of two documents. */
export class SchemaComparison {
  readonly breaks: string[] = [];
  #seen = new Set<string>();

  constructor(readonly documents: Documents) {}

  /** Adds one line to `breaks` for each change that breaks, with `path` before it. */
  compare(before: Json | undefined, now: Json | undefined, direction: Direction, path: string): void {
    if (before === undefined) return;
    if (!this.#isNew(before, now, direction)) return;
    const [old, current] = [resolved(before, this.documents.before), resolved(now, this.documents.now)];
    this.#compareTypes(old, current, direction, path);
    if (direction === "request") this.#compareLimits(old, current, path);
    this.#compareProperties(old, current, direction, path);
    if (isObject(old.items)) this.compare(old.items, current.items ?? {}, direction, `${path}[]`);
    if (isObject(old.additionalProperties))
      this.compare(old.additionalProperties, current.additionalProperties, direction, `${path}.*`);
    for (const kind of ["oneOf", "anyOf", "allOf"])
      this.#compareAlternatives(old[kind], current[kind], direction, path);
  }

  /** Schemas that refer to each other are compared once. */
  #isNew(before: Json, now: Json | undefined, direction: Direction): boolean {
    if (!isObject(before) || typeof before.$ref !== "string") return true;
    const pair = `${direction} ${before.$ref} ${JSON.stringify(now)}`;
    const isNew = !this.#seen.has(pair);
    this.#seen.add(pair);
    return isNew;
  }

  #compareTypes(old: JsonObject, current: JsonObject, direction: Direction, path: string): void {
    const [wide, narrow] = direction === "request" ? [current, old] : [old, current];
    const types = listOf(wide.type);
    const lost = listOf(narrow.type).filter(
      (type) => !types.includes(type) && !(type === "integer" && types.includes("number")),
    );
    if (types.length > 0 && (lost.length > 0 || narrow.type === undefined))
      this.breaks.push(
        `${path}: the type was ${JSON.stringify(old.type ?? "any")} and is ${JSON.stringify(current.type ?? "any")}`,
      );
    if (direction === "response" || !Array.isArray(current.enum)) return;
    const values = current.enum;
    const missing = Array.isArray(old.enum) ? old.enum.filter((value) => !values.includes(value)) : ["any other value"];
    if (missing.length > 0) this.breaks.push(`${path}: no longer accepts ${missing.join(", ")}`);
  }

  #compareLimits(old: JsonObject, current: JsonObject, path: string): void {
    for (const [names, isTighter] of [
      [UPPER, (before: number, now: number) => now < before],
      [LOWER, (before: number, now: number) => now > before],
    ] as const)
      for (const name of names) {
        const [before, now] = [old[name], current[name]];
        const open = names === UPPER ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
        if (typeof now === "number" && isTighter(typeof before === "number" ? before : open, now))
          this.breaks.push(`${path}: ${name} was ${before ?? "not limited"} and is ${now}`);
      }
    for (const name of VERBATIM)
      if (current[name] !== undefined && JSON.stringify(current[name]) !== JSON.stringify(old[name]))
        this.breaks.push(
          `${path}: ${name} was ${JSON.stringify(old[name] ?? null)} and is ${JSON.stringify(current[name])}`,
        );
  }

  #compareProperties(old: JsonObject, current: JsonObject, direction: Direction, path: string): void {
    const properties = isObject(current.properties) ? current.properties : {};
    for (const [name, schema] of partsOf(old.properties)) {
      const now = properties[name];
      if (now !== undefined) this.compare(schema, now, direction, `${path}.${name}`);
      else if (direction === "response" || current.additionalProperties === false)
        this.breaks.push(`${path}.${name} is gone`);
    }
    const [wanted, given] = direction === "request" ? [current, old] : [old, current];
    const has = listOf(given.required);
    for (const name of listOf(wanted.required)) {
      if (has.includes(name) || (direction === "response" && properties[String(name)] === undefined)) continue;
      const change = direction === "request" ? "is required now" : "may be missing now";
      this.breaks.push(`${path}.${name} ${change}`);
    }
  }

  #compareAlternatives(old: Json | undefined, current: Json | undefined, direction: Direction, path: string): void {
    const [before, now] = [listOf(old), listOf(current)];
    if (before.length > now.length) this.breaks.push(`${path}: ${before.length} alternatives became ${now.length}`);
    else for (const [i, schema] of before.entries()) this.compare(schema, now[i], direction, `${path}(${i + 1})`);
  }
}
