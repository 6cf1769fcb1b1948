/**
 * The load signal of an attempt, which decides how much its destination gets next (congestion-window.ts). Accepted mail speaks for
 * the destination; replies about rate, load or reputation, silence and lost connections speak against it. Replies about one
 * mailbox or one message, DNS errors and errors of this server are neutral. A refusal that may concern one sending domain or one
 * message only slows the destination down, because one account must not close it for another.
 */
import type { Category } from "../../message/result/category.ts";
import { classifyReply } from "../../message/result/classifier.ts";
import type { SmtpReply, Stage } from "../../message/result/outcome.ts";
import { scopeOf } from "../../message/result/refusal-scope.ts";

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
  /** Nothing was accepted, and every refusal for load may concern one sending domain or only one message. */
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
  const classification = classifyReply(reply, stage);
  const { category } = classification;
  switch (scopeOf(reply, stage, classification)) {
    case "sending_address":
      return "refused";
    case "recipient":
    case "connection":
      return "neutral";
    case "sending_domain":
    case "message":
      // Of one sending domain or one message, which must not close the destination for others.
      return code === 421 || isAboutLoad(reply, stage, category) ? "sender_refused" : "neutral";
    case "unspecified":
      return code === 421 || isAboutLoad(reply, stage, category) ? "refused" : "neutral";
  }
}

function isAboutLoad(reply: SmtpReply, stage: Stage, category: Category): boolean {
  switch (category) {
    case "rate_limited":
    case "reputation":
      return true;
    case "network":
      return stage === "mail" || reply.code < 500;
    case "other":
      // Before the first recipient only the host and we are known; 4.3.x speaks of the host at every stage.
      return stage === "mail" || (reply.enhanced_code?.startsWith("4.3.") ?? false);
    case "policy":
      return stage === "mail" && !isAboutSender(reply);
    default:
      return false;
  }
}

function isAboutSender({ code, enhanced_code: enhanced, message }: SmtpReply): boolean {
  const isOfAddress = enhanced?.split(".")[1] === "1";
  return code === 530 || code === 535 || isOfAddress || /sender|\bfrom\b/iu.test(message);
}
