/**
 * One attempt at one work: every mail host and address in turn until each recipient is answered for good (RFC 5321
 * §5.1), and the mark before the dot. What was tried is attempt-record.ts's, how a session is opened under its TLS policy
 * opening.ts's, meanings are verdict.ts's, bytes are smtp/'s.
 */
import { isAscii as isAsciiBytes } from "node:buffer";
import { refusedRange } from "../../dns/address-policy.ts";
import type { Logger } from "../../lib/log.ts";
import { isAscii } from "../../message/address.ts";
import type { HostAttempt, Outcome } from "../../message/outcome.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { addressesOf, hostsToTry, type MailHost, type RoutingPolicy } from "../routing/route.ts";
import { NO_IPV6_SOURCE, type SourceAddresses, type Way } from "../routing/source-addresses.ts";
import type { Signer } from "../signing/signer.ts";
import type { RecipientFact } from "../smtp/recipient-results.ts";
import type { OpenResult, Session } from "../smtp/session.ts";
import { type TransactionOptions, type TransactionResult, transact } from "../smtp/transaction.ts";
import type { HostHealth } from "../throttle/host-health.ts";
import type { LoadSignal } from "../throttle/load-signal.ts";
import { Observed } from "../throttle/observed.ts";
import type { HostPolicy } from "../tls/tls-policy.ts";
import {
  addressRefused,
  interruptedAfterDot,
  interruptedBeforeDot,
  notOffered,
  ownFault,
  type Verdict,
  verdictOnFact,
  verdictOnNeed,
  verdictOnPolicy,
  verdictOnRoute,
  verdictOnSession,
} from "../verdict.ts";
import { AttemptRecord, onTheWire, type Slot, saidBy, saidByFailure, tryOf } from "./attempt-record.ts";
import { Interruptible } from "./interruptible.ts";
import type { Prepared } from "./preparation.ts";
import { isLate } from "./retry-decision.ts";
import {
  keptSession,
  type OpeningParts,
  openUnderPolicy,
  type Place,
  placeBefore,
  placeOf,
  placeOfFailure,
  type Target,
  type UsablePolicy,
} from "./session-opener.ts";
import type { Shutdown } from "./shutdown.ts";

export interface AttemptParts extends OpeningParts {
  spool: Spool;
  signer: Pick<Signer, "sign">;
  log: Logger;
  routing: RoutingPolicy;
  health: HostHealth;
  sources: SourceAddresses;
  allowPrivate: boolean;
  shutdown: Shutdown;
}

/** Addresses tried in one attempt. Hosts share them, half at most for one, so that the first does not hide the next. */
const ADDRESSES_MAX = 16;
const ADDRESSES_PER_HOST_MIN = 2;

/** After this time nothing new is begun: what hangs on slow hosts gives its place to others, and comes again. */
const ATTEMPT_LIMIT_MS = 3_600_000;

/** Recipients of one transaction: what every server must take (RFC 5321 §4.5.3.1.8). */
const RECIPIENTS_MAX = 100;

/** Sessions used with one address in an attempt, when the peer's limits ask for another. */
const SESSIONS_PER_ADDRESS_MAX = 5;

/** In the tries of what a stop ended. */
const STOPPED_BEFORE_DOT = "Postrider stopped before the final dot was sent";
const STOPPED_AFTER_DOT = "Postrider stopped before the reply to the final dot arrived";

/** What an attempt has come to. */
export interface Attempted {
  /** One for each recipient of the work, in its order. */
  outcomes: Outcome[];
  signal: LoadSignal;
}

/**
 * Makes the function that runs an attempt. It rejects with MessageDamaged alone: the content is read before anything of it is
 * sent, so nobody has an outcome then.
 */
export function createAttempt(parts: AttemptParts): (job: DeliveryJob, prepared: Prepared) => Promise<Attempted> {
  return async (job, prepared) => {
    const attempt = new Attempt(parts, job, prepared);
    const leave = parts.shutdown.enter(attempt.stop);
    try {
      await Promise.race([attempt.run(), attempt.stop.abandoned]);
    } catch (error) {
      if (error instanceof MessageDamaged) {
        parts.log.error(
          { messageId: job.messageId, error: error.message },
          "message quarantined: its content is damaged",
        );
        throw error;
      }
      parts.log.error({ messageId: job.messageId, err: error }, "an attempt broke off");
      attempt.breakOff((error as Error).message);
    } finally {
      leave();
    }
    return attempt.conclude();
  };
}

