/** For operators: receivers and their limits, the queue and its destinations, nodes, the doctor, and preflights. */
import { isIP } from "node:net";
import { pauseDestination, resumeDestination, retryDestination } from "../../app/decide/destinations.ts";
import { type LimitField, resetReceiverLimits, setReceiverLimits } from "../../app/decide/receivers.ts";
import { nodeView } from "../../app/reports/node-view.ts";
import { readQueue } from "../../app/reports/queue-report.ts";
import { queueView } from "../../app/reports/queue-view.ts";
import { receiverView } from "../../app/reports/receiver-view.ts";
import { type ReceiverSources, readReceiver, readReceivers } from "../../app/reports/receivers.ts";
import { rfc3339 } from "../../lib/clock.ts";
import { PROFILES } from "../../receivers/profiles.ts";
import type { Nodes } from "../../spool/port/nodes.ts";
import { OVERRIDES_MAX, readReceiverOverrides } from "../../spool/port/receiver-limits.ts";
import { invalidQuery } from "../request/query.ts";
import { Problem } from "../response/problems.ts";
import { count, object } from "../response/schema.ts";
import { invalidBody, sentence } from "./body.ts";
import { DESTINATION, FINDING, NODE, PREFLIGHT, RECEIVER } from "./examples.ts";
import type { ManageRequest, Operation, Page } from "./operation.ts";
import { PAGE_QUERY, pageOf } from "./page.ts";

const SHARED = { permission: "operate" } as const;

async function sourcesOf({ parts, nowMs }: ManageRequest): Promise<ReceiverSources> {
  const { store, traffic, destinationLimits } = parts;
  return { spool: store, traffic: await traffic(), configured: destinationLimits, nowMs };
}

async function listReceivers(request: ManageRequest): Promise<Page<unknown>> {
  const receivers = await readReceivers(await sourcesOf(request));
  const { data, next } = pageOf(request, receivers, ({ name }) => name);
  return { data: data.map((each) => receiverView(each, request.parts.sendingIps)), next };
}

async function showReceiver(request: ManageRequest): Promise<unknown> {
  const receiver = await readReceiver(await sourcesOf(request), request.params.name ?? "");
  if (receiver === null) throw new Problem("not_found", "No such receiver.");
  return receiverView(receiver, request.parts.sendingIps);
}

/** The state of a receiver that its entity tag covers. */
async function receiverVersion({ parts: { store }, params: { name = "" } }: ManageRequest): Promise<unknown> {
  return (await readReceiverOverrides(store)).get(name) ?? null;
}

const LIMITS: Readonly<Record<Exclude<LimitField, "name">, string>> = {
  connections: "connections",
  messagesPerConnection: "messages_per_connection",
  messagesPerMinute: "messages_per_minute",
  pause: "pause_seconds",
};

async function setLimits(request: ManageRequest): Promise<unknown> {
  const { parts, params, body } = request;
  const typed = Object.fromEntries(
    Object.entries(LIMITS).flatMap(([field, name]) => {
      const value: number | undefined = body[name];
      return value === undefined ? [] : [[field, field === "pause" ? `${value}s` : String(value)]];
    }),
  );
  const result = await setReceiverLimits(parts.store, params.name ?? "", typed);
  if (result.type === "full")
    throw new Problem("limit_reached", `Limits of ${OVERRIDES_MAX} receivers are set already. Reset some first.`);
  if (result.type === "set") return showReceiver(request);
  const { field, detail } = result.fault;
  if (field === "name") throw new Problem("not_found", "No such receiver.");
  throw invalidBody([{ field: LIMITS[field], detail: sentence(detail) }]);
}

async function resetLimits({ parts: { store }, params }: ManageRequest): Promise<void> {
  const name = await resetReceiverLimits(store, params.name ?? "");
  if (name === null) throw new Problem("not_found", "No such receiver.");
}

const QUEUE_MAX = 1000;

async function queue({ parts, nowMs }: ManageRequest): Promise<unknown> {
  const { store, traffic } = parts;
  const filter = { accountId: null, nowMs, limit: QUEUE_MAX };
  return queueView(await readQueue({ reports: store.reports, spool: store, traffic }, filter));
}

const notADomain = (): Problem => new Problem("not_found", "This cannot be a recipient domain.");

async function pause({ parts: { store }, params, nowMs }: ManageRequest): Promise<unknown> {
  const domain = await pauseDestination(store, params.domain ?? "", nowMs);
  if (domain === null) throw notADomain();
  return { domain, paused: true };
}

