/**
 * One attempt at one work: every mail host and address in turn until each recipient is answered for good (RFC 5321
 * §5.1), and the mark before the dot. What was tried is attempt-record.ts's, how a session is opened under its TLS policy
 * opening.ts's, meanings are verdict.ts's, bytes are smtp/'s.
 */
import { isAscii as isAsciiBytes } from "node:buffer";
import { refusedRange } from "../dns/address-policy.ts";
import type { Logger } from "../log.ts";
import { isAscii } from "../message/address.ts";
import type { Outcome, Try } from "../message/outcome.ts";
import type { Spool, Work } from "../spool/spool.ts";
import { AttemptRecord, onTheWire, type Slot, saidBy, saidByFailure, tryOf } from "./attempt-record.ts";
import type { HostHealth } from "./host-health.ts";
import type { LoadSignal } from "./load-signal.ts";
import { Observed } from "./observed.ts";
import {
  keptSession,
  type OpeningParts,
  openUnderPolicy,
  placeBefore,
  placeOf,
  placeOfFailure,
  type Target,
  type UsablePolicy,
} from "./opening.ts";
import { addressesOf, hostsToTry, type MailHost, type RoutingPolicy, routeTo } from "./route.ts";
import type { Signer } from "./signer.ts";
import type { OpenResult, Session } from "./smtp/session.ts";
import { type TransactionResult, transact } from "./smtp/transaction.ts";
import { NO_IPV6_SOURCE, type SourceAddresses, type Way } from "./source-addresses.ts";
import type { HostPolicy, PolicyFor } from "./tls-policy.ts";
import {
  addressRefused,
  notOffered,
  ownFault,
  type Verdict,
  verdictOnFact,
  verdictOnNeed,
  verdictOnPolicy,
  verdictOnRoute,
  verdictOnSession,
} from "./verdict.ts";

