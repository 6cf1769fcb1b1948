/**
 * The send request in the OpenAPI document: either html or text is required. A JSON Schema expresses this with a condition, which
 * client generators ignore. So there are two schemas with the same fields, and generated clients do not compile a send without both.
 */
import { BATCH_MAX, IDEMPOTENCY_KEY_PATTERN } from "../message/compose/draft-batch.ts";
import { sendRequestSchema } from "../message/send-request/send-request-schema.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The field that a message of a batch may have beside those of a send request. */
const OWN_KEY = {
  idempotency_key: {
    type: ["string", "null"],
    minLength: 1,
    maxLength: 256,
    pattern: IDEMPOTENCY_KEY_PATTERN,
    description: "Like the header field Idempotency-Key of a send, but for this message only.",
  },
};

const either = (names: readonly string[], description: string): Schema => ({
  description,
  anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
});

/** `body`: the field that is required beside the required ones of each send request. */
function requestWith(body: "html" | "text", more: Readonly<Record<string, Schema>> = {}): Schema {
  const { title: _, if: __, else: ___, required, properties, ...schema } = sendRequestSchema;
  const own = { ...properties, [body]: { ...properties[body], type: "string" }, ...more };
  return { ...schema, required: [...required, body], properties: own };
}

/** The schemas of a send request, by their names. */
export const SEND_REQUEST_SCHEMAS: Readonly<Record<string, Schema>> = {
  SendRequest: either(
    ["SendHtmlRequest", "SendTextRequest"],

    "At least one of `html` and `text` is required. Null in an optional field means that the field is absent.",
  ),
  SendHtmlRequest: requestWith("html"),
  SendTextRequest: requestWith("text"),
  BatchRequest: {
    type: "object",
    additionalProperties: false,
    required: ["messages"],
    properties: {
      messages: {
        type: "array",
        minItems: 1,
        maxItems: BATCH_MAX,
        items: either(
          ["BatchHtmlMessage", "BatchTextMessage"],
          "A send request, optionally with its own idempotency key.",
        ),
        description: "Each message is accepted or rejected separately.",
      },
    },
  },
  BatchHtmlMessage: requestWith("html", OWN_KEY),
  BatchTextMessage: requestWith("text", OWN_KEY),
};
