/** For operators: the addresses that mail leaves from, their warm-up, and the pools that say whose mail leaves from which. */
import {
  addSendingAddress,
  assignSendingPool,
  createSendingPool,
  type Decided,
  dropSendingAddress,
  findSendingAddress,
  pauseSendingAddress,
  type Refused,
  removeSendingPool,
  type SendingField,
} from "../../app/decide/sending-addresses.ts";
import { setWarmUp, type TypedWarmUp } from "../../app/decide/warm-up.ts";
import { addressDetailView, addressView, poolViews } from "../../app/reports/sending-address-view.ts";
import { readSendingAddresses, warmUpsAt } from "../../app/reports/sending-addresses.ts";
import { TAG_LENGTH_MAX } from "../../message/send-request/send-request-schema.ts";
import { SCHEDULE_MAX } from "../../receivers/warm-up.ts";
import { Problem, type ProblemCode } from "../response/problems.ts";
import { flag, object, type Schema, text } from "../response/schema.ts";
import { invalidBody, sentence } from "./body.ts";
import { POOL, SENDING_ADDRESS, SENDING_ADDRESS_ENTRY } from "./examples.ts";
import type { ManageRequest, Operation, Page } from "./operation.ts";
import { PAGE_QUERY, pageOf } from "./page.ts";

const CODES: Readonly<Record<Refused["reason"], ProblemCode>> = {
  unknown_address: "not_found",
  unknown_pool: "not_found",
  exists: "already_exists",
  too_many: "limit_reached",
  in_use: "not_possible",
};

/** Throws a Problem. `fields`: names of fields in the request, where they differ from those of the use case. */
function settled<T>(decided: Decided<T>, fields: Partial<Record<SendingField, string>> = {}): T {
  if (decided.type === "done") return decided.value;
  const detail = sentence(decided.detail);
  if (decided.type === "refused") throw new Problem(CODES[decided.reason], detail);
  throw invalidBody([{ field: fields[decided.field] ?? decided.field, detail }]);
}

async function listAddresses(request: ManageRequest): Promise<Page<unknown>> {
  const { store } = request.parts;
  const { data, next } = pageOf(request, await readSendingAddresses(store, store.nodes), ({ ip }) => ip);
  return { data: data.map(addressView), next };
}

async function showAddress({ parts: { store, clock }, params }: ManageRequest): Promise<unknown> {
  const { ip } = settled(await findSendingAddress(store, params.address ?? ""));
  const report = (await readSendingAddresses(store, store.nodes)).find((each) => each.ip === ip);
  if (report === undefined) throw new Problem("not_found", `${ip} is no sending address.`);
  return addressDetailView(report, await warmUpsAt(store, report, clock));
}

/** The state of an address that its entity tag covers. */
const addressVersion = async ({ parts: { store }, params }: ManageRequest): Promise<unknown> =>
  settled(await findSendingAddress(store, params.address ?? ""));

async function addAddress(request: ManageRequest): Promise<unknown> {
  const { address: ip, warm_up: isWarmingUp = false, ...typed } = request.body;
  const added = await addSendingAddress(request.parts.store, { ...typed, ip, isWarmingUp });
  if (added.type === "refused" && added.reason === "unknown_pool")
    throw invalidBody([{ field: "pool", detail: sentence(added.detail) }]);
  return showAddress({ ...request, params: { address: settled(added).ip } });
}

async function changeAddress(request: ManageRequest): Promise<unknown> {
  const { parts, params, body } = request;
  settled(await pauseSendingAddress(parts.store, params.address ?? "", body.paused));
  return showAddress(request);
}

async function warmUp(request: ManageRequest): Promise<unknown> {
  const { parts, params, body } = request;
  const { day, receiver, schedule, off = false } = body;
  const typed: TypedWarmUp = {
    ...(receiver === undefined ? {} : { receiver }),
    ...(day === undefined ? {} : { day: String(day) }),
    ...(schedule === undefined ? {} : { schedule: String(schedule) }),
    isOff: off,
  };
  settled(await setWarmUp(parts.store, params.address ?? "", typed, parts.clock));
  return showAddress(request);
}

