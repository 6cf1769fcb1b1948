/**
 * GET /openapi.json: the API as an OpenAPI 3.1 document, built from the schemas that validate requests and those that tests
 * validate responses with.
 */
import packageJson from "../../package.json" with { type: "json" };
import { STATUS_PATH } from "../app/status/status-links.ts";
import { SEND_AHEAD_DAYS_MAX, SEND_AT_LENGTH_MAX } from "../message/send-time.ts";
import { FEED_QUERY } from "./list-events.ts";
import { LIST_QUERY } from "./list-messages.ts";
import { LOOKUP_QUERY } from "./lookup-message.ts";
import { type DocumentWriter, MANAGE_TAGS, managePaths } from "./manage/document.ts";
import { MANAGE_SCHEMAS } from "./manage/schemas.ts";
import {
  CANCELLED_EXAMPLE,
  DOCUMENT_EXAMPLE,
  ID_EXAMPLE,
  METRICS_EXAMPLE,
  NOT_READY_EXAMPLE,
  problemExamples,
  RESPONSE_EXAMPLES,
  SCHEDULED_EXAMPLE,
} from "./openapi-examples.ts";
import { WEBHOOKS } from "./openapi-webhooks.ts";
import type { QuerySchema } from "./request/query.ts";
import { meaningOf } from "./response/problem-catalog.ts";
import { codesOf, PROBLEM_CODES, type ProblemCode, statusOf } from "./response/problems.ts";
import { FIELD_ERRORS, RESPONSE_SCHEMAS } from "./response-schemas.ts";
import { SEND_REQUEST_SCHEMAS } from "./send-request-document.ts";
import { STATUS_QUERY } from "./status/status-page.ts";

type Part = Readonly<Record<string, unknown>>;

export function openApiDocument() {
  return {
    openapi: "3.1.1",
    info: {
      title: "Postrider",
      version: packageJson.version,
      description:
        "Transactional email: durable acceptance, delivery by MX, a result for each recipient. Resend's API under " +
        "/compat/resend is described by Resend's OpenAPI document and by the page /dashboard/docs/migrating.",
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "sending", description: "Send messages." },
      { name: "messages", description: "Look up and change messages." },
      { name: "events", description: "Follow what happens to messages." },
      ...MANAGE_TAGS,
      { name: "service", description: "State of the service." },
    ],
    paths: { ...MESSAGE_PATHS, ...EVENT_PATHS, ...managePaths(WRITER), ...SERVICE_PATHS },
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key, `svc_live_…`, or a test key, `svc_test_…`.",
        },
      },
      headers: HEADERS,
      schemas: {
        ...SEND_REQUEST_SCHEMAS,
        MessageChange: MESSAGE_CHANGE,
        ...RESPONSE_SCHEMAS,
        ...MANAGE_SCHEMAS,
        Problem: PROBLEM,
      },
    },
  };
}

const HEADERS = {
  RequestId: { description: "The id of this request, also in the log.", schema: { type: "string" } },
  RateLimitPolicy: {
    description: "The key's rate (draft-ietf-httpapi-ratelimit-headers).",
    schema: { type: "string" },
  },
  RateLimit: { description: "The remaining part of the rate.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds, as in `retry_after`.", schema: { type: "integer", minimum: 1 } },
  IdempotencyReplayed: {
    description: "`true` where the response repeats that of an earlier request.",
    schema: { type: "string", const: "true" },
  },
  Authenticate: { description: "`Bearer`.", schema: { type: "string" } },
  ETag: { description: "The entity tag of the thing, for `If-Match` of a change.", schema: { type: "string" } },
};

const PROBLEM = {
  type: "object",
  description: "RFC 9457 problem details.",
  required: ["type", "title", "status", "detail", "code", "request_id"],
  properties: {
    type: {
      type: "string",
      description:
        "The address of the entry of `code` in the errors page of this service: what it means and what to do.",
    },
    title: { type: "string", description: "The reason phrase of the status." },
    status: { type: "integer", description: "The status of the response." },
    detail: { type: "string", description: "What is wrong and what to do, for human readers." },
    code: { type: "string", enum: PROBLEM_CODES, description: "For programs. A later version may add values." },
    request_id: { type: "string", description: "The id of the request, as in `X-Request-Id`." },
    errors: FIELD_ERRORS,
    retry_after: { type: "integer", minimum: 1, description: "Seconds until a retry can succeed." },
  },
};

