/**
 * Gives stored mail that has come back its effect: reads it in the order of incoming-queue.ts, decides what it changes, and has
 * that stored. What a mail says is read in message/feedback/ and message/reports/; complaint-decision.ts decides about complaints,
 * report-storage.ts about reports; what the effect changes is decided by the spool.
 */

import { clientNetwork } from "../../lib/client-address.ts";
import { errorText } from "../../lib/error-text.ts";
import { InterruptibleSleep } from "../../lib/interruptible-sleep.ts";
import type { Logger } from "../../lib/log.ts";
import { type Rate, TokenBuckets } from "../../lib/token-buckets.ts";
import { DAY_MS, HOUR_MS } from "../../lib/units.ts";
import type { Bounce } from "../../message/feedback/bounce.ts";
import type { Feedback } from "../../message/feedback/feedback.ts";
import type { ReturnPath } from "../../message/return-path.ts";
import { receiverOfReply } from "../../receivers/limits.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import { type Incoming, type IncomingMail, POSTPONED_MAX_MS, type QueuedMail } from "../../spool/port/incoming.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { Results } from "../../spool/port/results.ts";
import { ComplaintDecisions } from "./complaint-decision.ts";
import type { ForwardToUsers } from "./forward-to-users.ts";
import {
  type Decision,
  type IncomingOutcome,
  ignored,
  NOTHING,
  nameOf,
  type RecipientName,
} from "./incoming-decision.ts";
import { IncomingQueue } from "./incoming-queue.ts";
import { type IncomingReader, ReadingFailed } from "./incoming-reader.ts";
import type { IncomingRecipient, IncomingRecipients } from "./incoming-recipients.ts";
import { type LoopVerificationParts, verifyLoop } from "./loop-verification.ts";
import { NOTED_OCTETS_MIN, ReadingAttempts } from "./reading-attempts.ts";
import { isReportRecipient, type NamedRecipient, ReportStorage, type ReportStorageParts } from "./report-storage.ts";

/** Another process may have stored mail. */
const POLL_MS = 1000;
/** After a failure before the mail is read, as of the store, and after one of a single mail. */
const STORE_RETRY_MS = 5000;
const MAIL_RETRY_MS = 600_000;
/** While there is no memory for a long mail. */
const MEMORY_RETRY_MS = 5000;
/** Seconds of reading for the mail of one network: a bounce takes milliseconds, but one that is made for it takes many. */
const READING: Rate = { perSecond: 0.2, burst: 30 };
/** A mail that cannot be applied for so long is deleted. */
const GIVEN_UP_MS = 5 * DAY_MS;
/** How often mails that were set aside long ago are deleted. */
const TRIM_MS = HOUR_MS;

export interface IncomingMailParts extends ReportStorageParts, LoopVerificationParts {
  spool: Incoming &
    ReportStorageParts["spool"] &
    Pick<Results, "report"> &
    Pick<KeyValueStore, "readValue" | "writeValue">;
  recipients: IncomingRecipients;
  /** Makes and checks the tags of envelope senders. */
  key: Buffer;
  reader: Pick<IncomingReader, "feedback" | "report" | "canRead" | "isSignedByLoop">;
  forward: Pick<ForwardToUsers, "forward">;
  log: Pick<Logger, "info" | "warn">;
  /** How often the store is asked for mail that another process has stored; POLL_MS if absent. */
  pollMs?: number;
  /** Called once for each mail. */
  count: (outcome: IncomingOutcome) => void;
  /** Counts a complaint for the receiver that had taken the message. */
  countComplaint: (about: ComplaintCount) => void;
}

export interface ComplaintCount {
  messageId: string;
  /** The name of the receiver. */
  receiver: string;
  atMs: number;
}

/** Starts it. Returns how to stop it: after the mail under way. */
export function startIncomingMail(parts: IncomingMailParts): () => Promise<void> {
  const task = new IncomingMailTask(parts);
  const running = task.run();
  return async () => {
    task.stop();
    await running;
  };
}

