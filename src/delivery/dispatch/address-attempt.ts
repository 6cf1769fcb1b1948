/**
 * One address of a mail host within an attempt: sessions and transactions until every recipient has a result or the peer takes
 * no more, with the durable mark before each final dot and a last check of the lease at it. verdict.ts decides the verdicts, smtp/ holds the SMTP
 * dialogue.
 */
import { refusedRange } from "../../dns/address-policy.ts";
import { isAscii } from "../../message/address.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import type { RecipientResult } from "../smtp/recipient-results.ts";
import type { OpenResult, Session } from "../smtp/session.ts";
import { BRIEF_ENVELOPE } from "../smtp/timeouts.ts";
import { type TransactionOptions, type TransactionResult, transact } from "../smtp/transaction.ts";
import { refusesOtherCopies } from "../throttle/load-observations.ts";
import { tlsOutcome } from "../tls/tls-outcome.ts";
import {
  addressRefused,
  interruptedAfterDot,
  interruptedBeforeDot,
  notOffered,
  verdictOnNeed,
  verdictOnOtherCopies,
  verdictOnResult,
  verdictOnSession,
} from "../verdict.ts";
import {
  type AttemptRecipient,
  hostAttemptOf,
  resultOfFailure,
  resultOfOtherCopy,
  resultOfRecipient,
} from "./attempt-record.ts";
import type { AttemptState } from "./attempt-state.ts";
import { brokenAtFirstMail, isStale, needsFreshSession } from "./session-loss.ts";
import {
  contextOf,
  contextOfFailure,
  contextWithoutSession,
  type HostAttemptContext,
  openUnderPolicy,
  pooledSession,
  type Target,
  tlsBreakAt,
} from "./session-opener.ts";
import type { SignedMessage } from "./signed-message.ts";

/** Recipients of one transaction: the number that every server must accept (RFC 5321 §4.5.3.1.8). */
const RECIPIENTS_MAX = 100;

/** Of a message for one host: its header in ASCII, then its body in 7 bits. */
const CONVERSIONS_MAX = 2;

/** Sessions used with one address in an attempt, when the peer's limits require another one. */
const SESSIONS_PER_ADDRESS_MAX = 5;

/** Errors recorded in the tries of an interrupted attempt. */
export const STOPPED_BEFORE_DOT = "Postrider stopped before the final dot was sent";
const STOPPED_AFTER_DOT = "Postrider stopped before the reply to the final dot arrived";

const LEASE_LOST = "the lease was lost";

export class AddressAttempt {
  readonly #state: AttemptState;
  readonly #target: Target;
  /** Whether the host has refused one copy of the message in a way that holds for the others. */
  #refusesCopies = false;
  /** How TLS broke with the host; null until it does. */
  #brokenTls: string | null = null;

  constructor(state: AttemptState, target: Target) {
    this.#state = state;
    this.#target = target;
  }

  /**
   * Delivers to the undecided recipients as far as this address accepts them. Rejects with MessageDamaged once the content turns
   * out to be damaged; the results so far are recorded then.
   */
  async run(): Promise<void> {
    if (this.#refusePrivate()) return;
    const { pool } = this.#state.parts;
    let waiting = this.#state.record.undecided;
    let mayReuse = true;
    for (let used = 0; used < SESSIONS_PER_ADDRESS_MAX && this.#continuesWith(waiting); used += 1) {
      const pooled = mayReuse ? pooledSession(this.#target, pool) : null;
      const session = pooled ?? (await this.#open());
      if (session === null) return;
      const before = waiting.length;
      try {
        waiting = await this.#deliver(session, waiting, pooled !== null);
      } finally {
        pool.release(session);
      }
      if (waiting.length < before) continue;
      // A pooled session that had died unnoticed does not count as a try, but the other pooled ones may be dead too. A new
      // session without any progress would make none the next time either, unless plain text replaces its broken TLS.
      const mayContinueInPlainText = this.#brokenTls !== null && session.tls !== null;
      if (pooled === null && !mayContinueInPlainText) break;
      mayReuse = false;
    }
    this.#addNotOffered(waiting);
  }

  #continuesWith(waiting: AttemptRecipient[]): boolean {
    return waiting.length > 0 && !this.#refusesCopies && !this.#state.isOver;
  }

  /** Whether SMTP_ALLOW_PRIVATE forbids the address; records it if so. */
  #refusePrivate(): boolean {
    const { host, endpoint, policy } = this.#target;
    const ip = endpoint.address;
    const range = this.#state.parts.allowPrivate || host.isSink ? null : refusedRange(ip);
    if (range === null) return false;
    const error = `the address is not public (${range}); see SMTP_ALLOW_PRIVATE`;
    const context = contextWithoutSession(host.name, { ip, policy });
    this.#state.add(addressRefused, { ...context, stage: "connect", reply: null, error });
    return true;
  }

  /** Records why recipients were not offered; another host's result replaces it. */
  #addNotOffered(waiting: AttemptRecipient[]): void {
    const { record, interruption, isPastDeadline, isLeaseLost } = this.#state;
    if (waiting.length === 0 || interruption.isInterrupted || isPastDeadline || isLeaseLost) return;
    const { host, endpoint, policy } = this.#target;
    const context = contextWithoutSession(host.name, { ip: endpoint.address, policy });
    const error = "not offered: the server accepts few recipients at a time, and this attempt reached its limits";
    const untried = waiting.filter(({ tries }) => tries.length === 0);
    record.add(untried, notOffered, { ...context, stage: "rcpt", reply: null, error });
  }

