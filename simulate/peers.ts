/**
 * The mail exchangers: SMTP servers that stall, disconnect, send malformed replies, and reply late, twice or too
 * early, as the fault injector decides. They record every message they accept in the history. A message is accepted
 * once its final dot is read without a refusal, even if the reply never reaches the service.
 */

import type { FaultInjector } from "./fault-injector.ts";
import type { Delivery, History } from "./history.ts";
import type { PeerEnd, PeerHandler } from "./network.ts";
import type { RecordsStage } from "./own-records.ts";
import type { Prng } from "./prng.ts";
import type { Timeline } from "./virtual-time.ts";

export interface PeerOptions {
  time: Timeline;
  prng: Prng;
  faults: FaultInjector;
  history: History;
  /** The number of the connection, for the trace. */
  number: number;
  /** Prints a line of the trace. */
  trace: (line: string) => void;
  /** The reply of a host that rejects everything for load at this stage now, or null. It is recorded in the history. */
  loadRefusal: (stage: "greeting" | "mail") => string | null;
  /** The reply of a host that refuses everything at this stage for our own records, or null. None does if absent. */
  ownRecordsRefusal?: (stage: RecordsStage) => string | null;
}

const REPLY_MS = [0.1, 30] as const;
/** The delay of a slow reply to a final dot. */
export const SLOW_DOT_MS = 12_000;
/** A range around the SMTP client's own timeouts. */
const LATE_MS = [30_000, 1_500_000] as const;
const GARBLED = [
  "2x0 fine\r\n",
  "hello?\r\n",
  "\0\0\0\r\n",
  "550-one\r\n250 two\r\n",
  "\r\n",
  "25",
  `250 ${"x".repeat(5000)}\r\n`,
] as const;

