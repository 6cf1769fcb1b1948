/**
 * Messages that follow from their number alone: the load generator sends them, and the harness, another process,
 * records the same messages in the history.
 */
import type { Intent } from "../simulate/history.ts";
import { DOMAINS } from "./exchangers.ts";
import type { Sender } from "./sender.ts";

/** Every fifth message has no Idempotency-Key. */
const KEYLESS_INTERVAL = 5;

/** Creates the intent with that number, before any attempt. */
export function numberedIntent(number: number): Intent {
  const recipients = [`u${number}@${DOMAINS[number % DOMAINS.length]}`];
  const key = number % KEYLESS_INTERVAL === 0 ? null : `order-${number}`;
  const text = `Message ${number}\n.\n${"A line of an ordinary message.\n".repeat(20)}`;
  return { number, key, recipients, text, expiresInS: null, isAccepted: false, attempts: 0 };
}

/** Returns the sender of the message; senders rotate. */
export function senderOf({ number }: Intent, senders: Sender[]): Sender {
  const sender = senders[number % senders.length];
  if (sender === undefined) throw new Error("no sender");
  return sender;
}