async function resume({ parts: { store }, params }: ManageRequest): Promise<unknown> {
  const result = await resumeDestination(store, params.domain ?? "");
  if (result === null) throw notADomain();
  return { domain: result.domain, paused: false };
}

async function retry({ parts, params, nowMs }: ManageRequest): Promise<unknown> {
  const { store, traffic } = parts;
  const sources = { spool: store, registry: store, reports: store.reports, traffic };
  const result = await retryDestination(sources, params.domain ?? "", nowMs);
  if (result === null) throw notADomain();
  return { domain: result.domain, recipients: result.retried, hold: result.hold };
}

const notClustered = (): Problem =>
  new Problem("not_possible", "The spool belongs to one service, so there are no nodes. With DATABASE_URL there are.");

async function listNodes(request: ManageRequest): Promise<Page<unknown>> {
  const nodes = (await request.parts.store.nodes?.list()) ?? [];
  const { data, next } = pageOf(request, nodes, ({ name }) => name);
  return { data: data.map(nodeView), next };
}

function nodesOf({ parts: { store } }: ManageRequest): Nodes {
  if (store.nodes === null) throw notClustered();
  return store.nodes;
}

async function drain(request: ManageRequest): Promise<unknown> {
  const { name = "" } = request.params;
  const drained = await nodesOf(request).drain(name);
  if (drained.type === "unknown_node") throw new Problem("not_found", "No such node.");
  if (drained.type === "last_node") throw new Problem("not_possible", `No node would deliver without ${name}.`);
  return { name, draining: drained.names };
}

async function resumeNode(request: ManageRequest): Promise<unknown> {
  const { name = "" } = request.params;
  const resumed = await nodesOf(request).resume(name);
  if (resumed.type === "unknown_node") throw new Problem("not_found", "No such node.");
  if (resumed.type === "not_draining") throw new Problem("not_possible", `${name} is not draining.`);
  return { name, resumed: resumed.names };
}

async function doctor({ parts: { host } }: ManageRequest): Promise<unknown> {
  if (host.look().findings === null) await host.examine();
  const { findings, examinedAtMs } = host.look();
  return {
    examined_at: examinedAtMs === null ? null : rfc3339(examinedAtMs),
    data: (findings ?? []).map(({ check, state, detail }) => ({ check, state, detail })),
    next: null,
  };
}

async function examine(request: ManageRequest): Promise<unknown> {
  await request.parts.host.examine();
  return doctor(request);
}

async function preflight({ parts, query: { address, receiver } }: ManageRequest): Promise<unknown> {
  const profiles = PROFILES.filter(({ name }) => receiver === undefined || name === receiver);
  if (profiles.length === 0)
    throw invalidQuery([{ field: "receiver", detail: "No receiver with a profile has this name." }]);
  if (address !== undefined && isIP(String(address)) === 0)
    throw invalidQuery([{ field: "address", detail: "Must be an IP address." }]);
  return parts.preflight(profiles, address === undefined ? null : String(address));
}

const LIMIT = (description: string) => ({ ...count(description), minimum: 1 });
const RECEIVERS = { ...SHARED, tag: "receivers" } as const;
const QUEUE = { ...SHARED, tag: "queue" } as const;
const HOST = { ...SHARED, tag: "host" } as const;

