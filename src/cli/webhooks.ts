/** Commands for webhook endpoints: URLs to which the account's events are posted. */
import { endpointView, type ListedEndpoint, listedEndpoint } from "../app/webhooks/endpoint-view.ts";
import type { EndpointName } from "../app/webhooks/webhook-endpoints.ts";
import type { EndpointInput } from "../app/webhooks/webhook-filter.ts";
import { formerSecretUntilMs } from "../app/webhooks/webhook-state.ts";
import { isSuccess, type WebhookResponse } from "../app/webhooks/webhook-test-event.ts";
import { rfc3339 } from "../lib/clock.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import type { Endpoint, WebhookAttempt } from "../spool/port/webhooks.ts";
import { type CommandContext, type Implementation, type ParsedArguments, pluralize, Refusal } from "./command.ts";
import { refuseKeyItself } from "./keys.ts";
import { requireServiceVault } from "./service-vault.ts";
import { parseSince } from "./since.ts";
import { table } from "./table.ts";

export const createWebhook: Implementation = {
  async run(context, { positionals: [url = ""], options }) {
    const { config, webhooks, account } = context;
    await requireServiceVault(context);
    const created = await (await webhooks()).create(account.id, await inputOf(url, options, context));
    if (created.type === "too_many") {
      const limit = pluralize(config.webhooksMax, "webhook endpoint");
      throw new Refusal(
        `the account ${account.name} has reached its limit of ${limit} (WEBHOOKS_MAX): remove one first`,
      );
    }
    if (created.type === "invalid") throw new Refusal(`${FIELDS[created.field]}: ${created.detail}`);
    const { id, secret } = created;
    const text = `${secret}\n\nWebhook endpoint ${id} created. Its secret is not shown again.`;
    return { json: { id, url: created.url, secret }, text };
  },
};

const FIELDS: Readonly<Record<keyof EndpointInput, string>> = {
  url: "the URL is not valid",
  types: "--events is not valid",
  keys: "--keys is not valid",
  domains: "--domains is not valid",
};

async function inputOf(
  url: string,
  { events, keys, domains }: ParsedArguments["options"],
  { store, account }: CommandContext,
): Promise<EndpointInput> {
  const named = itemsOf(keys);
  return {
    url,
    types: itemsOf(events),
    keys: named === null ? null : keyIdsOf(named, await store.keys(account.id)),
    domains: itemsOf(domains),
  };
}

/** The items of a comma-separated list; null if the option is missing. */
const itemsOf = (option: string | boolean | undefined): string[] | null =>
  typeof option !== "string"
    ? null
    : option
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "");

/** The ids of keys that are given by id or name. An active key precedes a revoked one of the same name. */
function keyIdsOf(items: string[], keys: ApiKey[]): string[] {
  return items.map((item) => {
    refuseKeyItself(item);
    if (keys.some(({ id }) => id === item)) return item;
    const named = keys.filter(({ name }) => name === item);
    const active = named.filter(({ revokedAtMs }) => revokedAtMs === null);
    if (active.length > 1) {
      const ids = active.map(({ id }) => id).join(", ");
      throw new Refusal(`${active.length} keys are named ${item}: give the id of one of them (${ids})`);
    }
    return (active[0] ?? named[0])?.id ?? item;
  });
}

export const listWebhooks: Implementation = {
  async run({ webhooks, account, store }) {
    const listed: ListedEndpoint[] = [];
    for (const endpoint of await (await webhooks()).list(account.id))
      listed.push(await listedEndpoint(endpoint, store));
    return {
      json: listed.map(endpointView),
      text: table(["ID", "URL", "EVENTS", "WAITING", "STATE"], listed.map(rowOf), "No webhook endpoints."),
    };
  },
};

/** More new events are not counted. */
const WAITING_COUNT_MAX = 10_000;

const rowOf = (listed: ListedEndpoint): string[] => {
  const { endpoint, waiting } = listed;
  return [endpoint.id, endpoint.url, eventsText(endpoint), waitingText(waiting), stateText(listed)];
};

function waitingText({ retries, events }: ListedEndpoint["waiting"]): string {
  const fresh = events >= WAITING_COUNT_MAX ? `${WAITING_COUNT_MAX}+ new` : `${events} new`;
  return [...(events > 0 ? [fresh] : []), ...(retries > 0 ? [`${retries} failed`] : [])].join(", ") || "none";
}

function eventsText({ types, keys, domains }: Endpoint): string {
  const parts = [
    types === null ? "all" : types.join(", "),
    ...(keys === null ? [] : [`of keys ${keys.join(", ")}`]),
    ...(domains === null ? [] : [`of domains ${domains.join(", ")}`]),
  ];
  return parts.join(" ");
}