const MESSAGE_CHANGE = {
  type: "object",
  additionalProperties: false,
  required: ["send_at"],
  properties: {
    send_at: {
      type: "string",
      format: "date-time",
      maxLength: SEND_AT_LENGTH_MAX,
      description: `When delivery begins (RFC 3339), at most ${SEND_AHEAD_DAYS_MAX} days ahead; now if it is in the past.`,
    },
  },
};

const header = (name: keyof typeof HEADERS): Part => ({ $ref: `#/components/headers/${name}` });
const NAMED = { "X-Request-Id": header("RequestId") };
const RATED = { ...NAMED, "RateLimit-Policy": header("RateLimitPolicy"), RateLimit: header("RateLimit") };

const exampleOf = (schema: string): unknown => (RESPONSE_EXAMPLES as Record<string, unknown>)[schema];

function answer(
  description: string,
  schema: string,
  { headers = NAMED, example = exampleOf(schema) }: { headers?: Part; example?: unknown } = {},
): Part {
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example } };
  return { description, headers, content };
}

/** A problem of one of these codes. `rated`: the header fields of a response to a valid key. */
function problem(status: number, codes: readonly ProblemCode[], rated: Part = RATED): Part {
  const schema = {
    type: "object",
    allOf: [{ $ref: "#/components/schemas/Problem" }],
    properties: {
      status: { type: "integer", const: status, description: "The status of the response." },
      code: { type: "string", enum: codes, description: "For programs." },
    },
  };
  const headers = {
    // A 503 may mean that the key could not be looked up.
    ...(status === 401 || status === 503 ? NAMED : rated),
    ...(status === 401 ? { "WWW-Authenticate": header("Authenticate") } : {}),
    ...(status === 429 || status === 503 ? { "Retry-After": header("RetryAfter") } : {}),
  };
  const description = codes.map((code) => `\`${code}\`: ${meaningOf(code)}.`).join(" ");
  return {
    description,
    headers,
    content: { "application/problem+json": { schema, examples: problemExamples(codes) } },
  };
}

const OTHERWISE = {
  description: "Any other error.",
  headers: NAMED,
  content: {
    "application/problem+json": {
      schema: { $ref: "#/components/schemas/Problem" },
      examples: problemExamples(["method_not_allowed", "internal_error"]),
    },
  },
};

/** Codes of requests to send only. */
const OF_SENDS: ReadonlySet<ProblemCode> = new Set(["domain_not_verified", "sender_not_allowed"]);
/** Codes of the management interface only. */
const OF_MANAGEMENT: ReadonlySet<ProblemCode> = new Set([
  "already_exists",
  "limit_reached",
  "account_deleted",
  "not_possible",
]);

/** Codes of requests that change a message only. */
const OF_CHANGES: ReadonlySet<ProblemCode> = new Set(["not_cancellable", "not_scheduled"]);

function problems(...statuses: number[]): Part {
  const codes = (status: number): ProblemCode[] =>
    codesOf(status).filter((code) => !OF_MANAGEMENT.has(code) && !OF_CHANGES.has(code));
  const named = statuses.map((status) => [status, problem(status, codes(status))]);
  return { ...Object.fromEntries(named), default: OTHERWISE };
}

/** Problems of a request that changes a message. `conflict`: why it cannot. */
const changeProblems = (conflict: ProblemCode, ...statuses: number[]): Part => ({
  ...readProblems(...statuses),
  409: problem(409, [conflict]),
});

/** Problems of a request that needs the permission to read. */
function readProblems(...statuses: number[]): Part {
  const codes = codesOf(403).filter((code) => !OF_SENDS.has(code));
  return { ...problems(...statuses), 403: problem(403, codes) };
}

