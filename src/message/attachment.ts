/**
 * Attachments of a request: what may be attached, and what a file without a type is taken for. Where a file stands in
 * the message is compose.ts's, how it is encoded mime.ts's.
 */
import { isUtf8 } from "node:buffer";
import { detectMimeType } from "nodemailer/lib/mime-funcs";
import { decodeBase64 } from "./base64.ts";
import { isLongerThan } from "./character-limit.ts";

export const ATTACHMENT_LIMITS = {
  countMax: 100,
  filenameLengthMax: 255,
  contentTypeLengthMax: 255,
  contentIdLengthMax: 128,
} as const;

export interface Attachment {
  filename: string;
  /** A whole Content-Type value. */
  contentType: string;
  /** Without angle brackets; null for a file beside the message, else it is an inline image of the HTML. */
  contentId: string | null;
  content: Buffer;
}

/** An attachment as the schema lets it through. */
export interface AttachmentRequest {
  filename: string;
  content: string;
  content_type?: string;
  content_id?: string;
}

export type AttachmentFault = { field: keyof AttachmentRequest; detail: string };

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}( *; *${TOKEN}=(${TOKEN}|"([ !#-\\[\\]-~]|\\\\[ -~])*"))*$`);
/** RFC 5322 dot-atoms, with or without an @. */
const CONTENT_ID = /^[\w!#$%&'*+\-/=?^`{|}~.]+(@[\w!#$%&'*+\-/=?^`{|}~.]+)?$/;
/** White space, which base64 may have anywhere, does not hide it. */
const DATA_URL = /^[ \t\r\n]*d[ \t\r\n]*a[ \t\r\n]*t[ \t\r\n]*a[ \t\r\n]*:/;
const ANY_TYPE = "application/octet-stream";

/** The attachment, and everything that is wrong with it. */
export function readAttachment(request: AttachmentRequest): { attachment: Attachment; faults: AttachmentFault[] } {
  const faults: AttachmentFault[] = [];
  const note = (field: AttachmentFault["field"], detail: string | null): void => {
    if (detail !== null) faults.push({ field, detail });
  };
  const { filename, content_type: givenType, content_id: contentId = null } = request;
  // The schema has rejected an attachment with a longer one.
  const isNameTooLong = isLongerThan(filename, ATTACHMENT_LIMITS.filenameLengthMax);
  const isTypeTooLong = isLongerThan(givenType ?? "", ATTACHMENT_LIMITS.contentTypeLengthMax);
  const isIdTooLong = isLongerThan(contentId ?? "", ATTACHMENT_LIMITS.contentIdLengthMax);
  note("filename", isNameTooLong ? null : filenameFault(filename));
  note("content_type", givenType === undefined || isTypeTooLong ? null : contentTypeFault(givenType));
  note("content_id", contentId === null || isIdTooLong ? null : contentIdFault(contentId));
  const decoded = decodeBase64(request.content);
  note("content", decoded === null ? base64Fault(request.content) : null);
  const content = decoded ?? Buffer.alloc(0);
  const contentType = isNameTooLong || isTypeTooLong ? ANY_TYPE : withCharset(givenType ?? typeOf(filename), content);
  return { attachment: { filename, contentType, contentId, content }, faults };
}

function contentIdFault(contentId: string): string | null {
  if (CONTENT_ID.test(contentId)) return null;
  return "A content id consists of ASCII letters, digits and signs that need no quotes, and has no angle brackets.";
}

function filenameFault(filename: string): string | null {
  if (/\p{Cc}/u.test(filename)) return "A file name has no control characters.";
  return /\p{Surrogate}/u.test(filename) ? "This contains half of a surrogate pair, which is not a character." : null;
}

function contentTypeFault(type: string): string | null {
  if (!CONTENT_TYPE.test(type)) return "This is not a media type such as application/pdf.";
  // Neither may be in base64 (RFC 2045 §6.4).
  return /^(multipart|message)\//i.test(type) ? "Neither multipart/… nor message/… can be attached." : null;
}

function base64Fault(text: string): string {
  return DATA_URL.test(text)
    ? 'This starts with "data:"; send only what follows the comma.'
    : "This is not base64 (RFC 4648 §4), or not all of it.";
}

function typeOf(filename: string): string {
  const type = detectMimeType(filename);
  return contentTypeFault(type) === null ? type : ANY_TYPE;
}

/** A text without a charset would be read as US-ASCII (RFC 2046 §4.1.2). */
function withCharset(type: string, content: Buffer): string {
  const needsOne = /^text\//i.test(type) && !/; *charset=/i.test(type) && isUtf8(content);
  return needsOne ? `${type}; charset=utf-8` : type;
}
