/**
 * Finds failed recipients in a bounce without machine-readable fields: in the texts of qmail, Exim, Sendmail, Courier, OpenSMTPD and
 * others that look alike, and in Exim's X-Failed-Recipients. Reads facts; bounce.ts decides what they mean.
 */
import type { IncomingMessage } from "./report-parts.ts";

/** A failed recipient, and what the text says about it. */
export interface TextStatus {
  /** Null if the text names none. */
  recipient: string | null;
  diagnostic: string;
}

/** What follows is the returned message. */
const RETURNED = [
  /^-+ ?Below this line/im,
  /^-+ ?This is a copy of/im,
  /^-+ ?(?:The )?(?:body of the )?(?:original|returned|undelivered|failed) message/im,
  /^-+ ?Unsent message/im,
  /^-+ ?Message header follows/im,
  /^-+ ?Included is a copy/im,
  /^(?:Return-Path|Received): /m,
];

const RECIPIENTS_MAX = 200;
const DIAGNOSTIC_LENGTH_MAX = 1000;

const LINE_LENGTH_MAX = 2000;
const ADDRESS = String.raw`[^\s<>()[\]:;,"'@]+@[\w.-]+`;

/** A line that begins with an address: `<a@b>:`, `a@b:`, `<a@b>... reason`, `    a@b`. */
const RECIPIENT_LINE = new RegExp(
  String.raw`^[ \t>*-]*<?(${ADDRESS})>?(?:[ \t]*(?:[:.]+|\(|-)[ \t]*(.*)|[ \t]*)$`,
  "i",
);

/** Returns the failed recipients of a text, with the lines that follow each of them. */
export function textStatuses({ fields, text }: Pick<IncomingMessage, "fields" | "text">): TextStatus[] {
  const own = beforeReturned(text);
  const found = byLines(own);
  const named = (fields.get("x-failed-recipients") ?? [])
    .flatMap((value) => value.split(","))
    .map((each) => each.trim());
  const known = new Set(found.map(({ recipient }) => recipient?.toLowerCase()));
  const missing = named.filter((each) => each.includes("@") && !known.has(each.toLowerCase()));
  const all = [
    ...found,
    ...missing.slice(0, RECIPIENTS_MAX).map((recipient) => ({ recipient, diagnostic: shortened(own) })),
  ];
  return all.length > 0 ? all : [{ recipient: null, diagnostic: shortened(own) }];
}

/** The server's own text. */
function beforeReturned(text: string): string {
  const ends = RETURNED.map((pattern) => pattern.exec(text)?.index ?? text.length);
  return text.slice(0, Math.min(...ends));
}

function byLines(text: string): { recipient: string; diagnostic: string }[] {
  const found: { recipient: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, recipient, rest = ""] = RECIPIENT_LINE.exec(line.slice(0, LINE_LENGTH_MAX)) ?? [];
    if (recipient === undefined) found.at(-1)?.lines.push(line);
    else if (found.length < RECIPIENTS_MAX) found.push({ recipient, lines: [rest] });
  }
  return found.map(({ recipient, lines }) => ({ recipient, diagnostic: shortened(lines.join("\n")) }));
}

const shortened = (text: string): string => text.trim().slice(0, DIAGNOSTIC_LENGTH_MAX);
