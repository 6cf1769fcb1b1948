/**
 * MAIL, RCPT and DATA of one transaction: pipelined where the peer offers it (RFC 2920), else one by one. Records each recipient's
 * reply and the reply to DATA; transaction.ts sends the content.
 */
import type { SmtpReply } from "../../message/result/outcome.ts";
import { type Command, type CommandResult, textOf } from "./connection.ts";
import { type RecipientResults, type ReplyStage, resultOf } from "./recipient-results.ts";
import type { Session } from "./session.ts";
import type { Timeouts } from "./timeouts.ts";

/** Most commands in one write: their replies fit any peer's send buffer, so neither side waits for the other. */
const BATCH_COMMANDS_MAX = 100;

export interface Envelope {
  /** MAIL with its parameters. */
  mail: string;
  /** A RCPT with its parameters for each recipient. */
  rcpts: string[];
  timeouts: Timeouts;
}

type EnvelopeStep = { type: "mail" | "data"; command: Command } | { type: "rcpt"; index: number; command: Command };

/** Resolves to whether the peer waits for the content, which it may do although it accepted no recipient. */
export async function sendEnvelope(session: Session, envelope: Envelope, results: RecipientResults): Promise<boolean> {
  const progress = new EnvelopeProgress(session, results);
  for (const batch of batchesOf(envelope, session.capabilities.pipelining)) {
    const steps = progress.stillWanted(batch);
    const replies = session.connection.pipeline(steps.map((step) => step.command));
    for (const [at, step] of steps.entries()) {
      const result = await replies[at];
      if (result !== undefined) progress.record(step, result);
    }
  }
  return progress.contentAwaited;
}

function batchesOf({ mail, rcpts, timeouts }: Envelope, pipelining: boolean): EnvelopeStep[][] {
  const steps: EnvelopeStep[] = [
    { type: "mail", command: { line: mail, timeoutMs: timeouts.mail } },
    ...rcpts.map((line, index): EnvelopeStep => {
      return { type: "rcpt", index, command: { line, timeoutMs: timeouts.rcpt } };
    }),
    { type: "data", command: { line: "DATA", timeoutMs: timeouts.data, announces: true } },
  ];
  const batchLength = pipelining ? BATCH_COMMANDS_MAX : 1;
  const batches: EnvelopeStep[][] = [];
  for (let at = 0; at < steps.length; at += batchLength) batches.push(steps.slice(at, at + batchLength));
  return batches;
}

class EnvelopeProgress {
  contentAwaited = false;
  readonly #session: Session;
  readonly #results: RecipientResults;
  #mailRefused = false;
  #overLimit: SmtpReply | null = null;

  constructor(session: Session, results: RecipientResults) {
    this.#session = session;
    this.#results = results;
  }

  /** A batch without the steps that the replies so far have made pointless. */
  stillWanted(batch: EnvelopeStep[]): EnvelopeStep[] {
    if (this.#mailRefused) return [];
    const steps = batch.filter((step) => step.type !== "rcpt" || !this.#skip(step.index));
    const dataAlone = steps.every((step) => step.type === "data");
    return dataAlone && this.#results.accepted.length === 0 ? [] : steps;
  }

  #skip(index: number): boolean {
    if (this.#overLimit === null) return false;
    this.#results.decide(index, { type: "not_sent", reply: this.#overLimit });
    return true;
  }

  record(step: EnvelopeStep, result: CommandResult): void {
    if (result.type !== "reply" || result.reply.code === 421) {
      this.#recordEnd(step, result);
      return;
    }
    if (step.type === "mail") this.#recordMail(result.reply);
    else if (step.type === "rcpt") this.#recordRcpt(step, result.reply);
    else this.#recordData(result.reply);
  }

  /**
   * The session is over. If it ended at one recipient, that recipient may be the reason, so the others are only interrupted: they
   * must not be deferred for as long as that one is refused.
   */
  #recordEnd(step: EnvelopeStep, result: CommandResult): void {
    if (step.type === "rcpt") {
      this.#results.decide(step.index, resultOf(result, "rcpt"));
      this.#results.decideRest({ type: "interrupted", cause: textOf(result) });
    } else {
      this.#results.decideRest(resultOf(result, step.type));
    }
  }

  #recordMail(reply: SmtpReply): void {
    this.#mailRefused = reply.code >= 300;
    if (!this.#mailRefused) return;
    if (reply.code < 400) this.#abort("mail", reply);
    else this.#results.decideRest({ type: "reply", stage: "mail", reply });
  }

  #recordRcpt(step: Extract<EnvelopeStep, { type: "rcpt" }>, reply: SmtpReply): void {
    const { index } = step;
    if (reply.code < 300) {
      this.#results.accept(index);
    } else if (reply.code < 400) {
      this.#recordEnd(step, { type: "protocol_error", error: this.#session.connection.abortOnReply(reply) });
    } else if ((reply.code === 452 || reply.code === 552) && this.#results.accepted.length > 0) {
      this.#overLimit ??= reply;
      this.#results.decide(index, { type: "over_limit", reply });
    } else {
      this.#results.decide(index, { type: "reply", stage: "rcpt", reply });
    }
  }

  #recordData(reply: SmtpReply): void {
    if (reply.code < 300) {
      this.#abort("data", reply);
      this.#results.distrust(`DATA was answered ${reply.code}: the replies before it may have been to other commands`);
      return;
    }
    this.contentAwaited = reply.code < 400;
    if (!this.contentAwaited) this.#results.decideRest({ type: "reply", stage: "data", reply });
  }

  #abort(stage: ReplyStage, reply: SmtpReply): void {
    const error = this.#session.connection.abortOnReply(reply);
    this.#results.decideRest({ type: "protocol_error", stage, error });
  }
}