export interface AttemptParts extends OpeningParts {
  spool: Spool;
  signer: Pick<Signer, "sign">;
  log: Logger;
  routing: RoutingPolicy;
  /** What TLS the hosts of a recipient domain must show. Rejects only for the spool's sake. */
  policyFor: PolicyFor;
  health: HostHealth;
  sources: SourceAddresses;
  allowPrivate: boolean;
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

/** What an attempt has come to. */
export interface Attempted {
  /** One for each recipient of the work, in its order. */
  outcomes: Outcome[];
  signal: LoadSignal;
}

/** Makes the function that runs an attempt. It never rejects. */
export function createAttempt(parts: AttemptParts): (work: Work) => Promise<Attempted> {
  return async (work) => {
    const attempt = new Attempt(parts, work);
    try {
      await attempt.run();
    } catch (error) {
      parts.log.error({ messageId: work.messageId, err: error }, "an attempt broke off");
      attempt.breakOff((error as Error).message);
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
  #parts: AttemptParts;
  #work: Work;
  #record: AttemptRecord;
  #lateMs: number;
  #written: Promise<Letter> | null = null;
  readonly #observed = new Observed();

  constructor(parts: AttemptParts, work: Work) {
    this.#lateMs = parts.clock.now() + ATTEMPT_LIMIT_MS;
    this.#parts = parts;
    this.#work = work;
    this.#record = new AttemptRecord(work);
  }

  async run(): Promise<void> {
    const { domain } = this.#work;
    const route = await routeTo(domain, this.#parts.routing);
    if (route.type !== "hosts") {
      const { verdict, error } = verdictOnRoute(route);
      const said = { stage: "dns", reply: null, error } as const;
      return this.#record.note(this.#record.slots, verdict, { ...placeBefore(domain), ...said });
    }
    let left = ADDRESSES_MAX;
    const hosts = hostsToTry(route.hosts, this.#parts.routing.random);
    const share = Math.max(Math.floor(ADDRESSES_MAX / Math.max(hosts.length, 2)), ADDRESSES_PER_HOST_MIN);
    for (const host of hosts) {
      if (this.#isOver || left === 0) return;
      const policy = await this.#parts.policyFor(domain, host);
      if (policy.type === "unusable") {
        this.#passOver(host, policy);
        continue;
      }
      for (const way of await this.#ways({ host, policy }, share)) {
        if (this.#isOver || left === 0) return;
        left -= 1;
        await this.#tryAddress({ host, way, policy });
      }
    }
  }

  /** Whether nobody is left to try for, or no time, or enough hosts have refused. */
  get #isOver(): boolean {
    if (this.#observed.isRefused) return true;
    return this.#record.undecided.length === 0 || this.#parts.clock.now() > this.#lateMs;
  }

  /** Ends the attempt by a fault of our own; what is decided stays. */
  breakOff(error: string): void {
    const place = placeBefore(this.#work.domain);
    this.#note(ownFault, { ...place, stage: "dns", reply: null, error });
  }

  conclude(): Attempted {
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
    for (let used = 0; waiting.length > 0 && !this.#isOver && used < SESSIONS_PER_ADDRESS_MAX; used += 1) {
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
    if (waiting.length === 0) return;
    const error = "not offered: the host takes few at a time, and this attempt has come to its bounds";
    const untried = waiting.filter((slot) => slot.tries.length === 0);
    this.#record.note(untried, notOffered, {
      ...placeBefore(host.name, { ip: way.address, policy }),
      stage: "rcpt",
      reply: null,
      error,
    });
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
    const verdict = verdictOnSession(opened.type);
    this.#note(verdict, { ...placeOfFailure(target, opened), ...saidByFailure(opened) });
    return null;
  }

  /** Why an address that answered nobody of late is not tried now. The sink is a tester's own, and may start at any time. */
  #deadness({ host, way }: Target): string | null {
    return host.isSink ? null : this.#parts.health.refusal(way.address, host.port, this.#parts.clock.now());
  }

  #reportHealth({ host, way: { address } }: Target, opened: OpenResult): void {
    const { health, clock } = this.#parts;
    if (opened.type === "unreachable" && opened.isOurs) return;
    const silent = opened.type === "unreachable" && opened.stage === "connect";
    if (silent) health.failed(address, host.port, { error: opened.error, nowMs: clock.now() });
    else health.answered(address, host.port);
  }

  /** Transactions on one session until nobody is left or it ends; returns who needs another session. */
  async #deliver({ session, policy }: Ruled, slots: Slot[], mayBeStale: boolean): Promise<Slot[]> {
    const letter = await this.#letter();
    let waiting = slots;
    // A session that ended before its first transaction has that transaction tell why.
    do {
      const most = Math.min(session.capabilities.rcptMax ?? RECIPIENTS_MAX, RECIPIENTS_MAX);
      const chunk = waiting.slice(0, most);
      const result = await this.#transact(session, chunk, letter);
      if (mayBeStale && isStale(session, result)) return waiting;
      const again = this.#noteResult({ session, policy }, chunk, result);
      waiting = [...again, ...waiting.slice(most)];
      if (again.length === chunk.length) return waiting;
    } while (waiting.length > 0 && session.usable && !this.#isOver);
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
  #noteResult({ session, policy }: Ruled, slots: Slot[], result: TransactionResult): Slot[] {
    const place = placeOf(session, policy);
    if (result.type !== "done") {
      const { verdict, error } = verdictOnNeed(result.type);
      this.#record.note(slots, verdict, { ...place, stage: "mail", reply: null, error });
      return [];
    }
    this.#observed.noteFacts(session.ip, result.recipients);
    const conditions = { dotSent: result.dotSent, isEncrypted: session.tls !== null };
    return slots.filter((slot, index) => {
      const fact = result.recipients[index];
      if (fact === undefined) throw new Error(`the transaction says nothing of recipient ${index}`);
      this.#record.note([slot], verdictOnFact(fact, conditions), tryOf(place, saidBy(fact)));
      return fact.type === "over_limit" || fact.type === "not_sent" || fact.type === "interrupted";
    });
  }

  /** What concerns everybody who is still undecided. */
  #note(verdict: Verdict, attempted: Try): void {
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
