/**
 * The mail exchangers: SMTP servers that stall, cut, garble, answer late, twice or too early as the weather has it, and
 * keep a book of what they took. A message counts as taken the moment its final dot was understood and nothing was said
 * against it, whether or not the sender is ever told.
 */

import type { FaultInjector } from "./fault-injector.ts";
import type { Delivery, History } from "./history.ts";
import type { PeerEnd, PeerHandler } from "./network.ts";
import type { Prng } from "./prng.ts";
import type { Timeline } from "./virtual-time.ts";

export interface PeerOptions {
  time: Timeline;
  prng: Prng;
  faults: FaultInjector;
  history: History;
  /** The conversation's, for the trace. */
  number: number;
  /** What is said, for the trace. */
  trace: (line: string) => void;
  /** Whether the host refuses everything for the load now; one such refusal is then in the books. */
  isLimited: () => boolean;
}

const REPLY_MS = [0.1, 30] as const;
/** Over the reply to a final dot, where it is slow. */
export const SLOW_DOT_MS = 12_000;
/** Around the client's own limits. */
const LATE_MS = [30_000, 1_500_000] as const;
const GARBLED = [
  "2x0 fine\r\n",
  "hello?\r\n",
  "\0\0\0\r\n",
  "250-one\r\n251 two\r\n",
  "\r\n",
  "25",
  `250 ${"x".repeat(5000)}\r\n`,
] as const;

