/**
 * Twelve receivers in a model of a day: the limits of each, its replies beyond them, and when it asks for a pause or blocks this server's
 * address. The limits are those of their profiles; replies are worded as the receivers word them. How a receiver gets from a refusal to
 * a pause, and from there to a block, is not published: these numbers are assumptions, the same for all.
 */
import type { SmtpReply } from "../src/message/result/outcome.ts";
import { keyOf } from "../src/receivers/names.ts";
import type { ReceiverLimits } from "../src/receivers/profiles.ts";
import { profileOf } from "../src/receivers/receiver.ts";
import type { Prng } from "./prng.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The number of refusals for excess within EXCESS_WITHIN_MS after which a receiver asks for a pause. */
const EXCESS_UNTIL_PAUSE = 20;
const EXCESS_WITHIN_MS = 10 * MINUTE_MS;
/** The number of attempts within a pause after which it blocks the address. Attempts that began before the pause do not count. */
const IGNORED_UNTIL_BLOCK = 50;
const UNDER_WAY_MS = 5 * SECOND_MS;
const BLOCK_MS = 4 * HOUR_MS;
/** It has this server's address on its block list once, for BLOCK_MS, as after the spam of a neighbour. */
const BLOCKS_ANYWAY = "outlook";

/**
 * What a receiver does about excess: refuses it, asks for a pause after EXCESS_UNTIL_PAUSE refusals too, or also blocks the address after
 * IGNORED_UNTIL_BLOCK attempts within a pause.
 */
export const REACTIONS = ["refuse", "pause", "block"] as const;
export type Reaction = (typeof REACTIONS)[number];

export type RefusedAt = "greeting" | "mail" | "rcpt";

export interface Refusal {
  stage: RefusedAt;
  reply: SmtpReply;
  /** It concerns the connection, which has carried all messages that it may. */
  isOfConnection?: true;
}

/** A kind of refusal: its stage, and the reply as a line. */
type Wording = readonly [RefusedAt, string];

interface DayReceiver {
  /** Of a profile. */
  name: string;
  /** Percent of all messages. */
  share: number;
  excess: Wording;
  pause: Wording;
  pauseMs: number;
  block: Wording;
  connectionsPerHour?: number;
}

const SPAMHAUS = "550 5.7.1 Service unavailable; client host [192.0.2.10] blocked using zen.spamhaus.org";
const TOO_MANY = "421 4.7.0 Too many concurrent connections";

