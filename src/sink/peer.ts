/**
 * The peer that a recipient's local part asks the sink to play: when it refuses, waits or hangs up.
 * Speaking SMTP is left to sink.ts.
 */

export type Part =
  | { type: "accept" }
  /** Refused at RCPT. */
  | { type: "refuse"; reply: PeerReply }
  /** Refused so many times at RCPT, then accepted. */
  | { type: "greylist"; times: number }
  /** The reply to the final dot comes late. */
  | { type: "slow"; delayMs: number }
  /** The message is stored, then the connection is cut without a reply. */
  | { type: "drop_after_dot" };

export interface PeerReply {
  code: number;
  /** Enhanced code (RFC 3463) and words. */
  text: string;
}

/** What the local parts do, as lines for a person. */
export const PARTS_HELP = [
  "delivered@      accepts at once, as does every other local part",
  "5xx-CODE@       refuses at RCPT for good, such as 5xx-550@",
  "4xx-CODE@       refuses at RCPT for now, such as 4xx-451@ (4xx-421@ also closes the connection)",
  "greylist-N@     451 at RCPT N times for each sender and recipient, then accepts and starts anew",
  "slow-Ns@        accepts, but replies to the final dot after N seconds, such as slow-5s@",
  "drop-after-dot@ stores the message, then cuts the connection without a reply",
  "Recipients whose final dot ends differently are sent to separate transactions (452).",
  "A tag may follow, as in 5xx-550+anything@.",
];

const GREYLIST_REPLY: PeerReply = { code: 451, text: "4.7.1 Greylisted, try again" };
const ANOTHER_TRANSACTION: PeerReply = { code: 452, text: "4.5.3 Not in one transaction with those recipients" };
const NO_MAILBOX_CODES = new Set([550, 551, 553]);
const PAIRS_MAX = 10_000;

/** The part for `address`, by its local part up to a plus sign, in any case. */
export function partOf(address: string): Part {
  const local = address.slice(0, address.lastIndexOf("@")).split("+")[0]?.toLowerCase() ?? "";
  const [, refusal] = /^(?:5xx-(?=5)|4xx-(?=4))(\d{3})$/.exec(local) ?? [];
  if (refusal !== undefined) return { type: "refuse", reply: refusalReply(Number(refusal)) };
  const [, times] = /^greylist-(\d{1,4})$/.exec(local) ?? [];
  if (times !== undefined) return { type: "greylist", times: Number(times) };
  const [, seconds] = /^slow-(\d{1,4})s$/.exec(local) ?? [];
  if (seconds !== undefined) return { type: "slow", delayMs: Number(seconds) * 1000 };
  return { type: local === "drop-after-dot" ? "drop_after_dot" : "accept" };
}

/**
 * The refusal for a recipient whose part at the final dot differs from that of those accepted already: one transaction
 * has one ending, so it asks for another (RFC 5321 §4.5.3.1.10) and every local part gets what it says.
 */
export function companyRefusal(part: Part, accepted: Part[]): PeerReply | null {
  const ending = endingOf(part);
  return accepted.every((other) => endingOf(other) === ending) ? null : ANOTHER_TRANSACTION;
}

function endingOf(part: Part): string {
  if (part.type === "slow") return `slow ${part.delayMs}`;
  return part.type === "drop_after_dot" ? "drop" : "accept";
}

function refusalReply(code: number): PeerReply {
  const enhanced = NO_MAILBOX_CODES.has(code) ? "5.1.1" : `${Math.floor(code / 100)}.0.0`;
  return { code, text: `${enhanced} Refused, as the local part asks` };
}

export interface Greylist {
  /** Counts a try of this pair; the reply to refuse it with, or null once it was refused `times` times. */
  refuse(sender: string, recipient: string, times: number): PeerReply | null;
  /** A message went through: the pairs start anew. */
  reset(sender: string, recipients: string[]): void;
}

/** Remembers the newest pairs. */
export function createGreylist(): Greylist {
  const refusals = new Map<string, number>();
  const key = (sender: string, recipient: string) => `${sender} ${recipient}`.toLowerCase();
  return {
    refuse(sender, recipient, times) {
      const pair = key(sender, recipient);
      const refused = refusals.get(pair) ?? 0;
      if (refused >= times) return null;
      refusals.delete(pair);
      refusals.set(pair, refused + 1);
      const [oldest] = refusals.keys();
      if (refusals.size > PAIRS_MAX && oldest !== undefined) refusals.delete(oldest);
      return GREYLIST_REPLY;
    },
    reset(sender, recipients) {
      for (const recipient of recipients) refusals.delete(key(sender, recipient));
    },
  };
}
