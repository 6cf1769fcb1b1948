/**
 * Finds, in a report, the message that it is about: it is attached as a whole (message/rfc822), or its header (text/rfc822-headers),
 * or stands in the text after a mark.
 */
import { decodeWords } from "../encoded-words.ts";
import { addressesIn } from "./addresses.ts";
import { type FieldGroup, fieldGroups } from "./delivery-status.ts";
import { ownText } from "./own-text.ts";
import type { IncomingMessage } from "./report-parts.ts";

export interface OriginalMessage {
  /** Message-ID with angle brackets; null if the report does not repeat it. */
  messageId: string | null;
  /** Return-Path without angle brackets: the envelope sender. */
  returnPath: string | null;
  /** Date, in milliseconds since the epoch; null if it is missing or no date. */
  dateMs: number | null;
}

const ORIGINAL_TYPES = new Set([
  "message/rfc822",
  "message/global",
  "text/rfc822-headers",
  "text/rfc822-header",
  "message/global-headers",
  "message/rfc822-headers",
  "message/partial",
  "application/rfc822",
]);

const RETURNED_LINE = /^(?:Return-Path|Received|Message-ID|DKIM-Signature|X-HmXmrOriginalRecipient):/im;

/** Returns the fields of the original message; null if the report does not repeat them. */
export function originalFields({ parts, text }: Pick<IncomingMessage, "parts" | "text">): FieldGroup | null {
  const attached = parts.find(({ type }) => ORIGINAL_TYPES.has(type))?.text.trimStart();
  if (attached !== undefined) return fieldGroups(attached)[0] ?? null;
  const content = text.slice(RETURNED_LINE.exec(text)?.index ?? ownText(text).length);
  return fieldGroups(content).find((group) => group.has("message-id") || group.has("to")) ?? null;
}

export function originalOf(message: Pick<IncomingMessage, "parts" | "text">): OriginalMessage {
  const fields = originalFields(message);
  return {
    messageId: /<[^<>\s]+>/.exec(fields?.get("message-id") ?? "")?.[0] ?? null,
    returnPath: addressesIn(fields?.get("return-path") ?? "")[0] ?? null,
    dateMs: timeOf(fields?.get("date")),
  };
}

function timeOf(date = ""): number | null {
  const timeMs = Date.parse(date.slice(0, DATE_LENGTH_MAX));
  return Number.isNaN(timeMs) ? null : timeMs;
}

const DATE_LENGTH_MAX = 100;

/** Fields that name the recipient of a delivered message, then those that its author has written. */
const RECIPIENT_FIELDS = [
  "x-hmxmroriginalrecipient",
  "x-original-to",
  "x-rcpt-to",
  "x-envelope-to",
  "envelope-to",
  "delivered-to",
  "x-failed-recipients",
  "to",
  "apparently-to",
  "resent-to",
];

/** Returns the only recipient that the fields name; null if they name none or several. */
export function soleRecipient(fields: FieldGroup): string | null {
  for (const name of RECIPIENT_FIELDS) {
    const [address, ...others] = recipientsIn(fields, name);
    if (address !== undefined && others.every((each) => each.toLowerCase() === address.toLowerCase())) return address;
  }
  return null;
}

/** Returns the recipients that the author has written. */
export const writtenRecipients = (fields: FieldGroup): string[] =>
  ["to", "cc", "apparently-to"].flatMap((name) => recipientsIn(fields, name));

/** The address of `"ann@a.example" <bob@b.example>` is the one in angle brackets. */
function recipientsIn(fields: FieldGroup, name: string): string[] {
  const value = decodeWords(fields.get(name) ?? "");
  const bracketed = value.match(/<[^<>]{1,320}>/g);
  return addressesIn((bracketed ?? [value]).join(" "));
}
