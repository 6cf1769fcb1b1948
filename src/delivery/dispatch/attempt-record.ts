/**
 * The results of an attempt by recipient: its tries, the decisive reply, and the verdict. Decides which of several verdicts
 * counts at the end; verdict.ts decides what each one means.
 */
import { parseMailbox } from "../../message/address.ts";
import type { HostAttempt, Outcome, SmtpRecord } from "../../message/result/outcome.ts";
import type { DeliveryJob, JobRecipient } from "../../spool/port/mail.ts";
import { textOf } from "../smtp/connection.ts";
import type { RecipientResult } from "../smtp/recipient-results.ts";
import type { OpenFailure } from "../smtp/session.ts";
import { internalError, interruptedBeforeDot, notOffered, type Verdict } from "../verdict.ts";
import { contextWithoutSession, type HostAttemptContext } from "./session-opener.ts";
import { addTry, storedTries } from "./tries.ts";

/** One recipient within the attempt. */
export interface AttemptRecipient {
  recipient: JobRecipient;
  /** The address as sent in SMTP, its domain as A-labels. */
  address: string;
  /** Bounded by tries.ts. */
  tries: HostAttempt[];
  omittedTries: number;
  /** The final verdict, or the most specific deferral so far. */
  verdict: Verdict;
  reply: HostAttempt | null;
  /** Whether a shutdown or a lost lease ended the attempt before this recipient was decided. */
  isInterrupted: boolean;
  /** Whether the spool may hold a mark of this attempt, which only a settlement removes. */
  mayBeMarked: boolean;
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
      mayBeMarked: false,
    }));
  }

  get undecided(): AttemptRecipient[] {
    return this.recipients.filter((entry) => !entry.verdict.final);
  }

  /** Records a try. A deferral with a reply is more specific than one without, so the latest of those is kept. */
  add(recipients: AttemptRecipient[], verdict: Verdict, attempted: HostAttempt): void {
    for (const entry of recipients) {
      addTry(entry, attempted, this.recipients.length);
      const keepsEarlier =
        verdict.type === "deferred" && !verdict.final && entry.reply !== null && attempted.reply === null;
      if (keepsEarlier) continue;
      entry.verdict = verdict;
      entry.reply = attempted.reply === null ? entry.reply : attempted;
      // An earlier reply does not explain a final verdict that came without one.
      if (verdict.final && attempted.reply === null) entry.reply = null;
    }
  }

  /** Records a host that was not used at all. It is the reason only where no other host was tried. */
  addSkippedHost(verdict: Verdict, passed: HostAttempt): void {
    for (const entry of this.undecided) {
      const isFirst = entry.verdict === internalError;
      addTry(entry, passed, this.recipients.length);
      if (isFirst) entry.verdict = verdict;
    }
  }

  /**
   * Records that a shutdown ended the attempt. Recipients left for another transaction would have had it but for the shutdown; the
   * others keep the result of an earlier try.
   */
  addInterrupted(interrupted: HostAttempt): void {
    const { undecided } = this;
    const left = undecided.filter((entry) => entry.tries.length === 0 || entry.verdict === notOffered);
    // A host's limit for one transaction does not explain why there was no other one.
    for (const entry of left) entry.reply = null;
    this.add(left, interruptedBeforeDot, interrupted);
    for (const entry of undecided) entry.isInterrupted = true;
  }

  /**
   * As `outcomes`, with null for the undecided recipients of an attempt that a damaged message or a lost lease ended: they get
   * no result.
   */
  decidedOutcomes(): (Outcome | null)[] {
    const outcomes = this.outcomes();
    return this.recipients.map(({ verdict, mayBeMarked }, index) =>
      verdict.final || mayBeMarked ? (outcomes[index] ?? null) : null,
    );
  }

  /** Records that the lease was lost before this marked recipient's final dot had left. */
  addLeaseLost(entry: AttemptRecipient, heldBack: HostAttempt): void {
    this.add([entry], interruptedBeforeDot, heldBack);
    entry.isInterrupted = true;
  }

  /** An outcome for each recipient, in the job's order. Later additions do not change it. */
  outcomes(): Outcome[] {
    return this.recipients.map((entry) => {
      const { verdict, reply, isInterrupted } = entry;
      const tries = storedTries(entry);
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

function recordOf({ reply, mx, ip, source, tls }: HostAttempt): SmtpRecord | null {
  if (reply === null) return null;
  const { code, enhanced_code, message } = reply;
  const protocol = tls?.protocol ?? null;
  if (source === undefined) return { code, enhanced_code, message, mx, ip, tls: protocol };
  return { code, enhanced_code, message, mx, ip, source, tls: protocol };
}

/** A stored address as SMTP needs it: local part as written, domain as A-labels. */
export function wireAddress(email: string): string {
  const mailbox = parseMailbox(email);
  if (mailbox.type === "invalid") throw new Error("the spool holds an invalid address");
  return `${mailbox.local}@${mailbox.domain}`;
}

type HostAttemptResult = Pick<HostAttempt, "stage" | "reply" | "error">;

/**
 * A try from its context and its result. Property by property, here and below: spread objects share no hidden class, and reading
 * and storing those of one message then takes 10 µs longer.
 */
export function hostAttemptOf(
  { mx, ip, source, tls, note, policy }: HostAttemptContext,
  { stage, reply, error }: HostAttemptResult,
): HostAttempt {
  if (source === undefined) return { mx, ip, tls, stage, reply, error, note, policy };
  return { mx, ip, source, tls, stage, reply, error, note, policy };
}

/** The stage that a failed opening reached, and the reply or error there. */
export function resultOfFailure(failure: OpenFailure): HostAttemptResult {
  switch (failure.type) {
    case "refused":
      return { stage: failure.stage, reply: failure.reply, error: null };
    case "unreachable":
    case "tls_failed":
      return { stage: failure.stage, reply: null, error: failure.error };
  }
}

/** A reply to one recipient is never recorded for another: it only explains why the other was not offered. */
const atAnother = "not offered: the transaction ended at another recipient";

/** The same for one recipient of a transaction. */
export function resultOfRecipient(result: RecipientResult): HostAttemptResult {
  switch (result.type) {
    case "reply":
      return { stage: result.stage, reply: result.reply, error: null };
    case "over_limit":
      return { stage: "rcpt", reply: result.reply, error: null };
    case "not_sent":
      return { stage: "rcpt", reply: null, error: `${atAnother}: ${textOf({ type: "reply", reply: result.reply })}` };
    case "interrupted":
      return { stage: "rcpt", reply: null, error: `${atAnother}: ${result.cause}` };
    case "held_back":
      return { stage: "content", reply: null, error: `held back before the final dot: ${result.error}` };
    case "lost":
    case "timeout":
    case "protocol_error":
      return { stage: result.stage, reply: null, error: result.error };
  }
}

/** For a copy that is not offered after what the host did with another one. */
export function resultOfOtherCopy(result: RecipientResult): HostAttemptResult {
  const { reply, error } = resultOfRecipient(result);
  const cause = reply === null ? error : textOf({ type: "reply", reply });
  return { stage: "mail", reply: null, error: `not offered: the copy for another recipient ended with: ${cause}` };
}

/** The outcomes of a job that is not offered to a host, for now. */
export function outcomesNotTried(job: DeliveryJob, verdict: Verdict, error: string): Outcome[] {
  const record = new AttemptRecord(job);
  const result = { stage: "connect", reply: null, error } as const;
  record.add(record.recipients, verdict, { ...contextWithoutSession(job.domain), ...result });
  return record.outcomes();
}
