/** API keys: create, change, revoke; those that are held. */

import type { BulkParts } from "../../app/decide/bulk-actions.ts";
import { actOnHeld, type HeldMail, releaseHeld } from "../../app/decide/held-keys.ts";
import { createApiKey } from "../../app/send/create-key.ts";
import { type AccessInput, keyChangeFault, mayGive, validateAccess } from "../../app/send/key-access.ts";
import { keyView } from "../../app/send/key-view.ts";
import { DISPLAY_NAME_LENGTH_MAX, displayNameFault } from "../../lib/display-name.ts";
import { type ApiKey, type KeyAccess, PERMISSIONS } from "../../spool/port/api-keys.ts";
import { Problem } from "../response/problems.ts";
import { arrayOf, count, flag, object, someOf, text, time } from "../response/schema.ts";
import { invalidBody } from "./body.ts";
import { KEY } from "./examples.ts";
import { found, limitReached } from "./found.ts";
import type { ManageRequest, Operation, Page } from "./operation.ts";
import { PAGE_QUERY, pageOf, timeKey } from "./page.ts";

const SHARED = { permission: "manage", tag: "keys" } as const;

export interface KeyBody {
  name?: string;
  permissions?: string[];
  domains?: string[];
  networks?: string[];
  expires_at?: string;
  test?: boolean;
}

const FIELDS: Readonly<Record<keyof AccessInput, keyof KeyBody>> = {
  permissions: "permissions",
  domains: "domains",
  networks: "networks",
  expiresAt: "expires_at",
};

async function list({ parts: { store }, account, nowMs, ...request }: ManageRequest): Promise<Page<unknown>> {
  const fuses = new Map((await store.keyFuses()).map((fuse) => [fuse.keyId, fuse]));
  const keys = await store.keys(account.id);
  const { data, next } = pageOf(request, keys, ({ createdAtMs, id }) => timeKey(createdAtMs, id));
  return { data: data.map((key) => keyView(key, fuses.get(key.id), nowMs)), next };
}

/** Throws the 404 problem. */
async function keyOf({ parts: { store }, account, params }: ManageRequest): Promise<ApiKey> {
  return found(
    (await store.keys(account.id)).find(({ id }) => id === params.id),
    "API key",
  );
}

async function show(request: ManageRequest): Promise<unknown> {
  const key = await keyOf(request);
  const fuse = (await request.parts.store.keyFuses()).find(({ keyId }) => keyId === key.id);
  return keyView(key, fuse, request.nowMs);
}

/** The state of a key that its entity tag covers. */
async function version(request: ManageRequest): Promise<unknown> {
  const { name, permissions, domains, networks, expiresAtMs, revokedAtMs } = await keyOf(request);
  return { name, permissions, domains, networks, expiresAtMs, revokedAtMs };
}

/** Throws the 400 problem. `former`: the key before a change; null for a new one. */
async function accessOf(
  { parts: { store }, account, nowMs, isOperator }: ManageRequest,
  input: AccessInput,
  { former, isTest }: { former: ApiKey | null; isTest: boolean },
): Promise<KeyAccess> {
  const access = await validateAccess(input, {
    registry: store,
    accountId: account.id,
    former: former?.domains ?? null,
    nowMs,
    isTest,
    mayGive: mayGive({ isOperator, isOwner: true }),
  });
  if (access.type === "valid") return access;
  throw invalidBody([{ field: FIELDS[access.field], detail: access.detail }]);
}

function requireName(name: string): void {
  const fault = displayNameFault(name);
  if (fault !== null) throw invalidBody([{ field: "name", detail: `The name ${fault}.` }]);
}

/** Throws a Problem that names fields of the management interface. */
export async function createKey(request: ManageRequest, body: KeyBody): Promise<{ id: string; key: string }> {
  const { parts, account, nowMs } = request;
  const { name = "", test = false, permissions, domains, networks, expires_at: expiresAt } = body;
  requireName(name);
  const input = { permissions: permissions ?? null, domains: domains ?? null };
  const access = await accessOf(
    request,
    { ...input, networks: networks ?? null, expiresAt: expiresAt ?? null },
    { former: null, isTest: test },
  );
  const { keysMax } = parts.limits;
  const created = await createApiKey(parts.store, { accountId: account.id, name, nowMs, keysMax, test, access });
  if (created.type === "too_many") throw limitReached("active keys", keysMax, "KEYS_MAX");
  return created;
}

