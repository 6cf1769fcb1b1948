/**
 * The result of each recipient of one transaction. The first result of a recipient is final.
 */
import type { SmtpReply, Stage } from "../../message/result/outcome.ts";
import type { CommandResult, ConnectionFailure } from "./connection.ts";

/** The reply or error for one recipient. */
export type RecipientResult =
  /** `content`: the peer replied before the final dot was sent. At `final_dot` a 2xx is the acceptance. */
  | { type: "reply"; stage: "mail" | "rcpt" | "data" | "content" | "final_dot"; reply: SmtpReply }
  | ({ stage: Stage } & ConnectionFailure)
  /** 452 or 552 to RCPT after others were accepted (RFC 5321 §4.5.3.1.10): to be sent in another transaction. */
  | { type: "over_limit"; reply: SmtpReply }
  /** RCPT was not sent because of such a reply to an earlier one: to be sent in another transaction. */
  | { type: "not_sent"; reply: SmtpReply }
  /** The session ended at another recipient's RCPT, with `cause` as the reason: to be sent in another session. */
  | { type: "interrupted"; cause: string }
  /** `beforeDot` failed or `refuseDot` gave a reason, so the dot was not sent. */
  | { type: "held_back"; error: string };

export type ReplyStage = Extract<RecipientResult, { type: "reply" }>["stage"];

/** A command's result as the result of the recipients that it concerns. */
export function resultOf(result: CommandResult, stage: ReplyStage): RecipientResult {
  return result.type === "reply" ? { type: "reply", stage, reply: result.reply } : { ...result, stage };
}

export class RecipientResults {
  readonly #results: (RecipientResult | null)[];
  readonly #accepted = new Set<number>();

  constructor(recipientCount: number) {
    this.#results = new Array<RecipientResult | null>(recipientCount).fill(null);
  }

  /** Recipients with a 2xx to RCPT that are not decided yet, in order. */
  get accepted(): number[] {
    return [...this.#accepted].filter((index) => this.#results[index] === null);
  }

  accept(index: number): void {
    if (this.#results[index] === null) this.#accepted.add(index);
  }

  decide(index: number, result: RecipientResult): void {
    this.#results[index] ??= result;
  }

  decideRest(result: RecipientResult): void {
    for (const index of this.#results.keys()) this.decide(index, result);
  }

  /** Replaces refusals after replies that are out of step with the commands: they may belong to other commands. */
  distrust(error: string): void {
    for (const [index, result] of this.#results.entries()) {
      if (result?.type !== "reply" || result.reply.code < 500) continue;
      this.#results[index] = { type: "protocol_error", stage: result.stage, error };
    }
  }

  /** Every recipient's result. Throws if one is undecided. */
  finish(): RecipientResult[] {
    return this.#results.map((result, index) => {
      if (result === null) throw new Error(`recipient ${index} of the transaction is undecided`);
      return result;
    });
  }
}
