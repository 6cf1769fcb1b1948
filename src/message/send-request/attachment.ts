/**
 * Validates the attachments of a request and decides the content type of a file without one. compose.ts places the files in
 * the message; mime.ts encodes them.
 */
import { isUtf8 } from "node:buffer";
import { detectMimeType } from "nodemailer/lib/mime-funcs";
import { decodeBase64 } from "../base64.ts";
import { isLongerThan } from "../character-limit.ts";
import { surrogateError } from "../field-errors.ts";

export const ATTACHMENT_LIMITS = {
  countMax: 100,
  filenameLengthMax: 255,
  contentTypeLengthMax: 255,
  contentIdLengthMax: 128,
} as const;

export interface Attachment {
  filename: string;
  /** A complete Content-Type value, with parameters. */
  contentType: string;
  /** Without angle brackets. Null for an ordinary attachment; otherwise the file is an inline image of the HTML. */
  contentId: string | null;
  content: Buffer;
}

/** An attachment of a request that matches the schema. */
export interface AttachmentRequest {
  filename: string;
  content: string;
  content_type?: string;
  content_id?: string;
}

export type AttachmentError = { field: keyof AttachmentRequest; detail: string };

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}( *; *${TOKEN}=(${TOKEN}|"([ !#-\\[\\]-~]|\\\\[ -~])*"))*$`);
/** RFC 5322 dot-atoms, with or without an @. */
const CONTENT_ID = /^[\w!#$%&'*+\-/=?^`{|}~.]+(@[\w!#$%&'*+\-/=?^`{|}~.]+)?$/;
/** With white space anywhere, as in base64. */
const DATA_URL = /^[ \t\r\n]*d[ \t\r\n]*a[ \t\r\n]*t[ \t\r\n]*a[ \t\r\n]*:/;
const ANY_TYPE = "application/octet-stream";

/** Returns the attachment and all of its errors. An attachment with errors must not be used. */
export function validateAttachment(request: AttachmentRequest): { attachment: Attachment; errors: AttachmentError[] } {
  const errors: AttachmentError[] = [];
  const add = (field: AttachmentError["field"], detail: string | null): void => {
    if (detail !== null) errors.push({ field, detail });
  };
  const { filename, content_type: givenType, content_id: contentId = null } = request;
  // The schema has rejected longer values; they are not examined.
  const isNameTooLong = isLongerThan(filename, ATTACHMENT_LIMITS.filenameLengthMax);
  const isTypeTooLong = isLongerThan(givenType ?? "", ATTACHMENT_LIMITS.contentTypeLengthMax);
  const isIdTooLong = isLongerThan(contentId ?? "", ATTACHMENT_LIMITS.contentIdLengthMax);
  add("filename", isNameTooLong ? null : filenameError(filename));
  add("content_type", givenType === undefined || isTypeTooLong ? null : contentTypeError(givenType));
  add("content_id", contentId === null || isIdTooLong ? null : contentIdError(contentId));
  const decoded = decodeBase64(request.content);
  add("content", decoded === null ? base64Error(request.content) : null);
  const content = decoded ?? Buffer.alloc(0);
  const contentType = isNameTooLong || isTypeTooLong ? ANY_TYPE : withCharset(givenType ?? typeOf(filename), content);
  return { attachment: { filename, contentType, contentId, content }, errors };
}

function contentIdError(contentId: string): string | null {
  if (CONTENT_ID.test(contentId)) return null;
  return "This is not a valid content ID: use ASCII letters, digits, dots, hyphens and underscores, without angle brackets.";
}

function filenameError(filename: string): string | null {
  return /\p{Cc}/u.test(filename) ? "This contains a control character." : surrogateError(filename);
}

function contentTypeError(type: string): string | null {
  if (!CONTENT_TYPE.test(type)) return "This is not a media type such as application/pdf.";
  // These types must not be encoded in base64 (RFC 2045 §6.4).
  return /^(multipart|message)\//i.test(type)
    ? "Attachments of type multipart/* or message/* are not supported."
    : null;
}

function base64Error(text: string): string {
  return DATA_URL.test(text)
    ? 'This starts with "data:"; send only the part after the comma.'
    : "This is not valid base64 (RFC 4648 §4).";
}

function typeOf(filename: string): string {
  const type = detectMimeType(filename);
  return contentTypeError(type) === null ? type : ANY_TYPE;
}

/** Without a charset parameter, a text is US-ASCII (RFC 2046 §4.1.2). */
function withCharset(type: string, content: Buffer): string {
  const needsCharset = /^text\//i.test(type) && !/; *charset=/i.test(type) && isUtf8(content);
  return needsCharset ? `${type}; charset=utf-8` : type;
}
