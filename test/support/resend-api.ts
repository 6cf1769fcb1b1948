/** A client of Resend's API as Postrider serves it. It checks each response against the schemas. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { resendDocument } from "../../src/compat/resend/document.ts";
import { ERROR, RESPONSES, SEND_EMAIL_REQUEST } from "./resend-schemas.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, type World } from "./world.ts";

export interface Email {
  id: string;
  message_id: string;
  to: string[];
  cc: string[];
  bcc: string[];
  from: string;
  created_at: string;
  subject: string;
  last_event: string;
  scheduled_at: string | null;
  reply_to?: string[];
  html?: string;
  text?: string;
  tags?: { name: string; value: string }[];
}

export interface EmailList {
  has_more: boolean;
  data: Email[];
}

export interface Batch {
  data: { id: string }[];
  errors?: { index: number; message: string }[];
}

export interface ResendError {
  statusCode: number;
  name: string;
  message: string;
}

export interface Asked {
  /** JSON, unless it is a string. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Appended to the path. */
  query?: string;
}

const ajv = new Ajv2020({ strictSchema: false, strictTypes: false, allErrors: true });
ajv.addFormat("date-time", true);
ajv.addSchema({ components: { schemas: resendDocument(() => []).schemas } }, "reference");
const validators = Object.fromEntries(Object.entries(RESPONSES).map(([name, schema]) => [name, ajv.compile(schema)]));
const isError = ajv.compile(ERROR);
const isRequest = ajv.compile(SEND_EMAIL_REQUEST);

/** A message that Resend's document allows; any field can be overridden. */
export function email(parts: Record<string, unknown> = {}): Record<string, unknown> {
  const message = {
    from: `Shop <hello@${SENDER_DOMAIN}>`,
    to: [`delivered@${RECIPIENT_DOMAIN}`],
    subject: "Hello",
    html: "<p>Hi there</p>",
    ...parts,
  };
  return message;
}

/** Fails unless the document allows the message. */
export function holdRequest(message: unknown): void {
  assert.ok(isRequest(message), JSON.stringify(isRequest.errors));
}

export class ResendApi {
  readonly #world: World;
  readonly #key: string;
  /** The `RESEND_BASE_URL` of clients. */
  readonly baseUrl: string;

  constructor(world: World, { key = world.key, baseUrl = `${world.service.url}/compat/resend` } = {}) {
    this.#world = world;
    this.#key = key;
    this.baseUrl = baseUrl;
  }

  /** `request`: a method and a path, such as `GET /emails`. */
  ask(request: string, { body, headers = {}, query = "" }: Asked = {}): Promise<Response> {
    const [method = "", path = ""] = request.split(" ");
    const given = { Authorization: `Bearer ${this.#key}`, "Content-Type": "application/json", ...headers };
    return fetch(this.baseUrl + path + query, {
      method,
      headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")),
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  /** Returns the body of a response that must be successful. */
  async ok<T>(request: string, asked: Asked = {}): Promise<T> {
    return held<T>(request, await this.ask(request, asked));
  }

  /** Returns an error that must have this status and name. */
  async error(request: string, status: number, name: string, asked: Asked = {}): Promise<ResendError> {
    return errorOf(await this.ask(request, asked), status, name);
  }

  async send(parts: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<string> {
    const { id } = await this.ok<{ id: string }>("POST /emails", { body: email(parts), headers });
    return id;
  }

  get(id: string): Promise<Email> {
    return this.ok<Email>(`GET /emails/${id}`);
  }

  /** Waits until no recipient is in its first attempt, and returns the email then. */
  async attempted(id: string): Promise<Email> {
    for (;;) {
      const report = (await (await this.#world.lookUp(id, "", this.#key)).json()) as {
        recipients: { attempts: number }[];
      };
      if (report.recipients.every(({ attempts }) => attempts > 0)) return this.get(id);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

const CREATING = new Set(["POST /domains", "POST /api-keys"]);

/** Whether a body is as the API reference of Postrider describes that of an operation. */
function isDescribed(operation: string, status: number, body: unknown): boolean {
  const [method = "", path = ""] = operation.split(" ");
  const { responses } = (DESCRIBED[`/compat/resend${path}`]?.[method.toLowerCase()] ?? assert.fail(operation)) as {
    responses: Record<string, { content: { "application/json": { schema: { $ref: string } } } }>;
  };
  const ref = responses[status]?.content["application/json"].schema.$ref ?? assert.fail(`${operation} ${status}`);
  return ajv.validate({ $ref: `reference${ref}`, unevaluatedProperties: false, type: "object" }, body);
}

const DESCRIBED = resendDocument(() => []).paths;

/** Returns the body of a successful response, which must be as Resend's document and the API reference say. */
async function held<T>(request: string, response: Response): Promise<T> {
  const text = await response.text();
  assert.equal(response.status, CREATING.has(request) ? 201 : 200, text);
  assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  const template = request.replace(/^(\w+ \/[\w-]+)\/[^/]+/, "$1/{id}");
  const operation = validators[request] === undefined ? template : request;
  const validate = validators[operation];
  assert.ok(validate, request);
  const body: unknown = JSON.parse(text);
  assert.ok(validate(body), `${request}: ${JSON.stringify(validate.errors, null, 1)} ${text}`);
  assert.ok(isDescribed(operation, response.status, body), `${request}: ${JSON.stringify(ajv.errors)} ${text}`);
  return body as T;
}

/** Returns the error of a response, which must have its form, this status and this name. */
export async function errorOf(response: Response, status: number, name: string): Promise<ResendError> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  assert.doesNotMatch(text, /svc_live_[A-Za-z0-9_-]{4}/);
  const body = JSON.parse(text) as ResendError;
  assert.ok(isError(body), `${JSON.stringify(isError.errors)} ${text}`);
  assert.deepEqual([body.statusCode, body.name], [status, name], text);
  assert.match(response.headers.get("x-request-id") ?? "", /./);
  return body;
}