/** Our signature, as it stands before the message. */
const SIGNATURE_FIELD = /^[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/;

/** What becomes of a reply: it leaves, or there is nobody any more to say it to. */
interface ReplyCallbacks {
  sent: () => void;
  dropped: () => void;
}

/** A peer's conversation over one connection. */
export class Peer implements PeerHandler {
  readonly #parts: PeerOptions;
  readonly #end: PeerEnd;
  #received = "";
  #content: string | null = null;
  #mail: string | null = null;
  /** Of this transaction, taken or not. */
  #attemptedRecipients: string[] = [];
  #recipients: string[] = [];
  readonly #outbox: ({ text: string } & Record<keyof ReplyCallbacks, (() => void) | undefined>)[] = [];
  /** When the last reply leaves: the next one not before it. */
  #lastReplyMs = 0;
  /** It has stopped answering, for good. */
  #isSilent = false;
  #repliesToDot = true;
  /** It has answered something twice: its refusals reach the sender as answers to later commands. */
  #isOutOfStep = false;

  constructor(end: PeerEnd, parts: PeerOptions) {
    this.#end = end;
    this.#parts = parts;
    if (parts.prng.chance(0.5) && parts.isLimited())
      this.#reply(parts.prng.pick(["421 4.7.0 too many connections", "554 5.7.1 poor reputation"]));
    else if (parts.faults.occurs("peer_refuses"))
      this.#reply(parts.prng.pick(["554 5.7.1 not you", "421 4.3.2 too busy"]));
    else this.#reply("220 peer.example ESMTP");
  }

  closed(): void {
    this.#isSilent = true;
  }

  receive(bytes: Buffer): void {
    if (this.#isSilent) return;
    this.#received += bytes.toString("latin1");
    while (!this.#isSilent && (this.#content === null ? this.#readLine() : this.#readContent()));
  }

  #readLine(): boolean {
    const at = this.#received.indexOf("\r\n");
    if (at === -1) return false;
    const line = this.#received.slice(0, at);
    this.#received = this.#received.slice(at + 2);
    this.#handleCommand(line);
    return true;
  }

  #handleCommand(line: string): void {
    this.#trace(`< ${line}`);
    switch (line.slice(0, 4).toUpperCase()) {
      case "EHLO":
        this.#reply(this.#capabilities());
        break;
      case "QUIT":
        this.#quit();
        break;
      case "MAIL":
        this.#handleMail(line);
        break;
      case "RCPT":
        this.#handleRcpt(line);
        break;
      case "DATA":
        this.#handleData();
        break;
      default:
        this.#resetTransaction();
        this.#reply("250 2.0.0 ok");
    }
  }

  #capabilities(): string {
    const { prng } = this.#parts;
    const offered = ["250-peer.example", "250-8BITMIME", "250-SMTPUTF8"];
    if (prng.chance(0.7)) offered.push("250-PIPELINING");
    if (prng.chance(0.5)) offered.push("250-SIZE 50000000");
    return [...offered, "250 ENHANCEDSTATUSCODES"].join("\r\n");
  }

  #handleMail(line: string): void {
    const refusal = this.#loadRefusal() ?? this.#refusal();
    if (refusal === null) this.#mail = line;
    this.#recordRefusal(refusal, ["sender"]);
    this.#reply(refusal ?? "250 2.1.0 ok");
  }

  #handleRcpt(line: string): void {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
    const tooMany = this.#recipients.length > 0 && this.#parts.faults.occurs("peer_defers");
    const refusal = this.#mail === null ? "503 5.5.1 no sender" : tooMany ? "452 4.5.3 too many" : this.#refusal();
    if (refusal === null) this.#recipients.push(address);
    this.#attemptedRecipients.push(address);
    this.#recordRefusal(refusal, [address]);
    this.#reply(refusal ?? "250 2.1.5 ok");
  }

  #handleData(): void {
    const refusal = this.#recipients.length === 0 ? "503 5.5.1 no recipients" : this.#refusal();
    this.#recordRefusal(refusal, this.#attemptedRecipients);
    if (refusal === null) {
      this.#content = "";
      this.#repliesToDot = true;
    }
    this.#reply(refusal ?? "354 go ahead");
  }

  /** Returns whether there may be more to take. */
  #readContent(): boolean {
    const { faults } = this.#parts;
    if (this.#repliesToDot && this.#received.length > 0 && faults.occurs("peer_early")) this.#replyEarly();
    const all = `\r\n${this.#received}`;
    const at = all.indexOf("\r\n.\r\n");
    if (at === -1) return false;
    this.#received = all.slice(at + 5);
    const content = all.slice(2, at + 2).replaceAll("\r\n..", "\r\n.");
    this.#content = null;
    if (this.#repliesToDot) this.#handleDot(content.startsWith("..") ? content.slice(1) : content);
    this.#resetTransaction();
    return true;
  }

  /** A refusal before the dot; what follows is read and thrown away. */
  #replyEarly(): void {
    this.#repliesToDot = false;
    const reply = this.#parts.prng.pick(["552 5.3.4 too big", "451 4.3.0 no room"] as const);
    this.#recordRefusal(reply, this.#attemptedRecipients);
    this.#reply(reply);
  }

  #handleDot(content: string): void {
    const { faults, prng } = this.#parts;
    const refusal = this.#refusal();
    if (faults.occurs("dot_unclear")) {
      this.#replyUnclearly(content);
    } else if (refusal === null) {
      const taken = this.#accept(content);
      const said = (): void => markReported(taken);
      if (faults.occurs("dot_slow")) this.#send("250 2.0.0 queued\r\n", SLOW_DOT_MS, { sent: said });
      else this.#reply("250 2.0.0 queued", said);
    } else {
      this.#recordRefusal(refusal, this.#attemptedRecipients);
      this.#reply(prng.chance(0.05) ? "354 more" : refusal);
    }
  }

  /** Taken or not, the reply does not come as it should. */
  #replyUnclearly(content: string): void {
    const { prng } = this.#parts;
    const taken = prng.chance(0.7) ? this.#accept(content) : [];
    switch (prng.pick(["cut", "silent", "garbled", "late", "intermediate"])) {
      case "cut":
        this.#disconnect();
        break;
      case "silent":
        this.#isSilent = true;
        break;
      case "garbled":
        this.#send(prng.pick(GARBLED), 1);
        break;
      case "intermediate":
        this.#send("354 and now?\r\n", 1);
        break;
      case "late":
        this.#sendLate(taken);
        break;
    }
  }

  /** 250 only for what it has: that a peer lies is not our loss. */
  #sendLate(taken: Delivery[]): void {
    const reply = taken.length > 0 ? "250 2.0.0 queued" : "451 4.3.0 later";
    const { prng, faults } = this.#parts;
    const gone = (): void => faults.tally.add("accepted_after_we_gave_up", Math.min(taken.length, 1));
    this.#send(`${reply}\r\n`, prng.logUniform(LATE_MS), { sent: () => markReported(taken), dropped: gone });
  }

  #accept(content: string): Delivery[] {
    const { history, time } = this.#parts;
    const messageId = /^Message-ID: (<[^>]*>)\r$/im.exec(content)?.[1] ?? "none";
    const unsigned = content.replace(SIGNATURE_FIELD, "");
    const taken = this.#recipients.map(
      (recipient): Delivery => ({ messageId, recipient, atMs: time.nowMs, isReplySent: false, content: unsigned }),
    );
    history.deliveries.push(...taken);
    this.#trace(`takes ${messageId} for ${this.#recipients.join(" ")}`);
    return taken;
  }

  #loadRefusal(): string | null {
    if (!this.#parts.isLimited()) return null;
    return this.#parts.prng.pick(["451 4.7.650 rate limited", "450 4.7.0 too many messages", "421 4.7.28 rate"]);
  }

  #refusal(): string | null {
    const { faults, prng } = this.#parts;
    if (faults.occurs("peer_defers")) return prng.pick(["451 4.7.1 later", "450 4.2.1 busy", "421 4.3.2 closing"]);
    if (faults.occurs("peer_refuses")) return prng.pick(["550 5.1.1 no such user", "554 5.7.1 no", "552 5.2.2 full"]);
    return null;
  }

  #recordRefusal(reply: string | null, recipients: string[]): void {
    if (reply?.startsWith("5") !== true) return;
    const { refused } = this.#parts.history;
    for (const recipient of recipients) refused.add(recipient);
    if (!this.#isOutOfStep) return;
    // Whose mail it was is not known before its first recipient is.
    for (const recipient of recipients) refused.add(recipient === "sender" ? "anybody" : localPartPrefix(recipient));
  }

  #resetTransaction(): void {
    this.#mail = null;
    this.#attemptedRecipients = [];
    this.#recipients = [];
  }

  #quit(): void {
    this.#reply("221 2.0.0 bye");
    this.#closeAfterReplies();
  }

  /** A reply as the weather lets it through. `said` runs when it leaves whole and for the first time. */
  #reply(reply: string, said: () => void = () => {}): void {
    const { faults, prng } = this.#parts;
    if (faults.occurs("peer_silent")) {
      this.#isSilent = true;
    } else if (faults.occurs("peer_cuts")) {
      this.#disconnect();
    } else if (faults.occurs("peer_garbles")) {
      this.#send(prng.pick(GARBLED), 1);
    } else {
      this.#send(`${reply}\r\n`, prng.logUniform(faults.occurs("peer_late") ? LATE_MS : REPLY_MS), { sent: said });
      if (faults.occurs("peer_twice")) {
        this.#isOutOfStep = true;
        // The next transaction cannot tell it from the reply to its MAIL.
        this.#recordRefusal(reply, [...this.#attemptedRecipients, "sender"]);
        this.#send(`${reply}\r\n`, prng.logUniform([0.1, 5000]));
      }
      if (reply.startsWith("421")) this.#closeAfterReplies();
    }
  }

  #closeAfterReplies(): void {
    const { time } = this.#parts;
    time.after(this.#lastReplyMs - time.nowMs + 1, () => this.#end.close("end"));
  }

  #send(text: string, delayMs: number, { sent, dropped }: Partial<ReplyCallbacks> = {}): void {
    const { time } = this.#parts;
    this.#outbox.push({ text, sent, dropped });
    this.#lastReplyMs = Math.max(this.#lastReplyMs, time.nowMs + delayMs);
    // Timers of a real clock may come out of order; replies must not.
    time.after(this.#lastReplyMs - time.nowMs, () => {
      const next = this.#outbox.shift();
      if (next === undefined) return;
      if (!this.#end.isOpen) return next.dropped?.();
      next.sent?.();
      this.#trace(`> ${next.text.slice(0, 60).trim()}`);
      this.#end.send(Buffer.from(next.text, "latin1"));
    });
  }

  #trace(line: string): void {
    this.#parts.trace(`peer ${this.#parts.number} ${line}`);
  }

  #disconnect(): void {
    this.#trace("cuts");
    this.#isSilent = true;
    this.#end.close(this.#parts.prng.pick(["end", "reset"]));
  }
}

/** What the recipients of one mail have in common: `u7` of `u7-1@d3.example`. */
export function localPartPrefix(recipient: string): string {
  return recipient.split("-")[0] ?? recipient;
}

function markReported(taken: Delivery[]): void {
  for (const entry of taken) entry.isReplySent = true;
}
