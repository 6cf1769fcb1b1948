/**
 * The mails of a crowd, each made of its number alone: the crowd is a process of its own, and the books that its mails are
 * compared with are kept in another.
 */
import type { Intent } from "../simulate/history.ts";
import { DOMAINS, type Sender } from "./harness.ts";

/** One mail in so many has no Idempotency-Key. */
const KEYLESS_INTERVAL = 5;

/** The mail of that number, as the books have it before it is tried. */
export function numberedIntent(number: number): Intent {
  const recipients = [`u${number}@${DOMAINS[number % DOMAINS.length]}`];
  const key = number % KEYLESS_INTERVAL === 0 ? null : `order-${number}`;
  const text = `Mail ${number}\n.\n${"A line of an ordinary mail.\n".repeat(20)}`;
  return { number, key, recipients, text, expiresInS: null, isAccepted: false, attempts: 0 };
}

/** Who sends it: the senders take turns. */
export function senderOf({ number }: Intent, senders: Sender[]): Sender {
  const sender = senders[number % senders.length];
  if (sender === undefined) throw new Error("there is no sender");
  return sender;
}
