/**
 * The part of the facade for webhook endpoints and what is sent to them.
 */
import type {
  AttemptFilter,
  Endpoint,
  EndpointChange,
  NewEndpoint,
  WebhookSettlement,
  Webhooks,
} from "../port/webhooks.ts";
import { AccountsClient } from "./accounts-client.ts";

export abstract class WebhooksClient extends AccountsClient implements Webhooks {
  /** Called when the sender must read the endpoints again. */
  protected abstract endpointsChanged(): void;

  async createEndpoint(endpoint: NewEndpoint): Promise<Endpoint | "too_many"> {
    if ((await this.writer.request("createEndpoint", endpoint)) === "too_many") return "too_many";
    this.endpointsChanged();
    const created = await this.reader.read((reads) => reads.endpoint(endpoint.id));
    if (created === null) throw new Error(`the webhook endpoint ${endpoint.id} was created but is missing`);
    return created;
  }

  endpoints(accountId: string | null) {
    return this.reader.read((reads) => reads.endpoints(accountId));
  }

  async changeEndpoint(change: EndpointChange): Promise<boolean> {
    const isChanged = await this.writer.request("changeEndpoint", change);
    if (isChanged) this.endpointsChanged();
    return isChanged;
  }

  async removeEndpoint(accountId: string, endpointId: string): Promise<boolean> {
    const isRemoved = await this.writer.request("removeEndpoint", { accountId, endpointId });
    if (isRemoved) this.endpointsChanged();
    return isRemoved;
  }

  attempts(filter: AttemptFilter) {
    return this.reader.read((reads) => reads.webhookAttempts(filter));
  }

  event(accountId: string, eventNumber: number) {
    return this.reader.read((reads) => reads.event(accountId, eventNumber));
  }

  waitingAt(endpointId: string) {
    return this.reader.read((reads) => reads.webhooksWaiting(endpointId));
  }

  freshEvents(endpoint: Endpoint, afterNumber: number, limit: number) {
    return this.reader.read((reads) => reads.freshEvents(endpoint, afterNumber, limit));
  }

  dueRetries(endpointId: string, nowMs: number, limit: number) {
    return this.reader.read((reads) => reads.dueRetries(endpointId, nowMs, limit));
  }

  settleWebhooks(settlement: WebhookSettlement): Promise<void> {
    return this.writer.request("settleWebhooks", settlement);
  }
}
