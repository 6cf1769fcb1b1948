/**
 * What an attempt has come to so far, recipient by recipient: every try, in which words, and the verdict that counts at the
 * end. Decides which of several verdicts that is; what each one means is verdict.ts's.
 */
import { parseMailbox } from "../../message/address.ts";
import type { HostAttempt, Outcome, SmtpRecord } from "../../message/outcome.ts";
import type { DeliveryJob, JobRecipient } from "../../spool/port/mail.ts";
import { wordsOf } from "../smtp/connection.ts";
import type { RecipientFact } from "../smtp/recipient-results.ts";
import type { OpenFailure } from "../smtp/session.ts";
import { interruptedBeforeDot, notOffered, ownFault, type Verdict, verdictOnSession } from "../verdict.ts";
import { type Place, placeBefore } from "./session-opener.ts";
import { keepTry, storedTries } from "./tries.ts";

/** One recipient within the attempt. */
export interface Slot {
  recipient: JobRecipient;
  /** The address as it goes on the wire, its domain as A-labels. */
  address: string;
  /** As tries.ts keeps them. */
  tries: HostAttempt[];
  triesLeftOut: number;
  /** The final verdict, or the deferral that says most so far. */
  verdict: Verdict;
  reply: HostAttempt | null;
  /** A stop of the service kept the attempt from going on for this recipient. */
  isInterrupted: boolean;
}

export class AttemptRecord {
  readonly slots: Slot[];

  constructor(job: DeliveryJob) {
    this.slots = job.recipients.map((recipient) => ({
      recipient,
      address: onTheWire(recipient.email),
      tries: [],
      triesLeftOut: 0,
      verdict: ownFault,
      reply: null,
      isInterrupted: false,
    }));
  }

  get undecided(): Slot[] {
    return this.slots.filter((slot) => !slot.verdict.final);
  }

  /** Enters a try. A deferral with the peer's own words says more than one without, so the latest such is kept. */
  note(slots: Slot[], verdict: Verdict, attempted: HostAttempt): void {
    for (const slot of slots) {
      keepTry(slot, attempted, this.slots.length);
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
  notePassedOver(verdict: Verdict, passed: HostAttempt): void {
    for (const slot of this.undecided) {
      const isFirst = slot.verdict === ownFault;
      keepTry(slot, passed, this.slots.length);
      if (isFirst) slot.verdict = verdict;
    }
  }

  /**
   * Enters that a stop of the service kept the attempt from going on. Who was left for another transaction would have had it
   * but for the stop; what else was tried before says more than that.
   */
  noteInterrupted(interrupted: HostAttempt): void {
    const { undecided } = this;
    const left = undecided.filter((slot) => slot.tries.length === 0 || slot.verdict === notOffered);
    // A host's limit for one transaction does not explain why there was no other.
    for (const slot of left) slot.reply = null;
    this.note(left, interruptedBeforeDot, interrupted);
    for (const slot of undecided) slot.isInterrupted = true;
  }

  /** An outcome for each recipient, in the work's order. What is entered later does not change it. */
  outcomes(): Outcome[] {
    return this.slots.map((slot) => {
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

function recordOf({ reply, mx, ip, tls }: HostAttempt): SmtpRecord | null {
  if (reply === null) return null;
  const { code, enhanced_code, message } = reply;
  return { code, enhanced_code, message, mx, ip, tls: tls?.protocol ?? null };
}

/** An address from the spool as SMTP wants it: local part as written, domain as A-labels. */
export function onTheWire(email: string): string {
  const mailbox = parseMailbox(email);
  if (mailbox.type === "invalid") throw new Error("the spool holds an invalid address");
  return `${mailbox.local}@${mailbox.domain}`;
}

type Said = Pick<HostAttempt, "stage" | "reply" | "error">;

/**
 * What was said, and where. Member by member, here and below: objects that are spread together share no hidden class, and
 * reading and storing those of one message takes 10 µs longer.
 */
export function tryOf({ mx, ip, tls, note, policy }: Place, { stage, reply, error }: Said): HostAttempt {
  return { mx, ip, tls, stage, reply, error, note, policy };
}

/** How far an opening came, and what was said or went wrong there. */
export function saidByFailure(failure: OpenFailure): Said {
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
export function saidBy(fact: RecipientFact): Said {
  switch (fact.type) {
    case "reply":
      return { stage: fact.stage, reply: fact.reply, error: null };
    case "over_limit":
      return { stage: "rcpt", reply: fact.reply, error: null };
    case "not_sent":
      return { stage: "rcpt", reply: null, error: `${atAnother}: ${wordsOf({ type: "reply", reply: fact.reply })}` };
    case "interrupted":
      return { stage: "rcpt", reply: null, error: `${atAnother}: ${fact.cause}` };
    case "held_back":
      return { stage: "content", reply: null, error: `held back before the final dot: ${fact.error}` };
    default:
      return { stage: fact.stage, reply: null, error: fact.error };
  }
}

/** What a work comes to that its closed destination is not offered: as if the host had turned the session away. */
export function notTried(job: DeliveryJob, error: string): Outcome[] {
  const record = new AttemptRecord(job);
  const said = { stage: "connect", reply: null, error } as const;
  record.note(record.slots, verdictOnSession("refused"), { ...placeBefore(job.domain), ...said });
  return record.outcomes();
}
