/**
 * Domains and API keys of Resend's API, for keys that may manage their account. What they do, and what protects them, is the management
 * interface's (http/manage/).
 */
import type Router from "@koa/router";
import type { Context } from "koa";
import { bodyReader, invalidBody } from "../../http/manage/body.ts";
import { bindDomain, domainDetail, removeDomain } from "../../http/manage/domains.ts";
import { found } from "../../http/manage/found.ts";
import { createKey, type KeyBody } from "../../http/manage/keys.ts";
import type { ManageRequest } from "../../http/manage/operation.ts";
import { BODY_BYTES_MAX, type ManageRoutes, type OpenedOperation, openRequest } from "../../http/manage/routes.ts";
import { Problem } from "../../http/response/problems.ts";
import { flag, object, oneOf, text } from "../../http/response/schema.ts";
import { rfc3339 } from "../../lib/clock.ts";
import { DISPLAY_NAME_LENGTH_MAX } from "../../lib/display-name.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { Domain } from "../../spool/port/domains.ts";
import { domainEntry, domainView } from "./domain-view.ts";
import { addEndpoint, ENDPOINTS, type EndpointName } from "./endpoints.ts";
import { pageOf } from "./pages.ts";

type Managed = (request: ManageRequest, ctx: Context) => Promise<unknown>;

/** Adds the routes of domains and API keys. */
export function addManagementRoutes(router: Router, routes: ManageRoutes): void {
  const add = (name: EndpointName, run: Managed, status = 200): void => {
    const operation: OpenedOperation = { method: ENDPOINTS[name].method, permission: "manage" };
    const middleware = routes.guarded(operation, async (ctx, key) => {
      const request = await openRequest(ctx, key, { parts: routes.parts, operation, query: {} });
      ctx.body = await run(request, ctx);
      ctx.status = status;
    });
    addEndpoint(router, name, middleware);
  };
  const withBody = (read: ReturnType<typeof bodyReader>, run: Managed): Managed => {
    return async (request, ctx) => run({ ...request, body: read(await routes.readBytes(ctx, BODY_BYTES_MAX)) }, ctx);
  };
  add("createDomain", withBody(readDomain, createDomain), 201);
  add("listDomains", listDomains);
  add("getDomain", showDomain);
  add("verifyDomain", verifyDomain);
  add("deleteDomain", deleteDomain);
  add("createApiKey", withBody(readKey, createApiKey), 201);
  add("listApiKeys", listApiKeys);
  add("deleteApiKey", deleteApiKey);
}

const REGIONS = ["us-east-1", "eu-west-1", "sa-east-1", "ap-northeast-1"];
const NEVER = { ...flag("Only `false`: Postrider does not track."), enum: [false] };

/** Fields that ask for what Postrider does not have are accepted with the value that asks for nothing. */
export const DOMAIN_BODY = object(
  { name: { ...text("The domain."), maxLength: 253 } },
  {},
  {
    region: oneOf(REGIONS, "Without effect."),
    open_tracking: NEVER,
    click_tracking: NEVER,
    tls: oneOf(["opportunistic"], "The TLS policy of the service applies."),
    capabilities: object(
      {},
      { additionalProperties: false, description: "What the domain is used for." },
      {
        sending: oneOf(["enabled"], "A domain always sends."),
        receiving: oneOf(["disabled"], "A domain receives no messages."),
      },
    ),
  },
);

const readDomain = bodyReader(DOMAIN_BODY);

const PERMISSIONS = { full_access: ["send", "read", "manage"], sending_access: ["send"] } as const;

export const KEY_BODY = object(
  { name: { ...text("The name of the key."), minLength: 1, maxLength: DISPLAY_NAME_LENGTH_MAX } },
  {},
  {
    permission: oneOf(Object.keys(PERMISSIONS), `What the key may do: ${permissionsText()}.`),
    domain_id: {
      ...text("The id of the only domain that the key sends from. Only with `sending_access`."),
      maxLength: 100,
    },
  },
);

