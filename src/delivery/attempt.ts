/**
 * One attempt at one work: every mail host and address in turn until each recipient is answered for good (RFC 5321
 * §5.1), the mark before the dot, and the record of what was tried. Meanings are verdict.ts's, bytes are smtp/'s.
 */
import { isAscii } from "node:buffer";
import type { Clock } from "../clock.ts";
import { refusedRange } from "../dns/address-policy.ts";
import type { Logger } from "../log.ts";
import { parseMailbox } from "../message/address.ts";
import type { Outcome, SmtpReply, Stage, TlsRecord, Try } from "../message/outcome.ts";
import type { Spool, Work, WorkRecipient } from "../spool/spool.ts";
import { addressesOf, type MailHost, type RoutingPolicy, routeTo } from "./route.ts";
import type { Signer } from "./signer.ts";
import type { RecipientFact } from "./smtp/ledger.ts";
import type { SessionPool } from "./smtp/pool.ts";
import { type OpenResult, openSession, type Session } from "./smtp/session.ts";
import { type TransactionResult, transact } from "./smtp/transaction.ts";
import {
  addressRefused,
  ownFault,
  type Verdict,
  verdictOnFact,
  verdictOnNeed,
  verdictOnRoute,
  verdictOnSession,
} from "./verdict.ts";

export interface AttemptParts {
  spool: Spool;
  signer: Signer;
  pool: SessionPool;
  clock: Clock;
  log: Logger;
  routing: RoutingPolicy;
  /** The EHLO name. */
  hostname: string;
  allowPrivate: boolean;
}

/** Addresses tried in one attempt, over all hosts. */
const ADDRESSES_MAX = 16;

/** Recipients of one transaction: what every server must take (RFC 5321 §4.5.3.1.8). */
const RECIPIENTS_MAX = 100;

/** Sessions used with one address in an attempt, when the peer's limits ask for another. */
const SESSIONS_PER_ADDRESS_MAX = 5;

/** Makes the function that runs an attempt: an outcome for each recipient, in the work's order. It never rejects. */
export function createAttempt(parts: AttemptParts): (work: Work) => Promise<Outcome[]> {
  return async (work) => {
    const attempt = new Attempt(parts, work);
    try {
      await attempt.run();
    } catch (error) {
      parts.log.error({ messageId: work.messageId, err: error }, "an attempt broke off");
      attempt.breakOff((error as Error).message);
    }
    return attempt.outcomes();
  };
}

/** One recipient within the attempt. */
interface Slot {
  recipient: WorkRecipient;
  /** The address as it goes on the wire, its domain as A-labels. */
  address: string;
  tries: Try[];
  /** The final verdict, or the deferral that says most so far. */
  verdict: Verdict;
  reply: Try | null;
}

interface Letter {
  from: string;
  content: Buffer;
  signature: Buffer;
  smtpUtf8: boolean;
}

/** Where something was said, and how far the conversation had come. */
type Place = Pick<Try, "mx" | "ip" | "tls" | "note">;

class Attempt {
  #parts: AttemptParts;
  #work: Work;
  #slots: Slot[];

