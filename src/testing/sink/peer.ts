/**
 * The peer that a recipient's local part asks the sink to play: when it refuses, waits or hangs up.
 * Speaking SMTP is left to server.ts.
 *
 * A local part that begins as a part does and is none, such as 5xx-600@ or greylist-@, is refused for good with a reply
 * that names the right form: a test that believes to have asked for a refusal must not see a delivery. It is a 501
 * 5.1.3, which says nothing about a mailbox, so that no sender suppresses the address for it.
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
export const PARTS_HELP: readonly string[] = [
  "delivered@      accepts at once, as does every other local part",
  "5xx-CODE@       refuses at RCPT for good, such as 5xx-550@",
  "nobody@         refuses at RCPT as not existing (550 5.1.1): a sender may suppress the address once that has happened on two days",
  "4xx-CODE@       refuses at RCPT for now, such as 4xx-451@ (4xx-421@ also closes the connection)",
  "greylist-N@     451 at RCPT N times for each sender and recipient, then accepts and starts anew",
  "slow-Ns@        accepts, but replies to the final dot after N seconds, such as slow-5s@",
  "drop-after-dot@ stores the message, then cuts the connection without a reply",
  "Anything else that begins like these, such as 5xx-600@ or slow-@, is refused (501) with the right form.",
  "Recipients whose final dot ends differently are sent to separate transactions (452).",
  "A tag may follow, as in 5xx-550+anything@.",
];

const GREYLIST_REPLY: PeerReply = { code: 451, text: "4.7.1 Greylisted, try again" };
const ANOTHER_TRANSACTION: PeerReply = { code: 452, text: "4.5.3 Not in one transaction with those recipients" };
const NO_MAILBOX: PeerReply = { code: 550, text: "5.1.1 No such mailbox" };
const PAIRS_MAX = 10_000;

interface Form {
  /** What such a local part begins with. */
  begins: RegExp;
  whole: RegExp;
  /** The right form, as a reply tells it. */
  form: string;
  part(argument: string): Part;
}

const FORMS: readonly Form[] = [
  {
    begins: /^5xx(?:-|$)/,
    whole: /^5xx-(5\d\d)$/,
    form: "5xx-CODE@ with a code from 500 to 599, such as 5xx-550@",
    part: (code) => ({ type: "refuse", reply: refusalReply(Number(code)) }),
  },
  {
    begins: /^4xx(?:-|$)/,
    whole: /^4xx-(4\d\d)$/,
    form: "4xx-CODE@ with a code from 400 to 499, such as 4xx-451@",
    part: (code) => ({ type: "refuse", reply: refusalReply(Number(code)) }),
  },
  {
    begins: /^greylist-/,
    whole: /^greylist-(\d{1,4})$/,
    form: "greylist-N@ with a number from 0 to 9999, such as greylist-2@",
    part: (times) => ({ type: "greylist", times: Number(times) }),
  },
  {
    begins: /^slow-/,
    whole: /^slow-(\d{1,4})s$/,
    form: "slow-Ns@ with seconds from 0 to 9999, such as slow-5s@",
    part: (seconds) => ({ type: "slow", delayMs: Number(seconds) * 1000 }),
  },
  {
    begins: /^drop-after-/,
    whole: /^drop-after-(dot)$/,
    form: "drop-after-dot@",
    part: () => ({ type: "drop_after_dot" }),
  },
];

/** The part for `address`, by its local part up to a plus sign, in any case. */
export function partOf(address: string): Part {
  const local = address.slice(0, address.lastIndexOf("@")).split("+")[0]?.toLowerCase() ?? "";
  if (local === "nobody") return { type: "refuse", reply: NO_MAILBOX };
  const meant = FORMS.find(({ begins }) => begins.test(local));
  if (meant === undefined) return { type: "accept" };
  const [, argument] = meant.whole.exec(local) ?? [];
  if (argument !== undefined) return meant.part(argument);
  return { type: "refuse", reply: { code: 501, text: `5.1.3 No part of this sink; the form is ${meant.form}` } };
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

/** Says nothing of a mailbox: the same address refuses any number of times. */
function refusalReply(code: number): PeerReply {
  return { code, text: `${Math.floor(code / 100)}.0.0 Refused, as the local part asks` };
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
