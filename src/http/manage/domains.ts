/** Sender domains: bind, show what to publish, verify, return path, DKIM rotation, remove. */
import {
  checkedRecords,
  type DomainDetail,
  domainEntryView,
  domainView,
  newKeyRecord,
  recordViews,
} from "../../app/domains/domain-view.ts";
import { domainReports, domainReportsView } from "../../app/reports/domain-reports.ts";
import { normalizeDomainName } from "../../domains/domain-name.ts";
import type { Domain } from "../../spool/port/domains.ts";
import { invalidQuery, type QuerySchema } from "../request/query.ts";
import { Problem } from "../response/problems.ts";
import { flag, object, text } from "../response/schema.ts";
import { invalidBody } from "./body.ts";
import { DOMAIN, DOMAIN_ENTRY, DOMAIN_REPORTS } from "./examples.ts";
import { found, limitReached } from "./found.ts";
import type { ManageRequest, Operation, Page } from "./operation.ts";
import { PAGE_QUERY, pageOf } from "./page.ts";

const SHARED = { permission: "manage", tag: "domains" } as const;

async function list({ parts: { store }, account, ...request }: ManageRequest): Promise<Page<unknown>> {
  const paths = new Map((await store.returnPaths(account.id)).map((path) => [path.domain, path]));
  const { data, next } = pageOf(request, await store.domains(account.id), ({ name }) => name);
  return { data: data.map((domain) => domainEntryView(domain, paths.get(domain.name) ?? null)), next };
}

/** Throws a Problem. */
export async function bindDomain({ parts, account }: ManageRequest, name: string): Promise<Domain> {
  const bound = await parts.domains.bind(account.id, name);
  if (bound.type === "invalid") throw invalidBody([{ field: "name", detail: bound.detail }]);
  if (bound.type === "exists") throw new Problem("already_exists", `The account already has the domain ${name}.`);
  if (bound.type === "too_many") throw limitReached("domains", parts.limits.domainsMax, "DOMAINS_MAX");
  return bound.domain;
}

const add = async (request: ManageRequest): Promise<unknown> =>
  viewOf(request, await bindDomain(request, request.body.name));

/** Throws the 404 problem. */
async function domainOf({ parts: { store }, account, params }: ManageRequest): Promise<Domain> {
  const name = normalizeDomainName(params.name ?? "");
  return found(name.type === "valid" ? await store.domainNamed(account.id, name.name) : null, "domain");
}

/** What a domain has to publish, as its last checks leave it. */
export async function domainDetail(
  { parts: { store, domains } }: Pick<ManageRequest, "parts">,
  domain: Domain,
): Promise<DomainDetail> {
  const path = await store.returnPathNamed(domain.accountId, domain.name);
  const wanted = [
    ...domains.records({ ...domain, hasReturnPath: path !== null }),
    ...(path === null ? [] : domains.returnPathRecords(domain)),
  ];
  const newKey = newKeyRecord(domain, await store.rotations());
  return { path, records: checkedRecords(domain, path, wanted), newKey };
}

const viewOf = async (request: ManageRequest, domain: Domain): Promise<unknown> =>
  domainView(domain, await domainDetail(request, domain));

const show = async (request: ManageRequest): Promise<unknown> => viewOf(request, await domainOf(request));

/** The state of a domain that its entity tag covers. */
async function version(request: ManageRequest): Promise<unknown> {
  const domain = await domainOf(request);
  const { store } = request.parts;
  const path = await store.returnPathNamed(domain.accountId, domain.name);
  return { domain: domain.id, newKey: newKeyRecord(domain, await store.rotations()), isPathOn: path !== null };
}

async function verify(request: ManageRequest): Promise<unknown> {
  await request.parts.domains.verify(await domainOf(request));
  return show(request);
}

async function setReturnPath(request: ManageRequest): Promise<unknown> {
  const { parts, body } = request;
  const domain = await domainOf(request);
  const result = await parts.domains.setReturnPath(domain, body.enabled);
  if (result === "name_too_long") throw new Problem("not_possible", `${domain.name} is too long for a return path.`);
  found(result === "not_bound" ? null : result, "domain");
  const path = await parts.store.returnPathNamed(domain.accountId, domain.name);
  const warning = path === null ? null : parts.domains.inboundWarning;
  return {
    domain: domain.name,
    enabled: path !== null,
    records: path === null ? [] : recordViews(parts.domains.returnPathRecords(domain)),
    warnings: warning === null ? [] : [warning],
  };
}

async function rotate(request: ManageRequest): Promise<unknown> {
  await request.parts.domains.rotate(await domainOf(request));
  return show(request);
}

async function cancelRotation(request: ManageRequest): Promise<void> {
  const domain = await domainOf(request);
  if (await request.parts.store.cancelRotation(domain.id)) return;
  throw new Problem("not_possible", `No new DKIM key of ${domain.name} waits for its record.`);
}

/** Throws the 404 problem if the domain was removed meanwhile. */
export async function removeDomain({ parts, account, nowMs }: ManageRequest, { name }: Domain): Promise<void> {
  found((await parts.store.removeDomain(account.id, name, nowMs)) || null, "domain");
}