async function create(request: ManageRequest): Promise<unknown> {
  const { id, key } = await createKey(request, request.body);
  return { ...((await show({ ...request, params: { id } })) as object), key };
}

/** The key of the path, for a change. Throws the 404 problem, and the 403 problem for a key that the caller may not change. */
async function changedKey(request: ManageRequest): Promise<ApiKey> {
  const key = await keyOf(request);
  const { isOperator } = request;
  const fault = keyChangeFault(key, mayGive({ isOperator, isOwner: true }));
  if (fault !== null) throw new Problem("permission_denied", fault);
  return key;
}

async function change(request: ManageRequest): Promise<unknown> {
  const { parts, account } = request;
  const key = await changedKey(request);
  if (key.id === request.key.id) throw new Problem("permission_denied", "A key cannot change itself. Use another one.");
  const body = request.body as KeyBody;
  const name = body.name ?? key.name;
  requireName(name);
  const input = {
    permissions: body.permissions ?? key.permissions,
    domains: someOrAll(body.domains, key.domains),
    networks: someOrAll(body.networks, key.networks),
    expiresAt: body.expires_at === NEVER ? null : (body.expires_at ?? key.expiresAtMs),
  };
  const access = await accessOf(request, input, { former: key, isTest: key.test });
  const changed = await parts.store.changeKey({ accountId: account.id, keyId: key.id, name, access });
  if (changed === "revoked") throw new Problem("not_possible", `The API key ${key.id} is revoked.`);
  found(changed === "not_found" ? null : changed, "API key");
  return show(request);
}

/** In a change, an absent field is unchanged, so these stand for no restriction. */
const NEVER = "never";
const someOrAll = (given: string[] | undefined, former: readonly string[] | null): readonly string[] | null =>
  given === undefined ? former : given.length === 0 ? null : given;

async function revoke(request: ManageRequest): Promise<void> {
  const { id } = await changedKey(request);
  const { parts, account, nowMs } = request;
  const revoked = await parts.store.revokeKey(account.id, id, nowMs);
  found(revoked === "not_found" ? null : revoked, "API key");
}

interface FuseBody {
  limit?: number;
  off?: boolean;
}

async function setFuse(request: ManageRequest): Promise<unknown> {
  const { parts, account } = request;
  const { limit = null, off: isOff = false } = request.body as FuseBody;
  if (isOff && limit !== null) throw invalidBody([{ field: "off", detail: "A key that is never held has no limit." }]);
  const { id: keyId } = await keyOf(request);
  await parts.store.setKeyFuse({ accountId: account.id, keyId }, { limit, isOff });
  return show(request);
}

/** The state of a key's fuse that its entity tag covers. */
async function fuseVersion(request: ManageRequest): Promise<unknown> {
  const { id } = await keyOf(request);
  const fuse = (await request.parts.store.keyFuses()).find(({ keyId }) => keyId === id);
  return { limit: fuse?.limit ?? null, isOff: fuse?.isOff ?? false };
}

const bulkParts = ({ parts: { store, clock } }: ManageRequest): BulkParts => ({
  spool: store,
  reports: store.reports,
  monotonicMs: () => clock.monotonicMs(),
});

const heldMail = ({ account, by, parts }: ManageRequest, key: ApiKey): HeldMail => ({
  accountId: account.id,
  keyId: key.id,
  by,
  maxAgeMs: parts.sending.maxAgeMs,
});

const notHeld = (key: ApiKey): Problem => new Problem("not_possible", `The API key ${key.id} is not held.`);

async function release(request: ManageRequest): Promise<unknown> {
  const key = await changedKey(request);
  const { store, clock } = request.parts;
  const parts = { ...bulkParts(request), spool: store };
  const totals = await releaseHeld(parts, heldMail(request, key), () => clock.now());
  if (totals === null) throw notHeld(key);
  return { id: key.id, recipients: totals.done };
}

async function cancelHeld(request: ManageRequest): Promise<unknown> {
  const key = await changedKey(request);
  const fuse = (await request.parts.store.keyFuses()).find(({ keyId }) => keyId === key.id);
  if (fuse?.held == null) throw notHeld(key);
  const { clock } = request.parts;
  const { done } = await actOnHeld(bulkParts(request), "cancel", heldMail(request, key), () => clock.now());
  return { id: key.id, recipients: done };
}

