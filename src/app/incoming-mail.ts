/**
 * Gives stored mail that has come back its effect: reads the oldest, decides what it changes, and has that stored. Only an envelope
 * sender with a valid tag names a recipient, so nothing that strangers make up changes a result. What a mail says is read in
 * message/feedback/ and message/reports/; what the effect changes is decided by the spool.
 */
import { clientNetwork } from "../lib/client-address.ts";
import type { Clock } from "../lib/clock.ts";
import { errorText } from "../lib/error-text.ts";
import { InterruptibleSleep } from "../lib/interruptible-sleep.ts";
import type { Logger } from "../lib/log.ts";
import { type Rate, TokenBuckets } from "../lib/token-buckets.ts";
import type { Bounce } from "../message/feedback/bounce.ts";
import type { Complaint } from "../message/feedback/complaint.ts";
import type { Feedback } from "../message/feedback/feedback.ts";
import { type ReturnPath, readReturnPath } from "../message/return-path.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import { type Incoming, type IncomingEffect, type IncomingMail, POSTPONED_MAX_MS } from "../spool/port/incoming.ts";
import type { Results } from "../spool/port/results.ts";
import type { SenderReports } from "../spool/port/sender-reports.ts";
import type { ForwardToUsers } from "./forward-to-users.ts";
import type { IncomingReader } from "./incoming-reader.ts";
import { ReadingFailed } from "./incoming-reader.ts";
import type { IncomingRecipient, IncomingRecipients } from "./incoming-recipients.ts";
import { reportEffect } from "./sender-report.ts";

/** Another process may have stored mail. */
const POLL_MS = 1000;
/** After a failure before the mail is read, as of the store, and after one of a single mail. */
const STORE_RETRY_MS = 5000;
const MAIL_RETRY_MS = 600_000;
/** Seconds of reading for the mail of one network: a bounce takes milliseconds, but one that is made for it takes many. */
const READING: Rate = { perSecond: 0.2, burst: 30 };
/** A mail that cannot be applied for so long is deleted. */
const GIVEN_UP_MS = 5 * 86_400_000;

/** What became of a mail. `unknown`: neither a bounce, nor a complaint, nor a report; `automatic`: a reply of a program. */
export const INCOMING_OUTCOMES = [
  ...(["bounced", "complained", "confirmed", "report", "forwarded"] as const),
  ...(["automatic", "unknown", "unmatched", "unreadable"] as const),
] as const;

export type IncomingOutcome = (typeof INCOMING_OUTCOMES)[number];

export interface IncomingMailParts {
  spool: Incoming & Pick<Results, "report"> & Pick<SenderReports, "storeSenderReport">;
  recipients: IncomingRecipients;
  /** Makes and checks the tags of envelope senders. */
  key: Buffer;
  reader: Pick<IncomingReader, "feedback" | "report">;
  forward: Pick<ForwardToUsers, "forward">;
  /** The addresses that the service sends from. */
  sendingIps: () => readonly string[];
  clock: Clock;
  log: Pick<Logger, "info" | "warn">;
  /** How often the store is asked for mail that another process has stored; POLL_MS if absent. */
  pollMs?: number;
  /** Called once for each mail. */
  count: (outcome: IncomingOutcome) => void;
}

/** A Message-ID that Postrider has made (see message/draft.ts). A client's own may be easy to guess. */
const GENERATED_ID = /^<[\w-]{24}@/;

interface Decision {
  effect: IncomingEffect;
  outcome: IncomingOutcome;
}

