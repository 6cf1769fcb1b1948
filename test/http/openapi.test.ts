/** The OpenAPI document for its readers: every property is described, and every response has valid examples. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { openApiDocument } from "../../src/http/openapi.ts";
import { PROBLEM_CODES } from "../../src/http/response/problems.ts";

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

const document = JSON.parse(JSON.stringify(openApiDocument())) as Node;

/** Calls back with the properties of every schema, and where they are. */
function walkProperties(value: unknown, where: string, each: (property: unknown, where: string) => void): void {
  if (!isNode(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const path = `${where}.${name}`;
    // Examples may have a member of this name.
    if (name === "example" || name === "examples") continue;
    if (name === "properties" && isNode(inner)) {
      for (const [property, schema] of Object.entries(inner)) each(schema, `${path}.${property}`);
    }
    walkProperties(inner, path, each);
  }
}

test("every property of every schema, every parameter and header field is described", () => {
  const places: string[] = [];
  walkProperties(document, "", (property, where) => {
    places.push(where);
    const { description } = property as { description?: unknown };
    assert.ok(typeof description === "string" && /^[`A-Z].*\.$/s.test(description), `${where}: ${description}`);
  });
  assert.ok(places.length > 150, `${places.length} properties`);
  const { headers } = document.components as { headers: Record<string, { description?: string }> };
  for (const [name, { description }] of Object.entries(headers)) assert.match(description ?? "", /\.$/, name);
});

interface Content {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

test("every response has examples that are valid by its schema, a problem one for each code", () => {
  const ajv = new Ajv2020({ strictSchema: false, allErrors: true });
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  ajv.addSchema(closed(document) as object, "openapi");
  const absolute = (schema: object): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'));
  const shown = new Set<string>();
  const paths = document.paths as Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, Content> }> }>
  >;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        for (const [type, { schema, example, examples = {} }] of Object.entries(content)) {
          const where = `${method} ${path} ${status} ${type}`;
          const values = example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
          assert.ok(values.length > 0, where);
          const validate = ajv.compile(absolute(schema));
          for (const value of values) assert.ok(validate(value), `${where}: ${JSON.stringify(validate.errors)}`);
          for (const [code, { value }] of Object.entries(examples)) {
            assert.equal((value as { code: string }).code, code);
            shown.add(code);
          }
        }
      }
    }
  }
  // Those that any path can have are under default.
  const others = ["request_timeout", "expectation_failed", "headers_too_large"];
  assert.deepEqual(
    PROBLEM_CODES.filter((code) => !shown.has(code)),
    others,
  );
});

/** Returns the document with objects that forbid additional members. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isNode(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isClosable = inner.type === "object" && inner.properties !== undefined && inner.allOf === undefined;
  return isClosable ? { additionalProperties: false, ...inner } : inner;
}
