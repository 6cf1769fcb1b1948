/**
 * MAIL, RCPT and DATA of one transaction: pipelined where the peer offers it (RFC 2920), else one by one.
 * Enters each recipient's reply into the ledger and tells how DATA was answered; the content is transaction.ts's.
 */
import type { SmtpReply } from "../../message/outcome.ts";
import { type Command, type CommandResult, wordsOf } from "./connection.ts";
import { factOf, type RecipientResults, type SaidStage } from "./recipient-results.ts";
import type { Session } from "./session.ts";
import type { Timeouts } from "./timeouts.ts";

/** Most commands in one write: their replies fit any peer's send buffer, so that neither side waits for the other. */
const BATCH_COMMANDS_MAX = 100;

export interface Envelope {
  /** MAIL with its parameters. */
  mail: string;
  recipients: string[];
  timeouts: Timeouts;
}

type Step = { type: "mail" | "data"; command: Command } | { type: "rcpt"; index: number; command: Command };

/** Whether the peer now waits for the content, which it may do although it accepted nobody. */
export async function sendEnvelope(session: Session, envelope: Envelope, results: RecipientResults): Promise<boolean> {
  const progress = new EnvelopeProgress(session, results);
  for (const batch of batchesOf(envelope, session.capabilities.pipelining)) {
    const steps = progress.stillWanted(batch);
    const results = session.connection.pipeline(steps.map((step) => step.command));
    for (const [at, step] of steps.entries()) {
      const result = await results[at];
      if (result !== undefined) progress.enter(step, result);
    }
  }
  return progress.contentAwaited;
}

function batchesOf({ mail, recipients, timeouts }: Envelope, pipelining: boolean): Step[][] {
  const steps: Step[] = [
    { type: "mail", command: { line: mail, timeoutMs: timeouts.mail } },
    ...recipients.map((recipient, index): Step => {
      return { type: "rcpt", index, command: { line: `RCPT TO:<${recipient}>`, timeoutMs: timeouts.rcpt } };
    }),
    { type: "data", command: { line: "DATA", timeoutMs: timeouts.data, announces: true } },
  ];
  const batchLength = pipelining ? BATCH_COMMANDS_MAX : 1;
  const batches: Step[][] = [];
  for (let at = 0; at < steps.length; at += batchLength) batches.push(steps.slice(at, at + batchLength));
  return batches;
}

class EnvelopeProgress {
  contentAwaited = false;
  readonly #session: Session;
  readonly #ledger: RecipientResults;
  #mailRefused = false;
  #overLimit: SmtpReply | null = null;

  constructor(session: Session, results: RecipientResults) {
    this.#session = session;
    this.#ledger = results;
  }

  /** A batch without the steps that make no sense any more after the replies to the batches before it. */
  stillWanted(batch: Step[]): Step[] {
    if (this.#mailRefused) return [];
    const steps = batch.filter((step) => step.type !== "rcpt" || !this.#passOver(step.index));
    const dataAlone = steps.every((step) => step.type === "data");
    return dataAlone && this.#ledger.accepted.length === 0 ? [] : steps;
  }

  #passOver(index: number): boolean {
    if (this.#overLimit === null) return false;
    this.#ledger.decide(index, { type: "not_sent", reply: this.#overLimit });
    return true;
  }

  enter(step: Step, result: CommandResult): void {
    if (result.type !== "reply" || result.reply.code === 421) {
      this.#enterEnd(step, result);
      return;
    }
    if (step.type === "mail") this.#enterMail(result.reply);
    else if (step.type === "rcpt") this.#enterRcpt(step, result.reply);
    else this.#enterData(result.reply);
  }

  /**
   * The session is over. Where it ended at one recipient, that one alone may be the reason: the others must not wait
   * for as long as it is refused.
   */
  #enterEnd(step: Step, result: CommandResult): void {
    if (step.type === "rcpt") {
      this.#ledger.decide(step.index, factOf(result, "rcpt"));
      this.#ledger.decideRest({ type: "interrupted", cause: wordsOf(result) });
    } else {
      this.#ledger.decideRest(factOf(result, step.type));
    }
  }

  #enterMail(reply: SmtpReply): void {
    this.#mailRefused = reply.code >= 300;
    if (!this.#mailRefused) return;
    if (reply.code < 400) this.#breakOff("mail", reply);
    else this.#ledger.decideRest({ type: "reply", stage: "mail", reply });
  }

  #enterRcpt(step: Extract<Step, { type: "rcpt" }>, reply: SmtpReply): void {
    const { index } = step;
    if (reply.code < 300) {
      this.#ledger.accept(index);
    } else if (reply.code < 400) {
      this.#enterEnd(step, { type: "protocol_error", error: this.#session.connection.breakOffAt(reply) });
    } else if ((reply.code === 452 || reply.code === 552) && this.#ledger.accepted.length > 0) {
      this.#overLimit ??= reply;
      this.#ledger.decide(index, { type: "over_limit", reply });
    } else {
      this.#ledger.decide(index, { type: "reply", stage: "rcpt", reply });
    }
  }

  #enterData(reply: SmtpReply): void {
    if (reply.code < 300) {
      this.#breakOff("data", reply);
      this.#ledger.distrust(`DATA was answered ${reply.code}: the replies before it may have been to other commands`);
      return;
    }
    this.contentAwaited = reply.code < 400;
    if (!this.contentAwaited) this.#ledger.decideRest({ type: "reply", stage: "data", reply });
  }

  #breakOff(stage: SaidStage, reply: SmtpReply): void {
    const error = this.#session.connection.breakOffAt(reply);
    this.#ledger.decideRest({ type: "protocol_error", stage, error });
  }
}
