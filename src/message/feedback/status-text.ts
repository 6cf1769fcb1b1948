/**
 * Finds failed recipients in a bounce without machine-readable fields, by where addresses stand in the texts that mail servers write,
 * in whatever language. Reads facts; bounce.ts decides what they mean.
 */
import { ADDRESS_SOURCE, addressesIn } from "./addresses.ts";
import { originalFields, soleRecipient, writtenRecipients } from "./original-message.ts";
import { ownText } from "./own-text.ts";
import type { IncomingMessage } from "./report-parts.ts";

/** A failed recipient, and what the text says about it. */
export interface TextStatus {
  /** Null if the text names none. */
  recipient: string | null;
  diagnostic: string;
}

const RECIPIENTS_MAX = 200;
const DIAGNOSTIC_LENGTH_MAX = 1000;
const LINES_MAX = 2000;
const LINE_LENGTH_MAX = 1000;

/** Returns the failed recipients of a text, with what it says about each of them. */
export function textStatuses(message: Pick<IncomingMessage, "fields" | "text" | "parts">): TextStatus[] {
  const own = ownText(message.text);
  const lines = linesOf(own);
  const foreign = foreignAddresses(message);
  const found = byLines(lines, (address) => !isForeign(address, foreign));
  const named = [...new Set(addressesIn((message.fields.get("x-failed-recipients") ?? []).join(" ")))];
  if (named.length > 0) return named.slice(0, RECIPIENTS_MAX).map((recipient) => statusOf(recipient, found, own));
  if (found.length > 0) return found;
  const recipients =
    inSentences(lines, foreign) ?? byOriginal(message, own) ?? byLines(lines, () => true).map((each) => each.recipient);
  if (recipients.length === 0) return [{ recipient: null, diagnostic: shortened(own) }];
  return recipients.map((recipient) => ({ recipient, diagnostic: shortened(own) }));
}

const statusOf = (recipient: string, found: readonly TextStatus[], own: string): TextStatus => ({
  recipient,
  diagnostic: found.find((each) => isSame(each.recipient, recipient))?.diagnostic ?? shortened(own),
});

const isSame = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

const linesOf = (text: string): string[] =>
  text.split(/\r?\n/, LINES_MAX).map((line) => line.slice(0, LINE_LENGTH_MAX));

/** Addresses that are no failed recipient: those of the sender and of the server. */
function foreignAddresses(message: Pick<IncomingMessage, "fields" | "text" | "parts">): ReadonlySet<string> {
  const own = ["from", "to", "reply-to", "sender", "return-path", "delivered-to", "x-original-to", "envelope-to"];
  const ofOriginal = ["from", "sender", "reply-to", "return-path", "errors-to", "x-sender"];
  const original = originalFields(message);
  const values = [
    ...own.flatMap((name) => message.fields.get(name) ?? []),
    ...ofOriginal.map((name) => original?.get(name) ?? ""),
  ];
  return new Set(values.flatMap(addressesIn).map((address) => address.toLowerCase()));
}

const SERVICE =
  /^(?:postmaster|mailer-daemon|mail-daemon|abuse|no-?reply|hostmaster|webmaster|helpdesk|unblock|delist|removeme)@/i;

const isForeign = (address: string | null, foreign: ReadonlySet<string>): boolean =>
  address === null || SERVICE.test(address) || foreign.has(address.toLowerCase());

/**
 * A line that begins with an address: `<a@b>:`, `a@b: reason`, `<a@b>... reason`, `    a@b`, `"a@b":`, `1. a@b`, `a@b on Mon, …`.
 * Or one that names it: `Recipient: <a@b>`, `RCPT To:<a@b>:`, `Unknown user: a@b`.
 */
const RECIPIENT_LINE = new RegExp(
  String.raw`^([ \t]{0,40})(?:[>*•·-]{1,4}[ \t]{0,10})?(?:\d{1,3}[.)][ \t]{0,10})?(?:smtp:|mailto:|rfc822;)?["'<[(]{0,3}(${ADDRESS_SOURCE})["'>\])]{0,3}(.*)$`,
  "i",
);
const NAMED_LINE = new RegExp(
  String.raw`^([ \t>*-]{0,40})([^\r\n@:：]{1,80})[:：][ \t]{0,20}(?:smtp;|rfc822;|smtp:)?[ \t]{0,5}["'<[(]{0,3}(${ADDRESS_SOURCE})["'>\])]{0,3}[ \t:.,;]{0,10}(.*)$`,
  "i",
);
/** Labels of lines that name the recipient, in several languages. */
const RECIPIENT_LABEL =
  /recipient|receiver|addressee|address|user|mailbox|rcpt|\bto$|deliver|account|host|fail|destinat|empf[aä]nger|adress|usuario|dest\.|direcci|endere|correo|ontvanger|mottagare|odbiorc|adresat|получател|адрес|пользовател|收件|收信|宛先|受信|送信先|地址|수신/i;
/** Labels of other lines. */
const OTHER_LABEL =
  /\bfrom\b|sender|reply|message-?id|return-path|\bcc\b|contact|postmaster|question|help|subject|date|absender|exp[eé]diteur|remitente|remetente|mittente|отправител|寄件|发件|差出人|送信者|original address/i;
