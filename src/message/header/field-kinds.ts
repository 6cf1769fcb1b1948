/** The syntax of header fields, which decides where a field can have text outside ASCII, and how that is encoded. */

/**
 * - `addresses`: mailboxes and groups (RFC 5322 §3.4)
 * - `phrases`: phrases, and identifiers in angle brackets (RFC 5322 §3.6.5, RFC 2919)
 * - `urls`: URLs in angle brackets or without them (RFC 2369, RFC 2557)
 * - `parameters`: a value and its parameters (RFC 2045 §5.1, RFC 2183)
 * - `tokens`: text only in comments, such as dates and identifiers
 * - `text`: all others (RFC 5322 §2.2.1)
 */
export type FieldKind = "addresses" | "phrases" | "urls" | "parameters" | "tokens" | "text";

const ADDRESSES = [
  "from sender reply-to to cc bcc author original-from return-path errors-to apparently-to delivered-to envelope-to",
  "disposition-notification-to return-receipt-to read-receipt-to x-confirm-reading-to mail-followup-to mail-reply-to",
  "x-original-to x-original-from x-envelope-from x-envelope-to x-sender x-complaints-to",
  "resent-from resent-sender resent-reply-to resent-to resent-cc resent-bcc",
];
const PHRASES = ["keywords list-id"];
const URLS = [
  "list-unsubscribe list-help list-subscribe list-post list-owner list-archive list-url archived-at",
  "content-location content-base",
];
const PARAMETERS = ["content-type content-disposition"];
const TOKENS = [
  "message-id in-reply-to references content-id resent-message-id original-message-id x-original-message-id supersedes",
  "date resent-date received x-received mime-version content-transfer-encoding content-language content-md5",
  "auto-submitted precedence importance priority x-priority list-unsubscribe-post authentication-results",
  "received-spf dkim-signature arc-seal arc-message-signature arc-authentication-results autocrypt",
];

const entriesOf = (kind: FieldKind, names: readonly string[]): [string, FieldKind][] =>
  names.flatMap((line) => line.split(" ")).map((name) => [name, kind]);

const KINDS: ReadonlyMap<string, FieldKind> = new Map([
  ...entriesOf("addresses", ADDRESSES),
  ...entriesOf("phrases", PHRASES),
  ...entriesOf("urls", URLS),
  ...entriesOf("parameters", PARAMETERS),
  ...entriesOf("tokens", TOKENS),
]);

/** The syntax of the field with this name in lower case. */
export const kindOf = (key: string): FieldKind => KINDS.get(key) ?? "text";