  constructor(parts: AttemptParts, work: Work) {
    this.#parts = parts;
    this.#work = work;
    this.#slots = work.recipients.map((recipient) => ({
      recipient,
      address: onTheWire(recipient.email),
      tries: [],
      verdict: ownFault,
      reply: null,
    }));
  }

  get #undecided(): Slot[] {
    return this.#slots.filter((slot) => !slot.verdict.final);
  }

  async run(): Promise<void> {
    const [route, letter] = await Promise.all([routeTo(this.#work.domain, this.#parts.routing), this.#letter()]);
    if (route.type !== "hosts") {
      const { verdict, error } = verdictOnRoute(route);
      return this.#note(this.#slots, verdict, { ...nowhere(this.#work.domain), stage: "dns", reply: null, error });
    }
    let left = ADDRESSES_MAX;
    for (const host of route.hosts) {
      for (const address of await this.#addresses(host)) {
        if (this.#undecided.length === 0 || left === 0) return;
        left -= 1;
        await this.#tryAddress(host, address, letter);
      }
    }
  }

  /** Ends the attempt by a fault of our own; what is decided stays. */
  breakOff(error: string): void {
    const place = { ...nowhere(this.#work.domain), note: null };
    this.#note(this.#undecided, ownFault, { ...place, stage: "dns", reply: null, error });
  }

  outcomes(): Outcome[] {
    return this.#slots.map(({ verdict, reply, tries }) => {
      const smtp =
        reply?.reply == null ? null : { ...reply.reply, mx: reply.mx, ip: reply.ip, tls: reply.tls?.protocol ?? null };
      if (verdict.type !== "delivered") return { type: verdict.type, reason: verdict.reason, smtp, tries };
      if (smtp === null) throw new Error("a delivery without the peer's reply");
      return { type: "delivered", smtp, tries };
    });
  }

  async #letter(): Promise<Letter> {
    const content = await this.#parts.spool.content(this.#work.messageId);
    const signature = await this.#parts.signer.sign(this.#work.domainId, content);
    const from = onTheWire(this.#work.from);
    // Bodies are always encoded to 7 bits, so 8-bit bytes are UTF-8 addresses in header fields (RFC 6532).
    const smtpUtf8 = [content, Buffer.from(from), ...this.#slots.map((s) => Buffer.from(s.address))].some(
      (bytes) => !isAscii(bytes),
    );
    return { from, content, signature, smtpUtf8 };
  }

  async #addresses(host: MailHost): Promise<string[]> {
    const found = await addressesOf(host, this.#parts.routing.resolver);
    if (found.type === "found") return found.addresses;
    const place = nowhere(host.name);
    const { error } = found;
    this.#note(this.#undecided, verdictOnSession("no_address"), { ...place, stage: "dns", reply: null, error });
    return [];
  }

  async #tryAddress(host: MailHost, address: string, letter: Letter): Promise<void> {
    const range = this.#parts.allowPrivate || host.isSink ? null : refusedRange(address);
    if (range !== null) {
      const error = `the address is not public (${range}); see SMTP_ALLOW_PRIVATE`;
      const place = { mx: host.name, ip: address, tls: null, note: null };
      return this.#note(this.#undecided, addressRefused, { ...place, stage: "connect", reply: null, error });
    }
    let waiting = this.#undecided;
    let mayReuse = true;
    for (let used = 0; waiting.length > 0 && used < SESSIONS_PER_ADDRESS_MAX; used += 1) {
      const kept = mayReuse ? this.#parts.pool.take({ mx: host.name, address, port: host.port }) : null;
      const session = kept ?? (await this.#open(host, address));
      if (session === null) return;
      const before = waiting.length;
      waiting = await this.#deliver(session, waiting, { letter, mayBeStale: kept !== null });
      this.#parts.pool.give(session);
      if (waiting.length < before) continue;
      // A kept session that died unnoticed is no try, but the others kept may be as dead. What changes nothing on a
      // new one would change nothing again.
      if (kept === null) return;
      mayReuse = false;
    }
  }

  /** A new session; null after noting why there is none. */
  async #open({ name: mx, port }: MailHost, address: string): Promise<Session | null> {
    const options = { mx, address, port, hostname: this.#parts.hostname, clock: this.#parts.clock };
    let opened = await openSession({ ...options, tls: "opportunistic" });
    if (opened.type === "tls_failed") {
      const note = `STARTTLS failed (${opened.error}), continued in plain text`;
      opened = await openSession({ ...options, tls: "none" });
      if (opened.type === "open") opened.session.notes.push(note);
      else opened.notes.push(note);
    }
    if (opened.type === "open") return opened.session;
    this.#noteUnopened(mx, address, opened);
    return null;
  }

  #noteUnopened(mx: string, ip: string, failure: Exclude<OpenResult, { type: "open" }>): void {
    const place = { mx, ip, tls: failure.tls, note: failure.notes.join("; ") || null };
    const verdict = verdictOnSession(failure.type);
    const stage: Stage = failure.type === "tls_failed" ? "starttls" : failure.stage;
    const said =
      failure.type === "refused" ? { reply: failure.reply, error: null } : { reply: null, error: failure.error };
    this.#note(this.#undecided, verdict, { ...place, stage, ...said });
  }

  /** Transactions on one session until nobody is left or it ends; returns who needs another session. */
  async #deliver(
    session: Session,
    slots: Slot[],
    { letter, mayBeStale }: { letter: Letter; mayBeStale: boolean },
  ): Promise<Slot[]> {
    let waiting = slots;
    // A session that ended before its first transaction has that transaction tell why.
    do {
      const most = Math.min(session.capabilities.rcptMax ?? RECIPIENTS_MAX, RECIPIENTS_MAX);
      const chunk = waiting.slice(0, most);
      const result = await this.#transact(session, chunk, letter);
      if (mayBeStale && isStale(session, result)) return waiting;
      const again = this.#noteResult(session, chunk, result);
      waiting = [...again, ...waiting.slice(most)];
      if (again.length === chunk.length) return waiting;
    } while (waiting.length > 0 && session.usable);
    return waiting;
  }

  #transact(session: Session, slots: Slot[], letter: Letter): Promise<TransactionResult> {
    const { spool, clock } = this.#parts;
    return transact(session, {
      from: letter.from,
      recipients: slots.map((slot) => slot.address),
      content: letter.content,
      prefix: letter.signature,
      smtpUtf8: letter.smtpUtf8,
      beforeDot: (accepted) =>
        spool.mark({
          messageId: this.#work.messageId,
          positions: accepted.map((index) => slots[index]?.recipient.position ?? -1),
          atMs: clock.now(),
          mx: session.mx,
          ip: session.ip,
        }),
    });
  }

  /** Enters what a transaction said; returns the slots that need another transaction. */
  #noteResult(session: Session, slots: Slot[], result: TransactionResult): Slot[] {
    const place = placeOf(session);
    if (result.type !== "done") {
      const { verdict, error } = verdictOnNeed(result.type);
      this.#note(slots, verdict, { ...place, stage: "mail", reply: null, error });
      return [];
    }
    return slots.filter((slot, index) => {
      const fact = result.recipients[index];
      if (fact === undefined) throw new Error(`the transaction says nothing of recipient ${index}`);
      this.#note([slot], verdictOnFact(fact, result.dotSent), { ...place, ...saidBy(fact) });
      return fact.type === "over_limit" || fact.type === "not_sent";
    });
  }

  /** A deferral with the peer's own words says more than one without, so the latest such is kept. */
  #note(slots: Slot[], verdict: Verdict, attempted: Try): void {
    for (const slot of slots) {
      slot.tries.push(attempted);
      const keepsEarlier =
        verdict.type === "deferred" && !verdict.final && slot.reply !== null && attempted.reply === null;
      if (keepsEarlier) continue;
      slot.verdict = verdict;
      slot.reply = attempted.reply === null ? slot.reply : attempted;
      // The peer's earlier words do not explain an outcome that came without any.
      if (verdict.final && attempted.reply === null) slot.reply = null;
    }
  }
}