function stateText({ endpoint: { pausedAtMs, disabled, failingSinceMs }, lastFailure }: ListedEndpoint): string {
  const failure = lastFailure === null ? "" : ` (${failureText(lastFailure)})`;
  const failing = failingSinceMs === null ? "" : `failing since ${rfc3339(failingSinceMs)}${failure}`;
  if (disabled !== null) {
    const reason = disabled.reason === "gone" ? "it responded 410 Gone" : `it was ${failing || "failing for days"}`;
    return `disabled since ${rfc3339(disabled.atMs)} because ${reason}`;
  }
  const paused = pausedAtMs === null ? "" : `paused since ${rfc3339(pausedAtMs)}`;
  return [paused, failing].filter(Boolean).join(", ") || "active";
}

const failureText = ({ status, error }: WebhookAttempt): string =>
  status === null ? (error?.replace(/\.$/, "") ?? "no response") : `status ${status}`;

/** The endpoint that a command names. */
const nameOf = ({ account }: CommandContext, { positionals: [id = ""] }: ParsedArguments): EndpointName => ({
  accountId: account.id,
  endpointId: id,
});

const notFound = ({ account }: CommandContext, { endpointId }: EndpointName): Refusal =>
  new Refusal(`the account ${account.name} has no webhook endpoint ${endpointId}`);

export const removeWebhook: Implementation = {
  async run(context, args) {
    const name = nameOf(context, args);
    const endpoint = await (await context.webhooks()).find(name);
    if (endpoint === null) throw notFound(context, name);
    await context.confirm(`Remove the webhook endpoint of ${endpoint.url}? Events that wait for it are never posted.`);
    if (!(await (await context.webhooks()).remove(name))) throw notFound(context, name);
    const text = `Webhook endpoint ${name.endpointId} removed. Events that waited for it are not posted to it.`;
    return { json: { id: name.endpointId, removed: true }, text };
  },
};

export const testWebhook: Implementation = {
  async run(context, args) {
    const name = nameOf(context, args);
    await requireServiceVault(context);
    const result = await (await context.webhooks()).test(name);
    if (result === null) throw notFound(context, name);
    const { status, durationMs, error, response } = result;
    return {
      json: { status, duration_ms: durationMs, error, response },
      text: [outcomeOf(result), response].filter(Boolean).join("\n\n"),
      ...(isSuccess(result) ? {} : { failure: `the test event was not accepted: ${faultOf(result)}` }),
    };
  },
};

const outcomeOf = (result: WebhookResponse): string =>
  `${result.status === null ? "No response" : `Status ${result.status}`} after ${Math.round(result.durationMs)} ms.`;

const faultOf = ({ status, error }: WebhookResponse): string =>
  error ?? `the endpoint responded with status ${status}, and only 2xx accepts an event`;

export const rotateWebhook: Implementation = {
  async run(context, args) {
    const name = nameOf(context, args);
    await requireServiceVault(context);
    const endpoint = await (await context.webhooks()).find(name);
    if (endpoint === null) throw notFound(context, name);
    if (formerSecretUntilMs(endpoint, context.nowMs) !== null) {
      await context.confirm("Rotate again within 24 hours? The secret from before the last rotation ends at once.");
    }
    const secret = await (await context.webhooks()).rotate(name);
    if (secret === null) throw notFound(context, name);
    const sentences = [
      "This is the new secret. It is not shown again. The former secret stays valid for 24 hours: until then, requests",
      "are signed with both. Another rotation in that time ends the former secret at once.",
      ...(formerSecretUntilMs(endpoint, context.nowMs) === null
        ? []
        : ["The secret before the former one no longer works."]),
    ];
    return { json: { secret }, text: `${secret}\n\n${sentences.join(" ")}` };
  },
};

export const replayWebhook: Implementation = {
  async run(context, args) {
    const since = String(args.options.since);
    const sinceMs = parseSince(since, context.nowMs);
    const name = nameOf(context, args);
    const endpoint = await (await context.webhooks()).find(name);
    const result = await (await context.webhooks()).replay(name, sinceMs);
    if (result === "in_future") throw new Refusal(`--since ${since} is in the future`);
    if (endpoint === null || result === "not_found") throw notFound(context, name);
    const { pausedAtMs, disabled } = endpoint;
    const when = pausedAtMs === null && disabled === null ? "" : ", once you resume it";
    const text = `The events since ${rfc3339(sinceMs)} are posted to ${name.endpointId} again${when}, the oldest first.`;
    return { json: { id: name.endpointId, since: rfc3339(sinceMs) }, text };
  },
};

export const pauseWebhook: Implementation = {
  async run(context, args) {
    const name = nameOf(context, args);
    if (!(await (await context.webhooks()).pause(name))) throw notFound(context, name);
    const text = `Webhook endpoint ${name.endpointId} paused. Its events wait until you resume it.`;
    return { json: { id: name.endpointId, paused: true }, text };
  },
};

export const resumeWebhook: Implementation = {
  async run(context, args) {
    const name = nameOf(context, args);
    if (!(await (await context.webhooks()).resume(name))) throw notFound(context, name);
    const text = `Webhook endpoint ${name.endpointId} resumed. The events that waited are posted to it now.`;
    return { json: { id: name.endpointId, paused: false }, text };
  },
};
