/** Takes an incoming message apart (postal-mime), with limits: what arrives is anyone's. */
import PostalMime, { type Email } from "postal-mime";

/** A real notification is nested three levels deep. */
const NESTING_MAX = 20;
const HEADERS_BYTES_MAX = 256 * 1024;
/** Of a text that is examined. The reason of a bounce is at its beginning. */
const TEXT_LENGTH_MAX = 64 * 1024;

/** A message as far as feedback needs it. */
export interface IncomingMessage {
  /** The values of the header fields, unfolded, by lower-case name. */
  fields: ReadonlyMap<string, readonly string[]>;
  /** Decoded; empty without one. */
  subject: string;
  /** The text as people read it. */
  text: string;
  /** All parts that are no text: their types in lower case, and their contents. */
  parts: readonly { type: string; text: string; bytes: Buffer }[];
}

/** Parses a message. Returns null if it is nested too deeply, or its headers are too large. */
export async function readIncoming(raw: Buffer): Promise<IncomingMessage | null> {
  const email = await PostalMime.parse(raw, {
    ...{ forceRfc822Attachments: true, maxNestingDepth: NESTING_MAX, maxHeadersSize: HEADERS_BYTES_MAX },
  }).catch(() => null);
  if (email === null) return null;
  return { fields: fieldsOf(email), subject: email.subject ?? "", text: textOf(email), parts: partsOf(email) };
}

function fieldsOf({ headers }: Email): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const { key, value } of headers) {
    const values = fields.get(key);
    if (values === undefined) fields.set(key, [value]);
    else values.push(value);
  }
  return fields;
}

const textOf = ({ text, html }: Email): string => (text ?? withoutTags(html ?? "")).slice(0, TEXT_LENGTH_MAX);

/** Enough for texts of mail servers, which are not shown. */
function withoutTags(html: string): string {
  return html
    .slice(0, 4 * TEXT_LENGTH_MAX)
    .replace(/<(?:br|\/p|\/div|\/tr|\/h\d)\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&nbsp;/g, " ")
    .replace(/&amp;/g, "&");
}

const partsOf = ({ attachments }: Email): IncomingMessage["parts"] =>
  attachments.map(({ mimeType, content }) => {
    const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
    return { type: mimeType, text: bytes.subarray(0, TEXT_LENGTH_MAX).toString("utf8"), bytes };
  });
