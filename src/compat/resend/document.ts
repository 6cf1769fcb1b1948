/**
 * Resend's API as Postrider serves it, as a part of an OpenAPI document for the API reference: an operation for each endpoint. What requests
 * may have comes from the schemas that read them. Tests hold responses to the schemas here.
 */
import type { QuerySchema } from "../../http/request/query.ts";
import { arrayOf, flag, object, oneOf, only, ref, type Schema, text, textOrNull } from "../../http/response/schema.ts";
import { BATCH_MAX } from "../../message/compose/draft-batch.ts";
import { attachmentSchema, METADATA_MAX, sendRequestSchema } from "../../message/send-request/send-request-schema.ts";
import { EXAMPLES, REQUEST_EXAMPLES } from "./document-examples.ts";
import { ENDPOINTS, type EndpointName, PREFIX } from "./endpoints.ts";
import { ERROR_NAMES } from "./errors.ts";
import { LAST_EVENTS } from "./last-event.ts";
import { DOMAIN_BODY, KEY_BODY } from "./manage-routes.ts";
import { PAGE_QUERY } from "./pages.ts";
import { EMAILS_QUERY } from "./routes.ts";
import { NOT_SERVED, SAME_FIELDS, type TRANSLATED_FIELDS } from "./send-request.ts";

type Part = Readonly<Record<string, unknown>>;

/** The group of the operations. */
const TAG = "resend";

/** How the document writes the parameters of a query. */
type WriteParameters = (query: QuerySchema) => Part[];

interface Description {
  summary: string;
  description?: string;
  /** The header fields of the request. */
  headers?: readonly Part[];
  query?: QuerySchema;
  /** The name of the body's schema. */
  body?: SchemaName;
  status?: 201;
  response: SchemaName;
}

const rejected = [...NOT_SERVED.keys(), "attachments[].path"].map((name) => `\`${name}\``).join(", ");

const TRANSLATED: Readonly<Record<(typeof TRANSLATED_FIELDS)[number], Schema>> = {
  attachments: {
    ...sendRequestSchema.properties.attachments,
    items: {
      ...attachmentSchema,
      properties: {
        ...attachmentSchema.properties,
        content: {
          ...attachmentSchema.properties.content,
          type: ["string", "array"],
          description: "The file: base64, an array of bytes, or a Node buffer in JSON.",
        },
      },
    },
    description: "Files to attach. A remote file (`path`) is rejected.",
  },
  tags: {
    ...arrayOf(
      object({ name: text("The name, unique within the message."), value: text("The value.") }),
      "Pairs. Each becomes an entry of `metadata`, and a tag `name:value` to search by.",
    ),
    type: ["array", "null"],
    maxItems: METADATA_MAX,
  },
  scheduled_at: {
    ...sendRequestSchema.properties.send_at,
    description: "When delivery begins: a time (RFC 3339). Phrases such as `in 1 min` are rejected.",
  },
};

const SEND_PROPERTIES = {
  ...Object.fromEntries(SAME_FIELDS.map((name) => [name, sendRequestSchema.properties[name]])),
  ...TRANSLATED,
};

const EMAIL_ID = text("The id of the message, as in the rest of Postrider.");
const ADDRESSES = (what: string): Schema => arrayOf({ type: "string" }, `${what}, without names.`);

const EMAIL = {
  id: EMAIL_ID,
  message_id: text("The Message-ID of the message."),
  to: ADDRESSES("The recipients"),
  from: text("The sender."),
  created_at: text("When the message was accepted."),
  subject: text("The subject."),
  cc: ADDRESSES("The recipients of a copy"),
  bcc: ADDRESSES("The recipients of a hidden copy"),
  last_event: oneOf(LAST_EVENTS, "The status: that of the recipient that needs most attention."),
  scheduled_at: textOrNull("When delivery begins; null unless the message was scheduled."),
};

const DOMAIN = {
  id: text("The id of the domain."),
  name: text("The domain."),
  status: oneOf(["not_started", "pending", "verified", "failed"], "The result of the checks."),
  created_at: text("When the domain was added."),
  region: text("Without meaning here."),
  open_tracking: flag("Always false."),
  click_tracking: flag("Always false."),
  capabilities: {
    ...object({ sending: text("Always `enabled`."), receiving: text("Always `disabled`.") }),
    description: "What the domain is used for.",
  },
};

const RECORD = object(
  {
    record: text("The kind of the record, by Resend's names."),
    name: text("The name, relative to the registered domain."),
    type: text("The type of the record."),
    ttl: text("Always `Auto`."),
    status: oneOf(["not_started", "pending", "verified", "failed", "temporary_failure"], "The result of its check."),
    value: text("What to publish."),
  },
  {},
  { priority: { type: "integer", description: "Of an MX record." } },
);

