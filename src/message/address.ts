/**
 * Decides what a valid email address is (RFC 5321 §4.1.2 Mailbox, RFC 6531, RFC 5890 for domains) and when two are equal.
 * Whether an address may send or receive is decided elsewhere. Error details address the author of the address: they state
 * what to change and echo at most one character.
 */

import { isLongerThan } from "./character-limit.ts";
import { domainInAscii, domainInUnicode, isDomainTooLong } from "./domain-encoding.ts";

/** Characters of a mailbox, including its display name. */
export const MAILBOX_LENGTH_MAX = 1000;
const TOO_LONG = `The address is longer than ${MAILBOX_LENGTH_MAX} characters.`;
const ADDRESS_BYTES_MAX = 254;
const LOCAL_BYTES_MAX = 64;
const DOMAIN_BYTES_MAX = 253;
const DOMAIN_TOO_LONG = `The domain is longer than ${DOMAIN_BYTES_MAX} octets.`;
const LABEL_BYTES_MAX = 63;

export interface Mailbox {
  /** The display name, unquoted; null for none. */
  name: string | null;
  /** The addr-spec as written, trimmed. */
  address: string;
  /** As it is sent: in quotes where its dots need them. */
  local: string;
  /** Lower-case A-labels. */
  domain: string;
}

type Invalid = { type: "invalid"; detail: string };
export type ParsedMailbox = ({ type: "valid" } & Mailbox) | Invalid;

/**
 * The fast path for most mailboxes: a match cannot contain an error, in a tenth of the time of checking for each. The length
 * implies all limits on octets. A-labels (`xn--`) are excluded, because they need decoding.
 */
const PLAIN_LENGTH_MAX = 64;
const PLAIN_ADDRESS = String.raw`([\w+-]+(?:\.[\w+-]+)*)@((?:(?!xn--|-)[a-z0-9-]*[a-z0-9]\.)+[a-z]+)`;
const PLAIN_MAILBOX = new RegExp(`^${PLAIN_ADDRESS}$`);
const PLAIN_NAMED_MAILBOX = new RegExp(String.raw`^(\w+(?: \w+)*) <${PLAIN_ADDRESS}>$`);

/**
 * Parses exactly one address: `a@b`, `Name <a@b>` or `"Name" <a@b>`. A name that is an address, as in `a@b <a@b>`, needs no quotes here:
 * many programs write it so.
 */
export function parseMailbox(text: string): ParsedMailbox {
  return (text.length <= PLAIN_LENGTH_MAX ? parsePlainMailbox(text) : null) ?? parseAnyMailbox(text);
}

/** Whether a text is one address without a name. */
export function isBareAddress(text: string): boolean {
  const parsed = parseMailbox(text);
  return parsed.type === "valid" && parsed.name === null;
}

function parsePlainMailbox(text: string): ParsedMailbox | null {
  const bare = PLAIN_MAILBOX.exec(text);
  if (bare !== null) {
    const [address, local = "", domain = ""] = bare;
    return { type: "valid", name: null, address, local, domain };
  }
  const named = PLAIN_NAMED_MAILBOX.exec(text);
  if (named === null) return null;
  const [, name = "", local = "", domain = ""] = named;
  return { type: "valid", name, address: `${local}@${domain}`, local, domain };
}

function parseAnyMailbox(text: string): ParsedMailbox {
  if (isLongerThan(text, MAILBOX_LENGTH_MAX)) return invalid(TOO_LONG);
  const trimmed = trimSpaces(text);
  const error = textError(trimmed);
  if (error !== null) return invalid(error);
  const parts = splitName(trimmed);
  if (parts.type === "invalid") return parts;
  const spec = parseAddrSpec(parts.address);
  if (spec.type === "invalid") return spec;
  return { type: "valid", name: parts.name, address: parts.address, local: spec.local, domain: spec.domain };
}

/**
 * Why common readers could find another domain in the address of a sender than its own, as a sentence; null if they cannot. Some take a
 * quoted `<`, `>` or `@` for a sign of the address, or decode encoded words in it.
 */
export function ambiguity(local: string): string | null {
  const [sign] = /[<>@]|=\?/.exec(local) ?? [];
  return sign === undefined
    ? null
    : `A sender's address must not have "${sign}" before its "@": programs read it differently.`;
}

/**
 * The local part as it is sent (RFC 5321 §4.1.2). Some carriers have given out addresses with two dots in a row, or with one before the
 * @, which are valid only in quotes.
 */