async function removeAddress({ parts: { store }, params }: ManageRequest): Promise<void> {
  settled(await dropSendingAddress(store, params.address ?? ""));
}

async function listPools(request: ManageRequest): Promise<Page<unknown>> {
  return pageOf(request, await poolViews(request.parts.store), ({ name }) => name);
}

async function showPool({ parts: { store }, params }: ManageRequest): Promise<unknown> {
  const pool = (await poolViews(store)).find(({ name }) => name === params.name);
  if (pool === undefined) throw new Problem("not_found", "No such pool.");
  return pool;
}

async function createPool(request: ManageRequest): Promise<unknown> {
  const { name } = settled(await createSendingPool(request.parts.store, request.body.name), { pool: "name" });
  return showPool({ ...request, params: { name } });
}

async function removePool({ parts: { store }, params }: ManageRequest): Promise<void> {
  settled(await removeSendingPool(store, params.name ?? ""));
}

interface AssignmentBody {
  account?: string;
  domain?: string;
  tag?: string;
}

async function assignPool(request: ManageRequest): Promise<unknown> {
  const { store } = request.parts;
  const { account: named, ...body } = request.body as AssignmentBody;
  if ((named === undefined) === (body.domain === undefined))
    throw invalidBody([{ field: "account", detail: "Give either an account, with or without a tag, or a domain." }]);
  if (body.tag !== undefined && named === undefined)
    throw invalidBody([{ field: "tag", detail: "A tag is assigned together with its account, not with a domain." }]);
  const account =
    named === undefined ? null : ((await store.accountNamed(named)) ?? (await store.accountWithId(named)));
  if (named !== undefined && account === null)
    throw invalidBody([{ field: "account", detail: "No account has this name or id." }]);
  const assignment = { ...body, ...(account === null ? {} : { account: account.id }) };
  settled(await assignSendingPool(store, request.params.name ?? "", assignment));
  return showPool(request);
}

const NAME_LENGTH_MAX = 253;
const IP: Schema = { type: "string", maxLength: 45 };

const ADDRESSES = { permission: "operate", tag: "addresses" } as const;
const ONE_ADDRESS = { response: { schema: "SendingAddress", example: SENDING_ADDRESS }, version: addressVersion };
const POOLS = { permission: "operate", tag: "pools" } as const;
const ONE_POOL = { response: { schema: "SendingPool", example: POOL } };