export const DAY_RECEIVERS: readonly DayReceiver[] = [
  {
    name: "gmail",
    share: 34,
    excess: ["greeting", TOO_MANY],
    pause: [
      "mail",
      "421 4.7.28 Our system has detected an unusual rate of mail originating from your IP address 192.0.2.10.",
    ],
    pauseMs: 15 * MINUTE_MS,
    block: [
      "mail",
      "550 5.7.1 [192.0.2.10] Our system has detected that this message is likely unsolicited mail: your IP has a low reputation",
    ],
  },
  {
    name: "outlook",
    share: 14,
    excess: ["greeting", "421 4.3.2 IB007 Too many connections from 192.0.2.10"],
    pause: [
      "mail",
      "451 4.7.650 The mail server [192.0.2.10] has been temporarily rate limited due to IP reputation. (S775)",
    ],
    pauseMs: 15 * MINUTE_MS,
    block: [
      "mail",
      "550 5.7.1 Messages from [192.0.2.10] weren't sent: part of their network is on our block list (S3140).",
    ],
  },
  {
    name: "microsoft-365",
    share: 14,
    excess: ["greeting", TOO_MANY],
    pause: ["mail", "451 4.7.500 Server busy. Please try again later from [192.0.2.10]. (S77714)"],
    pauseMs: 15 * MINUTE_MS,
    block: ["mail", "550 5.7.606 Access denied, banned sending IP [192.0.2.10]"],
  },
  {
    name: "yahoo",
    share: 9,
    excess: ["greeting", TOO_MANY],
    pause: [
      "mail",
      "421 4.7.0 [TSS04] Messages from 192.0.2.10 temporarily deferred due to unexpected volume or user complaints",
    ],
    pauseMs: 2 * HOUR_MS,
    block: ["mail", "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.10, because the ip is in our list"],
  },
  {
    name: "yahoo-japan",
    share: 3,
    excess: ["mail", "421 4.7.1 Too many messages from 192.0.2.10"],
    pause: ["mail", "421 VS98-IP0(001) Excessive rate of mail from 192.0.2.10"],
    pauseMs: HOUR_MS,
    block: ["mail", SPAMHAUS],
  },
  {
    name: "icloud",
    share: 8,
    excess: ["greeting", TOO_MANY],
    pause: ["mail", "421 4.7.1 [HCM1] Messages from 192.0.2.10 are rate limited"],
    pauseMs: 15 * MINUTE_MS,
    block: ["rcpt", "550 5.7.1 [HM08] Message rejected due to local policy"],
  },
  {
    name: "gmx",
    share: 5,
    excess: ["greeting", TOO_MANY],
    pause: ["greeting", "421 Reject due to policy restrictions"],
    pauseMs: 2 * HOUR_MS,
    block: ["greeting", "554 IP address is block listed. https://postmaster.gmx.net/case?c=hi&i=ip&v=192.0.2.10"],
  },
  {
    name: "orange",
    share: 3,
    excess: ["greeting", "421 smtp-in.orange.fr Too many connections, slow down. OFR004_104 [104]"],
    pause: ["greeting", "421 smtp-in.orange.fr Service refuse. Veuillez essayer plus tard. OFR_999"],
    pauseMs: HOUR_MS,
    block: ["mail", "550 5.7.1 Service refuse. OFR_999 192.0.2.10 poor reputation"],
    connectionsPerHour: 1000,
  },
  {
    name: "comcast",
    share: 4,
    excess: ["greeting", TOO_MANY],
    pause: ["greeting", "421 RL000001 Throttled, try again in 15 minutes"],
    pauseMs: 15 * MINUTE_MS,
    block: ["mail", "554 5.7.1 BL000001 192.0.2.10 blocked for spam. https://postmaster.comcast.net/BL000001"],
  },
  {
    name: "mimecast-eu",
    share: 2,
    excess: ["greeting", TOO_MANY],
    pause: ["greeting", "421 4.7.0 Too many messages from 192.0.2.10, try again in 15 minutes"],
    pauseMs: 15 * MINUTE_MS,
    block: ["mail", SPAMHAUS],
  },
  {
    name: "qq",
    share: 2,
    excess: ["greeting", TOO_MANY],
    pause: [
      "rcpt",
      "550 Ip frequency limited. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000725",
    ],
    pauseMs: HOUR_MS,
    block: ["mail", SPAMHAUS],
  },
  {
    name: "mail-ru",
    share: 2,
    excess: ["greeting", TOO_MANY],
    pause: ["mail", "421 4.7.0 Frequency of messages from 192.0.2.10 is limited, retry after 900 seconds"],
    pauseMs: 15 * MINUTE_MS,
    block: ["mail", SPAMHAUS],
  },
];

const OF_CONNECTION: Refusal = {
  stage: "mail",
  reply: replyOf("421 4.7.0 Max message per connection reached"),
  isOfConnection: true,
};

/** What a receiver has seen and done. */
export interface ReceiverCounts {
  /** Refused attempts: beyond a limit, within a pause, and within a block. */
  excess: number;
  paused: number;
  blocked: number;
  /** Pauses and blocks that began. */
  pauses: number;
  blocks: number;
  mostOpen: number;
}

/** One receiver during the day. */
export class ModelReceiver {
  readonly key: string;
  readonly counts: ReceiverCounts = { excess: 0, paused: 0, blocked: 0, pauses: 0, blocks: 0, mostOpen: 0 };
  readonly #receiver: DayReceiver;
  readonly #limits: ReceiverLimits;
  readonly #excess: Refusal;
  readonly #pause: Refusal;
  readonly #block: Refusal;
  readonly #reaction: Reaction;
  /** When it asks for a pause whatever this server does, once in the day. */
  #asksAtMs: number;
  #blocksAtMs: number;
  #open = 0;
  #connections = new Recent(HOUR_MS);
  #messages = new Recent(MINUTE_MS);
  #refused = new Recent(EXCESS_WITHIN_MS);
  #pausedFromMs = 0;
  #pausedUntilMs = 0;
  #ignored = 0;
  #blockedUntilMs = 0;

  /** With blocks, one receiver has the address on its list once in the day, whatever this server does. */
  constructor(receiver: DayReceiver, { prng, reaction }: { prng: Prng; reaction: Reaction }) {
    const profile = profileOf(keyOf(receiver.name));
    if (profile === null) throw new Error(`no profile has the name ${receiver.name}`);
    this.#receiver = receiver;
    this.#limits = profile.limits;
    this.key = keyOf(receiver.name);
    [this.#excess, this.#pause, this.#block] = [receiver.excess, receiver.pause, receiver.block].map(refusalOf) as [
      Refusal,
      Refusal,
      Refusal,
    ];
    this.#asksAtMs = prng.integer(0, DAY_MS);
    this.#reaction = reaction;
    this.#blocksAtMs = prng.integer(0, DAY_MS - 2 * BLOCK_MS);
    if (reaction !== "block" || receiver.name !== BLOCKS_ANYWAY) this.#blocksAtMs = Number.POSITIVE_INFINITY;
  }

