/**
 * A message that a client has built and submitted over SMTP (RFC 6409): what is read of its header, and what must change. All else
 * arrives as it was submitted: the body octet for octet, the fields as written and in their order. content-check.ts has examined the
 * octets before.
 */

import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import { ambiguity, type Mailbox, mailboxKey } from "../address.ts";
import type { Draft, DraftSummary, ShownSender } from "../compose/draft.ts";
import { bodyStart, type Content, contentOf, withFields } from "../content.ts";
import { decodeWords } from "../encoded-words.ts";
import { inAscii } from "../header/ascii-field.ts";
import { asciiTokens } from "../header/ascii-tokens.ts";
import { dateField } from "../header/date-field.ts";
import { hasLongLine } from "../header/folding.ts";
import { type HeaderField, headerFields } from "../header/header-fields.ts";
import { isAuthenticationField } from "../header/server-fields.ts";
import { SUBJECT_LENGTH_MAX } from "../send-request/send-request-schema.ts";
import { validateSendRequest } from "../send-request/send-request-validation.ts";
import { isUnsubscribeField, ONE_RECIPIENT_ONLY } from "../send-request/unsubscribe-fields.ts";
import { isOwn, ownFieldName, readOwnFields } from "./own-fields.ts";
import { tooLongInAscii, withAsciiPartHeaders } from "./part-headers.ts";
import { singleMailbox } from "./single-mailbox.ts";

export interface SubmittedOptions {
  /** Of the envelope, at least one, each once. */
  recipients: Mailbox[];
  /** The part before the @ of a Message-ID that is added. */
  token: string;
  /** Of a Date field that is added. */
  dateMs: number;
  /** Whether an octet of the body is above 127. */
  eightBit: boolean;
  /** False: the content's `bodyHash` is null. */
  hashesBody: boolean;
}

export interface SubmittedMessage {
  draft: Draft;
  /** The client's own key. Without one, what identifies a repeated submission; null for a message without a Message-ID. */
  idempotencyKey: string | null;
  /** Only the client's own key; null if it gave none. */
  clientKey: string | null;
}

/** `looping`: so many servers have passed the message on that some do so in a circle. */
export type SubmittedResult =
  | ({ type: "valid" } & SubmittedMessage)
  | { type: "invalid"; detail: string }
  | { type: "looping"; detail: string };

/** Never sent on, because they would reveal recipients; nor are those of server-fields.ts that say who vouches for a message. */
const HIDDEN: ReadonlySet<string> = new Set(["bcc", "resent-bcc"]);

/** Fields that occur once at most (RFC 5322 §3.6). Readers differ in which of two they show. */
const ONCE: ReadonlySet<string> = new Set(
  "from sender reply-to to cc bcc subject date message-id in-reply-to references mime-version content-type content-transfer-encoding".split(
    " ",
  ),
);

/**
 * Fields beside From that readers show as who has sent a message (RFC 5322 §3.6.2, §3.6.6). Acceptance decides which of their domains
 * are allowed. RFC 6409 §8.1 allows to replace Sender instead, which would change what the client has written.
 */
const RESENT_FIELDS: ReadonlySet<string> = new Set(["resent-from", "resent-sender"]);

/** Each is looked up. A message that was sent again several times has two for each time. The next one counts as not valid. */
const RESENT_FIELDS_MAX = 20;

/** Each server that passes a message on adds a Received field. RFC 5321 §6.3 recommends a limit of at least 100. */
const RECEIVED_MAX = 100;

/** Octets of an unfolded Message-ID: as many as a line may have, because lists and logs show it on one. */
const MESSAGE_ID_OCTETS_MAX = 998;

/** Begins the idempotency keys of submissions without one. No client can send it: it is not printable. */
const DERIVED_KEY = "\u0001submission ";