interface Letter {
  from: string;
  content: Buffer;
  signature: Buffer;
  smtpUtf8: boolean;
}

/** A session with the policy that it serves under now. */
interface Ruled {
  session: Session;
  policy: UsablePolicy;
}

class Attempt {
  readonly stop: Interruptible;
  #parts: AttemptParts;
  #work: DeliveryJob;
  #record: AttemptRecord;
  #lateMs: number;
  #written: Promise<Letter> | null = null;
  readonly #observed = new Observed();
  readonly #prepared: Prepared;

  constructor(parts: AttemptParts, job: DeliveryJob, prepared: Prepared) {
    this.#prepared = prepared;
    this.#lateMs = parts.clock.monotonicMs() + ATTEMPT_LIMIT_MS;
    this.#parts = parts;
    this.#work = job;
    this.#record = new AttemptRecord(job);
    this.stop = new Interruptible(parts.shutdown);
  }

  async run(): Promise<void> {
    const { domain } = this.#work;
    const { route, policyFor } = this.#prepared;
    if (route.type !== "hosts") {
      const { verdict, error } = verdictOnRoute(route);
      const said = { stage: "dns", reply: null, error } as const;
      return this.#record.note(this.#record.slots, verdict, { ...placeBefore(domain), ...said });
    }
    let left = ADDRESSES_MAX;
    const hosts = hostsToTry(route.hosts, this.#parts.routing.random);
    const share = Math.max(Math.floor(ADDRESSES_MAX / Math.max(hosts.length, 2)), ADDRESSES_PER_HOST_MIN);
    for (const host of hosts) {
      if (left === 0 || this.#isOver) return;
      const policy = await policyFor(host);
      if (policy.type === "unusable") {
        this.#passOver(host, policy);
        continue;
      }
      for (const way of await this.#ways({ host, policy }, share)) {
        if (left === 0 || this.#isOver) return;
        left -= 1;
        await this.#tryAddress({ host, way, policy });
      }
    }
  }

  /** Whether nobody is left to try for, or no time, or enough hosts have refused, or the service stops. Asked only where there is more to try. */
  get #isOver(): boolean {
    if (this.#observed.isRefused || this.#record.undecided.length === 0) return true;
    return this.#isLate || this.#parts.clock.monotonicMs() > this.#lateMs || this.stop.forbidsMore();
  }

  get #isLate(): boolean {
    return isLate(this.#work, this.#parts.clock.now());
  }

  /** Ends the attempt by a fault of our own; what is decided stays. */
  breakOff(error: string): void {
    const place = placeBefore(this.#work.domain);
    this.#note(ownFault, { ...place, stage: "dns", reply: null, error });
  }

  conclude(): Attempted {
    if (this.stop.isInterrupted) {
      const place = placeBefore(this.#work.domain);
      this.#record.noteInterrupted({ ...place, stage: "dns", reply: null, error: STOPPED_BEFORE_DOT });
    }
    if (this.#isLate) this.#noteTooLate();
    return { outcomes: this.#record.outcomes(), signal: this.#observed.signal };
  }

  /** Read and signed once, and only when a session is at hand or in sight: mail for a dead host costs no signature. */
  #letter(): Promise<Letter> {
    this.#written ??= this.#write();
    return this.#written;
  }

  async #write(): Promise<Letter> {
    const { messageId, domainId } = this.#work;
    const content = await this.#parts.spool.content(messageId);
    const signature = await this.#parts.signer.sign({ messageId, domainId, content });
    const from = onTheWire(this.#work.from);
    // Bodies are always encoded to 7 bits, so 8-bit bytes are UTF-8 addresses in header fields (RFC 6532).
    const smtpUtf8 =
      !isAsciiBytes(content) || !isAscii(from) || this.#record.slots.some(({ address }) => !isAscii(address));
    return { from, content, signature, smtpUtf8 };
  }

  #passOver(host: MailHost, policy: Extract<HostPolicy, { type: "unusable" }>): void {
    const { cause, error } = policy;
    const passed = { ...placeBefore(host.name, { policy }), stage: "dns", reply: null, error } as const;
    this.#record.notePassedOver(verdictOnPolicy(cause), passed);
  }

  async #ways({ host, policy }: Omit<Target, "way">, most: number): Promise<Way[]> {
    const found = await addressesOf(host, this.#parts.routing.resolver, most);
    if (found.type === "none") {
      const said = { stage: "dns", reply: null, error: found.error } as const;
      this.#note(verdictOnSession("no_address"), { ...placeBefore(host.name, { policy }), ...said });
      return [];
    }
    if (host.isSink) return found.addresses.map((address) => ({ address }));
    const ways = await this.#parts.sources.waysTo(found.addresses);
    if (ways.length === 0) {
      const said = { stage: "connect", reply: null, error: NO_IPV6_SOURCE } as const;
      this.#note(verdictOnSession("unreachable"), { ...placeBefore(host.name, { policy }), ...said });
    }
    return ways;
  }

  async #tryAddress(target: Target): Promise<void> {
    const { host, way, policy } = target;
    const ip = way.address;
    const range = this.#parts.allowPrivate || host.isSink ? null : refusedRange(ip);
    if (range !== null) {
      const error = `the address is not public (${range}); see SMTP_ALLOW_PRIVATE`;
      const place = placeBefore(host.name, { ip, policy });
      return this.#note(addressRefused, { ...place, stage: "connect", reply: null, error });
    }
    let waiting = this.#record.undecided;
    let mayReuse = true;
    for (let used = 0; waiting.length > 0 && used < SESSIONS_PER_ADDRESS_MAX && !this.#isOver; used += 1) {
      const kept = mayReuse ? keptSession(target, this.#parts.pool) : null;
      const session = kept ?? (await this.#open(target));
      if (session === null) return;
      const before = waiting.length;
      try {
        waiting = await this.#deliver({ session, policy }, waiting, kept !== null);
      } finally {
        this.#parts.pool.give(session);
      }
      if (waiting.length < before) continue;
      // A kept session that died unnoticed is no try, but the others kept may be as dead. What changes nothing on a
      // new one would change nothing again.
      if (kept === null) break;
      mayReuse = false;
    }
    this.#noteNotOffered(waiting, target);
  }

  /** Those whose turn never came say so, until another host takes them. */
  #noteNotOffered(waiting: Slot[], { host, way, policy }: Target): void {
    if (waiting.length === 0 || this.stop.isInterrupted || this.#isLate) return;
    const error = "not offered: the host takes few at a time, and this attempt has come to its bounds";
    const untried = waiting.filter((slot) => slot.tries.length === 0);
    this.#record.note(untried, notOffered, {
      ...placeBefore(host.name, { ip: way.address, policy }),
      stage: "rcpt",
      reply: null,
      error,
    });
  }

  #noteTooLate(): void {
    const untried = this.#record.undecided.filter((slot) => slot.tries.length === 0);
    const error = "not tried: the time within which the message is wanted was over before a host could be tried";
    this.#record.note(untried, ownFault, { ...placeBefore(this.#work.domain), stage: "dns", reply: null, error });
  }

  /** A new session; null after noting why there is none. */
  async #open(target: Target): Promise<Session | null> {
    const dead = this.#deadness(target);
    if (dead !== null) {
      const place = placeBefore(target.host.name, { ip: target.way.address, policy: target.policy });
      this.#note(verdictOnSession("unreachable"), { ...place, stage: "connect", reply: null, error: dead });
      this.#observed.noteDead();
      return null;
    }
    // It is signed while the session opens; what goes wrong is told to who uses it.
    this.#letter().catch(() => {});
    const opened = await openUnderPolicy(target, this.#parts);
    this.#reportHealth(target, opened);
    if (opened.type === "open") return opened.session;
    this.#observed.noteFailure(target.way.address, opened);
    const said = saidByFailure(opened);
    this.#note(verdictOnSession(opened.type, said), { ...placeOfFailure(target, opened), ...said });
    return null;
  }

  /** Why an address that answered nobody of late is not tried now. The sink is a tester's own, and may start at any time. */
  #deadness({ host, way }: Target): string | null {
    return host.isSink ? null : this.#parts.health.refusal(way.address, host.port);
  }

  #reportHealth({ host, way: { address } }: Target, opened: OpenResult): void {
    const { health } = this.#parts;
    if (opened.type === "unreachable" && opened.isOurs) return;
    const silent = opened.type === "unreachable" && opened.stage === "connect";
    if (silent) health.failed(address, host.port, opened.error);
    else health.answered(address, host.port);
  }

  /** Transactions on one session until nobody is left or it ends; returns who needs another session. */
  async #deliver({ session, policy }: Ruled, slots: Slot[], mayBeStale: boolean): Promise<Slot[]> {
    const letter = await this.#letter();
    if (this.#isOver) return slots;
    let waiting = slots;
    // A session that ended before its first transaction has that transaction tell why.
    do {
      const most = Math.min(session.capabilities.rcptMax ?? RECIPIENTS_MAX, RECIPIENTS_MAX);
      const chunk = waiting.slice(0, most);
      const result = await this.#transact(session, chunk, letter);
      if (mayBeStale && isStale(session, result)) return waiting;
      const again = this.#noteResult({ session, policy }, chunk, result);
      // A kept fallback would be refused again at the next attempt; a new session may have TLS.
      if (session.fallback !== "none" && chunk.some((slot) => slot.verdict.type === "deferred")) session.retire();
      waiting = [...again, ...waiting.slice(most)];
      if (again.length === chunk.length) return waiting;
    } while (waiting.length > 0 && session.usable && !this.#isOver);
    return waiting;
  }

  #transact(session: Session, slots: Slot[], letter: Letter): Promise<TransactionResult> {
    const { spool, clock } = this.#parts;
    const options: TransactionOptions = {
      from: letter.from,
      recipients: slots.map((slot) => slot.address),
      content: letter.content,
      prefix: letter.signature,
      smtpUtf8: letter.smtpUtf8,
      beforeDot: (accepted) => {
        this.stop.recipients = accepted.length;
        const positions = accepted.map((index) => slots[index]?.recipient.position ?? -1);
        const { mx, ip } = session;
        return spool.mark({ messageId: this.#work.messageId, positions, atMs: clock.now(), mx, ip });
      },
      onDot: () => this.stop.dotLeaves(),
    };
    return this.stop.during(session, () => transact(session, options));
  }

  /** Enters what a transaction said; returns the slots that need another transaction. */
  #noteResult({ session, policy }: Ruled, slots: Slot[], result: TransactionResult): Slot[] {
    const place = placeOf(session, policy);
    if (result.type !== "done") {
      const { verdict, error } = verdictOnNeed(result.type, session.fallback);
      this.#record.note(slots, verdict, { ...place, stage: "mail", reply: null, error });
      return [];
    }
    this.#observed.noteFacts(session.ip, result.recipients);
    const { tls, fallback } = session;
    const conditions = { dotSent: result.dotSent, isEncrypted: tls !== null, fallback };
    return slots.filter((slot, index) => {
      const fact = result.recipients[index];
      if (fact === undefined) throw new Error(`the transaction says nothing of recipient ${index}`);
      if (this.stop.isCut && (fact.type === "lost" || fact.type === "interrupted")) {
        this.#noteCut(slot, fact, { place, dotSent: result.dotSent });
        return false;
      }
      this.#record.note([slot], verdictOnFact(fact, conditions), tryOf(place, saidBy(fact)));
      return fact.type === "over_limit" || fact.type === "not_sent" || fact.type === "interrupted";
    });
  }

  /** A connection that our own stop cut says nothing of the peer. */
  #noteCut(slot: Slot, fact: RecipientFact, { place, dotSent }: { place: Place; dotSent: boolean }): void {
    const { stage } = saidBy(fact);
    const isAfterDot = dotSent && stage === "final_dot";
    const error = isAfterDot ? STOPPED_AFTER_DOT : STOPPED_BEFORE_DOT;
    this.#record.note([slot], isAfterDot ? interruptedAfterDot : interruptedBeforeDot, {
      ...place,
      stage,
      reply: null,
      error,
    });
  }

  /** What concerns everybody who is still undecided. */
  #note(verdict: Verdict, attempted: HostAttempt): void {
    this.#record.note(this.#record.undecided, verdict, attempted);
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