const DOMAIN_OBJECT = only("domain", "The type of the object.");

const pageOf = (entry: Schema, what: string): Schema =>
  object({
    object: only("list", "The type of the object."),
    has_more: flag("Whether another page follows."),
    data: arrayOf(entry, what),
  });

const deleted = (kind: string): Schema =>
  object({ object: only(kind, "The type of the object."), id: text("The id."), deleted: flag("Always true.") });

const SCHEMAS = {
  ResendEmailRequest: {
    ...object(SEND_PROPERTIES),
    required: sendRequestSchema.required,
    description: `At least one of \`html\` and \`text\` is required. Null in a field means that it is absent. Rejected by name: ${rejected}, and each unknown field.`,
  },
  ResendBatchRequest: {
    ...arrayOf(ref("ResendEmailRequest"), `The messages, 1 to ${BATCH_MAX}.`),
    minItems: 1,
    maxItems: BATCH_MAX,
  },
  ResendChange: object({ scheduled_at: TRANSLATED.scheduled_at }),
  ResendSent: object({ id: EMAIL_ID }),
  ResendBatch: object(
    { data: arrayOf(ref("ResendSent"), "The accepted messages, in their order.") },
    {},
    {
      errors: arrayOf(
        object({
          index: { type: "integer", description: "The place of the message in the request, from 0." },
          message: text("What is wrong with it."),
        }),
        "With `permissive`: the messages that are not accepted.",
      ),
    },
  ),
  ResendEmailList: pageOf(ref("ResendListedEmail"), "The messages, the newest first."),
  ResendListedEmail: object(EMAIL),
  ResendEmail: object(
    {
      object: only("email", "The type of the object."),
      ...EMAIL,
      tags: arrayOf(object({ name: text("The name."), value: text("The value.") }), "The message's metadata."),
    },
    {},
    {
      reply_to: ADDRESSES("Where replies go to"),
      html: text("The HTML body. Absent once the content is deleted."),
      text: text("The text body. Absent once the content is deleted."),
    },
  ),
  ResendChanged: object({ object: only("email", "The type of the object."), id: EMAIL_ID }),
  ResendDomainRequest: DOMAIN_BODY,
  ResendDomain: object({
    object: DOMAIN_OBJECT,
    ...DOMAIN,
    records: arrayOf(RECORD, "The DNS records to publish."),
  }),
  ResendDomainList: pageOf(object(DOMAIN), "The domains of the account, the newest first."),
  ResendVerification: object({ object: DOMAIN_OBJECT, id: text("The id of the domain.") }),
  ResendDeletedDomain: deleted("domain"),
  ResendKeyRequest: KEY_BODY,
  ResendKey: object({ id: text("The id of the key."), token: text("The key. It is shown only here.") }),
  ResendKeyList: pageOf(
    object({
      id: text("The id of the key."),
      name: text("The name of the key."),
      created_at: text("When the key was created."),
      last_used_at: textOrNull("When the key was last used."),
    }),
    "The keys of the account that are not revoked, the newest first.",
  ),
  ResendDeletedKey: deleted("api_key"),
  ResendError: object({
    statusCode: { type: "integer", description: "The status of the response." },
    name: oneOf(ERROR_NAMES, "The kind of the error, by Resend's names."),
    message: text("What is wrong, with the fields at fault, and what to do."),
  }),
} as const satisfies Record<string, Schema>;

type SchemaName = keyof typeof SCHEMAS;

const MANAGES = "Needs the permission `manage`.";

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "As in Postrider's API. A batch has one key.",
  schema: { type: "string", minLength: 1, maxLength: 256 },
};

const BATCH_VALIDATION = {
  name: "x-batch-validation",
  in: "header",
  description:
    "With `strict`, nothing is sent if a message is invalid. With `permissive`, the valid ones are sent, and `errors` lists the others.",
  schema: { type: "string", enum: ["strict", "permissive"], default: "strict" },
};