export function parametersOf(query: QuerySchema): Part[] {
  return Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    description: `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    schema,
  }));
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Printable ASCII. Within 24 hours the same key and payload give the same response and no second message.",
  schema: { type: "string", minLength: 1, maxLength: 256 },
};

const WRITER: DocumentWriter = {
  parameters: parametersOf,
  answer,
  problems(codes) {
    const statuses = [...new Set(codes.map((code) => statusOf(code)))].sort((a, b) => a - b);
    const named = statuses.map((status) => [
      status,
      problem(
        status,
        codes.filter((code) => statusOf(code) === status),
      ),
    ]);
    return { ...Object.fromEntries(named), default: OTHERWISE };
  },
  headers: RATED,
  etag: header("ETag"),
  idempotency: { parameter: IDEMPOTENCY_KEY, replayed: header("IdempotencyReplayed") },
};

const ID = {
  name: "id",
  in: "path",
  required: true,
  description: "The id from the response to sending.",
  schema: { type: "string" },
  example: ID_EXAMPLE,
};

const TOKEN = {
  name: "token",
  in: "path",
  required: true,
  description: "The last part of `status_url`.",
  schema: { type: "string" },
  example: "EXAMPLE",
};

const EXAMPLE = {
  from: "Example Shop <hello@example.com>",
  to: "you@your-provider.example",
  subject: "Your order is on its way",
  text: "Hello,\n\nit left this morning.",
};

const READABLE =
  "A key reads the messages that it has sent. A live key without the permission `send` reads those of all keys of its account. A key with domains reads only messages that were sent from them.";

const CHANGEABLE = "The key needs the permissions `send` and `read`, and must be one that reads the message.";

const MESSAGE_PATHS = {
  "/api/sending/send": {
    post: {
      operationId: "send",
      tags: ["sending"],
      summary: "Send a message",
      parameters: [IDEMPOTENCY_KEY],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/SendRequest" }, example: EXAMPLE } },
      },
      responses: {
        202: answer("Accepted: the message is on disk.", "Accepted", {
          headers: { ...RATED, "Idempotency-Replayed": header("IdempotencyReplayed") },
        }),
        ...problems(400, 401, 403, 409, 413, 415, 429, 503),
      },
    },
  },
  "/api/sending/batch": {
    post: {
      operationId: "sendBatch",
      tags: ["sending"],
      summary: "Send several messages",
      description:
        "Each message has its own result, in the order of the request. With an Idempotency-Key, the same batch sends nothing twice; a message with its own `idempotency_key` is repeated by that key instead. The response is an error if no message could be read, if the error is about the whole batch, or if no message is accepted and a retry may succeed.",
      parameters: [IDEMPOTENCY_KEY],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/BatchRequest" },
            example: {
              messages: [EXAMPLE, { ...EXAMPLE, to: "they@their-provider.example", idempotency_key: "order-1042" }],
            },
          },
        },
      },
      responses: {
        202: answer("The results of the messages. Those that are accepted are on disk.", "BatchResult", {
          headers: { ...RATED, "Idempotency-Replayed": header("IdempotencyReplayed") },
        }),
        ...problems(400, 401, 403, 409, 413, 415, 429, 503),
      },
    },
  },
  "/api/sending/messages": {
    get: {
      operationId: "listMessages",
      tags: ["messages"],
      summary: "List the messages that the key may read, newest first",
      description: READABLE,
      parameters: parametersOf(LIST_QUERY),
      responses: {
        200: answer("A page of messages.", "MessageList", { headers: RATED }),
        ...readProblems(400, 401, 429, 503),
      },
    },
  },
  "/api/sending/messages/{id}": {
    get: {
      operationId: "lookUpMessage",
      tags: ["messages"],
      summary: "Look up a message that the key may read",
      description: "With `wait`, the response is held until no recipient is pending or the time is over.",
      parameters: [ID, ...parametersOf(LOOKUP_QUERY)],
      responses: {
        200: answer("The message with a result for each recipient.", "Message", { headers: RATED }),
        ...readProblems(400, 401, 404, 429, 503),
      },
    },
    patch: {
      operationId: "changeMessage",
      tags: ["messages"],
      summary: "Send a scheduled message at another time",
      description: `As long as its time has not come. ${CHANGEABLE}`,
      parameters: [ID],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/MessageChange" },
            example: { send_at: "2026-03-03T09:00:00Z" },
          },
        },
      },
      responses: {
        200: answer("The message, as the lookup returns it.", "Message", {
          headers: RATED,
          example: SCHEDULED_EXAMPLE,
        }),
        ...changeProblems("not_scheduled", 400, 401, 404, 413, 415, 429, 503),
      },
    },
  },
  "/api/sending/messages/{id}/cancel": {
    post: {
      operationId: "cancelMessage",
      tags: ["messages"],
      summary: "Cancel the delivery of a message to its pending recipients",
      description: `They fail with the reason \`cancelled\`. One that may have the message from an earlier attempt is \`unknown\`. ${CHANGEABLE}`,
      parameters: [ID],
      responses: {
        200: answer("The message, as the lookup returns it.", "Message", {
          headers: RATED,
          example: CANCELLED_EXAMPLE,
        }),
        ...changeProblems("not_cancellable", 401, 404, 429, 503),
      },
    },
  },
  "/api/sending/messages/{id}/status-link": {
    post: {
      operationId: "createStatusLink",
      tags: ["messages"],
      summary: "Get the link to the status page of a message",
      description: `For a message with one recipient, who may see what happened to it. It is the same each time, and ends with the results of the message. ${READABLE}`,
      parameters: [ID],
      responses: {
        200: answer("The link.", "StatusLink", { headers: RATED }),
        ...changeProblems("not_possible", 401, 404, 429, 503),
      },
    },
  },
  [`${STATUS_PATH}{token}`]: {
    get: {
      operationId: "readStatusPage",
      tags: ["messages"],
      security: [],
      summary: "What happened to a message, for its recipient",
      description:
        "The path of `status_url`. HTML unless `Accept` prefers JSON. Any site's page may read it. With `wait`, JSON is held until the state is not `pending` or the time is over.",
      parameters: [TOKEN, ...parametersOf(STATUS_QUERY)],
      responses: {
        200: answer("The status of the message, or its page in HTML.", "StatusPage"),
        400: problem(400, ["invalid_request"], NAMED),
        404: problem(404, ["not_found"], NAMED),
        429: problem(429, ["rate_limit_exceeded"], NAMED),
        503: problem(503, ["engine_unavailable"]),
        default: OTHERWISE,
      },
    },
  },
};

