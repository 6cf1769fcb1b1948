/**
 * The send request in the OpenAPI document: either html or text is required. A JSON Schema says so with a condition, which client
 * generators ignore. So there are two schemas with the same fields, and generated clients do not compile a send without both.
 */
import { sendRequestSchema } from "../message/send-request/send-request-schema.ts";

type Schema = Readonly<Record<string, unknown>>;

const REFERENCES = ["SendHtmlRequest", "SendTextRequest"] as const;

/** `body`: the field that is required beside the required ones of each send request. */
function requestWith(body: "html" | "text"): Schema {
  const { title: _, if: __, else: ___, required, properties, ...schema } = sendRequestSchema;
  const own = { ...properties, [body]: { ...properties[body], type: "string" } };
  return { ...schema, required: [...required, body], properties: own };
}

/** The schemas of a send request, by their names. */
export const SEND_REQUEST_SCHEMAS: Readonly<Record<string, Schema>> = {
  SendRequest: {
    description:
      "At least one of `html` and `text` is required. Null in an optional field means that the field is absent.",
    anyOf: REFERENCES.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  },
  SendHtmlRequest: requestWith("html"),
  SendTextRequest: requestWith("text"),
};
