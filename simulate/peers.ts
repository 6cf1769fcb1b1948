/**
 * The mail exchangers: SMTP servers that stall, cut, garble, answer late, twice or too early as the weather has it, and
 * keep a book of what they took. A message counts as taken the moment its final dot was understood and nothing was said
 * against it, whether or not the sender is ever told.
 */
import type { Books, Taken } from "./books.ts";
import type { Chance } from "./chance.ts";
import type { PeerEnd, PeerSide } from "./network.ts";
import type { Passing } from "./virtual-time.ts";
import type { Weather } from "./weather.ts";

export interface PeerParts {
  time: Passing;
  chance: Chance;
  weather: Weather;
  books: Books;
  /** The conversation's, for the trace. */
  number: number;
  /** What is said, for the trace. */
  tell: (line: string) => void;
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
const FIRST_FIELD = /^[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/;

/** What becomes of a reply: it leaves, or there is nobody any more to say it to. */
interface Fate {
  said: () => void;
  gone: () => void;
}

/** A peer's conversation over one connection. */
export class Peer implements PeerSide {
  readonly #parts: PeerParts;
  readonly #end: PeerEnd;
  #received = "";
  #content: string | null = null;
  #mail: string | null = null;
  /** Of this transaction, taken or not. */
  #named: string[] = [];
  #recipients: string[] = [];
  readonly #outbox: ({ text: string } & Record<keyof Fate, (() => void) | undefined>)[] = [];
  /** When the last reply leaves: the next one not before it. */
  #lastMs = 0;
  /** It has stopped answering, for good. */
  #isSilent = false;
  #answersDot = true;
  /** It has answered something twice: its refusals reach the sender as answers to later commands. */
  #isBehind = false;

  constructor(end: PeerEnd, parts: PeerParts) {
    this.#end = end;
    this.#parts = parts;
    if (parts.chance.hit(0.5) && parts.isLimited())
      this.#say(parts.chance.pick(["421 4.7.0 too many connections", "554 5.7.1 poor reputation"]));
    else if (parts.weather.strikes("peer_refuses"))
      this.#say(parts.chance.pick(["554 5.7.1 not you", "421 4.3.2 too busy"]));
    else this.#say("220 peer.example ESMTP");
  }

  closed(): void {
    this.#isSilent = true;
  }

  receive(bytes: Buffer): void {
    if (this.#isSilent) return;
    this.#received += bytes.toString("latin1");
    while (!this.#isSilent && (this.#content === null ? this.#takeLine() : this.#takeContent()));
  }

  #takeLine(): boolean {
    const at = this.#received.indexOf("\r\n");
    if (at === -1) return false;
    const line = this.#received.slice(0, at);
    this.#received = this.#received.slice(at + 2);
    this.#obey(line);
    return true;
  }

  #obey(line: string): void {
    this.#tell(`< ${line}`);
    switch (line.slice(0, 4).toUpperCase()) {
      case "EHLO":
        this.#say(this.#capabilities());
        break;
      case "QUIT":
        this.#quit();
        break;
      case "MAIL":
        this.#takeMail(line);
        break;
      case "RCPT":
        this.#takeRcpt(line);
        break;
      case "DATA":
        this.#takeData();
        break;
      default:
        this.#forget();
        this.#say("250 2.0.0 ok");
    }
  }

  #capabilities(): string {
    const { chance } = this.#parts;
    const offered = ["250-peer.example", "250-8BITMIME", "250-SMTPUTF8"];
    if (chance.hit(0.7)) offered.push("250-PIPELINING");
    if (chance.hit(0.5)) offered.push("250-SIZE 50000000");
    return [...offered, "250 ENHANCEDSTATUSCODES"].join("\r\n");
  }

  #takeMail(line: string): void {
    const refusal = this.#limit() ?? this.#refusal();
    if (refusal === null) this.#mail = line;
    this.#noteRefused(refusal, ["sender"]);
    this.#say(refusal ?? "250 2.1.0 ok");
  }

