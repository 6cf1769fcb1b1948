/**
 * The bounces that `bounce-later@` asks for: each is handed on half a second after the message was accepted. How it is sent is its
 * user's decision: server.ts sends it by SMTP, the service takes those of discarding-sink.ts itself.
 */
import { randomBytes } from "node:crypto";
import { bouncesLater } from "./actions.ts";
import { bounceOf } from "./bounce.ts";
import type { ReceivedEnvelope } from "./scripted-server.ts";

export interface SinkBounce {
  /** Of the message, and so the recipient of the bounce, whose own envelope sender is null. */
  envelopeSender: string;
  /** The whole bounce (RFC 5322). */
  content: Buffer;
}

const DELAY_MS = 500;
/** With more of them waiting, a bounce is handed on at once. */
const WAITING_MAX = 5000;

export class LaterBounces {
  readonly #send: (bounce: SinkBounce) => void;
  readonly #waiting = new Set<NodeJS.Timeout>();

  constructor(send: (bounce: SinkBounce) => void) {
    this.#send = send;
  }

  /** Whether a message like this bounces later. One from the null sender never does (RFC 5321 §4.5.5). */
  isDue({ mailFrom, recipients }: ReceivedEnvelope): boolean {
    return mailFrom !== "" && recipients.some(bouncesLater);
  }

  /** Schedules a bounce for each recipient of an accepted message that asks for one. */
  add(envelope: ReceivedEnvelope, header: Buffer): void {
    if (!this.isDue(envelope)) return;
    for (const recipient of envelope.recipients.filter(bouncesLater)) this.#schedule(recipient, envelope, header);
  }

  /** Drops those that wait. */
  close(): void {
    for (const timer of this.#waiting) clearTimeout(timer);
    this.#waiting.clear();
  }

  #schedule(recipient: string, envelope: ReceivedEnvelope, header: Buffer): void {
    const { mailFrom: envelopeSender, envelopeId, originalRecipients } = envelope;
    const originalRecipient = originalRecipients.get(recipient) ?? null;
    const send = (): void => {
      const about = { envelopeSender, recipient, originalRecipient, envelopeId, header };
      const content = bounceOf({ ...about, atMs: Date.now(), id: randomBytes(8).toString("hex") });
      this.#send({ envelopeSender, content });
    };
    if (this.#waiting.size >= WAITING_MAX) {
      send();
      return;
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      send();
    }, DELAY_MS);
    this.#waiting.add(timer);
  }
}
