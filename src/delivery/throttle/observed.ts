/**
 * What peers did in the course of one attempt: its signal for the destination's load, and whether enough addresses have
 * refused for the attempt to end. What each thing means for a recipient is verdict.ts's.
 */

import type { RecipientFact } from "../smtp/recipient-results.ts";
import type { OpenFailure } from "../smtp/session.ts";
import { type LoadSignal, type Observation, type Sign, signalOfSigns, signOf } from "./load-signal.ts";

/** Addresses that refuse the session, or MAIL, in one attempt: a third one would say the same. */
const REFUSING_ADDRESSES_MAX = 2;

export class Observed {
  /** Not the replies themselves: an attempt may get hundreds, of 4 KiB each. */
  readonly #signs = new Set<Sign>();
  readonly #refusing = new Set<string>();

  get signal(): LoadSignal {
    return signalOfSigns(this.#signs);
  }

  /** Whether no other address should be tried. */
  get isRefused(): boolean {
    return this.#refusing.size >= REFUSING_ADDRESSES_MAX;
  }

  /** An address is not tried, because of late it took no connection. */
  noteDead(): void {
    this.#note({ stage: "connect", reply: null });
  }

  noteFailure(address: string, failure: OpenFailure): void {
    if (failure.type === "refused") {
      this.#refusing.add(address);
      this.#note({ stage: failure.stage, reply: failure.reply });
    } else if (failure.type === "unreachable" && !failure.isOurs) {
      this.#note({ stage: failure.stage, reply: null });
    }
  }

  /** Enters what became of a transaction's recipients. */
  noteFacts(address: string, facts: RecipientFact[]): void {
    for (const fact of facts) {
      const observation = observationOf(fact);
      if (observation !== null) this.#note(observation);
    }
    if (facts.every(isRefusalOfAll)) this.#refusing.add(address);
  }

  #note(observation: Observation): void {
    this.#signs.add(signOf(observation));
  }
}

/** Null for a recipient whose turn did not come, and for faults of this host. */
function observationOf(fact: RecipientFact): Observation | null {
  switch (fact.type) {
    case "reply":
      return { stage: fact.stage, reply: fact.reply };
    case "lost":
    case "timeout":
    case "protocol_error":
      return fact.isOurs ? null : { stage: fact.stage, reply: null };
    default:
      return null;
  }
}

/** Whether all recipients of a transaction share it: MAIL refused, or a 421 before any of them was decided. */
function isRefusalOfAll(fact: RecipientFact): boolean {
  if (fact.type === "not_sent" || fact.type === "interrupted") return true;
  return fact.type === "reply" && ((fact.stage === "mail" && fact.reply.code >= 400) || fact.reply.code === 421);
}
