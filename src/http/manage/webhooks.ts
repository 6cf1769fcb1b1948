/** Webhook endpoints: create, change, pause, test, rotate, replay, remove, and what was posted to them. */
import { deliveryView, endpointView, listedEndpoint } from "../../app/webhooks/endpoint-view.ts";
import type { EndpointName } from "../../app/webhooks/webhook-endpoints.ts";
import type { EndpointInput } from "../../app/webhooks/webhook-filter.ts";
import { rfc3339 } from "../../lib/clock.ts";
import { EVENT_TYPES } from "../../spool/port/events.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import { Problem } from "../response/problems.ts";
import { arrayOf, flag, object, someOf, text, time } from "../response/schema.ts";
import { invalidBody } from "./body.ts";
import { DELIVERY, ENDPOINT } from "./examples.ts";
import { found, limitReached } from "./found.ts";
import type { ManageRequest, Operation, Page } from "./operation.ts";
import { limitOf, PAGE_QUERY, pageOf, readNumberCursor, timeKey } from "./page.ts";

const SHARED = { permission: "manage", tag: "webhooks" } as const;
const WHAT = "webhook endpoint";

interface EndpointBody {
  url?: string;
  events?: string[];
  keys?: string[];
  domains?: string[];
  paused?: boolean;
}

const FIELDS: Readonly<Record<keyof EndpointInput, keyof EndpointBody>> = {
  url: "url",
  types: "events",
  keys: "keys",
  domains: "domains",
};

const nameOf = ({ account, params }: ManageRequest): EndpointName => ({
  accountId: account.id,
  endpointId: params.id ?? "",
});

/** Throws the 404 problem. */
const endpointOf = async (request: ManageRequest): Promise<Endpoint> =>
  found(await request.parts.webhooks.find(nameOf(request)), WHAT);

async function list({ parts: { webhooks, store }, account, ...request }: ManageRequest): Promise<Page<unknown>> {
  const endpoints = await webhooks.list(account.id);
  const { data, next } = pageOf(request, endpoints, ({ createdAtMs, id }) => timeKey(createdAtMs, id));
  const views: unknown[] = [];
  for (const endpoint of data) views.push(endpointView(await listedEndpoint(endpoint, store)));
  return { data: views, next };
}

async function show(request: ManageRequest): Promise<object> {
  return endpointView(await listedEndpoint(await endpointOf(request), request.parts.store));
}

/** What two people may change of an endpoint. */
async function version(request: ManageRequest): Promise<unknown> {
  const { id, version: changes, pausedAtMs, disabled } = await endpointOf(request);
  return { id, changes, pausedAtMs, disabledAtMs: disabled?.atMs ?? null };
}

async function create(request: ManageRequest): Promise<unknown> {
  const { parts, account } = request;
  const { url = "", events, keys, domains } = request.body as EndpointBody;
  const input = { url, types: events ?? null, keys: keys ?? null, domains: domains ?? null };
  const created = await parts.webhooks.create(account.id, input);
  if (created.type === "too_many") throw limitReached("webhook endpoints", parts.limits.webhooksMax, "WEBHOOKS_MAX");
  if (created.type === "invalid") throw invalidBody([{ field: FIELDS[created.field], detail: created.detail }]);
  return { ...(await show({ ...request, params: { id: created.id } })), secret: created.secret };
}

async function change(request: ManageRequest): Promise<unknown> {
  const { webhooks } = request.parts;
  const endpoint = await endpointOf(request);
  const { paused, ...body } = request.body as EndpointBody;
  if (Object.keys(body).length > 0) {
    const edited = await webhooks.edit(nameOf(request), {
      url: body.url ?? endpoint.url,
      types: someOrAll(body.events, endpoint.types),
      keys: someOrAll(body.keys, endpoint.keys),
      domains: someOrAll(body.domains, endpoint.domains),
    });
    if (edited.type === "invalid") throw invalidBody([{ field: FIELDS[edited.field], detail: edited.detail }]);
    found(edited.type === "not_found" ? null : edited, WHAT);
  }
  if (paused === true) found((await webhooks.pause(nameOf(request))) || null, WHAT);
  if (paused === false) found((await webhooks.resume(nameOf(request))) || null, WHAT);
  return show(request);
}

/** In a change, an absent field is unchanged, so an empty list stands for all. */
const someOrAll = (given: string[] | undefined, former: readonly string[] | null): readonly string[] | null =>
  given === undefined ? former : given.length === 0 ? null : given;

async function remove(request: ManageRequest): Promise<void> {
  found((await request.parts.webhooks.remove(nameOf(request))) || null, WHAT);
}

async function test(request: ManageRequest): Promise<unknown> {
  const result = found(await request.parts.sendTestEvent(nameOf(request)), WHAT);
  const { status, durationMs, error, response } = result;
  return { status, duration_ms: durationMs, error, response };
}

async function rotate(request: ManageRequest): Promise<unknown> {
  const secret = found(await request.parts.webhooks.rotate(nameOf(request)), WHAT);
  return { ...(await show(request)), secret };
}

async function replay(request: ManageRequest): Promise<unknown> {
  const sinceMs = Date.parse(request.body.since);
  const replayed = await request.parts.webhooks.replay(nameOf(request), sinceMs);
  if (replayed === "in_future") throw invalidBody([{ field: "since", detail: "This is in the future." }]);
  found(replayed === "not_found" ? null : replayed, WHAT);
  return { id: request.params.id, since: rfc3339(sinceMs) };
}