/** The service's signature field, which precedes the message. */
const SIGNATURE_FIELD = /^[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/;

/** `sent` runs when the reply leaves, `dropped` when the connection was closed before. */
interface ReplyCallbacks {
  sent: () => void;
  dropped: () => void;
}

/** A peer's end of one SMTP connection. */
export class Peer implements PeerHandler {
  readonly #options: PeerOptions;
  readonly #end: PeerEnd;
  #received = "";
  #content: string | null = null;
  #mail: string | null = null;
  /** The recipients of this transaction, accepted or not. */
  #attemptedRecipients: string[] = [];
  #recipients: string[] = [];
  readonly #outbox: ({ text: string } & Record<keyof ReplyCallbacks, (() => void) | undefined>)[] = [];
  /** When the last reply leaves; the next one does not leave earlier. */
  #lastReplyMs = 0;
  /** The peer never replies again. */
  #isSilent = false;
  #repliesToDot = true;
  /** The peer replied twice to a command: the service reads its refusals as replies to later commands. */
  #isOutOfStep = false;

  constructor(end: PeerEnd, parts: PeerOptions) {
    this.#end = end;
    this.#options = parts;
    const loadRefusal = parts.loadRefusal("greeting") ?? this.#ownRecordsRefusal("greeting");
    if (loadRefusal !== null) this.#reply(loadRefusal);
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
    const { prng } = this.#options;
    const offered = ["250-peer.example", "250-8BITMIME", "250-SMTPUTF8"];
    if (prng.chance(0.7)) offered.push("250-PIPELINING");
    if (prng.chance(0.5)) offered.push("250-SIZE 50000000");
    return [...offered, "250 ENHANCEDSTATUSCODES"].join("\r\n");
  }

  #handleMail(line: string): void {
    const ofRecords = this.#ownRecordsRefusal("mail");
    if (ofRecords !== null) {
      this.#reply(ofRecords);
      return;
    }
    const refusal = this.#options.loadRefusal("mail") ?? this.#refusal();
    if (refusal === null) this.#mail = line;
    this.#recordRefusal(refusal, ["sender"]);
    this.#reply(refusal ?? "250 2.1.0 ok");
  }

  #handleRcpt(line: string): void {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
    const ofRecords = this.#mail === null ? null : this.#ownRecordsRefusal("rcpt");
    if (ofRecords !== null) {
      this.#reply(ofRecords);
      return;
    }
    const tooMany = this.#recipients.length > 0 && this.#options.faults.occurs("peer_defers");
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

  /** Reads message content. Returns whether more input may be complete. */
  #readContent(): boolean {
    const { faults } = this.#options;
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

  /** Refuses the message before the final dot. The rest of the content is read and discarded. */
  #replyEarly(): void {
    this.#repliesToDot = false;
    const reply = this.#options.prng.pick(["552 5.3.4 too big", "451 4.3.0 no room"] as const);
    this.#recordRefusal(reply, this.#attemptedRecipients);
    this.#reply(reply);
  }

  #handleDot(content: string): void {
    const { faults, prng } = this.#options;
    const ofRecords = this.#ownRecordsRefusal("dot");
    if (ofRecords !== null) {
      this.#reply(ofRecords);
      return;
    }
    const refusal = this.#refusal();
    if (faults.occurs("dot_unclear")) {
      this.#replyUnclearly(content);
    } else if (refusal === null) {
      const deliveries = this.#accept(content);
      const onSent = (): void => markReported(deliveries);
      if (faults.occurs("dot_slow")) this.#send("250 2.0.0 queued\r\n", SLOW_DOT_MS, { sent: onSent });
      else this.#reply("250 2.0.0 queued", onSent);
    } else {
      this.#recordRefusal(refusal, this.#attemptedRecipients);
      this.#reply(prng.chance(0.05) ? "354 more" : refusal);
    }
  }

  /** Accepts the message or not, and replies in an unclear way. */
  #replyUnclearly(content: string): void {
    const { prng } = this.#options;
    const deliveries = prng.chance(0.7) ? this.#accept(content) : [];
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
        this.#sendLate(deliveries);
        break;
    }
  }

  /** Replies 250 only to an accepted message: the service cannot detect a peer that lies. */
  #sendLate(deliveries: Delivery[]): void {
    const reply = deliveries.length > 0 ? "250 2.0.0 queued" : "451 4.3.0 later";
    const { prng, faults } = this.#options;
    const onDropped = (): void => faults.tally.add("accepted_after_disconnect", Math.min(deliveries.length, 1));
    this.#send(`${reply}\r\n`, prng.logUniform(LATE_MS), { sent: () => markReported(deliveries), dropped: onDropped });
  }

  #accept(content: string): Delivery[] {
    const { history, time } = this.#options;
    const messageId = /^Message-ID: (<[^>]*>)\r$/im.exec(content)?.[1] ?? "none";
    const unsigned = content.replace(SIGNATURE_FIELD, "");
    const deliveries = this.#recipients.map(
      (recipient): Delivery => ({ messageId, recipient, atMs: time.nowMs, isReplySent: false, content: unsigned }),
    );
    history.deliveries.push(...deliveries);
    this.#trace(`takes ${messageId} for ${this.#recipients.join(" ")}`);
    return deliveries;
  }

  #ownRecordsRefusal(stage: RecordsStage): string | null {
    return this.#options.ownRecordsRefusal?.(stage) ?? null;
  }

  #refusal(): string | null {
    const { faults, prng } = this.#options;
    if (faults.occurs("peer_defers")) return prng.pick(["451 4.7.1 later", "450 4.2.1 busy", "421 4.3.2 closing"]);
    if (faults.occurs("peer_refuses")) return prng.pick(["550 5.1.1 no such user", "554 5.7.1 no", "552 5.2.2 full"]);
    return null;
  }

  #recordRefusal(reply: string | null, recipients: string[]): void {
    if (reply?.startsWith("5") !== true) return;
    const { refused } = this.#options.history;
    for (const recipient of recipients) refused.add(recipient);
    if (!this.#isOutOfStep) return;
    // The message is unknown before its first recipient.
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

  /** Sends a reply, subject to faults. `sent` runs when the complete reply leaves for the first time. */
  #reply(reply: string, onSent: () => void = () => {}): void {
    const { faults, prng } = this.#options;
    if (faults.occurs("peer_silent")) {
      this.#isSilent = true;
    } else if (faults.occurs("peer_cuts")) {
      this.#disconnect();
    } else if (faults.occurs("peer_garbles")) {
      this.#send(prng.pick(GARBLED), 1);
    } else {
      this.#send(`${reply}\r\n`, prng.logUniform(faults.occurs("peer_late") ? LATE_MS : REPLY_MS), { sent: onSent });
      if (faults.occurs("peer_twice")) {
        this.#isOutOfStep = true;
        // The service reads the second one as the reply to its next MAIL.
        this.#recordRefusal(reply, [...this.#attemptedRecipients, "sender"]);
        this.#send(`${reply}\r\n`, prng.logUniform([0.1, 5000]));
      }
      if (reply.startsWith("421")) this.#closeAfterReplies();
    }
  }

  #closeAfterReplies(): void {
    const { time } = this.#options;
    time.after(this.#lastReplyMs - time.nowMs + 1, () => this.#end.close("end"));
  }

  #send(text: string, delayMs: number, { sent, dropped }: Partial<ReplyCallbacks> = {}): void {
    const { time } = this.#options;
    this.#outbox.push({ text, sent, dropped });
    this.#lastReplyMs = Math.max(this.#lastReplyMs, time.nowMs + delayMs);
    // Timers of a real clock may fire out of order; replies must not.
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
    this.#options.trace(`peer ${this.#options.number} ${line}`);
  }

  #disconnect(): void {
    this.#trace("cuts");
    this.#isSilent = true;
    this.#end.close(this.#options.prng.pick(["end", "reset"]));
  }
}

/** The common prefix of the recipients of one message: `u7` of `u7-1@d3.example`. */
export function localPartPrefix(recipient: string): string {
  return recipient.split("-")[0] ?? recipient;
}

function markReported(deliveries: Delivery[]): void {
  for (const entry of deliveries) entry.isReplySent = true;
}