const ADDRESS_OPERATIONS: readonly Operation[] = [
  {
    ...ADDRESSES,
    id: "listAddresses",
    method: "GET",
    path: "/addresses",
    summary: "List the sending addresses; without one, mail leaves from what the system chooses",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "SendingAddressList", example: { data: [SENDING_ADDRESS_ENTRY], next: null } },
    run: listAddresses,
  },
  {
    ...ADDRESSES,
    id: "addAddress",
    method: "POST",
    path: "/addresses",
    summary: "Add a sending address",
    description: "Delivery follows within 10 seconds, on every node that has the address.",
    body: object(
      {
        address: { ...IP, description: "The IP address as receivers see it." },
        name: { ...text("The name for EHLO, such as `mail1.example.com`."), maxLength: NAME_LENGTH_MAX },
      },
      {},
      {
        bind: {
          ...IP,
          description: "The local address that connections leave from, where a provider translates it to the address.",
        },
        pool: text("The pool; `default` if absent."),
        warm_up: flag("Whether it begins with few messages a day."),
      },
    ),
    bodyExample: { address: "192.0.2.10", name: "mail1.example.com", warm_up: true },
    status: 201,
    response: ONE_ADDRESS.response,
    problems: ["already_exists", "limit_reached"],
    run: addAddress,
  },
  {
    ...ADDRESSES,
    ...ONE_ADDRESS,
    id: "getAddress",
    method: "GET",
    path: "/addresses/{address}",
    summary: "Get a sending address, and how far it is warmed up at each receiver",
    status: 200,
    problems: ["not_found"],
    run: showAddress,
  },
  {
    ...ADDRESSES,
    ...ONE_ADDRESS,
    id: "changeAddress",
    method: "PATCH",
    path: "/addresses/{address}",
    summary: "Pause or resume a sending address",
    description: "Attempts in progress from it complete. Delivery follows within 10 seconds.",
    body: object({ paused: flag("Whether nothing more may leave from it.") }),
    bodyExample: { paused: true },
    status: 200,
    problems: ["not_found"],
    run: changeAddress,
  },
  {
    ...ADDRESSES,
    ...ONE_ADDRESS,
    id: "setWarmUp",
    method: "PUT",
    path: "/addresses/{address}/warm-up",
    summary: "Begin, change or end the warm-up of a sending address; what is absent stays as it is",
    body: object(
      {},
      {},
      {
        day: {
          type: ["integer", "string"],
          pattern: "^end$",
          description: "The day of the schedule, from 1 on; `end` for no limit.",
        },
        receiver: { ...text("The name of the receiver that `day` is for; all if absent."), maxLength: NAME_LENGTH_MAX },
        schedule: {
          type: ["array", "string"],
          items: { type: "integer" },
          maxItems: SCHEDULE_MAX,
          pattern: "^default$",
          description: "Messages of each day, none fewer than the day before; `default` for the default schedule.",
        },
        off: flag("Whether the warm-up ends. Goes with no other field."),
      },
    ),
    bodyExample: { day: 3, receiver: "gmail" },
    status: 200,
    problems: ["not_found"],
    run: warmUp,
  },
  {
    ...ADDRESSES,
    id: "removeAddress",
    method: "DELETE",
    path: "/addresses/{address}",
    summary: "Remove a sending address; attempts in progress from it complete",
    status: 204,
    problems: ["not_found"],
    version: addressVersion,
    run: removeAddress,
  },
];

const POOL_OPERATIONS: readonly Operation[] = [
  {
    ...POOLS,
    id: "listPools",
    method: "GET",
    path: "/pools",
    summary: "List the pools, by name, with their addresses and whose mail leaves from them",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "SendingPoolList", example: { data: [POOL], next: null } },
    run: listPools,
  },
  {
    ...POOLS,
    ...ONE_POOL,
    id: "createPool",
    method: "POST",
    path: "/pools",
    summary: "Create a pool",
    body: object({ name: text("Its name: 1 to 32 lower-case letters, digits and hyphens, beginning with a letter.") }),
    bodyExample: { name: "newsletters" },
    status: 201,
    problems: ["already_exists", "limit_reached"],
    run: createPool,
  },
  {
    ...POOLS,
    ...ONE_POOL,
    id: "getPool",
    method: "GET",
    path: "/pools/{name}",
    summary: "Get a pool",
    status: 200,
    problems: ["not_found"],
    version: showPool,
    run: showPool,
  },
  {
    ...POOLS,
    id: "removePool",
    method: "DELETE",
    path: "/pools/{name}",
    summary: "Remove a pool without addresses: its mail is of the default pool from then on",
    status: 204,
    problems: ["not_found", "not_possible"],
    version: showPool,
    run: removePool,
  },
  {
    ...POOLS,
    ...ONE_POOL,
    id: "assignPool",
    method: "PUT",
    path: "/pools/{name}/assignments",
    summary: "Let the mail of an account, of a tag of an account, or of a sender domain leave from a pool",
    description: "It leaves from no other pool then. The pool `default` ends an assignment.",
    body: object(
      {},
      {},
      {
        account: { ...text("The name or the id of an account."), maxLength: 100 },
        tag: { ...text("A tag of messages of the account."), maxLength: TAG_LENGTH_MAX },
        domain: { ...text("A sender domain, in place of an account."), maxLength: NAME_LENGTH_MAX },
      },
    ),
    bodyExample: { domain: "example.com" },
    status: 200,
    problems: ["not_found", "limit_reached"],
    version: showPool,
    run: assignPool,
  },
];

export const SENDING_ADDRESS_OPERATIONS: readonly Operation[] = [...ADDRESS_OPERATIONS, ...POOL_OPERATIONS];