  /** A new session; null after recording why there is none. */
  async #open(): Promise<Session | null> {
    const { parts, observations, message } = this.#state;
    const { host, endpoint, policy } = this.#target;
    // A sink is the tester's own and may start at any time, so it is always tried.
    const dead = host.isSink ? null : parts.health.refusalReason(endpoint.address, host.port);
    if (dead !== null) {
      const context = contextWithoutSession(host.name, { ip: endpoint.address, policy });
      this.#state.add(verdictOnSession("unreachable"), { ...context, stage: "connect", reply: null, error: dead });
      observations.addDeadAddress(dead);
      return null;
    }
    // Signing runs while the session opens. Errors surface when the message is awaited.
    message.load().catch(() => {});
    const opened = await openUnderPolicy(this.#target, parts, this.#brokenTls);
    this.#reportHealth(opened);
    this.#countSession(opened);
    if (opened.type === "open") return opened.session;
    observations.addFailure(endpoint.address, opened);
    const result = resultOfFailure(opened);
    this.#state.add(verdictOnSession(opened.type, result), { ...contextOfFailure(this.#target, opened), ...result });
    return null;
  }

  #countSession(opened: OpenResult): void {
    const { parts, job } = this.#state;
    const { host, endpoint, policy } = this.#target;
    if (parts.sessionCounts === undefined || host.isSink) return;
    const outcome = tlsOutcome(opened, policy);
    const { from, domain } = job;
    if (outcome !== null) parts.sessionCounts.add({ from, domain, mx: host.name, ip: endpoint.address }, outcome);
  }

  #reportHealth(opened: OpenResult): void {
    const { health } = this.#state.parts;
    const { address } = this.#target.endpoint;
    const { port } = this.#target.host;
    if (opened.type === "unreachable" && opened.isLocal) return;
    if (opened.type !== "unreachable" || !["connect", "greeting"].includes(opened.stage))
      health.recordGreeting(address, port);
    else if (opened.stage === "connect") health.recordFailure(address, port, opened.error);
    else if (opened.ended === "timeout") health.recordSilence(address, port, opened.error);
    else health.recordSuccess(address, port);
  }

  /** Runs transactions on one session until no recipient is left or it ends; returns the recipients that need another. */
  async #deliver(session: Session, recipients: AttemptRecipient[], isPooled: boolean): Promise<AttemptRecipient[]> {
    let message = await this.#state.message.load();
    if (this.#state.isOver) return recipients;
    const isInCopies = message.senders !== null;
    const chunkMax = isInCopies ? 1 : Math.min(session.capabilities.rcptMax ?? RECIPIENTS_MAX, RECIPIENTS_MAX);
    let mayBeStale = isPooled;
    let mustRetire = false;
    let waiting = recipients;
    // Checked at the end: if the session ended before its first transaction, that transaction reports the reason.
    do {
      const { chunk, rest } = nextChunk(waiting, chunkMax, session);
      let result = await this.#transact(session, chunk, message);
      if (result.type !== "done") {
        const converted = await this.#transactConverted(session, chunk, { message, result });
        if (converted === null) return waiting;
        ({ message, result } = converted);
      }
      if ((mayBeStale && isStale(session, result)) || needsFreshSession(session, result)) {
        this.#noteEnd(session, result);
        return waiting;
      }
      if (this.#addBrokenTls(session, chunk, result)) return waiting;
      const again = this.#addResult(session, chunk, result);
      if (isDamaged(result)) throw result.contentError;
      // A pooled fallback session would be refused again at the next attempt; a new session may have TLS.
      mustRetire ||= session.fallback !== "none" && chunk.some(({ verdict }) => verdict.type === "deferred");
      if (mustRetire && session.fallback === "plaintext")
        this.#state.parts.health.forgetBrokenTls(session.ip, session.port);
      if (mustRetire && !isInCopies) session.retire();
      waiting = [...again, ...rest];
      if (again.length === chunk.length) return waiting;
      if (isInCopies) this.#addOtherCopies(session, waiting, result);
      // Some hosts close a session after a few messages, with a 421 to the next MAIL.
      mayBeStale ||= isInCopies;
    } while (session.usable && this.#continuesWith(waiting));
    if (mustRetire) session.retire();
    return waiting;
  }

  /** A host that refuses another message on a session that has carried some may allow a session no more. */
  #noteEnd({ destination, transactions }: Session, result: TransactionResult): void {
    const isRefused = result.type === "done" && result.recipients.every(({ type }) => type === "reply");
    if (destination !== null && isRefused) this.#state.parts.connections?.noteEnd(destination, transactions - 1);
  }

  /**
   * Repeats a transaction of which nothing was sent, with the message in a form that the host takes, if there is one. Null if the
   * attempt has ended meanwhile.
   */
  async #transactConverted(
    session: Session,
    recipients: AttemptRecipient[],
    refused: { message: SignedMessage; result: TransactionResult },
  ): Promise<{ message: SignedMessage; result: TransactionResult } | null> {
    let { message, result } = refused;
    for (let conversions = 0; conversions < CONVERSIONS_MAX; conversions += 1) {
      const converted = await this.#convertedFor(result, recipients, message);
      if (this.#state.isOver) return null;
      if (converted === null) break;
      message = converted;
      result = await this.#transact(session, recipients, message);
    }
    return { message, result };
  }

  /** The message in a form that does not need what the host lacks; null if it has none. */
  async #convertedFor(
    { type: need }: TransactionResult,
    recipients: AttemptRecipient[],
    { eightBit }: SignedMessage,
  ): Promise<SignedMessage | null> {
    const { message } = this.#state;
    if (need === "needs_8bitmime" && eightBit) return await message.loadInSevenBits();
    if (need !== "needs_smtputf8" && need !== "needs_8bitmime") return null;
    return recipients.every(({ address }) => isAscii(address)) ? await message.loadWithAsciiHeader() : null;
  }

  /** If TLS broke where the session may continue in plain text, records the try, which says nothing about the host's load. */
  #addBrokenTls(session: Session, chunk: AttemptRecipient[], result: TransactionResult): boolean {
    const { policy } = this.#target;
    if (policy.type === "required" || this.#state.interruption.isAborted) return false;
    const broken = brokenAtFirstMail(session, result);
    if (broken === null) return false;
    this.#brokenTls = tlsBreakAt(broken.stage, broken.error);
    const conditions = { dotSent: false, isEncrypted: true, fallback: session.fallback };
    const attempted = hostAttemptOf(contextOf(session, policy), resultOfRecipient(broken));
    this.#state.record.add(chunk, verdictOnResult(broken, conditions), attempted);
    return true;
  }

  /** If the host has refused a copy in a way that holds for the others, records that they are not offered. */
  #addOtherCopies(session: Session, others: AttemptRecipient[], result: TransactionResult): void {
    const [refusal] = result.type === "done" && !this.#state.interruption.isAborted ? result.recipients : [];
    if (refusal === undefined || !refusesOtherCopies(refusal)) return;
    this.#refusesCopies = true;
    const attempted = hostAttemptOf(contextOf(session, this.#target.policy), resultOfOtherCopy(refusal));
    this.#state.record.add(others, verdictOnOtherCopies(refusal), attempted);
  }

  #transact(session: Session, recipients: AttemptRecipient[], message: SignedMessage): Promise<TransactionResult> {
    const { interruption, job } = this.#state;
    const [first] = recipients;
    const options: TransactionOptions = {
      from: first === undefined ? message.from : senderOf(message, job.messageId, first),
      recipients: recipients.map(({ address }) => address),
      content: message.content,
      sizeBytes: message.sizeBytes,
      ...(this.#state.isBrief ? { timeouts: BRIEF_ENVELOPE } : {}),
      prefix: message.signature,
      smtpUtf8: message.smtpUtf8 || !recipients.every(({ address }) => isAscii(address)),
      eightBit: message.eightBit,
      ...(message.senders === null ? {} : { notifications: { envelopeId: job.messageId } }),
      beforeDot: (accepted) =>
        this.#mark(
          session,
          accepted.flatMap((index) => recipients[index] ?? []),
        ),
      refuseDot: () => (this.#state.checkLease() ? null : LEASE_LOST),
      onDot: () => {
        interruption.markDotSent();
        this.#state.onDot();
      },
    };
    return interruption.runTransaction(session, () => transact(session, options));
  }

  /** Rejects if the recipients cannot be marked. */
  async #mark({ mx, ip }: Session, recipients: AttemptRecipient[]): Promise<void> {
    const { parts, job, interruption } = this.#state;
    const { messageId, lease } = job;
    interruption.recipients = recipients.length;
    const unmarked = recipients.filter(({ mayBeMarked }) => !mayBeMarked);
    // A mark that is rejected may be stored all the same.
    for (const recipient of unmarked) recipient.mayBeMarked = true;
    const positions = recipients.map(({ recipient }) => recipient.position);
    const marked = await parts.spool.mark({ messageId, positions, lease, atMs: parts.clock.now(), mx, ip });
    if (marked === "marked") return;
    if (marked === "lease_lost") for (const recipient of unmarked) recipient.mayBeMarked = false;
    this.#state.loseLease();
    throw new Error(LEASE_LOST);
  }

  /** Records a transaction's results; returns the recipients that need another transaction. */
  #addResult(session: Session, recipients: AttemptRecipient[], result: TransactionResult): AttemptRecipient[] {
    const { record, observations, interruption } = this.#state;
    const context = contextOf(session, this.#target.policy);
    if (result.type !== "done") {
      const { verdict, error } = verdictOnNeed(result.type, session.fallback);
      record.add(recipients, verdict, { ...context, stage: "mail", reply: null, error });
      return [];
    }
    observations.addResults(session.ip, result.recipients);
    const { tls, fallback } = session;
    const conditions = { dotSent: result.dotSent, isEncrypted: tls !== null, fallback };
    return recipients.filter((recipient, index) => {
      const recipientResult = result.recipients[index];
      if (recipientResult === undefined) throw new Error(`the transaction has no result for recipient ${index}`);
      if (interruption.isAborted && (recipientResult.type === "lost" || recipientResult.type === "interrupted")) {
        this.#addAborted(recipient, recipientResult, { context, dotSent: result.dotSent });
        return false;
      }
      // No result: these recipients wait with the quarantined message.
      if (recipientResult.type === "held_back" && isDamaged(result)) return true;
      const attempted = hostAttemptOf(context, resultOfRecipient(recipientResult));
      if (recipientResult.type === "held_back" && this.#state.isLeaseLost) {
        // That the dot was not sent is evidence, should the mark have become unknown.
        if (recipient.mayBeMarked) record.addLeaseLost(recipient, attempted);
        return true;
      }
      record.add([recipient], verdictOnResult(recipientResult, conditions), attempted);
      return (
        recipientResult.type === "over_limit" ||
        recipientResult.type === "not_sent" ||
        recipientResult.type === "interrupted"
      );
    });
  }

  /** Records that our own shutdown closed the connection, which says nothing about the peer. */
  #addAborted(
    recipient: AttemptRecipient,
    result: RecipientResult,
    { context, dotSent }: { context: HostAttemptContext; dotSent: boolean },
  ): void {
    const { stage } = resultOfRecipient(result);
    const isAfterDot = dotSent && stage === "final_dot";
    const error = isAfterDot ? STOPPED_AFTER_DOT : STOPPED_BEFORE_DOT;
    const verdict = isAfterDot ? interruptedAfterDot : interruptedBeforeDot;
    this.#state.record.add([recipient], verdict, { ...context, stage, reply: null, error });
  }
}

/** The recipients of the next transaction. One that is not ASCII must not fail others at a host without SMTPUTF8, so it comes later there. */
function nextChunk(
  waiting: AttemptRecipient[],
  max: number,
  { capabilities }: Session,
): { chunk: AttemptRecipient[]; rest: AttemptRecipient[] } {
  const ascii = capabilities.smtpUtf8 ? [] : waiting.filter(({ address }) => isAscii(address));
  if (ascii.length === 0 || ascii.length === waiting.length) {
    return { chunk: waiting.slice(0, max), rest: waiting.slice(max) };
  }
  return {
    chunk: ascii.slice(0, max),
    rest: [...ascii.slice(max), ...waiting.filter(({ address }) => !isAscii(address))],
  };
}

/** The envelope sender of a transaction whose first, or only, recipient this is. */
function senderOf({ from, senders }: SignedMessage, messageId: string, { recipient }: AttemptRecipient): string {
  return senders === null ? from : senders(messageId, recipient.position);
}

/** Whether the spool found damage in a later part of the content. */
function isDamaged(result: TransactionResult): result is TransactionResult & { contentError: MessageDamaged } {
  return result.type === "done" && result.contentError instanceof MessageDamaged;
}