/** Whether a kept session turned out to be dead before it took anything of this message. */
function isStale(session: Session, result: TransactionResult): boolean {
  if (session.usable || result.type !== "done" || result.dotSent) return false;
  return result.recipients.every((fact) => {
    if (fact.type === "lost") return fact.stage === "mail";
    return fact.type === "reply" && fact.stage === "mail" && fact.reply.code === 421;
  });
}

function saidBy(fact: RecipientFact): { stage: Stage; reply: SmtpReply | null; error: string | null } {
  switch (fact.type) {
    case "reply":
      return { stage: fact.stage, reply: fact.reply, error: null };
    case "over_limit":
    case "not_sent":
      return { stage: "rcpt", reply: fact.reply, error: null };
    case "held_back":
      return { stage: "content", reply: null, error: `held back before the final dot: ${fact.error}` };
    default:
      return { stage: fact.stage, reply: null, error: fact.error };
  }
}

function placeOf(session: Session): Place {
  const tls: TlsRecord | null = session.tls;
  return { mx: session.mx, ip: session.ip, tls, note: session.notes.join("; ") || null };
}

const nowhere = (mx: string): Place => ({ mx, ip: null, tls: null, note: null });

/** An address from the spool as SMTP wants it: local part as written, domain as A-labels. */
function onTheWire(email: string): string {
  const mailbox = parseMailbox(email);
  if (mailbox.type === "invalid") throw new Error("the spool holds an invalid address");
  return `${mailbox.local}@${mailbox.domain}`;
}
