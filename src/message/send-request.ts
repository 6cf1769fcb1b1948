/**
 * The send request's body as JSON Schema: its fields, their types and limits. What a schema cannot say is
 * submission.ts's; the same document describes the endpoint in OpenAPI.
 */
import { MAILBOX_LENGTH_MAX } from "./address.ts";
import { ATTACHMENT_LIMITS } from "./attachment.ts";
import { HEADER_LIMITS } from "./custom-header.ts";

/** Characters. RFC 5322 §2.1.1 allows as many octets in a line. */
export const SUBJECT_LENGTH_MAX = 998;
/** Characters of a body or a file in base64: as many as the largest MESSAGE_BYTES_MAX has bytes. */
export const CONTENT_LENGTH_MAX = 104_857_600;
/** No list or object with more entries is examined entry by entry, since that would block other requests. */
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

const attachmentSchema = {
  type: "object",
  additionalProperties: false,
  required: ["filename", "content"],
  properties: {
    filename: {
      type: "string",
      minLength: 1,
      maxLength: ATTACHMENT_LIMITS.filenameLengthMax,
      description: "As the recipient sees it, UTF-8.",
    },
    content: {
      type: "string",
      maxLength: CONTENT_LENGTH_MAX,
      contentEncoding: "base64",
      description: "The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request.",
    },
    content_type: {
      type: "string",
      maxLength: ATTACHMENT_LIMITS.contentTypeLengthMax,
      description: "Such as `application/pdf`; by default what the file name's ending stands for.",
    },
    content_id: {
      type: "string",
      maxLength: ATTACHMENT_LIMITS.contentIdLengthMax,
      description: 'Makes it an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`.',
    },
  },
} as const;

/** JSON Schema (2020-12 and draft-07 alike) of the send request's body; readSubmission asks for more than it can say. */
export const sendRequestSchema = {
  title: "SendRequest",
  type: "object",
  additionalProperties: false,
  required: ["from", "to", "subject"],
  // As an anyOf of the two, client generators give the body a type that anything matches.
  if: { required: ["html"] },
  else: { required: ["text"] },
  properties: {
    from: { ...MAILBOX, description: "The sender: `a@b` or `Name <a@b>`." },
    to: {
      ...addresses(
        ENTRIES_MAX,
        "The recipients, each `a@b` or `Name <a@b>`. One that is repeated, in cc or bcc too, counts once.",
      ),
      minItems: 1,
    },
    cc: addresses(ENTRIES_MAX, "Recipients of a copy, shown to all."),
    bcc: addresses(ENTRIES_MAX, "Recipients of a copy that the message does not show."),
    reply_to: addresses(REPLY_TO_MAX, "Where replies shall go."),
    subject: { type: "string", maxLength: SUBJECT_LENGTH_MAX, description: "One line of text." },
    html: {
      type: "string",
      maxLength: CONTENT_LENGTH_MAX,
      description:
        "The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request.",
    },
    text: {
      type: "string",
      maxLength: CONTENT_LENGTH_MAX,
      description: "The plain text body. MESSAGE_BYTES_MAX limits the whole request.",
    },
    headers: {
      type: "object",
      maxProperties: HEADER_LIMITS.countMax,
      propertyNames: { minLength: 1, maxLength: HEADER_LIMITS.nameLengthMax },
      additionalProperties: { type: "string", maxLength: HEADER_LIMITS.valueLengthMax },
      description: "Further header fields, name to value. Those that Postrider or mail servers write are refused.",
    },
    attachments: {
      type: "array",
      maxItems: ATTACHMENT_LIMITS.countMax,
      items: attachmentSchema,
      description: "Files. They count, in base64, within the largest message allowed.",
    },
    tags: {
      type: "array",
      maxItems: TAGS_MAX,
      items: { type: "string", minLength: 1, maxLength: TAG_LENGTH_MAX },
      description: "Words to find the message by; not part of it.",
    },
    metadata: {
      type: "object",
      maxProperties: METADATA_MAX,
      propertyNames: { minLength: 1, maxLength: METADATA_NAME_LENGTH_MAX },
      additionalProperties: { type: "string", maxLength: METADATA_VALUE_LENGTH_MAX },
      description: "Strings of your own, told again by the lookup; not part of the message.",
    },
    expires_in: {
      type: ["integer", "string"],
      minimum: 1,
      maxLength: EXPIRES_IN_LENGTH_MAX,
      description:
        "Seconds, or `30s`, `10m`, `2h`, `7d`: a recipient that has not got the message by then is failed, reason `expired`. Never later than RETRY_MAX_AGE.",
    },
  },
} as const;
