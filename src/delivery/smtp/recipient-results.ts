/**
 * What has been said about each recipient of one transaction. The first thing that decides a recipient stays.
 */
import type { SmtpReply, Stage } from "../../message/outcome.ts";
import type { CommandResult, ConnectionFailure } from "./connection.ts";

/** What was said, or went wrong, for one recipient. */
export type RecipientResult =
  /** `content`: the peer answered before the final dot was sent. At `final_dot` a 2xx is the acceptance. */
  | { type: "reply"; stage: "mail" | "rcpt" | "data" | "content" | "final_dot"; reply: SmtpReply }
  | ({ stage: Stage } & ConnectionFailure)
  /** 452 or 552 to RCPT after others were accepted (RFC 5321 §4.5.3.1.10): for another transaction. */
  | { type: "over_limit"; reply: SmtpReply }
  /** RCPT was not sent because of that reply to an earlier one: for another transaction. */
  | { type: "not_sent"; reply: SmtpReply }
  /** The session ended at another recipient's RCPT, as `cause` says: for another session. */
  | { type: "interrupted"; cause: string }
  /** `beforeDot` failed; the dot was not sent. */
  | { type: "held_back"; error: string };

export type ReplyStage = Extract<RecipientResult, { type: "reply" }>["stage"];

/** What a command's result is for all recipients that it concerns. */
export function resultOf(result: CommandResult, stage: ReplyStage): RecipientResult {
  return result.type === "reply" ? { type: "reply", stage, reply: result.reply } : { ...result, stage };
}

export class RecipientResults {
  readonly #results: (RecipientResult | null)[];
  readonly #accepted = new Set<number>();

  constructor(recipientCount: number) {
    this.#results = new Array<RecipientResult | null>(recipientCount).fill(null);
  }

  /** Recipients with a 2xx to RCPT that nothing else has decided yet, in order. */
  get accepted(): number[] {
    return [...this.#accepted].filter((index) => this.#results[index] === null);
  }

  accept(index: number): void {
    if (this.#results[index] === null) this.#accepted.add(index);
  }

  decide(index: number, fact: RecipientResult): void {
    this.#results[index] ??= fact;
  }

  decideRest(fact: RecipientResult): void {
    for (const index of this.#results.keys()) this.decide(index, fact);
  }

  /** The peer's replies are out of step with our commands: a refusal among them may be another command's. */
  distrust(error: string): void {
    for (const [index, fact] of this.#results.entries()) {
      if (fact?.type !== "reply" || fact.reply.code < 500) continue;
      this.#results[index] = { type: "protocol_error", stage: fact.stage, error };
    }
  }

  /** Every recipient's fact. Throws if one is undecided. */
  finish(): RecipientResult[] {
    return this.#results.map((fact, index) => {
      if (fact === null) throw new Error(`recipient ${index} of the transaction is undecided`);
      return fact;
    });
  }
}