/** Reads the message, which has CRLF line ends only. */
export function readSubmitted(bytes: Buffer, options: SubmittedOptions): SubmittedResult {
  const header = headerFields(bytes);
  if (header.type === "invalid") return header;
  const { fields } = header;
  if (fields.filter(({ key }) => key === "received").length > RECEIVED_MAX) {
    return { type: "looping", detail: `The message has more than ${RECEIVED_MAX} Received fields: it is in a loop.` };
  }
  const repeated = repeatedField(fields);
  if (repeated !== null) return invalid(`The message has more than one ${repeated} field.`);
  const from = fromOf(fields);
  if (typeof from === "string") return invalid(from);
  const senders = shownSenders(fields);
  if (typeof senders === "string") return invalid(senders);
  const own = readOwnFields(fields);
  if (own.type === "invalid") return own;
  const request = requestFields(own.request);
  if (request.type === "invalid") return request;
  const fault = request.fields.unsubscribe ? unsubscribeFault(fields, options.recipients) : null;
  if (fault !== null) return invalid(`X-Postrider-Unsubscribe: ${fault}`);
  const summary: DraftSummary = {
    from,
    ...(senders.length === 0 ? {} : { senders }),
    ...recipientFields(fields, options.recipients),
    subject: subjectOf(fields),
    ...request.fields,
  };
  const givenId = textOf(fields, "message-id");
  const messageId = givenId === null ? null : asciiTokens(givenId);
  if (messageId !== null && Buffer.byteLength(messageId) > MESSAGE_ID_OCTETS_MAX) {
    return invalid(`The Message-ID is longer than ${MESSAGE_ID_OCTETS_MAX} octets.`);
  }
  const built = contentWith(bytes, fields, { ...options, from, messageId });
  if (built.type === "invalid") return built;
  const identity = identityOf(bytes, {
    summary,
    messageId: givenId,
    key: own.idempotencyKey,
    recipients: options.recipients,
  });
  const draft: Draft = {
    summary,
    messageId: built.messageId,
    payloadHash: () => identity,
    content: (added = "") => withFields(built.content(), added),
    hasFeedbackId: fields.some(({ key }) => key === "feedback-id"),
    eightBit: built.eightBit,
  };
  const derivedKey = messageId === null ? null : `${DERIVED_KEY}${identity}`;
  return { type: "valid", draft, idempotencyKey: own.idempotencyKey ?? derivedKey, clientKey: own.idempotencyKey };
}

function repeatedField(fields: readonly HeaderField[]): string | null {
  const seen = new Set<string>();
  for (const { key, name } of fields) {
    if (!ONCE.has(key)) continue;
    if (seen.has(key)) return name;
    seen.add(key);
  }
  return null;
}

const textOf = (fields: readonly HeaderField[], key: string): string | null =>
  fields.find((field) => field.key === key)?.value || null;

/** The sender; the error as a text. */
function fromOf(fields: readonly HeaderField[]): Mailbox | string {
  const field = fields.find(({ key }) => key === "from");
  return field === undefined ? "The message has no From field." : mailboxOf(field);
}

/** The mailboxes of Sender and of the fields in RESENT_FIELDS; the error in Sender as a text. */
function shownSenders(fields: readonly HeaderField[]): ShownSender[] | string {
  const senders: ShownSender[] = [];
  const sender = fields.find(({ key }) => key === "sender");
  if (sender !== undefined) {
    const mailbox = mailboxOf(sender);
    if (typeof mailbox === "string") return mailbox;
    senders.push({ field: sender.name, mailbox, isResent: false });
  }
  const resent = fields.filter(({ key }) => RESENT_FIELDS.has(key)).slice(0, RESENT_FIELDS_MAX + 1);
  for (const [at, field] of resent.entries()) {
    const mailbox = at < RESENT_FIELDS_MAX ? mailboxOf(field) : "";
    senders.push({ field: field.name, mailbox: typeof mailbox === "string" ? null : mailbox, isResent: true });
  }
  return senders;
}

function mailboxOf({ name: field, value }: HeaderField): Mailbox | string {
  const parsed = singleMailbox(value);
  if (parsed.type === "invalid") return `${field}: ${parsed.detail}`;
  const { name, address, local, domain } = parsed;
  const fault = ambiguity(local);
  return fault === null ? { name, address, local, domain } : `${field}: ${fault}`;
}

type RequestFields =
  | { type: "valid"; fields: Pick<DraftSummary, "tags" | "metadata" | "expiresInMs" | "unsubscribe"> }
  | { type: "invalid"; detail: string };

/** Why the message cannot have an unsubscribe link; null if it can. */
function unsubscribeFault(fields: readonly HeaderField[], recipients: readonly Mailbox[]): string | null {
  if (recipients.length > 1) return ONE_RECIPIENT_ONLY;
  const taken = fields.find(({ key }) => isUnsubscribeField(key));
  return taken === undefined ? null : `Postrider sets ${taken.name} itself: remove it from the message.`;
}

