/** The part of the facade for mail that comes back. */
import type {
  Incoming,
  IncomingBacklog,
  IncomingEffect,
  IncomingMail,
  NewIncomingMail,
  SentMessageQuery,
  Unsubscription,
} from "../port/incoming.ts";
import { WebhooksClient } from "./webhooks-client.ts";

export abstract class IncomingClient extends WebhooksClient implements Incoming {
  #wake: () => void = () => {};

  /** Called when the results of a message may have changed. */
  protected abstract resultChanged(messageId: string): void;

  async storeIncoming(mail: NewIncomingMail): Promise<void> {
    await this.writer.request("storeIncoming", mail);
    this.#wake();
  }

  async incomingBacklog(): Promise<IncomingBacklog> {
    return this.reader.read((reads) => reads.incomingBacklog());
  }

  async nextIncoming(nowMs: number): Promise<IncomingMail | null> {
    return this.reader.read((reads) => reads.nextIncoming(nowMs));
  }

  async applyIncoming(request: { id: string; effect: IncomingEffect; atMs: number }) {
    const result = await this.writer.request("applyIncoming", request);
    if ("messageId" in request.effect) this.resultChanged(request.effect.messageId);
    return result;
  }

  postponeIncoming(id: string, dueMs: number): Promise<void> {
    return this.writer.request("postponeIncoming", { id, dueMs });
  }

  sentMessage(query: SentMessageQuery): Promise<string | null> {
    return this.reader.read((reads) => reads.sentMessage(query));
  }

  async recordUnsubscribed(unsubscription: Unsubscription): Promise<void> {
    await this.writer.request("recordUnsubscribed", unsubscription);
    this.resultChanged(unsubscription.messageId);
  }

  onIncoming(wake: () => void): void {
    this.#wake = wake;
  }
}