const NOTHING = { type: "none" } as const;
const ignored = (outcome: IncomingOutcome): Decision => ({ effect: NOTHING, outcome });

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
  #isStopped = false;

  constructor(parts: IncomingMailParts) {
    this.#parts = parts;
    this.#sleep = new InterruptibleSleep(parts.clock);
    parts.spool.onIncoming(() => this.#sleep.interrupt());
  }

  /** Never rejects. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const waitMs = await this.#step().catch((error: unknown) => {
        // A store that is not available is reported elsewhere.
        if (!(error instanceof SpoolUnavailable)) this.#warn(error);
        return STORE_RETRY_MS;
      });
      if (waitMs > 0 && !this.#isStopped) await this.#sleep.for(waitMs);
    }
  }

  #warn(error: unknown): void {
    this.#parts.log.warn({ error: errorText(error) }, "incoming mail cannot be read from the store");
  }

  stop(): void {
    this.#isStopped = true;
    this.#sleep.interrupt();
  }

  /** Returns how long to wait before the next step. */
  async #step(): Promise<number> {
    const { spool, clock } = this.#parts;
    const mail = await spool.nextIncoming(clock.now());
    if (mail === null) return this.#parts.pollMs ?? POLL_MS;
    const waitS = this.#reading.secondsToToken(clientNetwork(mail.ip), clock.monotonicMs());
    if (waitS > 0) {
      const waitMs = Math.min(Math.ceil(1000 * waitS), POSTPONED_MAX_MS);
      await spool.postponeIncoming(mail.id, clock.now() + waitMs);
      return 0;
    }
    try {
      await this.#apply(mail);
    } catch (error) {
      // What cannot be forwarded now must not keep the others waiting. If the store is down, this fails too.
      if (error instanceof SpoolUnavailable) await spool.postponeIncoming(mail.id, clock.now() + STORE_RETRY_MS);
      else await this.#postpone(mail, error);
    }
    return 0;
  }

  async #apply(mail: IncomingMail): Promise<void> {
    const { spool, clock, count, log } = this.#parts;
    const { effect, outcome } = await this.#decide(mail);
    const result = await spool.applyIncoming({ id: mail.id, effect, atMs: clock.now() });
    if (result !== "applied") return;
    count(outcome);
    const about = "messageId" in effect ? { messageId: effect.messageId, position: effect.position } : {};
    log.info({ id: mail.id, outcome, ...about }, "incoming mail");
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
    try {
      return await this.#decideFor(recipient, mail);
    } catch (error) {
      if (!(error instanceof ReadingFailed)) throw error;
      this.#parts.log.warn({ id: mail.id, error: error.message }, "incoming mail cannot be read");
      return ignored("unreadable");
    }
  }

  async #decideFor(recipient: IncomingRecipient, mail: IncomingMail): Promise<Decision> {
    switch (recipient.type) {
      case "bounces":
        return this.#decideOn(await this.#feedback(mail), recipient);
      case "dmarc_reports":
      case "tls_reports":
        return this.#storeReport(recipient, mail);
      case "complaints":
        return this.#decideOn(await this.#feedback(mail), null, recipient.accountId);
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

  /** `returnPath`: the recipient that the address of the mail names; null if it names none. */
  async #decideOn(feedback: Feedback, returnPath: ReturnPath | null, accountId?: string): Promise<Decision> {
    switch (feedback.type) {
      case "bounced":
        return returnPath === null ? ignored("unmatched") : this.#bounced(feedback.bounces, returnPath);
      case "delivered":
        return returnPath === null
          ? ignored("unmatched")
          : { effect: { type: "confirmed", ...nameOf(returnPath) }, outcome: "confirmed" };
      case "complained":
        return this.#complained(feedback.complaint, returnPath ?? accountId ?? null);
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

  /** `sentTo`: the recipient that the address of the mail names, or else the account that it is of. */
  async #complained(complaint: Complaint, sentTo: ReturnPath | string | null): Promise<Decision> {
    const { key } = this.#parts;
    const { kind, envelopeSender, original } = complaint;
    const named = [envelopeSender, original.returnPath].map((address) =>
      address === null ? null : readReturnPath(address, key),
    );
    const byTag = named.find((each) => each !== null) ?? null;
    const about = byTag ?? (typeof sentTo === "string" ? await this.#recipientOf(complaint, sentTo) : sentTo);
    if (about === null) return ignored("unmatched");
    return { effect: { type: "complained", ...nameOf(about), kind }, outcome: "complained" };
  }

  /**
   * Providers that remove all addresses repeat the Message-ID. That of a message which Postrider has built cannot be guessed, so only
   * who has received the message can name it.
   */
  async #recipientOf({ recipient, original }: Complaint, accountId: string): Promise<RecipientName | null> {
    const { spool } = this.#parts;
    const { messageId: header, dateMs } = original;
    if (header === null || dateMs === null || !GENERATED_ID.test(header)) return null;
    const messageId = await spool.sentMessage({ accountId, messageId: header, aboutMs: dateMs });
    const recipients = messageId === null ? [] : ((await spool.report(messageId))?.recipients ?? []);
    const named = recipients.filter(({ email }) => email.toLowerCase() === recipient?.toLowerCase());
    const [found, ...others] = named.length === 0 && recipients.length === 1 ? recipients : named;
    return messageId === null || found === undefined || others.length > 0
      ? null
      : { messageId, position: found.position };
  }

  /** A report is stored once, so that nothing is counted twice if the process dies before the mail is deleted. */
  async #storeReport(
    { accountId, domain }: Exclude<IncomingRecipient, { type: "bounces" }>,
    mail: IncomingMail,
  ): Promise<Decision> {
    const { reader, spool, clock, sendingIps } = this.#parts;
    const report = await this.#timed(mail, () => reader.report(mail.content));
    if (report === null) return ignored("unknown");
    const nowMs = clock.now();
    const effect = reportEffect(report, { accountId, domain, sendingIps: sendingIps(), nowMs });
    if (effect.type === "none") return ignored("unmatched");
    await spool.storeSenderReport(effect, nowMs);
    return ignored("report");
  }

  /** Providers send complaints to abuse@ too. */
  async #forward(recipient: Exclude<IncomingRecipient, { type: "bounces" }>, mail: IncomingMail): Promise<Decision> {
    const { forward } = this.#parts;
    const feedback = await this.#feedback(mail);
    if (feedback.type === "complained") {
      const decision = await this.#complained(feedback.complaint, recipient.accountId);
      if (decision.effect.type !== "none") return decision;
    }
    const { accountId, domain } = recipient;
    const result = await forward.forward(mail, { accountId, domain });
    return ignored(result === "automatic" ? "automatic" : "forwarded");
  }
}

/** The mail as a final delivery stores it (RFC 5321 §4.4): a bounce has the null reverse-path. */
const withReturnPath = ({ envelopeSender, content }: IncomingMail): Buffer =>
  Buffer.concat([Buffer.from(`Return-Path: <${envelopeSender}>\r\n`), content]);

type RecipientName = Pick<ReturnPath, "messageId" | "position">;

const nameOf = ({ messageId, position }: RecipientName): RecipientName => ({ messageId, position });