/** A reply that begins with the address: `550 5.1.1 <a@b>... User unknown`. */
const REPLY_LINE = new RegExp(
  String.raw`^[ \t<>]{0,20}[45]\d\d[ -]{1,3}(?:#?[45]\.\d{1,3}\.\d{1,3} {1,3})?["'<]{0,2}(${ADDRESS_SOURCE})["'>]{0,2}`,
);

interface Found {
  recipient: string;
  lines: string[];
}

/** By the first of these that finds something: lines that begin with an address, lines that name it, replies that begin with it. */
function byLines(
  lines: readonly string[],
  accepts: (address: string) => boolean,
): { recipient: string; diagnostic: string }[] {
  const found = [startOfLine, namedInLine, startOfReply, writtenTo]
    .map((read) => blocks(lines, read).filter(({ recipient }) => accepts(recipient)))
    .find((each) => each.length > 0);
  return (found ?? []).map((each) => ({ recipient: each.recipient, diagnostic: shortened(each.lines.join("\n")) }));
}

interface LineStart {
  indent: number;
  recipient: string;
  rest: string;
}

function startOfLine(line: string): LineStart | null {
  const [, indent = "", recipient, rest = ""] = RECIPIENT_LINE.exec(line) ?? [];
  return recipient === undefined
    ? null
    : { indent: indent.length, recipient, rest: rest.replace(/^[\s:.-]{0,20}/, "") };
}

function namedInLine(line: string): LineStart | null {
  const [, indent = "", label = "", recipient, rest = ""] = NAMED_LINE.exec(line) ?? [];
  if (recipient === undefined || OTHER_LABEL.test(label) || !RECIPIENT_LABEL.test(label)) return null;
  return WRITTEN_TO.test(label) ? null : { indent: indent.length, recipient, rest: `${label}: ${rest}` };
}

/** The field of the original message, repeated in the text. */
const WRITTEN_TO = /^(?:to|an|à|para|a|宛先)[ \t]{0,20}$/i;

function writtenTo(line: string): LineStart | null {
  const [, indent = "", label = "", recipient, rest = ""] = NAMED_LINE.exec(line) ?? [];
  return recipient === undefined || !WRITTEN_TO.test(label) ? null : { indent: indent.length, recipient, rest };
}

function startOfReply(line: string): LineStart | null {
  const recipient = REPLY_LINE.exec(line)?.[1];
  return recipient === undefined ? null : { indent: 0, recipient, rest: line };
}

/** What follows a rule is about no recipient. */
const RULE = /^[ \t]{0,20}[-=_*]{10,200}[ \t]{0,20}$/;

/** Lines that are indented further than the first recipient belong to the one above them. */
function blocks(lines: readonly string[], read: (line: string) => LineStart | null): Found[] {
  const found: Found[] = [];
  let indentMax: number | null = null;
  let isInBlock = true;
  for (const line of lines) {
    const start = read(line);
    const isStart = start !== null && start.indent <= (indentMax ?? start.indent);
    if (!isStart) {
      if (RULE.test(line)) isInBlock = false;
      if (isInBlock) found.at(-1)?.lines.push(line);
      continue;
    }
    isInBlock = true;
    indentMax ??= start.indent;
    const known = found.find(({ recipient }) => isSame(recipient, start.recipient));
    if (known !== undefined) known.lines.push(start.rest);
    else if (found.length < RECIPIENTS_MAX) found.push({ recipient: start.recipient, lines: [start.rest] });
  }
  return found;
}

/** Words before an address in a sentence: `your message to <a@b> was`, `rejected recipient <a@b>`, `delivering to a@b`. */
const IN_SENTENCE = new RegExp(
  String.raw`(?:\b(?:to|recipient|recipients|user|for|account|mailbox|address|an|für|à|destinataire|a|para|destinatario|destinatário|usuario|aan|till|til|do|для|адрес\S{0,3}|пользовател\S{0,3}|получател\S{0,3})[ \t\r\n]{1,5}|[（(：:「][ \t\r\n]{0,5})["'<(（]{0,3}(${ADDRESS_SOURCE})`,
  "giu",
);
const MATCHES_MAX = 200;

/** Null if no sentence names an address. */
function inSentences(lines: readonly string[], foreign: ReadonlySet<string>): string[] | null {
  const text = lines.filter((line) => !OTHER_LABEL.test(/^[^:@]{0,60}:/.exec(line)?.[0] ?? "")).join("\n");
  let matches = 0;
  for (const [, address = ""] of text.matchAll(IN_SENTENCE)) {
    if (!isForeign(address, foreign)) return [address];
    if (++matches === MATCHES_MAX) break;
  }
  return null;
}

/** Recipients of the original message that the text names, else its only recipient, else any address of the text. */
function byOriginal(message: Pick<IncomingMessage, "text" | "parts" | "fields">, own: string): string[] | null {
  const fields = originalFields(message);
  const inText = addressesIn(own);
  const written = fields === null ? [] : writtenRecipients(fields);
  const both = written.filter((each) => inText.some((other) => isSame(other, each)));
  if (both.length > 0) return both.slice(0, RECIPIENTS_MAX);
  const sole = fields === null ? null : soleRecipient(fields);
  if (sole !== null) return [sole];
  const foreign = foreignAddresses(message);
  const any = inText.find((address) => !isForeign(address, foreign));
  return any === undefined ? null : [any];
}

const shortened = (text: string): string => text.trim().slice(0, DIAGNOSTIC_LENGTH_MAX);
