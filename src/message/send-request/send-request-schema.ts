/**
 * The JSON Schema of the send request's body: its fields, their types and limits. The OpenAPI document contains the same
 * fields. send-request-validation.ts checks what a schema cannot express.
 */
import { MAILBOX_LENGTH_MAX } from "../address.ts";
import { SEND_AHEAD_DAYS_MAX, SEND_AT_LENGTH_MAX } from "../send-time.ts";
import { ATTACHMENT_LIMITS } from "./attachment.ts";
import { HEADER_LIMITS } from "./custom-header.ts";

/** Characters. RFC 5322 §2.1.1 limits a line to as many octets. */
export const SUBJECT_LENGTH_MAX = 998;
/** Characters of a body, or of a file in base64: the bytes of the largest MESSAGE_BYTES_MAX. */
export const CONTENT_LENGTH_MAX = 104_857_600;
/** A list or object with more entries is rejected as a whole: examining each entry would block other requests. */
export const ENTRIES_MAX = 10_000;
export const TAGS_MAX = 10;
export const TAG_LENGTH_MAX = 128;
export const METADATA_MAX = 50;
export const METADATA_NAME_LENGTH_MAX = 40;
export const METADATA_VALUE_LENGTH_MAX = 500;
export const EXPIRES_IN_LENGTH_MAX = 20;
const REPLY_TO_MAX = 10;

const MAILBOX = { type: "string", maxLength: MAILBOX_LENGTH_MAX } as const;

const addresses = (maxItems: number, description: string) =>
  ({ ...MAILBOX, type: ["string", "array"], items: MAILBOX, maxItems, description }) as const;

const optionalAddresses = (maxItems: number, description: string) =>
  ({ ...addresses(maxItems, description), type: ["string", "array", "null"] }) as const;

export const attachmentSchema = {
  type: "object",
  additionalProperties: false,
  required: ["filename", "content"],
  properties: {
    filename: {
      type: "string",
      minLength: 1,
      maxLength: ATTACHMENT_LIMITS.filenameLengthMax,
      description: "The name that the recipient sees, in UTF-8.",
    },
    content: {
      type: "string",
      maxLength: CONTENT_LENGTH_MAX,
      contentEncoding: "base64",
      description: "The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request.",
    },
    content_type: {
      type: ["string", "null"],
      maxLength: ATTACHMENT_LIMITS.contentTypeLengthMax,
      description: "For example `application/pdf`. Defaults to the type of the file name's extension.",
    },
    content_id: {
      type: ["string", "null"],
      maxLength: ATTACHMENT_LIMITS.contentIdLengthMax,
      description: 'Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`.',
    },
  },
} as const;

/**
 * Null in an optional field means that the field is absent (absent-fields.ts). Valid as JSON Schema 2020-12 and draft-07. The OpenAPI
 * document has it as two schemas, one of which requires html and one text (http/send-request-document.ts).
 */
export const sendRequestSchema = {
  title: "SendRequest",
  type: "object",
  additionalProperties: false,
  required: ["from", "to", "subject"],
  if: { required: ["html"] },
  else: { required: ["text"] },
  properties: {
    from: { ...MAILBOX, description: "The sender: `a@b` or `Name <a@b>`." },
    to: {
      ...addresses(
        ENTRIES_MAX,
        "The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once.",
      ),
      minItems: 1,
    },
    cc: optionalAddresses(ENTRIES_MAX, "Recipients of a copy, shown in the message."),
    bcc: optionalAddresses(ENTRIES_MAX, "Recipients of a copy, not shown in the message."),
    reply_to: optionalAddresses(REPLY_TO_MAX, "The addresses that replies go to."),
    subject: { type: "string", maxLength: SUBJECT_LENGTH_MAX, description: "One line of text." },
    html: {
      type: ["string", "null"],
      maxLength: CONTENT_LENGTH_MAX,
      description:
        "The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request.",
    },
    text: {
      type: ["string", "null"],
      maxLength: CONTENT_LENGTH_MAX,
      description: "The plain text body. MESSAGE_BYTES_MAX limits the whole request.",
    },
    headers: {
      type: ["object", "null"],
      maxProperties: HEADER_LIMITS.countMax,
      propertyNames: { minLength: 1, maxLength: HEADER_LIMITS.nameLengthMax },
      additionalProperties: { type: ["string", "null"], maxLength: HEADER_LIMITS.valueLengthMax },
      description:
        "Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected.",
    },
    attachments: {
      type: ["array", "null"],
      maxItems: ATTACHMENT_LIMITS.countMax,
      items: attachmentSchema,
      description: "Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX.",
    },
    tags: {
      type: ["array", "null"],
      maxItems: TAGS_MAX,
      items: { type: "string", minLength: 1, maxLength: TAG_LENGTH_MAX },
      description: "Labels to find the message by. They are not part of the message.",
    },
    metadata: {
      type: ["object", "null"],
      maxProperties: METADATA_MAX,
      propertyNames: { minLength: 1, maxLength: METADATA_NAME_LENGTH_MAX },
      additionalProperties: { type: ["string", "null"], maxLength: METADATA_VALUE_LENGTH_MAX },
      description: "Your strings, returned by the lookup. They are not part of the message.",
    },
    expires_in: {
      type: ["integer", "string", "null"],
      minimum: 1,
      maxLength: EXPIRES_IN_LENGTH_MAX,
      description:
        "Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit.",
    },
    send_at: {
      type: ["string", "null"],
      format: "date-time",
      maxLength: SEND_AT_LENGTH_MAX,
      description: `When delivery begins (RFC 3339), at most ${SEND_AHEAD_DAYS_MAX} days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason \`scheduled\`.`,
    },
    unsubscribe: {
      type: ["boolean", "null"],
      description:
        "If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient.",
    },
    status_page: {
      type: ["boolean", "null"],
      description:
        "If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient.",
    },
  },
} as const;