  #takeRcpt(line: string): void {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
    const tooMany = this.#recipients.length > 0 && this.#parts.weather.strikes("peer_defers");
    const refusal = this.#mail === null ? "503 5.5.1 no sender" : tooMany ? "452 4.5.3 too many" : this.#refusal();
    if (refusal === null) this.#recipients.push(address);
    this.#named.push(address);
    this.#noteRefused(refusal, [address]);
    this.#say(refusal ?? "250 2.1.5 ok");
  }

  #takeData(): void {
    const refusal = this.#recipients.length === 0 ? "503 5.5.1 no recipients" : this.#refusal();
    this.#noteRefused(refusal, this.#named);
    if (refusal === null) {
      this.#content = "";
      this.#answersDot = true;
    }
    this.#say(refusal ?? "354 go ahead");
  }

  /** Returns whether there may be more to take. */
  #takeContent(): boolean {
    const { weather } = this.#parts;
    if (this.#answersDot && this.#received.length > 0 && weather.strikes("peer_early")) this.#sayEarly();
    const all = `\r\n${this.#received}`;
    const at = all.indexOf("\r\n.\r\n");
    if (at === -1) return false;
    this.#received = all.slice(at + 5);
    const content = all.slice(2, at + 2).replaceAll("\r\n..", "\r\n.");
    this.#content = null;
    if (this.#answersDot) this.#decide(content.startsWith("..") ? content.slice(1) : content);
    this.#forget();
    return true;
  }

  /** A refusal before the dot; what follows is read and thrown away. */
  #sayEarly(): void {
    this.#answersDot = false;
    const reply = this.#parts.chance.pick(["552 5.3.4 too big", "451 4.3.0 no room"] as const);
    this.#noteRefused(reply, this.#named);
    this.#say(reply);
  }

  #decide(content: string): void {
    const { weather, chance } = this.#parts;
    const refusal = this.#refusal();
    if (weather.strikes("dot_unclear")) {
      this.#decideUnclearly(content);
    } else if (refusal === null) {
      const taken = this.#take(content);
      const said = (): void => tell(taken);
      if (weather.strikes("dot_slow")) this.#send("250 2.0.0 queued\r\n", SLOW_DOT_MS, { said });
      else this.#say("250 2.0.0 queued", said);
    } else {
      this.#noteRefused(refusal, this.#named);
      this.#say(chance.hit(0.05) ? "354 more" : refusal);
    }
  }

  /** Taken or not, the reply does not come as it should. */
  #decideUnclearly(content: string): void {
    const { chance } = this.#parts;
    const taken = chance.hit(0.7) ? this.#take(content) : [];
    switch (chance.pick(["cut", "silent", "garbled", "late", "intermediate"])) {
      case "cut":
        this.#cut();
        break;
      case "silent":
        this.#isSilent = true;
        break;
      case "garbled":
        this.#send(chance.pick(GARBLED), 1);
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
  #sendLate(taken: Taken[]): void {
    const reply = taken.length > 0 ? "250 2.0.0 queued" : "451 4.3.0 later";
    const { chance, weather } = this.#parts;
    const gone = (): void => weather.tally.add("accepted_after_we_gave_up", Math.min(taken.length, 1));
    this.#send(`${reply}\r\n`, chance.spread(LATE_MS), { said: () => tell(taken), gone });
  }

  #take(content: string): Taken[] {
    const { books, time } = this.#parts;
    const messageId = /^Message-ID: (<[^>]*>)\r$/im.exec(content)?.[1] ?? "none";
    const unsigned = content.replace(FIRST_FIELD, "");
    const taken = this.#recipients.map(
      (recipient): Taken => ({ messageId, recipient, atMs: time.nowMs, isTold: false, content: unsigned }),
    );
    books.taken.push(...taken);
    this.#tell(`takes ${messageId} for ${this.#recipients.join(" ")}`);
    return taken;
  }

  #limit(): string | null {
    if (!this.#parts.isLimited()) return null;
    return this.#parts.chance.pick(["451 4.7.650 rate limited", "450 4.7.0 too many messages", "421 4.7.28 rate"]);
  }

  #refusal(): string | null {
    const { weather, chance } = this.#parts;
    if (weather.strikes("peer_defers")) return chance.pick(["451 4.7.1 later", "450 4.2.1 busy", "421 4.3.2 closing"]);
    if (weather.strikes("peer_refuses"))
      return chance.pick(["550 5.1.1 no such user", "554 5.7.1 no", "552 5.2.2 full"]);
    return null;
  }

  #noteRefused(reply: string | null, recipients: string[]): void {
    if (reply?.startsWith("5") !== true) return;
    const { refused } = this.#parts.books;
    for (const recipient of recipients) refused.add(recipient);
    if (!this.#isBehind) return;
    // Whose mail it was is not known before its first recipient is.
    for (const recipient of recipients) refused.add(recipient === "sender" ? "anybody" : mailOf(recipient));
  }

  #forget(): void {
    this.#mail = null;
    this.#named = [];
    this.#recipients = [];
  }

  #quit(): void {
    this.#say("221 2.0.0 bye");
    this.#closeAfterReplies();
  }

  /** A reply as the weather lets it through. `said` runs when it leaves whole and for the first time. */
  #say(reply: string, said: () => void = () => {}): void {
    const { weather, chance } = this.#parts;
    if (weather.strikes("peer_silent")) {
      this.#isSilent = true;
    } else if (weather.strikes("peer_cuts")) {
      this.#cut();
    } else if (weather.strikes("peer_garbles")) {
      this.#send(chance.pick(GARBLED), 1);
    } else {
      this.#send(`${reply}\r\n`, chance.spread(weather.strikes("peer_late") ? LATE_MS : REPLY_MS), { said });
      if (weather.strikes("peer_twice")) {
        this.#isBehind = true;
        // The next transaction cannot tell it from the reply to its MAIL.
        this.#noteRefused(reply, [...this.#named, "sender"]);
        this.#send(`${reply}\r\n`, chance.spread([0.1, 5000]));
      }
      if (reply.startsWith("421")) this.#closeAfterReplies();
    }
  }

  #closeAfterReplies(): void {
    const { time } = this.#parts;
    time.after(this.#lastMs - time.nowMs + 1, () => this.#end.close("end"));
  }

  #send(text: string, delayMs: number, { said, gone }: Partial<Fate> = {}): void {
    const { time } = this.#parts;
    this.#outbox.push({ text, said, gone });
    this.#lastMs = Math.max(this.#lastMs, time.nowMs + delayMs);
    // Timers of a real clock may come out of order; replies must not.
    time.after(this.#lastMs - time.nowMs, () => {
      const next = this.#outbox.shift();
      if (next === undefined) return;
      if (!this.#end.isOpen) return next.gone?.();
      next.said?.();
      this.#tell(`> ${next.text.slice(0, 60).trim()}`);
      this.#end.send(Buffer.from(next.text, "latin1"));
    });
  }

  #tell(line: string): void {
    this.#parts.tell(`peer ${this.#parts.number} ${line}`);
  }

  #cut(): void {
    this.#tell("cuts");
    this.#isSilent = true;
    this.#end.close(this.#parts.chance.pick(["end", "reset"]));
  }
}

/** What the recipients of one mail have in common: `u7` of `u7-1@d3.example`. */
export function mailOf(recipient: string): string {
  return recipient.split("-")[0] ?? recipient;
}

function tell(taken: Taken[]): void {
  for (const entry of taken) entry.isTold = true;
}
