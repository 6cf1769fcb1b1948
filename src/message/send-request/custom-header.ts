/**
 * Decides which header fields a client may add (RFC 5322 §2.2, §3.6.8), which values they may have, and how those are encoded.
 * compose.ts folds them; the schema limits their number.
 */
import { isAscii } from "../address.ts";
import { encodedWords } from "../encoded-words.ts";
import { surrogateError } from "../field-errors.ts";
import { inAscii } from "../header/ascii-field.ts";
import { kindOf } from "../header/field-kinds.ts";
import { hasLongLine } from "../header/folding.ts";
import { isServerField } from "../header/server-fields.ts";

export const HEADER_LIMITS = { countMax: 50, nameLengthMax: 76, valueLengthMax: 4000 } as const;

/** A line has at most 998 octets (RFC 5322 §2.1.1) and can be folded only at a space. */
const WORD_LENGTH_MAX = 900;

export interface CustomHeader {
  name: string;
  /** One line without white space at its ends. */
  value: string;
}

/** Header fields with their own field in the request. */
const REQUEST_FIELDS: Readonly<Record<string, string>> = {
  from: "from",
  to: "to",
  cc: "cc",
  bcc: "bcc",
  "reply-to": "reply_to",
  subject: "subject",
};

const POSTRIDER_FIELDS: ReadonlySet<string> = new Set(["date", "message-id", "mime-version", "sender"]);

/** Returns why a header field with this name cannot be added, as a sentence, or null. The name must not be empty. */
export function headerNameError(name: string): string | null {
  if (!/^[!-9;-~]*$/.test(name)) {
    return "A header field name may contain only printable ASCII characters other than colon and space.";
  }
  const lower = name.toLowerCase();
  const requestField = Object.hasOwn(REQUEST_FIELDS, lower) ? REQUEST_FIELDS[lower] : undefined;
  if (requestField !== undefined) return `Use the field ${requestField} instead.`;
  if (POSTRIDER_FIELDS.has(lower) || lower.startsWith("content-")) return "Postrider sets this header field itself.";
  return isServerField(lower) ? "Only mail servers may set this header field." : null;
}

/** Returns why a header field cannot have this value, as a sentence, or null. */
export function headerValueError({ name, value }: CustomHeader): string | null {
  if (value.includes("\0")) return "This contains a NUL character.";
  if (/[\r\n]/.test(value)) return "This contains a line break (CR or LF); it must be a single line.";
  if (/\p{Cc}/u.test(value)) return "This contains a control character.";
  const notUtf8 = surrogateError(value);
  if (notUtf8 !== null) return notUtf8;
  if (value.trim() === "") return "This is empty.";
  if (isAscii(value) && value.split(" ").some((word) => word.length > WORD_LENGTH_MAX)) {
    return `This has more than ${WORD_LENGTH_MAX} characters without a space and cannot be folded.`;
  }
  const isLong = !isAscii(value) && hasLongLine(asciiCustomField({ name, value }));
  return isLong ? "This has too many characters without a space and cannot be folded." : null;
}

/**
 * Returns the field in ASCII but for local parts of addresses, without its last CRLF. What is encoded is folded; text in ASCII is not.
 * A value in ASCII is not encoded, which would break URLs and addresses in structured fields, but for a run of blanks, of which a
 * fold could make a line.
 */
export function asciiCustomField({ name, value }: CustomHeader): string {
  const key = name.toLowerCase();
  const hasRun = / {50}/.test(value);
  if (hasRun && kindOf(key) === "text") return `${name}: ${encodedWords(value)}`;
  const single = hasRun ? value.replace(/ {50,}/g, " ") : value;
  const text = `${name}: ${single}\r\n`;
  return inAscii({ name, key, value: single, text }).slice(0, -"\r\n".length);
}
