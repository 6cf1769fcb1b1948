/** Webhook endpoints in memory, with the events and attempts that a test puts into it. */
import type { OutboxEvent } from "../../src/spool/port/events.ts";
import type {
  AttemptFilter,
  Endpoint,
  EndpointChange,
  EndpointStore,
  NewEndpoint,
  WebhookAttempt,
} from "../../src/spool/port/webhooks.ts";

export class FakeEndpointStore implements EndpointStore {
  /** The changes so far, in order. */
  readonly changes: EndpointChange["change"][] = [];
  readonly attemptsMade: (WebhookAttempt & { endpointId: string })[] = [];
  readonly outbox: OutboxEvent[] = [];
  waiting = { retries: 0, events: 0 };
  #endpoints: Endpoint[] = [];

  async createEndpoint({ sealedSecret, endpointsMax, ...settings }: NewEndpoint): Promise<Endpoint | "too_many"> {
    if ((await this.endpoints(settings.accountId)).length >= endpointsMax) return "too_many";
    const secrets = [{ bytes: sealedSecret, untilMs: null }];
    const state = { pausedAtMs: null, disabled: null, failingSinceMs: null, position: 0, version: 1 };
    const endpoint: Endpoint = { ...settings, ...state, secrets };
    this.#endpoints.push(endpoint);
    return endpoint;
  }

  async endpoints(accountId: string | null): Promise<Endpoint[]> {
    return this.#endpoints.filter((endpoint) => accountId === null || endpoint.accountId === accountId);
  }

  /** Sets the state of an endpoint as the sender would. */
  settle(endpointId: string, state: Partial<Pick<Endpoint, "disabled" | "failingSinceMs">>): void {
    this.#endpoints = this.#endpoints.map((each) => (each.id === endpointId ? { ...each, ...state } : each));
  }

  async changeEndpoint({ accountId, endpointId, change }: EndpointChange): Promise<boolean> {
    const endpoint = this.#endpoints.find((each) => each.accountId === accountId && each.id === endpointId);
    if (endpoint === undefined) return false;
    if (change.type === "replay_one" && (await this.event(accountId, change.eventNumber)) === null) return false;
    this.changes.push(change);
    const changed = changedEndpoint(endpoint, change);
    this.#endpoints = this.#endpoints.map((each) => (each === endpoint ? changed : each));
    return true;
  }

  async removeEndpoint(accountId: string, endpointId: string): Promise<boolean> {
    const left = this.#endpoints.filter((each) => each.accountId !== accountId || each.id !== endpointId);
    const isRemoved = left.length < this.#endpoints.length;
    this.#endpoints = left;
    return isRemoved;
  }

  async attempts(filter: AttemptFilter): Promise<WebhookAttempt[]> {
    const { endpointId, beforeNumber, failedOnly, messageId, limit } = filter;
    return this.attemptsMade
      .filter((attempt) => attempt.endpointId === endpointId)
      .filter(({ number }) => beforeNumber === null || number < beforeNumber)
      .filter(({ result }) => !failedOnly || result !== "sent")
      .filter((attempt) => messageId === undefined || attempt.messageId === messageId)
      .sort((a, b) => b.number - a.number)
      .slice(0, limit);
  }

  async event(accountId: string, eventNumber: number): Promise<OutboxEvent | null> {
    return this.outbox.find((event) => event.accountId === accountId && event.number === eventNumber) ?? null;
  }

  async waitingAt(): Promise<{ retries: number; events: number }> {
    return this.waiting;
  }
}

function changedEndpoint(endpoint: Endpoint, change: EndpointChange["change"]): Endpoint {
  const { version, secrets, disabled } = endpoint;
  const next = { ...endpoint, version: version + 1 };
  switch (change.type) {
    case "edit": {
      const { type: _, ...settings } = change;
      return { ...next, ...settings };
    }
    case "pause":
      return { ...next, pausedAtMs: change.atMs };
    case "resume":
      return { ...next, pausedAtMs: null, disabled: null, failingSinceMs: null };
    case "rotate": {
      const former = secrets.filter(({ untilMs }) => untilMs === null);
      const { sealedSecret: bytes, formerUntilMs: untilMs } = change;
      return { ...next, secrets: [{ bytes, untilMs: null }, ...former.map((secret) => ({ ...secret, untilMs }))] };
    }
    case "notified":
      return disabled === null ? next : { ...next, disabled: { ...disabled, notifiedAtMs: change.atMs } };
    case "replay":
    case "replay_one":
      return next;
  }
}