class IncomingMailTask {
  readonly #parts: IncomingMailParts;
  readonly #sleep: InterruptibleSleep;
  readonly #reading = new TokenBuckets(READING);
  readonly #queue: IncomingQueue;
  readonly #attempts: ReadingAttempts;
  readonly #complaints: ComplaintDecisions;
  readonly #reports: ReportStorage;
  #trimmedMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(parts: IncomingMailParts) {
    this.#parts = parts;
    this.#sleep = new InterruptibleSleep(parts.clock);
    this.#queue = new IncomingQueue(parts);
    this.#attempts = new ReadingAttempts(parts.spool);
    this.#complaints = new ComplaintDecisions({
      spool: parts.spool,
      key: parts.key,
      isSignedByLoop: (mail) => this.#timed(mail, () => verifyLoop(mail, parts)),
    });
    this.#reports = new ReportStorage(parts);
    parts.spool.onIncoming(() => this.#sleep.interrupt());
  }

  /** Never rejects. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const waitMs = await this.#step().catch((error: unknown) => {
        // A store that is not available is reported elsewhere.
        if (!(error instanceof SpoolUnavailable))
          this.#parts.log.warn({ error: errorText(error) }, "incoming mail cannot be read from the store");
        return STORE_RETRY_MS;
      });
      if (waitMs > 0 && !this.#isStopped) await this.#sleep.for(waitMs);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#sleep.interrupt();
  }

  /** Returns how long to wait before the next step. */
  async #step(): Promise<number> {
    const { spool, clock, pollMs = POLL_MS } = this.#parts;
    await this.#trim();
    const queued = await this.#queue.next();
    if (queued === null) return pollMs;
    const waitMs = this.#waitMs(queued);
    if (waitMs > 0) {
      await spool.postponeIncoming(queued.id, clock.now() + waitMs);
      return 0;
    }
    const mail = await spool.incomingMail(queued.id);
    if (mail === null) return this.#queue.isAtEnd ? pollMs : 0;
    if (queued.octets < NOTED_OCTETS_MIN) await this.#read(mail);
    else if (await this.#attempts.begin(mail.id)) await this.#readNoted(mail);
    else await this.#setAside(mail, "its reading has ended the process twice");
    return 0;
  }

  async #readNoted(mail: IncomingMail): Promise<void> {
    let isKept = false;
    try {
      isKept = (await this.#read(mail)) === "kept";
    } finally {
      await this.#attempts.end(mail.id, { isKept });
    }
  }

  async #trim(): Promise<void> {
    const { spool, clock } = this.#parts;
    if (clock.monotonicMs() - this.#trimmedMs < TRIM_MS) return;
    await spool.trimSetAside(clock.now());
    this.#trimmedMs = clock.monotonicMs();
  }

  /** How long a mail must wait before it is read. */
  #waitMs({ ip, octets }: QueuedMail): number {
    const waitS = this.#reading.secondsToToken(clientNetwork(ip), this.#parts.clock.monotonicMs());
    if (waitS > 0) return Math.min(Math.ceil(1000 * waitS), POSTPONED_MAX_MS);
    return this.#parts.reader.canRead(octets) ? 0 : MEMORY_RETRY_MS;
  }

  /** `kept`: the mail could not be applied, and waits. */
  async #read(mail: IncomingMail): Promise<"done" | "kept"> {
    const { spool, clock } = this.#parts;
    try {
      await this.#apply(mail);
      return "done";
    } catch (error) {
      if (error instanceof ReadingFailed) {
        await this.#setAsideUnread(mail, error);
        return "done";
      }
      // What cannot be forwarded now must not keep the others waiting. If the store is down, this fails too.
      if (error instanceof SpoolUnavailable) await spool.postponeIncoming(mail.id, clock.now() + STORE_RETRY_MS);
      else await this.#postpone(mail, error);
      return "kept";
    }
  }

  /** A report that is not read is counted for its domain too. */
  async #setAsideUnread(mail: IncomingMail, { message }: ReadingFailed): Promise<void> {
    const recipient = await this.#parts.recipients.find(mail.recipient);
    if (recipient !== null && isReportRecipient(recipient)) await this.#reports.refuse(recipient, mail, "too_slow");
    await this.#setAside(mail, message);
  }

  async #setAside(mail: IncomingMail, because: string): Promise<void> {
    const { spool, clock, log, count } = this.#parts;
    const { id, recipient, ip } = mail;
    await spool.setAsideIncoming(id, clock.now());
    count("set_aside");
    log.warn({ id, recipient, ip, octets: mail.content.length, because }, "incoming mail set aside");
  }

  async #apply(mail: IncomingMail): Promise<void> {
    const { spool, clock, count, countComplaint, log } = this.#parts;
    const { effect, outcome } = await this.#decide(mail);
    const complaint = effect.type === "complained" ? await this.#firstComplaint(effect) : null;
    const result = await spool.applyIncoming({ id: mail.id, effect, atMs: clock.now() });
    if (result !== "applied") return;
    count(outcome);
    if (complaint !== null) countComplaint(complaint);
    const about = "messageId" in effect ? { messageId: effect.messageId, position: effect.position } : {};
    log.info({ id: mail.id, outcome, ...about }, "incoming mail");
  }

  /** Null if the recipient has complained before, or its receiver is not known. What cannot be read is not counted. */
  async #firstComplaint({ messageId, position }: RecipientName): Promise<ComplaintCount | null> {
    const { spool, clock } = this.#parts;
    const report = await spool.report(messageId).catch(() => null);
    const recipient = report?.recipients.find((each) => each.position === position);
    const receiver = receiverOfReply(recipient?.smtp ?? null);
    const isFirst = recipient?.complaint === undefined;
    return isFirst && receiver !== null ? { messageId, receiver, atMs: clock.now() } : null;
  }

  async #postpone(mail: IncomingMail, error: unknown): Promise<void> {
    const { spool, clock, log, count } = this.#parts;
    const nowMs = clock.now();
    const isGivenUp = nowMs - mail.receivedAtMs >= GIVEN_UP_MS;
    log.warn({ id: mail.id, error: errorText(error), isGivenUp }, "incoming mail not applied");
    if (!isGivenUp) return spool.postponeIncoming(mail.id, nowMs + MAIL_RETRY_MS);
    await spool.applyIncoming({ id: mail.id, effect: NOTHING, atMs: nowMs });
    count("unreadable");
  }

  async #decide(mail: IncomingMail): Promise<Decision> {
    // An address may have ceased to be ours since the mail was accepted.
    const recipient = await this.#parts.recipients.find(mail.recipient);
    if (recipient === null) return ignored("unmatched");
    return this.#decideFor(recipient, mail);
  }

  async #decideFor(recipient: IncomingRecipient, mail: IncomingMail): Promise<Decision> {
    switch (recipient.type) {
      case "bounces":
        return this.#decideOn(await this.#feedback(mail), mail, recipient);
      case "dmarc_reports":
      case "tls_reports":
        return this.#reports.store(
          await this.#timed(mail, () => this.#parts.reader.report(mail.content)),
          recipient,
          mail,
        );
      case "complaints":
        return this.#decideOn(await this.#feedback(mail), mail, recipient.accountId);
      case "postmaster":
      case "abuse":
        return this.#forward(recipient, mail);
    }
  }

  #feedback(mail: IncomingMail): Promise<Feedback> {
    return this.#timed(mail, () => this.#parts.reader.feedback(withReturnPath(mail)));
  }

  /** Counts the time of reading for the network that the mail came from. */
  async #timed<T>({ ip }: IncomingMail, read: () => Promise<T>): Promise<T> {
    const { clock } = this.#parts;
    const beganMs = clock.monotonicMs();
    try {
      return await read();
    } finally {
      const endedMs = clock.monotonicMs();
      this.#reading.take(clientNetwork(ip), endedMs, (endedMs - beganMs) / 1000);
    }
  }

  /** `sentTo`: the recipient that the address of the mail names, or else the account that it is of. */
  async #decideOn(feedback: Feedback, mail: IncomingMail, sentTo: ReturnPath | string): Promise<Decision> {
    const returnPath = typeof sentTo === "string" ? null : sentTo;
    switch (feedback.type) {
      case "bounced":
        return returnPath === null ? ignored("unmatched") : this.#bounced(feedback.bounces, returnPath);
      case "delivered":
        return returnPath === null
          ? ignored("unmatched")
          : { effect: { type: "confirmed", ...nameOf(returnPath) }, outcome: "confirmed" };
      case "complained":
        return this.#complaints.decide(feedback.complaint, mail, sentTo);
      case "ignored":
        return ignored(feedback.because === "not_understood" ? "unknown" : "automatic");
    }
  }

  async #bounced(bounces: readonly Bounce[], returnPath: ReturnPath): Promise<Decision> {
    const chosen = bounces.length === 1 ? bounces[0] : await this.#bounceOf(bounces, returnPath);
    if (chosen === undefined) return ignored("unknown");
    const { status, category, permanent, diagnostic, blamesAddress, rule } = chosen;
    const bounce = { status, category, permanent, diagnostic };
    return { effect: { type: "bounced", ...nameOf(returnPath), bounce, blamesAddress, rule }, outcome: "bounced" };
  }

  /** A list may have passed the message on to several addresses: the one that it was sent to comes first. */
  async #bounceOf(bounces: readonly Bounce[], { messageId, position }: ReturnPath): Promise<Bounce | undefined> {
    const report = await this.#parts.spool.report(messageId);
    const email = report?.recipients.find((each) => each.position === position)?.email.toLowerCase();
    const own = bounces.find(
      ({ original, recipient }) => original?.toLowerCase() === email || recipient?.toLowerCase() === email,
    );
    return own ?? bounces[0];
  }

  /** Providers send complaints to abuse@ too. */
  async #forward(recipient: NamedRecipient, mail: IncomingMail): Promise<Decision> {
    const { forward } = this.#parts;
    const feedback = await this.#feedback(mail);
    if (feedback.type === "complained") {
      const decision = await this.#complaints.decide(feedback.complaint, mail, recipient.accountId);
      if (decision.effect.type === "complained") return decision;
    }
    const { accountId, domain } = recipient;
    const result = await forward.forward(mail, { accountId, domain });
    return ignored(result === "too_many" ? "dropped" : result);
  }
}

/** The mail as a final delivery stores it (RFC 5321 §4.4): a bounce has the null reverse-path. */
const withReturnPath = ({ envelopeSender, content }: IncomingMail): Buffer =>
  Buffer.concat([Buffer.from(`Return-Path: <${envelopeSender}>\r\n`), content]);