const remove = async (request: ManageRequest): Promise<void> => removeDomain(request, await domainOf(request));

async function history(request: ManageRequest): Promise<unknown> {
  const domain = await domainOf(request);
  const changes = await request.parts.store.checkHistory(domain.accountId, domain.name, HISTORY_MAX);
  const data = changes.map(({ check, state, detail, atMs }) => ({
    check,
    state,
    detail,
    at: new Date(atMs).toISOString(),
  }));
  return { data, next: null };
}

async function reports(request: ManageRequest): Promise<unknown> {
  const { query, nowMs, parts } = request;
  const week = query.week === undefined ? undefined : String(query.week);
  const reported = await domainReports(parts.store, await domainOf(request), { week, nowMs });
  if (reported === "invalid_week")
    throw invalidQuery([{ field: "week", detail: `Must be ${WEEK_QUERY.week.description}.` }]);
  return domainReportsView(reported);
}

const WEEK_QUERY = {
  week: { type: "string", maxLength: 10, description: "a day of the week in UTC, such as 2026-03-02" },
} as const satisfies QuerySchema;

/** Changes of a domain's checks that are shown. */
const HISTORY_MAX = 100;

export const DOMAIN_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    id: "listDomains",
    method: "GET",
    path: "/domains",
    summary: "List the account's domains, by name",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "ManagedDomainList", example: { data: [DOMAIN_ENTRY], next: null } },
    run: list,
  },
  {
    ...SHARED,
    id: "addDomain",
    method: "POST",
    path: "/domains",
    summary: "Add a domain, and get the records to publish",
    body: object({ name: { ...text("The domain, such as `example.com`."), maxLength: 253 } }),
    bodyExample: { name: "example.com" },
    status: 201,
    response: { schema: "ManagedDomain", example: DOMAIN },
    problems: ["already_exists", "limit_reached"],
    run: add,
  },
  {
    ...SHARED,
    id: "getDomain",
    method: "GET",
    path: "/domains/{name}",
    summary: "Get a domain with its checks and records",
    status: 200,
    response: { schema: "ManagedDomain", example: DOMAIN },
    problems: ["not_found"],
    version,
    run: show,
  },
  {
    ...SHARED,
    id: "removeDomain",
    method: "DELETE",
    path: "/domains/{name}",
    summary: "Remove a domain: sends from it are rejected from now on",
    description: "Messages that were accepted before the removal are still signed and delivered.",
    status: 204,
    problems: ["not_found"],
    version,
    run: remove,
  },
  {
    ...SHARED,
    id: "verifyDomain",
    method: "POST",
    path: "/domains/{name}/verify",
    summary: "Check a domain's records now",
    description: "It takes a few seconds. A new DKIM key whose record is published signs from then on.",
    status: 200,
    response: { schema: "ManagedDomain", example: DOMAIN },
    problems: ["not_found"],
    run: verify,
  },
  {
    ...SHARED,
    id: "setReturnPath",
    method: "PUT",
    path: "/domains/{name}/return-path",
    summary: "Turn a domain's return path on or off",
    body: object({ enabled: flag("Whether bounces of its messages come back to this service.") }),
    bodyExample: { enabled: true },
    status: 200,
    response: {
      schema: "ManagedReturnPath",
      example: { domain: "example.com", enabled: false, records: [], warnings: [] },
    },
    problems: ["not_found", "not_possible"],
    version,
    run: setReturnPath,
  },
  {
    ...SHARED,
    id: "rotateDkim",
    method: "POST",
    path: "/domains/{name}/dkim-rotation",
    summary: "Make the next DKIM key of a domain",
    description:
      "`new_dkim_record` of the response is to be published. The present key signs until the record is seen; an earlier new key is dropped.",
    status: 200,
    response: { schema: "ManagedDomain", example: DOMAIN },
    problems: ["not_found"],
    version,
    run: rotate,
  },
  {
    ...SHARED,
    id: "cancelDkimRotation",
    method: "DELETE",
    path: "/domains/{name}/dkim-rotation",
    summary: "Drop the new DKIM key of a domain that waits for its record",
    status: 204,
    problems: ["not_found", "not_possible"],
    version,
    run: cancelRotation,
  },
  {
    ...SHARED,
    id: "listDomainChanges",
    method: "GET",
    path: "/domains/{name}/history",
    summary: "List how a domain's checks changed, the newest first",
    status: 200,
    response: {
      schema: "ManagedCheckChangeList",
      example: {
        data: [{ check: "spf", state: "verified", detail: "SPF passes.", at: "2026-03-02T08:30:00.000Z" }],
        next: null,
      },
    },
    problems: ["not_found"],
    run: history,
  },
  {
    ...SHARED,
    id: "getDomainReports",
    method: "GET",
    path: "/domains/{name}/reports",
    summary: "Get what receivers report about a domain in a week: DMARC and TLS",
    query: WEEK_QUERY,
    status: 200,
    response: { schema: "DomainReports", example: DOMAIN_REPORTS },
    problems: ["not_found"],
    run: reports,
  },
];
