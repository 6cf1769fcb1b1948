/**
 * Decides what a message that came back is: a bounce, a complaint, or something that changes nothing. It has been sent to an envelope
 * sender or a report address of ours; who may report what is decided elsewhere.
 */
import { type Bounce, readBounceText, readNotification } from "./bounce.ts";
import { type Complaint, readComplaint } from "./complaint.ts";
import { type OriginalMessage, originalOf } from "./original-message.ts";
import { type IncomingMessage, readIncoming } from "./report-parts.ts";

export type Feedback =
  | { type: "bounced"; bounces: Bounce[]; original: OriginalMessage }
  | { type: "complained"; complaint: Complaint }
  /** Changes nothing. */
  | { type: "ignored"; because: Ignored };

/**
 * - `not_failed`: delivered, or delayed and tried again.
 * - `automatic_reply`: out of office, and the like.
 * - `challenge`: the recipient's filter wants a confirmation.
 * - `not_spam`: a recipient has taken a message out of the spam folder.
 * - `not_understood`: anything else.
 */
export type Ignored = "not_failed" | "automatic_reply" | "challenge" | "not_spam" | "not_understood";

const ignored = (because: Ignored): Feedback => ({ type: "ignored", because });

/** Reads an incoming message. Never rejects, whatever it contains. */
export async function readFeedback(raw: Buffer): Promise<Feedback> {
  const message = await readIncoming(raw);
  if (message === null) return ignored("not_understood");
  const complaint = readComplaint(message);
  if (complaint !== null)
    return complaint.kind === "not-spam" ? ignored("not_spam") : { type: "complained", complaint };
  const report = readNotification(message) ?? (isFromServer(message) ? readBounceText(message) : null);
  if (report?.type === "bounced") return { type: "bounced", bounces: report.bounces, original: originalOf(message) };
  if (report !== null) return ignored("not_failed");
  if (isChallenge(message)) return ignored("challenge");
  return ignored(isAutomaticReply(message) ? "automatic_reply" : "not_understood");
}

/** Servers report from these names, and Exim with a field. */
const SERVER =
  /\b(?:mailer-daemon|postmaster|mail(?:er)?[ _-]?(?:delivery|administrator)|mdaemon|mail delivery (?:sub)?system)\b/i;

function isFromServer({ fields }: IncomingMessage): boolean {
  return fields.has("x-failed-recipients") || SERVER.test(fields.get("from")?.[0] ?? "");
}

const CHALLENGE_FIELDS = ["x-delivery-agent-tmda", "x-boxtrapper", "x-challenge", "x-ask-auth"];
const CHALLENGE =
  /\b(?:please confirm|confirm your (?:message|e-?mail)|verify your e-?mail to|awaiting your confirmation)\b/i;

function isChallenge({ fields, subject }: IncomingMessage): boolean {
  return CHALLENGE_FIELDS.some((name) => fields.has(name)) || CHALLENGE.test(subject);
}

const REPLY_FIELDS = ["x-autoreply", "x-autorespond", "x-autoresponder", "x-auto-response-suppress", "x-vacation"];
const REPLY_SUBJECT =
  /\b(?:out of (?:the )?office|automatic reply|auto(?:matic)?[- ]?(?:reply|response)|on vacation|abwesen|automatische antwort|respuesta autom|réponse automatique|absence du bureau)/i;

/** RFC 3834. */
function isAutomaticReply({ fields, subject }: IncomingMessage): boolean {
  const submitted = fields.get("auto-submitted")?.[0]?.trim().toLowerCase() ?? "no";
  const precedence = fields.get("precedence")?.[0]?.trim().toLowerCase() ?? "";
  if (!submitted.startsWith("no") || precedence === "auto_reply") return true;
  return REPLY_FIELDS.some((name) => fields.has(name)) || REPLY_SUBJECT.test(subject);
}
