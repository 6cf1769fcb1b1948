/**
 * Builds the bytes of a message: RFC 5322 header fields and a MIME body. They are built once, at acceptance, and are the same
 * in each attempt. Bcc recipients are not in them. mime.ts encodes the bodies; signing and dot-stuffing happen at delivery.
 *
 * The address fields and the subject are not left to nodemailer: it rewrites some valid addresses (an IDN beside a non-ASCII
 * local part, angle brackets in a quoted one), leaves long words unfolded and drops an empty subject.
 */

import { foldLines } from "nodemailer/lib/mime-funcs";
import type { Mailbox } from "../address.ts";
import type { Content } from "../content.ts";
import { encodedWords } from "../encoded-words.ts";
import { dateField } from "../header/date-field.ts";
import { needsEncoding, phraseOf } from "../header/phrase.ts";
import { asciiCustomField, type CustomHeader } from "../send-request/custom-header.ts";
import type { Submission } from "../send-request/submission.ts";
import { assemble, type Entity, fileEntity, multipart, textEntity } from "./mime.ts";

/** Words up to this length can be folded within RFC 5322's recommended 78 characters. */
const PLAIN_LENGTH_MAX = 60;
const FOLD_LENGTH = 76;

export interface ComposeOptions {
  /** The Message-ID with its angle brackets. */
  messageId: string;
  date: Date;
  /** The unique part of the MIME boundary: at most 40 letters and digits. */
  boundary: string;
  /** False: the content's `bodyHash` is null. */
  hashesBody?: boolean;
}

/**
 * Returns the whole message: CRLF line ends only, lines of at most 998 octets, 7-bit unless an address has a non-ASCII local
 * part (RFC 6532). `before` has header fields to begin with, each with its CRLF. The same arguments return the same bytes.
 */
export function compose(submission: Submission, options: ComposeOptions, before = ""): Content {
  const { fields, body } = bodyEntity(submission, options);
  const lines = [
    addressField("From", [submission.from]),
    addressField("To", submission.to),
    ...(submission.cc === undefined ? [] : [addressField("Cc", submission.cc)]),
    ...(submission.replyTo === undefined ? [] : [addressField("Reply-To", submission.replyTo)]),
    subjectField(submission.subject),
    `Message-ID: ${options.messageId}`,
    dateField(options.date.getTime()),
    "MIME-Version: 1.0",
    ...(submission.headers ?? []).map(customField),
    ...fields,
  ];
  return assemble({ fields: lines, body }, { before, hashesBody: options.hashesBody ?? true });
}

/** The text and HTML bodies, with inline images related to the HTML, and the files attached to the whole. */
function bodyEntity(submission: Submission, { boundary }: ComposeOptions): Entity {
  const { html, attachments, reportType } = submission;
  if (attachments === undefined) return textsEntity(submission, boundary, []);
  const images = html ? attachments.filter((attachment) => attachment.contentId !== null) : [];
  const files = attachments.filter((attachment) => !images.includes(attachment));
  const texts = textsEntity(submission, boundary, images.map(fileEntity));
  if (files.length === 0) return texts;
  const kind = reportType === undefined ? "mixed" : ({ reportType } as const);
  return multipart(kind, boundary, [texts, ...files.map(fileEntity)]);
}

/** Omits an empty part beside another; alone it becomes an empty body. The preferred alternative is last (RFC 2046 §5.1.4). */
function textsEntity({ html, text }: Submission, boundary: string, images: Entity[]): Entity {
  const plain = text || html === null ? textEntity("text/plain", text ?? "", boundary) : null;
  const page = html || text === null ? textEntity("text/html", html ?? "", boundary) : null;
  const rich = page !== null && images.length > 0 ? multipart("related", boundary, [page, ...images]) : page;
  if (plain !== null && rich !== null) return multipart("alternative", boundary, [plain, rich]);
  return plain ?? rich ?? textEntity("text/plain", "", boundary);
}

function addressField(name: "From" | "To" | "Cc" | "Reply-To", mailboxes: Mailbox[]): string {
  return `${name}: ${mailboxes.map(formatMailbox).join(",\r\n ")}`;
}

/** RFC 5322 §3.4 mailbox, with the domain as A-labels. */
function formatMailbox({ name, local, domain }: Mailbox): string {
  const address = `${local}@${domain}`;
  if (name !== null) return `${phraseOf(name)} <${address}>`;
  // Some software splits address lists at quoted commas too; angle brackets avoid this.
  return local.startsWith('"') ? `<${address}>` : address;
}

function subjectField(subject: string): string {
  if (subject === "") return "Subject:";
  const long = subject.split(" ").some((word) => word.length > PLAIN_LENGTH_MAX);
  if (long || needsEncoding(subject)) return `Subject: ${encodedWords(subject)}`;
  return foldLines(`Subject: ${subject}`, FOLD_LENGTH);
}

function customField(header: CustomHeader): string {
  const field = asciiCustomField(header);
  return field.includes("\r\n") ? field : foldLines(field, FOLD_LENGTH);
}