const DOMAINS = "The domains that the key may send from and read the messages of; all if absent.";
const NETWORKS = "The networks that it may be used from, such as `192.0.2.0/24`; any if absent.";
const EXPIRES = "When it stops being active; never if absent.";

const ACCESS = {
  permissions: someOf(PERMISSIONS, "What it may do; `send` and `read` if absent."),
  domains: arrayOf({ type: "string" }, DOMAINS),
  networks: arrayOf({ type: "string" }, NETWORKS),
};
/** The same limit as on the command line. */
const FUSE_LIMIT_MAX = 999_999_999;

const NAME = { ...text("The app that uses it, such as `website`."), minLength: 1, maxLength: DISPLAY_NAME_LENGTH_MAX };

export const KEY_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    id: "listKeys",
    method: "GET",
    path: "/keys",
    summary: "List the account's API keys, the oldest first",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "ManagedKeyList", example: { data: [KEY], next: null } },
    run: list,
  },
  {
    ...SHARED,
    id: "createKey",
    method: "POST",
    path: "/keys",
    summary: "Create an API key",
    description: "`key` of the response is shown only this once. A key that may not operate creates none that may.",
    body: object(
      { name: NAME },
      {},
      {
        ...ACCESS,
        expires_at: time(EXPIRES),
        test: flag("Whether it is a test key: nothing that it sends leaves this server."),
      },
    ),
    bodyExample: { name: "website", permissions: ["send", "read"], domains: ["example.com"] },
    status: 201,
    response: {
      schema: "CreatedKey",
      example: { ...KEY, key: "svc_live_EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXA" },
    },
    problems: ["limit_reached"],
    run: create,
  },
  {
    ...SHARED,
    id: "getKey",
    method: "GET",
    path: "/keys/{id}",
    summary: "Get an API key, without its text",
    status: 200,
    response: { schema: "ManagedKey", example: KEY },
    problems: ["not_found"],
    version,
    run: show,
  },
  {
    ...SHARED,
    id: "changeKey",
    method: "PATCH",
    path: "/keys/{id}",
    summary: "Change an API key's name, or what it may do, from where, and how long",
    description: "An absent field is unchanged. An empty list removes the restriction.",
    body: object({}, {}, { name: NAME, ...ACCESS, expires_at: text(`A time by RFC 3339, or \`${NEVER}\`.`) }),
    bodyExample: { permissions: ["read"], networks: ["192.0.2.0/24"] },
    status: 200,
    response: { schema: "ManagedKey", example: KEY },
    problems: ["not_found", "not_possible"],
    version,
    run: change,
  },
  {
    ...SHARED,
    id: "revokeKey",
    method: "DELETE",
    path: "/keys/{id}",
    summary: "Revoke an API key: requests with it are rejected from now on",
    description: "A key that is revoked already stays so.",
    status: 204,
    problems: ["not_found"],
    version,
    run: revoke,
  },
  {
    ...SHARED,
    id: "setKeyFuse",
    method: "PUT",
    path: "/keys/{id}/fuse",
    summary: "Set when an API key is held; without a field, if it sends far above what it normally does",
    description: "A key that is held already stays so until it is released.",
    body: object(
      {},
      {},
      {
        limit: {
          ...count("Recipients in ten minutes above which it is held."),
          minimum: 1,
          maximum: FUSE_LIMIT_MAX,
        },
        off: flag("Whether it is never held. Goes without a limit."),
      },
    ),
    bodyExample: { limit: 5000 },
    status: 200,
    response: { schema: "ManagedKey", example: { ...KEY, fuse: { limit: 5000, off: false } } },
    problems: ["not_found"],
    version: fuseVersion,
    run: setFuse,
  },
  {
    ...SHARED,
    id: "releaseKey",
    method: "POST",
    path: "/keys/{id}/release",
    summary: "Let a held API key send again, and try its held mail now",
    status: 200,
    response: { schema: "ActedKey", example: { id: KEY.id, recipients: 120 } },
    problems: ["not_found", "not_possible"],
    run: release,
  },
  {
    ...SHARED,
    id: "cancelHeldMail",
    method: "POST",
    path: "/keys/{id}/cancel-held",
    summary: "Cancel the mail that waits because its key is held",
    status: 200,
    response: { schema: "ActedKey", example: { id: KEY.id, recipients: 120 } },
    problems: ["not_found", "not_possible"],
    run: cancelHeld,
  },
];