export const OPERATING_OPERATIONS: readonly Operation[] = [
  {
    ...RECEIVERS,
    id: "listReceivers",
    method: "GET",
    path: "/receivers",
    summary: "List who takes mail, by name: limits, and whether they accept it now",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "ReceiverList", example: { data: [RECEIVER], next: null } },
    run: listReceivers,
  },
  {
    ...RECEIVERS,
    id: "getReceiver",
    method: "GET",
    path: "/receivers/{name}",
    summary: "Get a receiver",
    status: 200,
    response: { schema: "Receiver", example: RECEIVER },
    problems: ["not_found"],
    version: receiverVersion,
    run: showReceiver,
  },
  {
    ...RECEIVERS,
    id: "setReceiverLimits",
    method: "PUT",
    path: "/receivers/{name}/limits",
    summary: "Set limits of a receiver; those that are absent stay as they are",
    description: "Delivery follows within 10 seconds, on every node.",
    body: object(
      {},
      {},
      {
        connections: LIMIT("Connections at one time, of all nodes."),
        messages_per_connection: LIMIT("Messages before a connection is ended."),
        messages_per_minute: LIMIT("Messages in a minute, of all nodes."),
        pause_seconds: LIMIT("How long nothing is sent after a reply about the rate that does not say how long."),
      },
    ),
    bodyExample: { connections: 10, messages_per_minute: 600 },
    status: 200,
    response: { schema: "Receiver", example: RECEIVER },
    problems: ["not_found", "limit_reached"],
    version: receiverVersion,
    run: setLimits,
  },
  {
    ...RECEIVERS,
    id: "resetReceiverLimits",
    method: "DELETE",
    path: "/receivers/{name}/limits",
    summary: "Remove the limits that were set for a receiver",
    status: 204,
    problems: ["not_found"],
    version: receiverVersion,
    run: resetLimits,
  },
  {
    ...QUEUE,
    id: "getQueue",
    method: "GET",
    path: "/queue",
    summary: "List waiting recipients of all accounts, by recipient domain",
    status: 200,
    response: {
      schema: "Queue",
      example: {
        waiting: 12,
        unknown: 0,
        oldest_at: "2026-03-02T08:30:00.000Z",
        destinations: [DESTINATION],
        delivery_paused: false,
        closed_without_mail: [],
      },
    },
    run: queue,
  },
  {
    ...QUEUE,
    id: "pauseDestination",
    method: "POST",
    path: "/destinations/{domain}/pause",
    summary: "Make no attempt at a recipient domain until it is resumed",
    status: 200,
    response: { schema: "PausedDestination", example: { domain: "example.org", paused: true } },
    problems: ["not_found"],
    run: pause,
  },
  {
    ...QUEUE,
    id: "resumeDestination",
    method: "POST",
    path: "/destinations/{domain}/resume",
    summary: "Go on with attempts at a recipient domain",
    status: 200,
    response: { schema: "PausedDestination", example: { domain: "example.org", paused: false } },
    problems: ["not_found"],
    run: resume,
  },
  {
    ...QUEUE,
    id: "retryDestination",
    method: "POST",
    path: "/destinations/{domain}/retry",
    summary: "Try all pending recipients at a domain now",
    status: 200,
    response: { schema: "RetriedDestination", example: { domain: "example.org", recipients: 12, hold: null } },
    problems: ["not_found"],
    run: retry,
  },
  {
    ...HOST,
    id: "listNodes",
    method: "GET",
    path: "/nodes",
    summary: "List the nodes that share the database, by name; none where the spool belongs to one service",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "NodeList", example: { data: [NODE], next: null } },
    run: listNodes,
  },
  {
    ...HOST,
    id: "drainNode",
    method: "POST",
    path: "/nodes/{name}/drain",
    summary: "Drain a node: it completes its messages and takes no new ones",
    description: "`state` in the list of nodes is `drained` once it has.",
    status: 200,
    response: { schema: "DrainedNode", example: { name: "mail-2", draining: ["mail-2"] } },
    problems: ["not_found", "not_possible"],
    run: drain,
  },
  {
    ...HOST,
    id: "resumeNode",
    method: "POST",
    path: "/nodes/{name}/resume",
    summary: "Let a draining node claim again",
    status: 200,
    response: { schema: "ResumedNode", example: { name: "mail-2", resumed: ["mail-2"] } },
    problems: ["not_found", "not_possible"],
    run: resumeNode,
  },
  {
    ...HOST,
    id: "getDoctor",
    method: "GET",
    path: "/doctor",
    summary: "Get what stops or hurts delivery from the host of this node, as last examined",
    status: 200,
    response: {
      schema: "Findings",
      example: { examined_at: "2026-03-02T08:30:00.000Z", data: [FINDING], next: null },
    },
    run: doctor,
  },
  {
    ...HOST,
    id: "runDoctor",
    method: "POST",
    path: "/doctor",
    summary: "Examine the host of this node now",
    description: "It takes up to 30 seconds.",
    status: 200,
    response: {
      schema: "Findings",
      example: { examined_at: "2026-03-02T08:30:00.000Z", data: [FINDING], next: null },
    },
    run: examine,
  },
  {
    ...HOST,
    id: "runPreflight",
    method: "POST",
    path: "/preflight",
    summary: "See whether large receivers take mail from the addresses of this node",
    description:
      "A session with each of them, in which nothing is sent. It takes up to 20 seconds, and each receiver is tried once an hour at most.",
    query: {
      address: { type: "string", maxLength: 45, description: "the sending address; all of the host if absent" },
      receiver: { type: "string", maxLength: 100, description: "the name of one receiver with a profile" },
    },
    status: 200,
    response: { schema: "Preflight", example: PREFLIGHT },
    run: preflight,
  },
];
