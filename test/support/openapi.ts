/** Checks responses against the service's own /openapi.json: path, status, headers, media type and every member. */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Described {
  headers: Record<string, unknown>;
  /** Absent of a response without a body. */
  content?: Record<string, { schema: object }>;
}

interface Operation {
  operationId: string;
  responses: Record<string, Described>;
}

interface WebhookOperation {
  operationId: string;
  summary: string;
  parameters: { name: string }[];
  requestBody: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string }>;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: WebhookOperation }>;
  components: Record<string, Record<string, object>>;
}

export interface Contract {
  document: Document;
  /** `operationId status` of each checked response. */
  seen: Set<string>;
  /** Fails unless the document describes the response to this request. */
  hold(request: string, answer: Response): Promise<void>;
  /** Fails unless the document describes this body of a webhook. */
  holdWebhook(body: { type: string }): void;
}

/** Headers that only some responses of a status have. */
const SOMETIMES = new Set(["Idempotency-Replayed"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export async function contractOf(url: string): Promise<Contract> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  const ajv = new Ajv2020({ strictSchema: false, allErrors: true });
  ajv.addFormat("date-time", TIME);
  ajv.addSchema(closed(document) as object, "openapi");
  const seen = new Set<string>();
  const validators = new Map<object, ValidateFunction>();

  const validatorOf = (schema: object): ValidateFunction => {
    const known = validators.get(schema) ?? ajv.compile(absolute(schema) as object);
    validators.set(schema, known);
    return known;
  };

  return {
    document,
    seen,
    async hold(request, answer) {
      const [method = "", target = ""] = request.split(" ");
      const operation = operationOf(document, method, target);
      const described = operation.responses[answer.status] ?? operation.responses.default;
      const where = `${operation.operationId} ${answer.status}`;
      assert.ok(described, `${where} is not described`);
      seen.add(where);
      for (const name of Object.keys(described.headers)) {
        assert.ok(answer.headers.has(name) || SOMETIMES.has(name), `${where} has no ${name}`);
      }
      if (described.content === undefined) {
        assert.equal(await answer.clone().text(), "", where);
        return;
      }
      const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
      const content = described.content[type];
      assert.ok(content, `${where} is not described as ${type}`);
      const validate = validatorOf(content.schema);
      const body = /[/+]json$/.test(type) ? await answer.clone().json() : await answer.clone().text();
      assert.ok(validate(body), `${where}: ${JSON.stringify(validate.errors, null, 1)}`);
    },
    holdWebhook(body) {
      const schema = document.webhooks[body.type]?.post.requestBody.content["application/json"]?.schema;
      assert.ok(schema, `${body.type} is not described`);
      const validate = validatorOf(schema);
      assert.ok(validate(body), `${body.type}: ${JSON.stringify(validate.errors, null, 1)}`);
    },
  };
}

function operationOf({ paths }: Document, method: string, target: string): Operation {
  const [path = ""] = target.split("?");
  const isAt = (template: string) => new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(path);
  const template = paths[path] === undefined ? Object.keys(paths).find(isAt) : path;
  const operation = paths[template ?? ""]?.[method.toLowerCase()];
  assert.ok(operation, `${method} ${path} is not described`);
  return operation;
}

/** Returns the document with objects that forbid additional members. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isClosable = inner.type === "object" && inner.properties !== undefined && inner.allOf === undefined;
  return isClosable ? { additionalProperties: false, ...inner } : inner;
}

function absolute(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'));
}