const EVENT_PATHS = {
  "/api/sending/events": {
    get: {
      operationId: "listEvents",
      tags: ["events"],
      summary: "List the events of the messages that the key may read, oldest first",
      description:
        "Without `after`, from the oldest event that is kept. With `wait`, a response without events is held until one occurs or the time is over.",
      parameters: parametersOf(FEED_QUERY),
      responses: {
        200: answer("A page of events.", "EventList", { headers: RATED }),
        ...readProblems(400, 401, 410, 429, 503),
      },
    },
  },
};

const OPEN = { tags: ["service"], security: [] };

const SERVICE_PATHS = {
  "/healthz": {
    get: {
      ...OPEN,
      operationId: "health",
      summary: "Liveness",
      responses: { 200: answer("The process is running.", "Health"), default: OTHERWISE },
    },
  },
  "/readyz": {
    get: {
      ...OPEN,
      operationId: "readiness",
      summary: "Readiness",
      responses: {
        200: answer("Both.", "Readiness"),
        503: answer("Not both; `reasons` says why.", "Readiness", { example: NOT_READY_EXAMPLE }),
        default: OTHERWISE,
      },
    },
  },
  "/metrics": {
    get: {
      ...OPEN,
      operationId: "metrics",
      summary: "Metrics for Prometheus",
      responses: {
        200: {
          description: "Prometheus text format.",
          headers: NAMED,
          content: { "text/plain": { schema: { type: "string" }, example: METRICS_EXAMPLE } },
        },
        default: OTHERWISE,
      },
    },
  },
  "/openapi.json": {
    get: {
      ...OPEN,
      operationId: "openApi",
      summary: "This document",
      responses: {
        200: {
          description: "This document.",
          headers: NAMED,
          content: { "application/json": { schema: {}, example: DOCUMENT_EXAMPLE } },
        },
        default: OTHERWISE,
      },
    },
  },
};
