/**
 * From the bytes of a send request to the message that it asks for: parses, validates, hashes and composes. Pure, so that it
 * runs wherever there is time for it: on the thread that serves HTTP for a short request, on one of its own for a long one.
 */
import { compose } from "./compose.ts";
import { parseJson } from "./json-text.ts";
import type { FieldError } from "./request-fault.ts";
import { payloadHash, readSubmission, type Submission } from "./submission.ts";

export interface DraftStamp {
  /** The part of the Message-ID before the @. */
  token: string;
  dateMs: number;
  /** As Stamp's. */
  boundary: string;
}

export interface DraftOptions extends DraftStamp {
  recipientsMax: number;
}

/** What acceptance looks at; the rest of a submission is in the content. */
export type DraftHead = Pick<
  Submission,
  "from" | "to" | "cc" | "bcc" | "subject" | "tags" | "metadata" | "expiresInMs"
>;

export interface Draft {
  head: DraftHead;
  /** With its angle brackets. */
  messageId: string;
  /** As `payloadHash` of submission.ts. */
  payloadHash(): string;
  /** The whole message (RFC 5322), unsigned. */
  content(): Buffer;
}

export type DraftFault =
  | { code: "invalid_json"; detail: string }
  | { code: "invalid_request" | "too_many_recipients"; errors: FieldError[] };

export type ReadDraft = { type: "read"; draft: Draft } | { type: "rejected"; fault: DraftFault };

/** Reads a request's body. Hash and content are made when they are asked for, as not every request comes so far. */
export function readDraft(body: Buffer, options: DraftOptions): ReadDraft {
  const parsed = parseJson(body);
  if (parsed.type === "invalid") return { type: "rejected", fault: parsed };
  const read = readSubmission(parsed.value, { recipientsMax: options.recipientsMax });
  if (read.type === "invalid") return { type: "rejected", fault: read };
  return { type: "read", draft: draftOf(read.submission, options) };
}

/** The draft of a valid submission. */
export function draftOf(submission: Submission, { token, dateMs, boundary }: DraftStamp): Draft {
  const messageId = `<${token}@${submission.from.domain}>`;
  const stamp = { messageId, date: new Date(dateMs), boundary };
  return {
    head: submission,
    messageId,
    payloadHash: () => payloadHash(submission),
    content: () => compose(submission, stamp),
  };
}

/** The part of a submission that leaves the thread which read it. */
export function headOf({ from, to, cc, bcc, subject, tags, metadata, expiresInMs }: DraftHead): DraftHead {
  const given = { cc, bcc, tags, metadata, expiresInMs };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { from, to, subject, ...present };
}
