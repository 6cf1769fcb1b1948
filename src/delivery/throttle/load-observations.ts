/**
 * What peers did in one attempt: the attempt's load signal for the destination, and whether enough addresses have refused for
 * it to end. verdict.ts decides what each result means for a recipient.
 */

import type { RecipientResult } from "../smtp/recipient-results.ts";
import type { OpenFailure } from "../smtp/session.ts";
import {
  combinedSignal,
  type LoadSignal,
  type Observation,
  type ObservationSignal,
  signalOfObservation,
} from "./load-signal.ts";

/** Addresses that may refuse the session, or MAIL, in one attempt: a third one would do the same. */
const REFUSING_ADDRESSES_MAX = 2;

export class LoadObservations {
  /** Not the replies themselves: an attempt may get hundreds of 4 KiB each. */
  readonly #signals = new Set<ObservationSignal>();
  readonly #refusing = new Set<string>();

  get signal(): LoadSignal {
    return combinedSignal(this.#signals);
  }

  /** Whether no other address should be tried. */
  get isRefused(): boolean {
    return this.#refusing.size >= REFUSING_ADDRESSES_MAX;
  }

  /** Records an address that is not tried because it accepted no connection recently. */
  addDeadAddress(): void {
    this.#add({ stage: "connect", reply: null });
  }

  addFailure(address: string, failure: OpenFailure): void {
    if (failure.type === "refused") {
      this.#refusing.add(address);
      this.#add({ stage: failure.stage, reply: failure.reply });
    } else if (failure.type === "unreachable" && !failure.isLocal) {
      this.#add({ stage: failure.stage, reply: null });
    }
  }

  /** Records the results of a transaction. */
  addResults(address: string, results: RecipientResult[]): void {
    for (const result of results) {
      const observation = observationOf(result);
      if (observation !== null) this.#add(observation);
    }
    if (results.every(isRefusalOfAll)) this.#refusing.add(address);
  }

  #add(observation: Observation): void {
    this.#signals.add(signalOfObservation(observation));
  }
}

/** Null for a recipient that was not offered, and for errors of this host. */
function observationOf(result: RecipientResult): Observation | null {
  switch (result.type) {
    case "reply":
      return { stage: result.stage, reply: result.reply };
    case "lost":
    case "timeout":
    case "protocol_error":
      return result.isLocal ? null : { stage: result.stage, reply: null };
    case "over_limit":
    case "not_sent":
    case "interrupted":
    case "held_back":
      return null;
  }
}

/**
 * Whether a host that did this with one recipient's copy of a message would do the same with the others: it refuses MAIL for now,
 * or any copy for load, or is silent. A result at RCPT is that recipient's alone, a 5xx is a decision, and after a lost connection
 * a new session shows at once whether the host takes more.
 */
export function refusesOtherCopies(result: RecipientResult): boolean {
  switch (result.type) {
    case "reply": {
      const { stage, reply } = result;
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

/** Whether all recipients of a transaction share the result: MAIL refused, or a 421 before any of them was decided. */
function isRefusalOfAll(result: RecipientResult): boolean {
  if (result.type === "not_sent" || result.type === "interrupted") return true;
  return (
    result.type === "reply" && ((result.stage === "mail" && result.reply.code >= 400) || result.reply.code === 421)
  );
}
