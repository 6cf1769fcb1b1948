/** Replies that reject a command or a message at any SMTP listener (RFC 5321 §4.2.3), with enhanced status codes (RFC 3463). */
import { MemoryRefused } from "../lib/memory-queue.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import { TooManyReports } from "../spool/port/reports.ts";

/** A reply that rejects a command or a message. smtp-server reads `responseCode`, and sends the message after it. */
export class SmtpRejection extends Error {
  override name = "SmtpRejection";
  readonly responseCode: number;
  /** The reason in metrics and logs; where HTTP has the same one, as the API names it. */
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

export const tooManyRecipients = (max: number): SmtpRejection =>
  new SmtpRejection(
    452,
    `4.5.3 A message may have at most ${max} recipients: send it to the others as another message`,
    "too_many_recipients",
  );

export const outOfMemory = (): SmtpRejection =>
  new SmtpRejection(452, "4.3.1 No memory for this message at the moment: try again", "engine_unavailable");

/** `octetsMax`: the limit of all messages, or of this one by what it has announced. */
export const tooLarge = (octetsMax: number): SmtpRejection =>
  new SmtpRejection(
    552,
    `5.3.4 The message has more than ${octetsMax} octets: the limit, or a quarter more than its SIZE`,
    "body_too_large",
  );

export const mailLoop = (detail: string): SmtpRejection => new SmtpRejection(554, `5.4.6 ${detail}`, "invalid_request");

export const unavailable = (detail: string): SmtpRejection =>
  new SmtpRejection(451, `4.3.0 ${detail}`, "engine_unavailable");

/** The reply after an error; null for one that no reply can describe. */
export function errorReply(error: unknown): SmtpRejection | null {
  if (error instanceof SmtpRejection) return error;
  if (error instanceof SpoolUnavailable) return unavailable("The message could not be stored: try again");
  if (error instanceof TooManyReports) return unavailable("Too many requests are waiting: try again");
  return error instanceof MemoryRefused ? outOfMemory() : null;
}
