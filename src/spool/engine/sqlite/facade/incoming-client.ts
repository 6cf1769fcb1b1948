/** The part of the facade for the effects of mail that comes back. */
import type { Incoming, IncomingEffect, SentMessageQuery, Unsubscription } from "../../../port/incoming.ts";
import type { IncomingPort } from "../../../store/incoming-port.ts";
import { AccountsClient } from "./accounts-client.ts";

export abstract class IncomingClient extends AccountsClient implements Omit<Incoming, keyof IncomingPort> {
  /** Called when the results of a message may have changed. */
  protected abstract resultChanged(messageId: string): void;

  async applyIncoming(request: { id: string; effect: IncomingEffect; atMs: number }) {
    const result = await this.writer.request("applyIncoming", request);
    if ("messageId" in request.effect) this.resultChanged(request.effect.messageId);
    return result;
  }

  sentMessage(query: SentMessageQuery): Promise<string | null> {
    return this.reader.read((reads) => reads.sentMessage(query));
  }

  async recordUnsubscribed(unsubscription: Unsubscription): Promise<void> {
    await this.writer.request("recordUnsubscribed", unsubscription);
    this.resultChanged(unsubscription.messageId);
  }
}