  /** The refusal of a new connection; null if it is accepted, and then counts until `disconnect`. */
  connect(nowMs: number): Refusal | null {
    const refusal = this.#judge("greeting", nowMs) ?? this.#judgeConnection(nowMs);
    if (refusal !== null) return refusal;
    this.#open += 1;
    this.counts.mostOpen = Math.max(this.counts.mostOpen, this.#open);
    this.#connections.add(nowMs);
    return null;
  }

  disconnect(): void {
    this.#open -= 1;
  }

  /** The refusal of a message, by the number of messages that its connection has carried; null if it is accepted. */
  offer(carried: number, nowMs: number): Refusal | null {
    const refusal = this.#judge("mail", nowMs) ?? this.#judge("rcpt", nowMs);
    if (refusal !== null) return refusal;
    const { messagesPerConnection = Number.POSITIVE_INFINITY, messagesPerMinute = Number.POSITIVE_INFINITY } =
      this.#limits;
    if (carried >= messagesPerConnection) {
      this.counts.excess += 1;
      return OF_CONNECTION;
    }
    // The profile's limit of a minute, and the twentieth that a token bucket may add.
    if (this.#messages.count(nowMs) >= 1.05 * messagesPerMinute) return this.#refuseExcess(nowMs);
    if (messagesPerMinute !== Number.POSITIVE_INFINITY) this.#messages.add(nowMs);
    return null;
  }

  #judgeConnection(nowMs: number): Refusal | null {
    const { connections = Number.POSITIVE_INFINITY } = this.#limits;
    const { connectionsPerHour = Number.POSITIVE_INFINITY } = this.#receiver;
    const isExcess = this.#open >= connections || this.#connections.count(nowMs) >= connectionsPerHour;
    return isExcess ? this.#refuseExcess(nowMs) : null;
  }

  #refuseExcess(nowMs: number): Refusal {
    this.counts.excess += 1;
    // A pause or a block is not prolonged.
    if (this.#reaction === "refuse" || nowMs < Math.max(this.#pausedUntilMs, this.#blockedUntilMs)) return this.#excess;
    this.#refused.add(nowMs);
    if (this.#refused.count(nowMs) >= EXCESS_UNTIL_PAUSE) this.#beginPause(nowMs);
    return this.#excess;
  }

  #beginPause(nowMs: number): void {
    this.#refused = new Recent(EXCESS_WITHIN_MS);
    this.counts.pauses += 1;
    this.#ignored = 0;
    this.#pausedFromMs = nowMs;
    this.#pausedUntilMs = nowMs + this.#receiver.pauseMs;
  }

  #beginBlock(nowMs: number): void {
    this.counts.blocks += 1;
    this.#blockedUntilMs = nowMs + BLOCK_MS;
    this.#pausedUntilMs = 0;
  }

  /** The refusal at a stage within a block or a pause. */
  #judge(stage: RefusedAt, nowMs: number): Refusal | null {
    if (nowMs >= this.#blocksAtMs) {
      this.#blocksAtMs = Number.POSITIVE_INFINITY;
      this.#beginBlock(nowMs);
    }
    if (nowMs < this.#blockedUntilMs) {
      if (stage !== this.#block.stage) return null;
      this.counts.blocked += 1;
      return this.#block;
    }
    if (nowMs >= this.#asksAtMs) {
      this.#asksAtMs = Number.POSITIVE_INFINITY;
      this.#beginPause(nowMs);
    }
    if (nowMs >= this.#pausedUntilMs || stage !== this.#pause.stage) return null;
    this.counts.paused += 1;
    if (nowMs > this.#pausedFromMs + UNDER_WAY_MS) this.#ignored += 1;
    if (this.#reaction === "block" && this.#ignored >= IGNORED_UNTIL_BLOCK) this.#beginBlock(nowMs);
    return this.#pause;
  }
}

/** How many events there were within a time. */
class Recent {
  readonly #withinMs: number;
  #times: number[] = [];
  #from = 0;

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  add(nowMs: number): void {
    this.#times.push(nowMs);
  }

  count(nowMs: number): number {
    while ((this.#times[this.#from] ?? nowMs) <= nowMs - this.#withinMs) this.#from += 1;
    if (this.#from > 1000) {
      this.#times = this.#times.slice(this.#from);
      this.#from = 0;
    }
    return this.#times.length - this.#from;
  }
}

function refusalOf([stage, line]: Wording): Refusal {
  return { stage, reply: replyOf(line) };
}

function replyOf(line: string): SmtpReply {
  const [, code, enhanced, message = ""] = /^(\d{3}) (?:(\d\.\d+\.\d+) )?(.*)$/u.exec(line) ?? [];
  return { code: Number(code), enhanced_code: enhanced ?? null, message };
}
