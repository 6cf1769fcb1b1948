/**
 * What users do with webhook endpoints, from the command line and the dashboard. Sending events is decided in webhooks/; posting
 * and the form of secrets are passed in.
 */

import type { Clock } from "../../lib/clock.ts";
import { pooledRandomBytes } from "../../lib/random.ts";
import { DAY_MS } from "../../lib/units.ts";
import { randomToken } from "../../message/ids.ts";
import { type Vault, webhookSealName } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import { selects } from "../../spool/port/events.ts";
import type { Endpoint, EndpointChange, EndpointStore } from "../../spool/port/webhooks.ts";
import { type EndpointInput, type InvalidInput, validateEndpoint } from "./webhook-filter.ts";
import { type PostWebhook, testRequest, type WebhookResponse } from "./webhook-test-event.ts";

/** After a rotation, requests are signed with the former secret too for this time. */
export const FORMER_SECRET_MS = DAY_MS;

export interface WebhookParts {
  store: EndpointStore;
  registry: Pick<Registry, "keys" | "domains">;
  /** Called only where a secret is sealed or opened. */
  vault: () => Promise<Pick<Vault, "seal" | "open">>;
  newSecret: () => string;
  post: PostWebhook;
  clock: Pick<Clock, "now">;
  limits: { webhooksMax: number; webhookAllowPrivate: boolean };
}

/** An endpoint of an account. */
export interface EndpointName {
  accountId: string;
  endpointId: string;
}

/** The secret is returned here and never again. */
export type EndpointCreation =
  | { type: "created"; id: string; url: string; secret: string }
  | { type: "too_many" }
  | InvalidInput;

export type EndpointEdit = { type: "edited" } | { type: "not_found" } | InvalidInput;

/** Methods that return false or null found no such endpoint, and changed nothing. */
export class WebhookEndpoints {
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** The same, which reads and changes endpoints through another store. */
  on(store: EndpointStore): WebhookEndpoints {
    return new WebhookEndpoints({ ...this.#parts, store });
  }

  /** The oldest first. */
  list(accountId: string): Promise<Endpoint[]> {
    return this.#parts.store.endpoints(accountId);
  }

  async find({ accountId, endpointId }: EndpointName): Promise<Endpoint | null> {
    return (await this.list(accountId)).find(({ id }) => id === endpointId) ?? null;
  }

  /** Sends the events from now on. */
  async create(accountId: string, input: EndpointInput): Promise<EndpointCreation> {
    const { store, newSecret, clock, limits } = this.#parts;
    const read = await this.#validate(accountId, input, null);
    if (read.type === "invalid") return read;
    const { type: _, ...settings } = read;
    const id = `end_${randomToken(12, pooledRandomBytes)}`;
    const secret = newSecret();
    const created = await store.createEndpoint({
      id,
      accountId,
      ...settings,
      createdAtMs: clock.now(),
      sealedSecret: await this.#seal(id, secret),
      endpointsMax: limits.webhooksMax,
    });
    return created === "too_many" ? { type: "too_many" } : { type: "created", id, url: created.url, secret };
  }

  /** Replaces the URL and the filter. */
  async edit(name: EndpointName, input: EndpointInput): Promise<EndpointEdit> {
    const former = await this.find(name);
    if (former === null) return { type: "not_found" };
    const read = await this.#validate(name.accountId, input, former);
    if (read.type === "invalid") return read;
    const isEdited = await this.#change(name, { ...read, type: "edit" });
    return { type: isEdited ? "edited" : "not_found" };
  }

  /** Events wait from now on. */
  pause(name: EndpointName): Promise<boolean> {
    return this.#change(name, { type: "pause", atMs: this.#parts.clock.now() });
  }

  /** Ends a pause, and enables a disabled endpoint. */
  resume(name: EndpointName): Promise<boolean> {
    return this.#change(name, { type: "resume" });
  }

  /** Returns the new secret. The former one stays valid for FORMER_SECRET_MS. */
  async rotate(name: EndpointName): Promise<string | null> {
    if ((await this.find(name)) === null) return null;
    const secret = this.#parts.newSecret();
    const isRotated = await this.#change(name, {
      type: "rotate",
      sealedSecret: await this.#seal(name.endpointId, secret),
      formerUntilMs: this.#parts.clock.now() + FORMER_SECRET_MS,
    });
    return isRotated ? secret : null;
  }

  remove({ accountId, endpointId }: EndpointName): Promise<boolean> {
    return this.#parts.store.removeEndpoint(accountId, endpointId);
  }

  /** Sends the events again that happened at this moment or later. */
  async replay(name: EndpointName, sinceMs: number): Promise<"replayed" | "not_found" | "in_future"> {
    if (sinceMs > this.#parts.clock.now()) return "in_future";
    return (await this.#change(name, { type: "replay", sinceMs })) ? "replayed" : "not_found";
  }

  /** Sends one event again. `not_found` also for an event that is not kept any more; `filtered`: the filter leaves it out. */
  async replayOne(name: EndpointName, eventNumber: number): Promise<"replayed" | "not_found" | "filtered"> {
    const { store, clock } = this.#parts;
    const [endpoint, event] = await Promise.all([this.find(name), store.event(name.accountId, eventNumber)]);
    if (endpoint === null || event === null) return "not_found";
    if (!selects(endpoint, event)) return "filtered";
    const change = { type: "replay_one", eventNumber, atMs: clock.now() } as const;
    return (await this.#change(name, change)) ? "replayed" : "not_found";
  }

  /** Posts a test event at once, also to a paused or disabled endpoint. It is not an attempt, and changes no state. */
  async test(name: EndpointName): Promise<WebhookResponse | null> {
    const { vault, post, clock } = this.#parts;
    const endpoint = await this.find(name);
    if (endpoint === null) return null;
    const nowMs = clock.now();
    return post(testRequest(endpoint, openSecrets(await vault(), endpoint, nowMs), nowMs));
  }

  #validate(accountId: string, input: EndpointInput, former: Endpoint | null) {
    const { registry, limits } = this.#parts;
    return validateEndpoint(input, { registry, accountId, former, allowPrivate: limits.webhookAllowPrivate });
  }

  #change(name: EndpointName, change: EndpointChange["change"]): Promise<boolean> {
    return this.#parts.store.changeEndpoint({ ...name, change });
  }

  async #seal(endpointId: string, secret: string): Promise<Buffer> {
    return (await this.#parts.vault()).seal(webhookSealName(endpointId), secret);
  }
}

/** Returns the secrets that are valid now. Throws one line if the master key does not open one of them. */
function openSecrets(
  vault: Pick<Vault, "open">,
  { id, secrets }: Pick<Endpoint, "id" | "secrets">,
  nowMs: number,
): string[] {
  return secrets
    .filter(({ untilMs }) => untilMs === null || untilMs > nowMs)
    .map(({ bytes }) => vault.open(webhookSealName(id), bytes));
}