const readKey = bodyReader(KEY_BODY);

/** `full_access` comes first: it is the default. */
function permissionsText(): string {
  const texts = Object.entries(PERMISSIONS).map(([name, own]) => `\`${name}\` is ${own.join(", ")}`);
  return `${texts.join("; ")}. The default is \`full_access\``;
}

const viewOf = async (request: ManageRequest, domain: Domain): Promise<unknown> =>
  domainView(domain, (await domainDetail(request, domain)).records);

async function createDomain(request: ManageRequest): Promise<unknown> {
  return viewOf(request, await bindDomain(request, request.body.name));
}

async function listDomains({ parts: { store }, account }: ManageRequest, ctx: Context): Promise<unknown> {
  const { data, hasMore } = pageOf(ctx, await store.domains(account.id));
  return { object: "list", has_more: hasMore, data: data.map(domainEntry) };
}

/** Throws the 404 problem. */
async function domainOf({ parts: { store }, account, params }: ManageRequest): Promise<Domain> {
  const domains = await store.domains(account.id);
  return found(
    domains.find(({ id }) => id === params.id),
    "domain",
  );
}

const showDomain = async (request: ManageRequest): Promise<unknown> => viewOf(request, await domainOf(request));

async function verifyDomain(request: ManageRequest): Promise<unknown> {
  const domain = await domainOf(request);
  await request.parts.domains.verify(domain);
  return { object: "domain", id: domain.id };
}

async function deleteDomain(request: ManageRequest): Promise<unknown> {
  const domain = await domainOf(request);
  await removeDomain(request, domain);
  return { object: "domain", id: domain.id, deleted: true };
}

/** A key with full access may do what a key of Postrider with send, read and manage may. */
async function createApiKey(request: ManageRequest): Promise<unknown> {
  const { name, permission = "full_access", domain_id: domainId } = request.body;
  if (domainId !== undefined && permission !== "sending_access")
    throw invalidBody([{ field: "domain_id", detail: "Only a key with sending_access is restricted to a domain." }]);
  const body: KeyBody = {
    name,
    permissions: [...PERMISSIONS[permission as keyof typeof PERMISSIONS]],
    ...(domainId === undefined ? {} : { domains: [await nameOf(request, domainId)] }),
  };
  const { id, key } = await createKey(request, body);
  return { id, token: key };
}

async function nameOf({ parts: { store }, account }: ManageRequest, domainId: string): Promise<string> {
  const domain = (await store.domains(account.id)).find(({ id }) => id === domainId);
  if (domain === undefined)
    throw invalidBody([{ field: "domain_id", detail: "The account has no domain with this id." }]);
  return domain.name;
}

/** Those that are not revoked: Resend deletes keys. */
async function keysOf({ parts: { store }, account }: ManageRequest): Promise<ApiKey[]> {
  return (await store.keys(account.id)).filter(({ revokedAtMs }) => revokedAtMs === null);
}

async function listApiKeys(request: ManageRequest, ctx: Context): Promise<unknown> {
  const { data, hasMore } = pageOf(ctx, await keysOf(request));
  const entries = data.map(({ id, name, createdAtMs, lastUsedAtMs }) => ({
    id,
    name,
    created_at: rfc3339(createdAtMs),
    last_used_at: lastUsedAtMs === null ? null : rfc3339(lastUsedAtMs),
  }));
  return { object: "list", has_more: hasMore, data: entries };
}

async function deleteApiKey(request: ManageRequest): Promise<unknown> {
  const { parts, account, params, nowMs } = request;
  const key = (await keysOf(request)).find(({ id }) => id === params.id);
  if (key === undefined || (await parts.store.revokeKey(account.id, key.id, nowMs)) !== "revoked")
    throw new Problem("not_found", "The account has no such API key.");
  return { object: "api_key", id: key.id, deleted: true };
}
