/**
 * The load signal of an attempt, which decides how much its destination gets next (congestion-window.ts). Accepted mail speaks for
 * the destination; replies about rate, load or reputation, silence and lost connections speak against it. Replies about one
 * mailbox or one message, DNS errors and errors of this host are neutral. A refusal that may concern one sending domain or one
 * message only slows the destination down, because one account must not close it for another.
 */
import type { Category } from "../../message/category.ts";
import { categoryOfReply } from "../../message/classifier.ts";
import type { SmtpReply, Stage } from "../../message/outcome.ts";

/** A peer's behaviour at a stage: a reply, or null for silence, a lost connection, a protocol error or no connection. */
export interface Observation {
  stage: Stage;
  reply: SmtpReply | null;
}

export type LoadSignal =
  /** A message was accepted. */
  | "accepted"
  /** A message was accepted, and another was refused for load. */
  | "strained"
  /** Nothing was accepted, and something was refused for load. */
  | "refused"
  /** Nothing was accepted, and every refusal for load may concern one sending domain or one message alone. */
  | "sender_refused"
  /** No address accepted a connection; host-health.ts finds out which addresses are dead. */
  | "unreachable"
  | "neutral";

/** The signal of one observation. */
export type ObservationSignal = Exclude<LoadSignal, "strained">;

/** The signal of everything that one attempt observed. */
export function signalOf(observations: readonly Observation[]): LoadSignal {
  return combinedSignal(new Set(observations.map(signalOfObservation)));
}

/** The same from the signals of the observations. */
export function combinedSignal(signals: ReadonlySet<ObservationSignal>): LoadSignal {
  const isRefused = signals.has("refused");
  if (signals.has("accepted")) return isRefused || signals.has("sender_refused") ? "strained" : "accepted";
  if (isRefused) return "refused";
  if (signals.has("sender_refused")) return "sender_refused";
  // Hosts behind a dead first host, or behind an unreachable address family, must not be slowed down.
  return signals.has("unreachable") && signals.size === 1 ? "unreachable" : "neutral";
}

export function signalOfObservation({ stage, reply }: Observation): ObservationSignal {
  if (reply !== null) return signalOfReply(reply, stage);
  if (stage === "connect") return "unreachable";
  // A failed handshake is caused by configuration, not by load.
  return stage === "dns" || stage === "starttls" ? "neutral" : "refused";
}

function signalOfReply(reply: SmtpReply, stage: Stage): ObservationSignal {
  const { code } = reply;
  if (code < 400) return stage === "final_dot" && code < 300 ? "accepted" : "neutral";
  // A host that refuses the session knows nothing but our address.
  if (stage === "greeting" || stage === "ehlo") return "refused";
  const subject = reply.enhanced_code?.split(".")[1] ?? null;
  // Addresses and mailboxes (RFC 3463 §3.2, §3.3), even where one mailbox gets mail too quickly (4.2.1).
  if (subject === "1" || subject === "2") return "neutral";
  if (code !== 421 && !isAboutLoad(reply, stage, subject)) return "neutral";
  return isAboutOneSender(reply, stage) ? "sender_refused" : "refused";
}

function isAboutLoad(reply: SmtpReply, stage: Stage, subject: string | null): boolean {
  switch (categoryOfReply(reply, stage)) {
    case "rate_limited":
      return !isRecipientLimit(reply, stage, subject);
    case "reputation":
      return true;
    case "network":
      return stage === "mail" || reply.code < 500;
    case "other":
      // Before the first recipient only the host and we are known; 4.3.x speaks of the host at every stage.
      return stage === "mail" || (subject === "3" && reply.code < 500);
    case "policy":
      return stage === "mail" && !isAboutSender(reply);
    default:
      return false;
  }
}

/** Too many recipients in one transaction (RFC 5321 §4.5.3.1.10): a limit of the protocol. */
function isRecipientLimit({ code }: SmtpReply, stage: Stage, subject: string | null): boolean {
  return subject === "5" || (stage === "rcpt" && subject === null && (code === 452 || code === 552));
}

function isAboutSender({ code, message }: SmtpReply): boolean {
  return code === 530 || code === 535 || /sender|\bfrom\b/iu.test(message);
}

/** Categories of a 421 besides rate, load and reputation. */
const OF_ONE_MESSAGE: ReadonlySet<Category> = new Set([
  "bad_address",
  "mailbox_full",
  "mailbox_disabled",
  "authentication",
  "content",
  "too_large",
  "greylisted",
]);

/** Words for a domain or its signature, for the content of a message, and for block lists of domains and URLs. */
const ONE_SENDER =
  /\b(?:domains?|dkim|spf|dmarc|ur[il]s?|content|attachments?|message (?:body|header)|links? (?:with)?in|(?:banned|outbound) sender|sender(?:'s)? (?:address|id|e?-?mail)|from (?:address|header)|dbl|rhsbl)\b|surbl|uribl|spamhaus\.org\/(?:query\/)?dbl/u;

/** Words for the address that mail comes from. */
const OUR_ADDRESS = /\bip(?:v[46])?\b|client host|sending (?:host|mta|server)|\d{1,3}(?:\.\d{1,3}){3}/u;

/**
 * Whether a refusal may concern one sending domain or one message alone. A reply that names both our address and a domain counts:
 * a host that refuses our address says so for other mail too, without naming a domain.
 */
function isAboutOneSender(reply: SmtpReply, stage: Stage): boolean {
  const category = categoryOfReply(reply, stage);
  const text = reply.message.toLowerCase();
  if (OF_ONE_MESSAGE.has(category) || ONE_SENDER.test(text)) return true;
  // A host that has read the content may refuse it for its sender or a link in it.
  const hasContent = stage === "content" || stage === "final_dot";
  return hasContent && category === "reputation" && !OUR_ADDRESS.test(text);
}