/** Tags, metadata, expiry and unsubscribe under the rules of a send request, of which they are the only part that can be invalid. */
function requestFields(fields: Record<string, unknown>): RequestFields {
  if (Object.keys(fields).length === 0) return { type: "valid", fields: {} };
  const complete = { from: "a@example.com", to: "b@example.com", subject: "", text: "", ...fields };
  const validated = validateSendRequest(complete, { recipientsMax: 1 });
  if (validated.type === "invalid") {
    return invalid(validated.errors.map(({ field, detail }) => `${ownFieldName(field)}: ${detail}`).join(" "));
  }
  const { tags, metadata, expiresInMs, unsubscribe } = validated.submission;
  const optional = { tags, metadata, expiresInMs, unsubscribe };
  return {
    type: "valid",
    fields: Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

/** Recipients are in the field that names them; those that neither To nor Cc names are Bcc. */
function recipientFields(
  fields: readonly HeaderField[],
  recipients: readonly Mailbox[],
): Pick<DraftSummary, "to" | "cc" | "bcc"> {
  const [inTo, inCc] = [addressesOf(fields, "to"), addressesOf(fields, "cc")];
  const [to, cc, bcc]: [Mailbox[], Mailbox[], Mailbox[]] = [[], [], []];
  for (const mailbox of recipients) {
    const address = mailbox.address.toLowerCase();
    (inTo.has(address) ? to : inCc.has(address) ? cc : bcc).push(mailbox);
  }
  return { to, ...(cc.length === 0 ? {} : { cc }), ...(bcc.length === 0 ? {} : { bcc }) };
}

/** What looks like an address in a field, in lower case. */
function addressesOf(fields: readonly HeaderField[], key: string): ReadonlySet<string> {
  const words = (textOf(fields, key) ?? "").toLowerCase().match(WORD) ?? [];
  return new Set(words.filter((word) => word.includes("@")));
}

/** A quoted string, with the domain where it is a local part, or a run of other characters than separators. */
const WORD = /"(?:[^"\\]|\\.?)*(?:"(?:@[^\s<>,;:"()]*)?|$)|[^\s<>,;:"()]+/gsu;

/** For lists: the field itself is not changed. */
function subjectOf(fields: readonly HeaderField[]): string {
  const text = decodeWords(textOf(fields, "subject") ?? "").replace(/\p{Cc}+/gu, " ");
  return text.slice(0, SUBJECT_LENGTH_MAX).toWellFormed();
}

interface Addition extends Pick<SubmittedOptions, "token" | "dateMs" | "eightBit" | "hashesBody"> {
  from: Mailbox;
  /** In ASCII. */
  messageId: string | null;
}

type Built =
  | { type: "valid"; messageId: string; content: () => Content; eightBit: boolean }
  | { type: "invalid"; detail: string };

/**
 * The message without the fields that are not sent on, with the Message-ID and Date that it lacks (RFC 6409 §8.3), and with headers in
 * ASCII but for addresses.
 */
function contentWith(bytes: Buffer, fields: readonly HeaderField[], addition: Addition): Built {
  const { from, messageId, token, dateMs, eightBit, hashesBody } = addition;
  const id = messageId ?? `<${token}@${from.domain}>`;
  const added = [
    ...(messageId === null ? [`Message-ID: ${id}\r\n`] : []),
    ...(textOf(fields, "date") === null ? [`${dateField(dateMs)}\r\n`] : []),
  ];
  const kept = fields.filter((field) => isSentOn(field) && !isReplaced(field));
  const written = kept.map(inAscii);
  const long = kept.find(({ text }, at) => text !== written[at] && hasLongLine(written[at] ?? ""));
  if (long !== undefined) return invalid(tooLongInAscii(long));
  const header = Buffer.from(`${[...written, ...added].join("")}\r\n`);
  const body = bytes.subarray(bodyStart(bytes));
  const parts = eightBit ? withAsciiPartHeaders(fields, body) : { type: "valid" as const, pieces: [body] };
  if (parts.type === "invalid") return parts;
  const content = (): Content => {
    const all = Buffer.concat([header, ...parts.pieces]);
    return hashesBody ? contentOf(all) : { bytes: all, bodyHash: null };
  };
  return {
    type: "valid",
    messageId: id,
    content,
    eightBit: eightBit && !parts.pieces.every((piece) => isAscii(piece)),
  };
}

const isSentOn = (field: HeaderField): boolean =>
  !HIDDEN.has(field.key) && !isAuthenticationField(field.key) && !isOwn(field);

/** Whether a field that is added takes its place. */
const isReplaced = ({ key, value }: HeaderField): boolean => value === "" && (key === "message-id" || key === "date");

interface Identified {
  summary: DraftSummary;
  messageId: string | null;
  /** The client's own idempotency key. */
  key: string | null;
  recipients: readonly Mailbox[];
}

/**
 * The SHA-256 (hex) of what makes two submissions the same: Message-ID, envelope and content. With a key of the client: sender,
 * only recipients and subject, because programs that send again build the message anew, with other boundaries and times. Spools
 * hold these hashes: the input must not change.
 */
function identityOf(bytes: Buffer, { summary, messageId, key, recipients }: Identified): string {
  const hash = createHash("sha256");
  const envelope = recipients.map(({ local, domain }) => mailboxKey(local, domain)).sort();
  hash.update(JSON.stringify(key === null ? [messageId, envelope] : [summary.from.address, envelope, summary.subject]));
  if (key === null) hash.update(bytes);
  return hash.digest("hex");
}

const invalid = (detail: string): { type: "invalid"; detail: string } => ({ type: "invalid", detail });
