/** The paths of the management interface in the OpenAPI document, built from its operations. */
import type { QuerySchema } from "../request/query.ts";
import type { ProblemCode } from "../response/problems.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { MANAGE_PATH, queryOf } from "./routes.ts";

type Part = Readonly<Record<string, unknown>>;

/** How the document writes its parts. */
export interface DocumentWriter {
  parameters: (query: QuerySchema) => Part[];
  /** A response with a body of this schema. */
  answer: (description: string, schema: string, options: { headers: Part; example?: unknown }) => Part;
  /** The problems of these codes by their status, and any other one. */
  problems: (codes: readonly ProblemCode[]) => Part;
  /** The header fields of a response to a valid key. */
  headers: Part;
  /** The header field ETag. */
  etag: Part;
  /** The parameter Idempotency-Key, and the header field Idempotency-Replayed. */
  idempotency: { parameter: Part; replayed: Part };
}

/** The problems that any operation can have. */
const OF_ALL: readonly ProblemCode[] = [
  "invalid_request",
  "invalid_api_key",
  "permission_denied",
  "rate_limit_exceeded",
  "engine_unavailable",
];
const OF_BODIES: readonly ProblemCode[] = ["invalid_json", "body_too_large", "unsupported_media_type"];

const IF_MATCH = {
  name: "If-Match",
  in: "header",
  description: "The entity tag of the thing as it was read. If it has changed since, nothing is done.",
  schema: { type: "string", maxLength: 1000 },
};

export function managePaths(writer: DocumentWriter): Record<string, Part> {
  const paths: Record<string, Record<string, Part>> = {};
  for (const operation of OPERATIONS) {
    const path = MANAGE_PATH + operation.path;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, writer) };
  }
  return paths;
}

/** The tags that the operations have, each with a description. */
export const MANAGE_TAGS = [
  { name: "actions", description: "Actions on messages. Permission `manage`." },
  { name: "domains", description: "Sender domains and their records. Permission `manage`." },
  { name: "keys", description: "API keys. Permission `manage`." },
  { name: "webhooks", description: "Webhook endpoints. Permission `manage`." },
  { name: "suppressions", description: "Addresses that get no messages. Permission `manage`." },
  { name: "account", description: "What an account uses. Permission `manage`." },
  { name: "accounts", description: "Accounts. Permission `operate`." },
  { name: "users", description: "Users and invitations. Permission `operate`." },
  { name: "receivers", description: "Who takes mail, and at which pace. Permission `operate`." },
  { name: "queue", description: "What waits in all accounts. Permission `operate`." },
  { name: "addresses", description: "What mail leaves from. Permission `operate`." },
  { name: "pools", description: "Whose mail leaves from which addresses. Permission `operate`." },
  { name: "host", description: "Nodes, and what stops delivery from them. Permission `operate`." },
];

function describe(operation: Operation, writer: DocumentWriter): Part {
  const { id, tag, summary, description, permission, version, method, status, response, streams } = operation;
  const isRepeatable = method === "POST" && operation.accepts === undefined;
  const isTaggedChange = version !== undefined && method !== "GET";
  const needs = `Needs the permission \`${permission}\`${permission === "manage" ? " or `operate`" : ""}.`;
  const headers = {
    ...writer.headers,
    ...(version === undefined || method === "DELETE" ? {} : { ETag: writer.etag }),
    ...(isRepeatable ? { "Idempotency-Replayed": writer.idempotency.replayed } : {}),
  };
  const success =
    streams !== undefined
      ? { description: "Done.", headers, content: streamContent(streams) }
      : response === undefined
        ? { description: "Done.", headers }
        : writer.answer(status === 201 ? "Created." : "Done.", response.schema, {
            headers,
            ...(response.example === undefined ? {} : { example: response.example }),
          });
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description === undefined ? needs : `${description} ${needs}`,
    parameters: [
      ...pathParameters(operation),
      ...writer.parameters(queryOf(operation)),
      ...(isTaggedChange ? [IF_MATCH] : []),
      ...(isRepeatable ? [writer.idempotency.parameter] : []),
    ],
    ...requestBody(operation),
    responses: { [status]: success, ...writer.problems(problemsOf(operation, isTaggedChange)) },
  };
}

function problemsOf(
  { body, accepts, problems = [], permission, method }: Operation,
  isTaggedChange: boolean,
): ProblemCode[] {
  // Another account is named by the query.
  const ofAccount: ProblemCode[] = permission === "manage" ? ["not_found"] : [];
  const ofDeleted: ProblemCode[] = permission === "manage" && method !== "GET" ? ["account_deleted"] : [];
  const all = new Set([
    ...OF_ALL,
    ...(body === undefined ? [] : OF_BODIES),
    ...(isTaggedChange ? (["precondition_failed"] as const) : []),
    ...(accepts === undefined ? [] : (["unsupported_media_type"] as const)),
    ...(method === "POST" && accepts === undefined
      ? (["invalid_idempotency_key", "idempotency_key_reused"] as const)
      : []),
    ...ofAccount,
    ...ofDeleted,
    ...problems,
  ]);
  return [...all];
}

const streamContent = (streams: NonNullable<Operation["streams"]>): Part =>
  Object.fromEntries(streams.map(({ type, example }) => [type, { schema: { type: "string" }, example }]));

function requestBody({ body, bodyExample, isBodyOptional, accepts }: Operation): Part {
  if (accepts !== undefined) {
    const content = { schema: { type: "string" }, example: bodyExample };
    return { requestBody: { required: true, content: Object.fromEntries(accepts.map((type) => [type, content])) } };
  }
  if (body === undefined) return {};
  const content = { "application/json": { schema: body, example: bodyExample } };
  return { requestBody: { required: isBodyOptional === undefined, content } };
}

const PARAMETERS: Readonly<Record<string, string>> = {
  id: "The id.",
  name: "The name.",
  email: "The email address.",
  domain: "The recipient domain.",
  number: "The number of the event.",
  address: "The IP address.",
};

function pathParameters({ path }: Operation): Part[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: PARAMETERS[name],
    schema: { type: "string" },
  }));
}
