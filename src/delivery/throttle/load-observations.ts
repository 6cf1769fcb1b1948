/**
 * What peers did in one attempt: the attempt's load signal for the destination, and whether enough addresses have refused for
 * it to end. verdict.ts decides what each result means for a recipient.
 */

import { classifyReply } from "../../message/result/classifier.ts";
import {
  type Trouble,
  type TroubleCause,
  troubleOfError,
  troubleOfReply,
} from "../../message/result/closed-destination.ts";
import type { SmtpReply, Stage } from "../../message/result/outcome.ts";
import { scopeOf, scopeOfReply } from "../../message/result/refusal-scope.ts";
import type { RecipientResult } from "../smtp/recipient-results.ts";
import type { OpenFailure } from "../smtp/session.ts";
import {
  combinedSignal,
  type LoadSignal,
  type Observation,
  type ObservationSignal,
  signalOfObservation,
} from "./load-signal.ts";
import type { SenderRefusal } from "./sender-pauses.ts";

/**
 * Addresses that may refuse the session, or MAIL, or stay silent after the connection, in one attempt: a third one would do the
 * same. The next attempt passes over those that were silent, which are dead then.
 */
const REFUSING_ADDRESSES_MAX = 2;

export class LoadObservations {
  /** Not the replies themselves: an attempt may get hundreds of 4 KiB each. */
  readonly #signals = new Set<ObservationSignal>();
  readonly #refusing = new Set<string>();
  #trouble: Trouble | null = null;
  #senderRefusal: SenderRefusal | null = null;

  get signal(): LoadSignal {
    return combinedSignal(this.#signals);
  }

  /** The last thing that was refused for load; null if nothing was. */
  get trouble(): Trouble | null {
    return this.#trouble;
  }

  /** The last refusal of the sending domain; null if there was none. */
  get senderRefusal(): SenderRefusal | null {
    return this.#senderRefusal;
  }

  /** Whether no other address should be tried. */
  get isRefused(): boolean {
    return this.#refusing.size >= REFUSING_ADDRESSES_MAX;
  }

  /** Records an address that is not tried because it accepted no connection recently. */
  addDeadAddress(error: string): void {
    this.#addError("connect", "unreachable", error);
  }

  addFailure(address: string, failure: OpenFailure): void {
    if (failure.type === "refused") {
      this.#refusing.add(address);
      this.#addReply(failure.stage, failure.reply);
    } else if (failure.type === "unreachable" && !failure.isLocal) {
      const { stage, error, ended = "lost" } = failure;
      if (stage === "greeting" && ended === "timeout") this.#refusing.add(address);
      this.#addError(stage, stage === "connect" ? "unreachable" : CAUSES[ended], error);
    } else if (failure.type === "tls_failed" && failure.ended !== undefined) {
      this.#addError(failure.stage, CAUSES[failure.ended], failure.error);
    }
  }

  /** Records the results of a transaction. */
  addResults(address: string, results: RecipientResult[]): void {
    for (const result of results) this.#addResult(result);
    if (results.every(isRefusalOfAll)) this.#refusing.add(address);
  }

  /** A recipient that was not offered, and errors of this server, say nothing. */
  #addResult(result: RecipientResult): void {
    switch (result.type) {
      case "reply":
        this.#addReply(result.stage, result.reply);
        break;
      case "lost":
      case "timeout":
      case "protocol_error":
        if (!result.isLocal) this.#addError(result.stage, CAUSES[result.type], result.error);
    }
  }

  #addReply(stage: Stage, reply: SmtpReply): void {
    this.#senderRefusal = senderRefusalOf(reply, stage) ?? this.#senderRefusal;
    const signal = this.#add({ stage, reply });
    if (signal === "refused") this.#trouble = troubleOfReply(reply, stage);
  }

  #addError(stage: Stage, cause: TroubleCause, error: string): void {
    const signal = this.#add({ stage, reply: null });
    if (signal === "refused") this.#trouble = troubleOfError(cause, error);
    // What another address did explains more than one without a connection.
    else if (signal === "unreachable") this.#trouble ??= troubleOfError(cause, error);
  }

  #add(observation: Observation): ObservationSignal {
    const signal = signalOfObservation(observation);
    this.#signals.add(signal);
    return signal;
  }
}

const CAUSES = { lost: "connection_lost", timeout: "timeout", protocol_error: "malformed_reply" } as const;

/**
 * Whether a host that did this with one recipient's copy of a message would do the same with the others: it refuses MAIL for now,
 * or any copy for load, or for what the copies share, namely our address and the sending domain, or is silent. Else a result at RCPT
 * concerns only that recipient, a 5xx is a decision, and after a lost connection a new session shows at once whether the host takes more.
 */
export function refusesOtherCopies(result: RecipientResult): boolean {
  switch (result.type) {
    case "reply": {
      const { stage, reply } = result;
      if (isOfSender(reply, stage)) return true;
      if (stage === "rcpt" || reply.code < 400 || reply.code >= 500) return false;
      return stage === "mail" || ["refused", "sender_refused"].includes(signalOfObservation({ stage, reply }));
    }
    case "timeout":
      return result.stage !== "rcpt";
    case "held_back":
      return true;
    default:
      return false;
  }
}

function senderRefusalOf(reply: SmtpReply, stage: Stage): SenderRefusal | null {
  if (reply.code < 400) return null;
  const classification = classifyReply(reply, stage);
  if (scopeOf(reply, stage, classification) !== "sending_domain") return null;
  return { category: classification.category, text: troubleOfReply(reply, stage).text };
}

function isOfSender(reply: SmtpReply, stage: Stage): boolean {
  if (reply.code < 400) return false;
  const scope = scopeOfReply(reply, stage);
  return scope === "sending_domain" || (scope === "sending_address" && reply.code >= 500);
}

/** Whether all recipients of a transaction share the result: MAIL refused, or a 421 before any of them was decided. */
function isRefusalOfAll(result: RecipientResult): boolean {
  if (result.type === "not_sent" || result.type === "interrupted") return true;
  return (
    result.type === "reply" && ((result.stage === "mail" && result.reply.code >= 400) || result.reply.code === 421)
  );
}
