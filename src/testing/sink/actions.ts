/**
 * The action that a recipient's local part selects: accept, refuse, delay or close the connection. server.ts speaks SMTP.
 *
 * A malformed local part, such as 5xx-600@ or greylist-@, is refused permanently with a reply that names the correct form: a test
 * that believes it selected a refusal must not see a delivery. The reply is 501 5.1.3, which does not concern a mailbox, so no
 * sender suppresses the address.
 */

export type SinkAction =
  | { type: "accept" }
  /** Refused at RCPT TO. */
  | { type: "refuse"; reply: PeerReply }
  /** Refused `times` times at RCPT TO, then accepted. */
  | { type: "greylist"; times: number }
  /** The reply to the final dot comes late. */
  | { type: "slow"; delayMs: number }
  /** Accepted, and bounced a moment later. */
  | { type: "bounce_later" }
  /** The message is stored, then the connection is closed without a reply. */
  | { type: "drop_after_dot" };

export interface PeerReply {
  code: number;
  /** Enhanced status code (RFC 3463) and text. */
  text: string;
}

/** The actions as lines of a help text. */
export const ACTIONS_HELP: readonly string[] = [
  "delivered@      accepts at once, as does every other local part",
  "5xx-CODE@       refuses at RCPT permanently, such as 5xx-550@",
  "nobody@         refuses at RCPT as unknown (550 5.1.1): a sender may suppress the address after refusals on two days",
  "4xx-CODE@       refuses at RCPT temporarily, such as 4xx-451@ (4xx-421@ also closes the connection)",
  "greylist-N@     451 at RCPT N times for each sender and recipient, then accepts and starts again",
  "slow-Ns@        accepts, but replies to the final dot after N seconds, such as slow-5s@",
  "bounce-later@   accepts, and half a second later sends a bounce (5.1.1) to the envelope sender",
  "drop-after-dot@ stores the message, then closes the connection without a reply",
  "Malformed ones, such as 5xx-600@ or slow-@, are refused (501) with the correct form.",
  "Recipients with different actions at the final dot need separate transactions (452).",
  "A tag may follow, as in 5xx-550+anything@.",
];

const GREYLIST_REPLY: PeerReply = { code: 451, text: "4.7.1 Greylisted, try again" };
const ANOTHER_TRANSACTION: PeerReply = { code: 452, text: "4.5.3 Not in one transaction with those recipients" };
const NO_MAILBOX: PeerReply = { code: 550, text: "5.1.1 No such mailbox" };
const PAIRS_MAX = 10_000;

interface Form {
  /** The beginning that identifies the action. */
  begins: RegExp;
  whole: RegExp;
  /** The correct form, for a reply. */
  form: string;
  action(argument: string): SinkAction;
}

const FORMS: readonly Form[] = [
  {
    begins: /^5xx(?:-|$)/,
    whole: /^5xx-(5\d\d)$/,
    form: "5xx-CODE@ with a code from 500 to 599, such as 5xx-550@",
    action: (code) => ({ type: "refuse", reply: refusalReply(Number(code)) }),
  },
  {
    begins: /^4xx(?:-|$)/,
    whole: /^4xx-(4\d\d)$/,
    form: "4xx-CODE@ with a code from 400 to 499, such as 4xx-451@",
    action: (code) => ({ type: "refuse", reply: refusalReply(Number(code)) }),
  },
  {
    begins: /^greylist-/,
    whole: /^greylist-(\d{1,4})$/,
    form: "greylist-N@ with a number from 0 to 9999, such as greylist-2@",
    action: (times) => ({ type: "greylist", times: Number(times) }),
  },
  {
    begins: /^slow-/,
    whole: /^slow-(\d{1,4})s$/,
    form: "slow-Ns@ with seconds from 0 to 9999, such as slow-5s@",
    action: (seconds) => ({ type: "slow", delayMs: Number(seconds) * 1000 }),
  },
  {
    begins: /^bounce-later/,
    whole: /^bounce-(later)$/,
    form: "bounce-later@",
    action: () => ({ type: "bounce_later" }),
  },
  {
    begins: /^drop-after-/,
    whole: /^drop-after-(dot)$/,
    form: "drop-after-dot@",
    action: () => ({ type: "drop_after_dot" }),
  },
];

/** The action for `address`, by its local part up to a plus sign, in any case. */
export function actionOf(address: string): SinkAction {
  const local = address.slice(0, address.lastIndexOf("@")).split("+")[0]?.toLowerCase() ?? "";
  if (local === "nobody") return { type: "refuse", reply: NO_MAILBOX };
  const form = FORMS.find(({ begins }) => begins.test(local));
  if (form === undefined) return { type: "accept" };
  const [, argument] = form.whole.exec(local) ?? [];
  if (argument !== undefined) return form.action(argument);
  return { type: "refuse", reply: { code: 501, text: `5.1.3 Malformed action; the form is ${form.form}` } };
}

export const bouncesLater = (address: string): boolean => actionOf(address).type === "bounce_later";

/**
 * The refusal of a recipient whose action at the final dot differs from that of the recipients accepted before. A transaction has
 * one reply to the final dot, so the refusal asks for another transaction (RFC 5321 §4.5.3.1.10).
 */
export function conflictRefusal(action: SinkAction, accepted: SinkAction[]): PeerReply | null {
  const ending = endingOf(action);
  return accepted.every((other) => endingOf(other) === ending) ? null : ANOTHER_TRANSACTION;
}

function endingOf(action: SinkAction): string {
  if (action.type === "slow") return `slow ${action.delayMs}`;
  return action.type === "drop_after_dot" ? "drop" : "accept";
}

/** The text does not concern a mailbox, so the address can refuse any number of times without being suppressed. */
function refusalReply(code: number): PeerReply {
  return { code, text: `${Math.floor(code / 100)}.0.0 Refused, as the local part asks` };
}

export interface Greylist {
  /** Counts an attempt of this pair. Returns the refusal, or null once the pair was refused `times` times. */
  refuse(sender: string, recipient: string, times: number): PeerReply | null;
  /** Forgets the pairs after an accepted message. */
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
