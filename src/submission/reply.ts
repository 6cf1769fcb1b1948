/** The replies of SMTP submission: reply codes (RFC 5321 §4.2.3, RFC 4954 §6) with enhanced status codes (RFC 3463). */
import type { Rejection } from "../app/accept-message.ts";
import { MemoryRefused } from "../lib/memory-queue.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";

/** A reply that rejects a command or a message. smtp-server reads `responseCode`, and sends the message after it. */
export class SubmissionRejected extends Error {
  override name = "SubmissionRejected";
  readonly responseCode: number;
  /** The reason as the API names it. */
  readonly problem: string;

  /** `text` begins with an enhanced status code. What it repeats of a message may have any characters and any length. */
  constructor(responseCode: number, text: string, problem: string) {
    super(replyText(text));
    this.responseCode = responseCode;
    this.problem = problem;
  }
}

/** Of a reply's text: a line has at most 512 octets, with the code before it and CRLF (RFC 5321 §4.5.3.1.5). */
const TEXT_OCTETS_MAX = 512 - "550 ".length - "\r\n".length;

/** The text in printable ASCII (RFC 5321 §4.2), shortened if necessary. */
function replyText(text: string): string {
  const ascii = text.replaceAll("…", "...").replace(/[^ -~]/gu, "?");
  return ascii.length <= TEXT_OCTETS_MAX ? ascii : `${ascii.slice(0, TEXT_OCTETS_MAX - 3)}...`;
}

export const authenticationRequired = (): SubmissionRejected =>
  new SubmissionRejected(
    530,
    "5.7.0 Authenticate first (after STARTTLS if the connection is not under TLS): any user name, an API key as the password",
    "unauthorized",
  );

export const invalidKey = (): SubmissionRejected =>
  new SubmissionRejected(535, "5.7.8 The password must be an API key that is not revoked", "invalid_api_key");

export const tooManyAttempts = (): SubmissionRejected =>
  new SubmissionRejected(
    421,
    "4.7.0 Too many attempts without a valid API key from this address",
    "rate_limit_exceeded",
  );

export const tooManyRecipients = (max: number): SubmissionRejected =>
  new SubmissionRejected(
    452,
    `4.5.3 A message may have at most ${max} recipients: send it to the others as another message`,
    "too_many_recipients",
  );

export const outOfMemory = (): SubmissionRejected =>
  new SubmissionRejected(452, "4.3.1 No memory for this message at the moment: try again", "engine_unavailable");

export const invalidMessage = (detail: string): SubmissionRejected =>
  new SubmissionRejected(550, `5.6.0 ${detail}`, "invalid_request");

export const invalidRecipient = (detail: string): SubmissionRejected =>
  new SubmissionRejected(553, `5.1.3 ${detail}`, "invalid_request");

export const mailLoop = (detail: string): SubmissionRejected =>
  new SubmissionRejected(554, `5.4.6 ${detail}`, "invalid_request");

/** `octetsMax`: the limit of all messages, or of this one by what it has announced. */
export const tooLarge = (octetsMax: number): SubmissionRejected =>
  new SubmissionRejected(
    552,
    `5.3.4 The message has more than ${octetsMax} octets: the limit, or a quarter more than its SIZE`,
    "body_too_large",
  );

export const unavailable = (detail: string): SubmissionRejected =>
  new SubmissionRejected(451, `4.3.0 ${detail}`, "engine_unavailable");

/** The reply for each reason for which the use case rejects a message. */
const REPLIES: Readonly<Record<Rejection["code"], readonly [code: number, status: string]>> = {
  invalid_request: [550, "5.6.0"],
  invalid_api_key: [535, "5.7.8"],
  sender_not_allowed: [550, "5.7.1"],
  domain_not_verified: [550, "5.7.1"],
  engine_unavailable: [451, "4.3.0"],
  rate_limit_exceeded: [451, "4.7.1"],
  quota_exceeded: [451, "4.7.1"],
  idempotency_key_reused: [550, "5.5.0"],
  body_too_large: [552, "5.3.4"],
};

export function rejectionReply({ code, detail, retryAfterS }: Rejection): SubmissionRejected {
  const [responseCode, status] = REPLIES[code];
  const text = code === "idempotency_key_reused" ? REUSED : detail;
  const wait = retryAfterS === undefined ? "" : ` Try again in ${retryAfterS} s.`;
  return new SubmissionRejected(responseCode, `${status} ${text}${wait}`, code);
}

const REUSED = "This X-Postrider-Idempotency-Key was used within 24 hours with another sender, recipients or subject.";

/** The reply after an error; null for one that no reply can describe. */
export function errorReply(error: unknown): SubmissionRejected | null {
  if (error instanceof SubmissionRejected) return error;
  if (error instanceof SpoolUnavailable) return unavailable("The message could not be stored: try again");
  return error instanceof MemoryRefused ? outOfMemory() : null;
}