const DESCRIPTIONS: Readonly<Record<EndpointName, Description>> = {
  sendEmail: {
    summary: "Send a message",
    headers: [IDEMPOTENCY_KEY],
    body: "ResendEmailRequest",
    response: "ResendSent",
  },
  sendEmails: {
    summary: "Send several messages",
    headers: [IDEMPOTENCY_KEY, BATCH_VALIDATION],
    body: "ResendBatchRequest",
    response: "ResendBatch",
  },
  listEmails: {
    summary: "List the messages that the key may read",
    query: EMAILS_QUERY,
    response: "ResendEmailList",
  },
  getEmail: { summary: "Look up a message", response: "ResendEmail" },
  updateEmail: {
    summary: "Send a scheduled message at another time",
    body: "ResendChange",
    response: "ResendChanged",
  },
  cancelEmail: {
    summary: "Cancel a message",
    description: "Cancels the delivery to the recipients that are pending, also of a message that is not scheduled.",
    response: "ResendChanged",
  },
  createDomain: {
    summary: "Add a domain",
    description: `${MANAGES} The records in the response are to be published.`,
    body: "ResendDomainRequest",
    status: 201,
    response: "ResendDomain",
  },
  listDomains: {
    summary: "List the domains",
    description: MANAGES,
    query: PAGE_QUERY,
    response: "ResendDomainList",
  },
  getDomain: { summary: "Show a domain with its records", description: MANAGES, response: "ResendDomain" },
  verifyDomain: {
    summary: "Verify a domain",
    description: `${MANAGES} Checks the records of the domain now.`,
    response: "ResendVerification",
  },
  deleteDomain: { summary: "Remove a domain", description: MANAGES, response: "ResendDeletedDomain" },
  createApiKey: {
    summary: "Create an API key",
    description: MANAGES,
    body: "ResendKeyRequest",
    status: 201,
    response: "ResendKey",
  },
  listApiKeys: {
    summary: "List the API keys",
    description: MANAGES,
    query: PAGE_QUERY,
    response: "ResendKeyList",
  },
  deleteApiKey: { summary: "Revoke an API key", description: MANAGES, response: "ResendDeletedKey" },
};

const ERROR_EXAMPLE = {
  statusCode: 422,
  name: "validation_error",
  message: `topic_id: ${NOT_SERVED.get("topic_id") ?? ""}`,
};

/** Header fields of responses, by the names of the document's components. */
const RATE_HEADERS = {
  ResendRateLimit: { name: "RateLimit-Limit", description: "The number of sends that the rate allows at once." },
  ResendRateRemaining: { name: "RateLimit-Remaining", description: "How many of them remain." },
  ResendRateReset: { name: "RateLimit-Reset", description: "Seconds until all of them are allowed again." },
} as const;

const header = (name: string): Part => ({ $ref: `#/components/headers/${name}` });
const NAMED = { "X-Request-Id": header("RequestId") };
const RATED = {
  ...NAMED,
  ...Object.fromEntries(Object.entries(RATE_HEADERS).map(([component, { name }]) => [name, header(component)])),
};

export interface ResendDocument {
  tag: { name: string; description: string };
  paths: Record<string, Record<string, Part>>;
  headers: Record<string, Part>;
  schemas: Record<string, Schema>;
}

/** The parts of an OpenAPI document, for one that has the header field component RequestId. */
export function resendDocument(parameters: WriteParameters): ResendDocument {
  const paths: Record<string, Record<string, Part>> = {};
  for (const [name, { method, path }] of Object.entries(ENDPOINTS)) {
    const at = PREFIX + path;
    paths[at] = { ...paths[at], [method.toLowerCase()]: operation(name as EndpointName, parameters) };
  }
  return {
    tag: {
      name: TAG,
      description:
        "What Postrider serves of Resend's API. The page docs/MIGRATING.md compares the fields, results and errors of both.",
    },
    paths,
    headers: Object.fromEntries(
      Object.entries(RATE_HEADERS).map(([component, { description }]) => [
        component,
        { description, schema: { type: "integer" } },
      ]),
    ),
    schemas: SCHEMAS,
  };
}

function operation(name: EndpointName, parameters: WriteParameters): Part {
  const { summary, description, headers = [], query = {}, body, status = 200, response } = DESCRIPTIONS[name];
  const all = [...(ENDPOINTS[name].path.includes("{id}") ? [idOf(name)] : []), ...parameters(query), ...headers];
  return {
    operationId: `resend-${name}`,
    tags: [TAG],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body, REQUEST_EXAMPLES[body]) } }),
    responses: {
      [status]: {
        description: status === 201 ? "Created." : "Done.",
        headers: RATED,
        content: json(response, EXAMPLES[response]),
      },
      default: { description: "An error.", headers: NAMED, content: json("ResendError", ERROR_EXAMPLE) },
    },
  };
}

const json = (schema: SchemaName, example: unknown): Part => ({ "application/json": { schema: ref(schema), example } });

/** The path parameter. Its example is the id in the example of a response. */
const idOf = (name: EndpointName): Part => ({
  name: "id",
  in: "path",
  required: true,
  description: "The id.",
  schema: { type: "string" },
  example: (EXAMPLES[DESCRIPTIONS[name].response] as { id: string }).id,
});