async function deliveries(request: ManageRequest): Promise<Page<unknown>> {
  const { id } = await endpointOf(request);
  const { query, parts } = request;
  const limit = limitOf(request);
  const failedOnly = query.result === "failed";
  const filter = { endpointId: id, beforeNumber: readNumberCursor(query.after), failedOnly, limit: limit + 1 };
  const attempts = await parts.store.attempts(filter);
  const data = attempts.slice(0, limit);
  return { data: data.map(deliveryView), next: attempts.length > limit ? String(data.at(-1)?.number) : null };
}

async function replayEvent(request: ManageRequest): Promise<unknown> {
  const { parts, params } = request;
  const number = Number(params.number);
  const result = Number.isSafeInteger(number) ? await parts.webhooks.replayOne(nameOf(request), number) : "not_found";
  if (result === "filtered") throw new Problem("not_possible", "The endpoint's filter leaves this event out.");
  found(result === "not_found" ? null : result, "webhook endpoint, or its event is not kept any more");
  return { id: params.id, event_number: number };
}

const FILTER = {
  events: someOf(EVENT_TYPES, "The types of events that are posted; all if absent."),
  keys: arrayOf({ type: "string" }, "Ids of API keys: only events of their messages; all if absent."),
  domains: arrayOf({ type: "string" }, "Only events of these domains; all if absent."),
};
const URL_FIELD = { ...text("Where events are posted."), maxLength: 2000 };
const NAMED = ["not_found"] as const;

export const WEBHOOK_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    id: "listWebhooks",
    method: "GET",
    path: "/webhooks",
    summary: "List the account's webhook endpoints, the oldest first",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "ManagedWebhookList", example: { data: [ENDPOINT], next: null } },
    run: list,
  },
  {
    ...SHARED,
    id: "createWebhook",
    method: "POST",
    path: "/webhooks",
    summary: "Create a webhook endpoint",
    description: "`secret` of the response is shown only this once.",
    body: object({ url: URL_FIELD }, {}, FILTER),
    bodyExample: { url: "https://example.com/webhooks", events: ["recipient.failed", "recipient.bounced"] },
    status: 201,
    response: { schema: "CreatedWebhook", example: { ...ENDPOINT, secret: "whsec_EXAMPLE" } },
    problems: ["limit_reached"],
    run: create,
  },
  {
    ...SHARED,
    id: "getWebhook",
    method: "GET",
    path: "/webhooks/{id}",
    summary: "Get a webhook endpoint, without its secret",
    status: 200,
    response: { schema: "ManagedWebhook", example: ENDPOINT },
    problems: NAMED,
    version,
    run: show,
  },
  {
    ...SHARED,
    id: "changeWebhook",
    method: "PATCH",
    path: "/webhooks/{id}",
    summary: "Change a webhook endpoint, pause it, or resume it",
    description: "An absent field is unchanged. An empty list removes the filter.",
    body: object(
      {},
      {},
      { url: URL_FIELD, ...FILTER, paused: flag("Whether its events wait. False enables a disabled endpoint too.") },
    ),
    bodyExample: { paused: true },
    status: 200,
    response: { schema: "ManagedWebhook", example: ENDPOINT },
    problems: NAMED,
    version,
    run: change,
  },
  {
    ...SHARED,
    id: "removeWebhook",
    method: "DELETE",
    path: "/webhooks/{id}",
    summary: "Remove a webhook endpoint and its pending events",
    status: 204,
    problems: NAMED,
    version,
    run: remove,
  },
  {
    ...SHARED,
    id: "testWebhook",
    method: "POST",
    path: "/webhooks/{id}/test",
    summary: "Post a test event to a webhook endpoint now",
    status: 200,
    response: {
      schema: "WebhookTest",
      example: { status: 204, duration_ms: 41.5, error: null, response: "" },
    },
    problems: NAMED,
    run: test,
  },
  {
    ...SHARED,
    id: "rotateWebhook",
    method: "POST",
    path: "/webhooks/{id}/rotate",
    summary: "Replace the secret of a webhook endpoint",
    description:
      "`secret` of the response is shown only this once. The former secret stays valid for 24 hours: until then, requests are signed with both.",
    status: 200,
    response: { schema: "CreatedWebhook", example: { ...ENDPOINT, secret: "whsec_EXAMPLE" } },
    problems: NAMED,
    run: rotate,
  },
  {
    ...SHARED,
    id: "replayWebhook",
    method: "POST",
    path: "/webhooks/{id}/replay",
    summary: "Post the events again that happened since a time, the oldest first",
    body: object({ since: time("From when on. A receiver knows repeated events by their id.") }),
    bodyExample: { since: "2026-03-01T10:00:00Z" },
    status: 200,
    response: { schema: "WebhookReplay", example: { id: ENDPOINT.id, since: "2026-03-01T10:00:00.000Z" } },
    problems: NAMED,
    run: replay,
  },
  {
    ...SHARED,
    id: "listWebhookDeliveries",
    method: "GET",
    path: "/webhooks/{id}/deliveries",
    summary: "List the attempts to post to a webhook endpoint, the newest first",
    query: {
      ...PAGE_QUERY,
      result: { type: "string", enum: ["failed"], description: "failed: without those that succeeded" },
    },
    status: 200,
    response: { schema: "WebhookDeliveryList", example: { data: [DELIVERY], next: null } },
    problems: NAMED,
    run: deliveries,
  },
  {
    ...SHARED,
    id: "replayWebhookEvent",
    method: "POST",
    path: "/webhooks/{id}/deliveries/{number}/replay",
    summary: "Post one event again",
    status: 200,
    response: { schema: "WebhookEventReplay", example: { id: ENDPOINT.id, event_number: 4711 } },
    problems: ["not_found", "not_possible"],
    run: replayEvent,
  },
];
