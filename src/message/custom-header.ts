/**
 * Header fields that a client adds: which names it may use (RFC 5322 §2.2, §3.6.8) and what a value may hold. How a field
 * is encoded and folded is compose.ts's; how many there may be is the request schema's.
 */

export const HEADER_LIMITS = { countMax: 50, nameLengthMax: 76, valueLengthMax: 4000 } as const;

/** A line has 998 octets at most (RFC 5322 §2.1.1) and can be folded at a space only. */
const WORD_LENGTH_MAX = 900;

export interface CustomHeader {
  name: string;
  /** One line without white space at its ends. */
  value: string;
}

/** Fields that have a place of their own in the request. */
const REQUEST_FIELDS: Readonly<Record<string, string>> = {
  from: "from",
  to: "to",
  cc: "cc",
  bcc: "bcc",
  "reply-to": "reply_to",
  subject: "subject",
};

const WRITTEN_HERE: ReadonlySet<string> = new Set(["date", "message-id", "mime-version", "sender"]);

/** What mail servers say of the way a message came, and of who vouches for it: nobody should say it for them. */
const OF_SERVERS = new Set([
  "received",
  "return-path",
  "delivered-to",
  "envelope-to",
  "x-original-to",
  "apparently-to",
  "authentication-results",
]);
const OF_SERVERS_PREFIX = /^(received|dkim|domainkey|arc|resent|x-envelope)-/;

/** Why a header field of this name, not empty, cannot be added, as a sentence; null when it can. */
export function headerNameFault(name: string): string | null {
  if (!/^[!-9;-~]*$/.test(name)) {
    return "A header field's name consists of printable ASCII characters other than the colon and the space.";
  }
  const lower = name.toLowerCase();
  const requestField = Object.hasOwn(REQUEST_FIELDS, lower) ? REQUEST_FIELDS[lower] : undefined;
  if (requestField !== undefined) return `Use the field ${requestField} for this.`;
  if (WRITTEN_HERE.has(lower) || lower.startsWith("content-")) return "Postrider writes this header field itself.";
  const isOfServers = OF_SERVERS.has(lower) || OF_SERVERS_PREFIX.test(lower);
  return isOfServers ? "Only mail servers write this header field." : null;
}

/** Why a header field cannot have this value, as a sentence; null when it can. */
export function headerValueFault(value: string): string | null {
  if (value.includes("\0")) return "This contains a NUL.";
  if (/[\r\n]/.test(value)) return "This contains a line break (CR or LF); it must be one line.";
  if (/\p{Cc}/u.test(value)) return "This contains a control character.";
  if (/\p{Surrogate}/u.test(value)) return "This contains half of a surrogate pair, which is not a character.";
  if (value.trim() === "") return "This is empty.";
  if (isAscii(value) && value.split(" ").some((word) => word.length > WORD_LENGTH_MAX)) {
    return `This has more than ${WORD_LENGTH_MAX} characters without a space; such a line cannot be folded.`;
  }
  return null;
}

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);
