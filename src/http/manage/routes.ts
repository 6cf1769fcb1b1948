/**
 * The routes of the management interface. Each operation passes the same steps: the key's permission, the account, the query, the body,
 * the rate, the precondition. Each operation is defined in its own file; a table (operations.ts) lists all of them.
 */
import { Readable } from "node:stream";
import type Router from "@koa/router";
import type { Context, Middleware } from "koa";
import { keyText } from "../../app/decide/decide-recipients.ts";
import { permissionRejection } from "../../app/send/key-access.ts";
import type { Account } from "../../spool/port/accounts.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import { type QuerySchema, queryReader } from "../request/query.ts";
import { Problem, rejectionProblem } from "../response/problems.ts";
import { takeToken } from "../response/take-token.ts";
import { bodyReader } from "./body.ts";
import { entityTag, requireMatch } from "./entity-tag.ts";
import type { ManageRequest, Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import type { ManageParts } from "./parts.ts";
import { runOnce } from "./repeated.ts";
import { respondWith, Slots, Streamed } from "./streamed.ts";

export const MANAGE_PATH = "/api/manage";

/** Octets of a request's body, unless its operation says otherwise. */
export const BODY_BYTES_MAX = 64 * 1024;

const ACCOUNT_LENGTH_MAX = 100;

/** What any operation on an account takes. */
const ACCOUNT_QUERY = {
  account: {
    type: "string",
    minLength: 1,
    maxLength: ACCOUNT_LENGTH_MAX,
    description: "the name or the id of another account, of a key with the permission operate",
  },
} as const satisfies QuerySchema;

/** The parameters of the query that an operation takes. */
export const queryOf = ({ permission, query = {} }: Operation): QuerySchema =>
  permission === "manage" ? { ...query, ...ACCOUNT_QUERY } : query;

export interface ManageRoutes {
  parts: ManageParts;
  /** Runs an endpoint within the limits that requests of this kind share. */
  guarded: (operation: OpenedOperation, endpoint: (ctx: Context, key: ApiKey) => Promise<void>) => Middleware;
  /** Reads the octets of a JSON body. Throws a Problem. */
  readBytes: (ctx: Context, bytesMax: number) => Promise<Buffer>;
}

export function addManageRoutes(router: Router, routes: ManageRoutes): void {
  const slots = new Slots();
  for (const operation of OPERATIONS) {
    const path = MANAGE_PATH + operation.path.replace(/\{(\w+)\}/g, ":$1");
    router.register(path, [operation.method], routes.guarded(operation, endpointOf(operation, routes, slots)));
  }
}

function endpointOf(operation: Operation, { parts, readBytes }: ManageRoutes, slots: Slots) {
  const { body: schema, isBodyOptional = false, bodyBytesMax = BODY_BYTES_MAX } = operation;
  const readQuery = queryReader(queryOf(operation));
  const readBody = schema === undefined ? null : bodyReader(schema);
  return async (ctx: Context, key: ApiKey): Promise<void> => {
    const request = await openRequest(ctx, key, { parts, operation, query: readQuery(ctx) });
    if (operation.slot !== undefined) slots.take(ctx, operation.slot, key.accountId);
    const hasBody = readBody !== null && !(isBodyOptional && isEmpty(ctx));
    const body = hasBody ? readBody(await readBytes(ctx, bodyBytesMax)) : {};
    await respond(ctx, operation, { ...request, body, stream: streamOf(ctx, operation) });
  };
}

/** What the first steps of a request depend on. */
export type OpenedOperation = Pick<Operation, "method" | "permission" | "slot">;

interface Opening {
  parts: ManageParts;
  operation: OpenedOperation;
  query: ManageRequest["query"];
}

/** Decides the account, and counts a change against the rate. Returns the request without its body. Throws a Problem. */
export async function openRequest(
  ctx: Context,
  key: ApiKey,
  { parts, operation, query }: Opening,
): Promise<ManageRequest> {
  if (Object.values(ctx.params as Record<string, string>).some((value) => value.includes("\0"))) {
    throw new Problem("not_found", "A NUL character names nothing.");
  }
  const account = await accountOf(query.account, { key, parts, operation });
  if (operation.method !== "GET" || operation.slot !== undefined) await takeToken(parts.rate, key);
  const { id, name } = key;
  const actor = { type: "key", id, name, ip: parts.addressOf(ctx.req), accountId: account.id } as const;
  return {
    parts: { ...parts, ...parts.actingAs(actor) },
    key,
    isOperator: mayOperate(key),
    by: keyText(key),
    account,
    params: ctx.params,
    query,
    body: {},
    stream: Readable.from([]),
    nowMs: parts.clock.now(),
    requestId: ctx.state.requestId,
  };
}

async function respond(ctx: Context, operation: Operation, request: ManageRequest): Promise<void> {
  const { version, status } = operation;
  const isChange = operation.method !== "GET";
  const ifMatch = ctx.get("If-Match");
  if (version !== undefined && isChange && ifMatch !== "") requireMatch(ifMatch, entityTag(await version(request)));
  const { body, isReplay } = await runOnce(ctx, operation, request);
  if (isReplay) ctx.set("Idempotency-Replayed", "true");
  if (version !== undefined && operation.method !== "DELETE") ctx.set("ETag", entityTag(await version(request)));
  ctx.status = status;
  if (status === 204) ctx.body = null;
  else if (body instanceof Streamed) respondWith(ctx, body);
  else ctx.body = body;
}

/** The body in parts. Throws the 415 problem for a media type that the operation does not take. */
function streamOf({ request, req }: Context, { accepts }: Operation): AsyncIterable<Uint8Array> {
  if (accepts === undefined) return Readable.from([]);
  if (accepts.includes(request.type.toLowerCase())) return req;
  throw new Problem("unsupported_media_type", `Send the body as one of ${accepts.join(", ")}.`);
}

const isEmpty = ({ request, req }: Context): boolean =>
  (request.length ?? 0) === 0 && req.headers["transfer-encoding"] === undefined;

const mayOperate = ({ permissions }: ApiKey): boolean => permissions.includes("operate");

/** Throws the 403 problem of a key without the permission of the operation. */
export function requirePermission(key: ApiKey, { permission }: Pick<Operation, "permission">): void {
  if (mayOperate(key)) return;
  const rejection = permissionRejection(key, permission);
  if (rejection !== null) throw rejectionProblem(rejection);
}

/** The account that a request is about. Another one than the key's exists only for a key that may operate. */
async function accountOf(
  named: string | number | undefined,
  { key, parts, operation }: { key: ApiKey; parts: ManageParts; operation: OpenedOperation },
): Promise<Account> {
  const { store } = parts;
  const wanted = named === undefined ? null : String(named);
  const account =
    wanted === null
      ? await store.accountWithId(key.accountId)
      : ((await store.accountNamed(wanted)) ?? (await store.accountWithId(wanted)));
  if (account === null || (account.id !== key.accountId && !mayOperate(key))) {
    throw new Problem("not_found", "No such account for this key.");
  }
  const isChanged = operation.permission === "manage" && operation.method !== "GET";
  if (isChanged && account.deletedAtMs !== null) {
    throw new Problem("account_deleted", `The account ${account.name} is deleted. Restore it before you change it.`);
  }
  return account;
}