const sentLocal = (local: string): string =>
  !local.startsWith('"') && (local.includes("..") || local.endsWith(".")) ? `"${local}"` : local;

/** Returns the same key for equal mailboxes, also for one with and without the quotes of its dots. Local parts are compared exactly: only their host may interpret them (RFC 5321 §2.4). */
export function mailboxKey(local: string, domain: string): string {
  return `${sentLocal(local)}@${domain}`;
}

/** Whether an address can be sent to without SMTPUTF8. */
export function isAscii(address: string): boolean {
  return /^\p{ASCII}*$/u.test(address);
}

/** Whether `domain` is `boundDomain` or a subdomain of it. Both are lower-case A-labels. */
export function covers(boundDomain: string, domain: string): boolean {
  return domain === boundDomain || domain.endsWith(`.${boundDomain}`);
}

function invalid(detail: string): Invalid {
  return { type: "invalid", detail };
}

/** Not a regular expression: one for trailing spaces takes quadratic time on a run of spaces inside the text. */
function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === " ") start += 1;
  while (end > start && text[end - 1] === " ") end -= 1;
  return text.slice(start, end);
}

function textError(text: string): string | null {
  if (text === "") return "The address is empty.";
  const control = /\p{Cc}/u.exec(text)?.[0];
  if (control !== undefined) return `The address contains ${controlName(control)}.`;
  if (/\p{Surrogate}/u.test(text)) return "The address contains an unpaired surrogate, which is not a character.";
  return null;
}

