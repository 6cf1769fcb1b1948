/**
 * What an attempt has come to so far, recipient by recipient: every try, in which words, and the verdict that counts at the
 * end. Decides which of several verdicts that is; what each one means is verdict.ts's.
 */
import { parseMailbox } from "../../message/address.ts";
import type { Outcome, SmtpRecord, Try } from "../../message/outcome.ts";
import type { DeliveryJob, JobRecipient } from "../../spool/port/mail.ts";
import { textOf } from "../smtp/connection.ts";
import type { RecipientResult } from "../smtp/recipient-results.ts";
import type { OpenFailure } from "../smtp/session.ts";
import { internalError, interruptedBeforeDot, notOffered, type Verdict, verdictOnSession } from "../verdict.ts";
import { contextWithoutSession, type TryContext } from "./session-opener.ts";
import { addTry, storedTries } from "./tries.ts";

/** One recipient within the attempt. */
export interface AttemptRecipient {
  recipient: JobRecipient;
  /** The address as it goes on the wire, its domain as A-labels. */
  address: string;
  /** As tries.ts keeps them. */
  tries: Try[];
  omittedTries: number;
  /** The final verdict, or the deferral that says most so far. */
  verdict: Verdict;
  reply: Try | null;
  /** A stop of the service kept the attempt from going on for this recipient. */
  isInterrupted: boolean;
}

export class AttemptRecord {
  readonly recipients: AttemptRecipient[];

  constructor(job: DeliveryJob) {
    this.recipients = job.recipients.map((recipient) => ({
      recipient,
      address: wireAddress(recipient.email),
      tries: [],
      omittedTries: 0,
      verdict: internalError,
      reply: null,
      isInterrupted: false,
    }));
  }

  get undecided(): AttemptRecipient[] {
    return this.recipients.filter((slot) => !slot.verdict.final);
  }

  /** Enters a try. A deferral with the peer's own words says more than one without, so the latest such is kept. */
  add(slots: AttemptRecipient[], verdict: Verdict, attempted: Try): void {
    for (const slot of slots) {
      addTry(slot, attempted, this.recipients.length);
      const keepsEarlier =
        verdict.type === "deferred" && !verdict.final && slot.reply !== null && attempted.reply === null;
      if (keepsEarlier) continue;
      slot.verdict = verdict;
      slot.reply = attempted.reply === null ? slot.reply : attempted;
      // The peer's earlier words do not explain an outcome that came without any.
      if (verdict.final && attempted.reply === null) slot.reply = null;
    }
  }

  /** Enters a host that was not used at all: that is the reason only where no host was. */
  addSkippedHost(verdict: Verdict, passed: Try): void {
    for (const slot of this.undecided) {
      const isFirst = slot.verdict === internalError;
      addTry(slot, passed, this.recipients.length);
      if (isFirst) slot.verdict = verdict;
    }
  }

  /**
   * Enters that a stop of the service kept the attempt from going on. Who was left for another transaction would have had it
   * but for the stop; what else was tried before says more than that.
   */
  addInterrupted(interrupted: Try): void {
    const { undecided } = this;
    const left = undecided.filter((slot) => slot.tries.length === 0 || slot.verdict === notOffered);
    // A host's limit for one transaction does not explain why there was no other.
    for (const slot of left) slot.reply = null;
    this.add(left, interruptedBeforeDot, interrupted);
    for (const slot of undecided) slot.isInterrupted = true;
  }

  /** An outcome for each recipient, in the work's order. What is entered later does not change it. */
  outcomes(): Outcome[] {
    return this.recipients.map((slot) => {
      const { verdict, reply, isInterrupted } = slot;
      const tries = storedTries(slot);
      const smtp = reply === null ? null : recordOf(reply);
      if (verdict.type === "deferred") {
        const { type, reason, category } = verdict;
        return isInterrupted
          ? { type, reason, category, smtp, tries, atOnce: true }
          : { type, reason, category, smtp, tries };
      }
      if (verdict.type !== "delivered") {
        return { type: verdict.type, reason: verdict.reason, category: verdict.category, smtp, tries };
      }
      if (smtp === null) throw new Error("a delivery without the peer's reply");
      return { type: "delivered", smtp, tries };
    });
  }
}

function recordOf({ reply, mx, ip, tls }: Try): SmtpRecord | null {
  if (reply === null) return null;
  const { code, enhanced_code, message } = reply;
  return { code, enhanced_code, message, mx, ip, tls: tls?.protocol ?? null };
}

/** An address from the spool as SMTP wants it: local part as written, domain as A-labels. */
export function wireAddress(email: string): string {
  const mailbox = parseMailbox(email);
  if (mailbox.type === "invalid") throw new Error("the spool holds an invalid address");
  return `${mailbox.local}@${mailbox.domain}`;
}

type TryResult = Pick<Try, "stage" | "reply" | "error">;

/**
 * What was said, and where. Member by member, here and below: objects that are spread together share no hidden class, and
 * reading and storing those of one message takes 10 µs longer.
 */
export function tryOf({ mx, ip, tls, note, policy }: TryContext, { stage, reply, error }: TryResult): Try {
  return { mx, ip, tls, stage, reply, error, note, policy };
}

/** How far an opening came, and what was said or went wrong there. */
export function resultOfFailure(failure: OpenFailure): TryResult {
  switch (failure.type) {
    case "refused":
      return { stage: failure.stage, reply: failure.reply, error: null };
    case "unreachable":
      return { stage: failure.stage, reply: null, error: failure.error };
    case "tls_failed":
      return { stage: "starttls", reply: null, error: failure.error };
  }
}

/** A reply to one recipient is never another's: it only tells why that one was not offered. */
const atAnother = "not offered, for the transaction ended at another recipient";

/** The same for one recipient of a transaction. */
export function resultOfRecipient(fact: RecipientResult): TryResult {
  switch (fact.type) {
    case "reply":
      return { stage: fact.stage, reply: fact.reply, error: null };
    case "over_limit":
      return { stage: "rcpt", reply: fact.reply, error: null };
    case "not_sent":
      return { stage: "rcpt", reply: null, error: `${atAnother}: ${textOf({ type: "reply", reply: fact.reply })}` };
    case "interrupted":
      return { stage: "rcpt", reply: null, error: `${atAnother}: ${fact.cause}` };
    case "held_back":
      return { stage: "content", reply: null, error: `held back before the final dot: ${fact.error}` };
    default:
      return { stage: fact.stage, reply: null, error: fact.error };
  }
}

/** What a work comes to that its closed destination is not offered: as if the host had turned the session away. */
export function outcomesNotTried(job: DeliveryJob, error: string): Outcome[] {
  const record = new AttemptRecord(job);
  const said = { stage: "connect", reply: null, error } as const;
  record.add(record.recipients, verdictOnSession("refused"), { ...contextWithoutSession(job.domain), ...said });
  return record.outcomes();
}
