/**
 * What peers did in the course of one attempt: its signal for the destination's load, and whether enough addresses have
 * refused for the attempt to end. What each thing means for a recipient is verdict.ts's.
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

/** Addresses that refuse the session, or MAIL, in one attempt: a third one would say the same. */
const REFUSING_ADDRESSES_MAX = 2;

export class LoadObservations {
  /** Not the replies themselves: an attempt may get hundreds, of 4 KiB each. */
  readonly #signals = new Set<ObservationSignal>();
  readonly #refusing = new Set<string>();

  get signal(): LoadSignal {
    return combinedSignal(this.#signals);
  }

  /** Whether no other address should be tried. */
  get isRefused(): boolean {
    return this.#refusing.size >= REFUSING_ADDRESSES_MAX;
  }

  /** An address is not tried, because of late it took no connection. */
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

  /** Enters what became of a transaction's recipients. */
  addResults(address: string, facts: RecipientResult[]): void {
    for (const fact of facts) {
      const observation = observationOf(fact);
      if (observation !== null) this.#add(observation);
    }
    if (facts.every(isRefusalOfAll)) this.#refusing.add(address);
  }

  #add(observation: Observation): void {
    this.#signals.add(signalOfObservation(observation));
  }
}

/** Null for a recipient whose turn did not come, and for faults of this host. */
function observationOf(fact: RecipientResult): Observation | null {
  switch (fact.type) {
    case "reply":
      return { stage: fact.stage, reply: fact.reply };
    case "lost":
    case "timeout":
    case "protocol_error":
      return fact.isLocal ? null : { stage: fact.stage, reply: null };
    default:
      return null;
  }
}

/** Whether all recipients of a transaction share it: MAIL refused, or a 421 before any of them was decided. */
function isRefusalOfAll(fact: RecipientResult): boolean {
  if (fact.type === "not_sent" || fact.type === "interrupted") return true;
  return fact.type === "reply" && ((fact.stage === "mail" && fact.reply.code >= 400) || fact.reply.code === 421);
}