function controlName(control: string): string {
  const code = control.charCodeAt(0);
  const known: Record<number, string> = {
    0: "a NUL character",
    9: "a tab",
    10: "a line feed (LF)",
    13: "a carriage return (CR)",
  };
  return known[code] ?? `the control character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const UNQUOTED_OR_QUOTED = `(?:${QUOTED}|[^"<>])*`;
const NAME_AND_REST = new RegExp(`^(${UNQUOTED_OR_QUOTED})<(.*)$`, "su");
const ADDRESS_IN_ANGLES = new RegExp(`^(${UNQUOTED_OR_QUOTED})>(.*)$`, "su");
/** Also one without its closing mark, up to the end, so that no search starts anew within it; "$1" is its opening mark. */
const QUOTED_STRINGS = new RegExp(String.raw`${QUOTED}|(")(?:[^"\\]|\\.)*\\?$`, "gsu");
const QUOTED_LOCAL = new RegExp(`^${QUOTED}(?=@)`, "su");

function splitName(text: string): { type: "split"; name: string | null; address: string } | Invalid {
  const unquoted = text.replace(QUOTED_STRINGS, "$1");
  if (unquoted.includes('"')) return invalid("A closing quotation mark is missing.");
  if (!unquoted.includes("<")) {
    if (unquoted.includes(">")) return invalid('There is a ">" without a "<" before it.');
    return { type: "split", name: null, address: text };
  }
  const [, name = "", rest = ""] = NAME_AND_REST.exec(text) ?? [];
  const bareName = name.replace(QUOTED_STRINGS, "$1");
  if (bareName.includes(">")) return invalid('There is a ">" without a "<" before it.');
  if (/[,;]/.test(bareName)) {
    return invalid('Only one address is allowed here. A name that contains "," or ";" must be in double quotes.');
  }
  const [whole, address = "", after = ""] = ADDRESS_IN_ANGLES.exec(rest) ?? [];
  if (whole === undefined) return invalid('The ">" after the address is missing.');
  if (/^ *[,;]/.test(after)) return invalid("Only one address is allowed here.");
  if (after !== "") return invalid('There is text after the closing ">".');
  return { type: "split", name: unquoteName(name), address: trimSpaces(address) };
}

function unquoteName(phrase: string): string | null {
  const name = trimSpaces(phrase).replace(QUOTED_STRINGS, (quoted) => quoted.slice(1, -1).replace(/\\(.)/gsu, "$1"));
  return name === "" ? null : name;
}

type AddrSpec = { type: "valid"; local: string; domain: string } | Invalid;

function parseAddrSpec(address: string): AddrSpec {
  const [quotedLocal] = QUOTED_LOCAL.exec(address) ?? [];
  const at = quotedLocal === undefined ? address.indexOf("@") : quotedLocal.length;
  if (address === "") return invalid("There is no address between the angle brackets.");
  if (at < 0) return invalid('The address has no "@".');
  const given = address.slice(0, at);
  const local = quotedLocal === undefined ? sentLocal(given) : given;
  const written = address.slice(at + 1);
  const severalError = severalAddressesError(written);
  if (severalError !== null) return invalid(severalError);
  const localError = quotedLocal === undefined ? dotStringError(given) : quotedStringError(given);
  if (localError !== null) return invalid(localError);
  if (Buffer.byteLength(local) > LOCAL_BYTES_MAX) {
    return invalid(`The part before the "@" is longer than ${LOCAL_BYTES_MAX} octets.`);
  }
  const domain = parseDomain(written);
  if (domain.type === "invalid") return domain;
  if (Buffer.byteLength(local) + 1 + domain.name.length > ADDRESS_BYTES_MAX) {
    return invalid(`The address is longer than ${ADDRESS_BYTES_MAX} octets.`);
  }
  return { type: "valid", local, domain: domain.name };
}

function severalAddressesError(domain: string): string | null {
  if (/[,;]/.test(domain)) return "Only one address is allowed here.";
  return domain.includes("@") ? 'The address has more than one "@".' : null;
}

/** RFC 5321 atext and RFC 6531's non-ASCII characters. Non-ASCII white space would be lost in canonicalised header fields. */
function dotStringError(local: string): string | null {
  if (local === "") return 'There is nothing before the "@".';
  if (/[,;]/.test(local)) return "Only one address is allowed here.";
  if (/\s/u.test(local)) return 'There is a space in the part before the "@".';
  if (local.startsWith(".")) return "The address starts with a dot.";
  const bad = /[^\w.!#$%&'*+\-/=?^`{|}~\P{ASCII}]/u.exec(local)?.[0];
  return bad === undefined ? null : `The character ${bad} is not allowed before the "@".`;
}

/** RFC 5321 Quoted-string: any printable character. Control characters have been rejected already. */
function quotedStringError(local: string): string | null {
  if (/[^\S ]/u.test(local)) return "The only white space allowed within the quotes is the plain space.";
  return /\\\P{ASCII}/u.test(local) ? "A backslash may only precede an ASCII character." : null;
}

function parseDomain(written: string): { type: "valid"; name: string } | Invalid {
  if (written === "") return invalid('There is nothing after the "@".');
  if (written.startsWith("[")) return invalid("An IP address instead of a domain is not supported; use a domain name.");
  if (/\s/u.test(written)) return invalid('There is a space in the part after the "@".');
  if (written.endsWith(".")) return invalid("The domain ends with a dot.");
  if (written.startsWith(".")) return invalid('There is a dot directly after the "@".');
  if (written.includes("..")) return invalid("There are two dots in a row in the domain.");
  if (isDomainTooLong(written)) return invalid(DOMAIN_TOO_LONG);
  const bad = /[^A-Za-z0-9.\-\P{ASCII}]/u.exec(written)?.[0];
  if (bad !== undefined) return invalid(`The character ${bad} is not allowed in a domain.`);
  const name = toALabels(written);
  if (name === null) return invalid("The domain is not a valid internationalised name.");
  const error = hostNameError(name);
  return error === null ? { type: "valid", name } : invalid(error);
}

/** Returns the domain as lower-case A-labels, or null if it is too long or a label cannot be converted. */
export function toALabels(written: string): string | null {
  if (isDomainTooLong(written)) return null;
  const labels = written.toLowerCase().split(".").map(toALabel);
  return labels.includes(null) ? null : labels.join(".");
}

/**
 * The URL algorithm silently maps full-width letters, ideographic dots, invisible characters and numbers. A label that does not convert back to its original form is rejected.
 */
function toALabel(label: string): string | null {
  if (!isAscii(label)) {
    const ascii = domainInAscii(label);
    return ascii !== "" && domainInUnicode(ascii) === label.normalize("NFC") ? ascii : null;
  }
  if (!label.startsWith("xn--")) return label;
  return domainInAscii(label) === label && !isAscii(domainInUnicode(label)) ? label : null;
}

function hostNameError(name: string): string | null {
  if (name.length > DOMAIN_BYTES_MAX) return DOMAIN_TOO_LONG;
  const labels = name.split(".");
  if (labels.length < 2) return "The domain needs at least two parts, such as example.com.";
  for (const label of labels) {
    if (label.length > LABEL_BYTES_MAX) return `A part of the domain is longer than ${LABEL_BYTES_MAX} octets.`;
    if (!/^[a-z0-9-]+$/.test(label)) return "The domain is not a valid internationalised name.";
    if (label.startsWith("-") || label.endsWith("-")) return "A part of the domain starts or ends with a hyphen.";
  }
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) {
    return "An IP address instead of a domain is not supported; use a domain name.";
  }
  return null;
}
