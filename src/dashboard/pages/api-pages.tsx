/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The API reference, rendered from the OpenAPI document: a page of contents with a search, and a page for each group of operations, which
 * describes each object where the page first uses it. All content comes from the document. The pages are public; without a session they
 * contain no account data.
 */
import type { Context } from "koa";
import { Fragment } from "preact";
import type { Domain } from "../../spool/port/domains.ts";
import { Parameters, Prose } from "../views/api-fields.tsx";
import { ApiObject, ExampleText, examplesOf, Fold, isError, OperationCard } from "../views/api-operation.tsx";
import { Table } from "../views/components.tsx";
import type { Target } from "../views/example-request.ts";
import type { PageProps } from "../views/layout.tsx";
import { LANGUAGES } from "../views/request-examples.ts";
import { type ApiDocument, nameOf, operationsOf, type RoutedOperation, referencedBy } from "../web/api-document.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type KeptPages, showOpenPage } from "./open-page.ts";

/** Of a search, in characters. */
const SEARCH_MAX = 100;

/** Part of every problem's response: it is described once a page, after the operations. */
const PROBLEM = "Problem";

/** The group with the description of webhook requests. */
const WEBHOOKS = "webhooks";

/** The pages with the dashboard's navigation for a session; else the public ones, which are rendered once each. */
export function createApiPages(parts: DashboardParts): Record<string, (ctx: Context) => Promise<unknown>> {
  const { api, registry, publicUrl: url } = parts;
  const kept: KeptPages = new Map();
  const show = (ctx: Context, name: string | null, page: (target: Target) => PageProps): Promise<unknown> =>
    showOpenPage(ctx, parts, kept, {
      at: "/api",
      name,
      async render(auth) {
        const domain = auth === null ? null : ownDomain(await registry.domains(auth.account.id));
        return page({ url, domain });
      },
    });

  return {
    "GET /api": (ctx) => {
      const search = searchOf(ctx);
      return show(ctx, search === "" ? "contents" : null, (target) => contentsPage(api, target, search));
    },
    "GET /api/:group": (ctx) => {
      const group = groupsOf(api).find(({ name }) => name === ctx.params.group);
      if (group === undefined) throw notFound();
      return show(ctx, `group ${group.name}`, (target) => groupPage(api, target, group));
    },
  };
}

function searchOf({ query: { q } }: Context): string {
  return typeof q === "string" ? q.trim().slice(0, SEARCH_MAX) : "";
}

/** The first verified domain, else the first one; null without any. */
const ownDomain = (domains: readonly Domain[]): string | null =>
  (domains.find(({ verified }) => verified) ?? domains[0])?.name ?? null;

interface ApiGroup {
  name: string;
  /** Its description without a full stop, and without what its keys need. */
  title: string;
  /** Such as: Permission `manage`. */
  permission: string;
  operations: readonly RoutedOperation[];
}

function groupsOf(api: ApiDocument): ApiGroup[] {
  return api.tags.map(({ name, description }) => {
    const [title = "", permission = ""] = description.split(/\.\s*/);
    return { name, title, permission, operations: operationsOf(api, name) };
  });
}

const addressOf = ({ name }: ApiGroup, id: string): string => `/dashboard/api/${name}#${id}`;

function contentsPage(api: ApiDocument, target: Target, search: string): PageProps {
  const groups = groupsOf(api)
    .map((group) => ({ ...group, operations: group.operations.filter((each) => isFound(api, each, search)) }))
    .filter(({ operations }) => operations.length > 0);
  return {
    title: "API reference",
    children: (
      <div class="api stack">
        <h1>API reference</h1>
        <p class="lead">
          The API uses JSON over HTTP at <code>{target.url}</code>. Send an <a href="/dashboard/keys">API key</a> in the
          header <code>Authorization: Bearer …</code>. The same reference for programs is at{" "}
          <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). The <a href="/errors">errors</a> have a page of their
          own. Clients of Resend use <code>{target.url}/compat/resend</code>.
        </p>
        <search>
          <form method="get" action="/dashboard/api" class="row">
            <label class="unseen" for="api-search">
              Search the API
            </label>
            <input
              id="api-search"
              type="search"
              name="q"
              value={search}
              maxLength={SEARCH_MAX}
              placeholder="Operation or field"
            />
            <button type="submit">Search</button>
          </form>
        </search>
        {groups.length === 0 ? <p>No operation has these words.</p> : null}
        <nav aria-label="Operations" class="api-groups">
          {groups.map((group) => (
            <section key={group.name} class="card" aria-labelledby={`group-${group.name}`}>
              <h2 class="fold-title" id={`group-${group.name}`}>
                <a href={`/dashboard/api/${group.name}`}>{group.title}</a>
              </h2>
              <Prose text={group.permission} />
              <ul class="api-contents">
                {group.operations.map(({ operationId, method, path, summary }) => (
                  <li key={operationId}>
                    <a href={addressOf(group, operationId)}>{summary}</a>{" "}
                    <code>
                      {method} {path}
                    </code>
                  </li>
                ))}
                {group.name === WEBHOOKS && search === "" ? (
                  <li>
                    <a href={addressOf(group, WEBHOOKS)}>The request to a webhook endpoint</a>
                  </li>
                ) : null}
              </ul>
            </section>
          ))}
        </nav>
      </div>
    ),
  };
}

/** Whether every word of the search is in the operation's address, texts, parameters or objects. */
function isFound(api: ApiDocument, operation: RoutedOperation, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = searchedText(api, operation);
  return words.every((word) => text.includes(word));
}

/** By the id of the operation: the texts are read from the whole document. */
const searchedTexts = new WeakMap<ApiDocument, Map<string, string>>();

function searchedText(api: ApiDocument, operation: RoutedOperation): string {
  const known = searchedTexts.get(api) ?? new Map<string, string>();
  searchedTexts.set(api, known);
  const text = known.get(operation.operationId) ?? textOf(api, operation);
  known.set(operation.operationId, text);
  return text;
}

function textOf(api: ApiDocument, operation: RoutedOperation): string {
  const { method, path, summary, description = "", parameters = [], requestBody, responses } = operation;
  const objects = referencedBy(api, [requestBody, responses]).filter((name) => name !== PROBLEM);
  const fields = objects.flatMap((name) => [name, ...Object.keys(api.components.schemas[name]?.properties ?? {})]);
  return [method, path, summary, description, ...parameters.map(({ name }) => name), ...fields].join(" ").toLowerCase();
}

function groupPage(api: ApiDocument, target: Target, group: ApiGroup): PageProps {
  const { described, ofWebhooks } = placesOf(api, group);
  const hasProblems = group.operations.some(({ responses }) => referencedBy(api, responses).includes(PROBLEM));
  return {
    title: `${group.title} (API reference)`,
    scripts: ["api.js"],
    children: (
      <div class="api stack">
        <p>
          <a href="/dashboard/api">API reference</a>
        </p>
        <h1>{group.title}</h1>
        <Prose text={group.permission === "" ? undefined : `${group.permission}.`} />
        <nav aria-label="Operations" class="card">
          <ul class="api-contents">
            {group.operations.map(({ operationId, method, path, summary }) => (
              <li key={operationId}>
                <a href={`#${operationId}`}>{summary}</a>{" "}
                <code>
                  {method} {path}
                </code>
              </li>
            ))}
          </ul>
        </nav>
        <Languages />
        {group.operations.map((operation) => (
          <OperationCard
            key={operation.operationId}
            api={api}
            operation={operation}
            target={target}
            objects={described.get(operation.operationId) ?? []}
          />
        ))}
        {group.name === WEBHOOKS ? <Webhooks api={api} objects={ofWebhooks} /> : null}
        {hasProblems ? (
          <Fold id="errors" summary={<h2 class="fold-title">Errors</h2>}>
            <p>
              Each code has an entry in the page of <a href="/errors">errors</a>: what it means, and what to do.
            </p>
            <ApiObject api={api} name={PROBLEM} />
            <p class="hint">Example</p>
            <ExampleText value={problemExample(api)} />
          </Fold>
        ) : null}
        <HeaderFields api={api} group={group} />
      </div>
    ),
  };
}

/** The first example of an error. */
function problemExample(api: ApiDocument): unknown {
  const responses = groupsOf(api).flatMap(({ operations }) =>
    operations.flatMap((each) => Object.entries(each.responses)),
  );
  const [found] = responses.flatMap(([status, response]) =>
    isError(status) ? examplesOf(response).map(([, { value }]) => value) : [],
  );
  return found;
}

/** The objects of a page, each by the operation that uses it first, and those that webhook requests alone use. */
function placesOf(api: ApiDocument, { name, operations }: ApiGroup) {
  const known = new Set([PROBLEM]);
  const unknownIn = (value: unknown): string[] => {
    const names = referencedBy(api, value).filter((each) => !known.has(each));
    for (const each of names) known.add(each);
    return names;
  };
  const described = new Map(
    operations.map(({ operationId, requestBody, responses }) => [operationId, unknownIn([requestBody, responses])]),
  );
  return { described, ofWebhooks: name === WEBHOOKS ? unknownIn(api.webhooks) : [] };
}

/** Chooses the language of all examples: the style sheet hides the others. api.js remembers the choice. */
function Languages() {
  return (
    <fieldset class="languages card">
      <legend>Language of the examples</legend>
      {LANGUAGES.map(({ id, text }, i) => (
        <label key={id} class="check-box">
          <input type="radio" name="language" value={id} checked={i === 0} /> {text}
        </label>
      ))}
    </fieldset>
  );
}

function Webhooks({ api, objects }: { api: ApiDocument; objects: readonly string[] }) {
  const { webhooks } = api;
  const [first] = Object.values(webhooks);
  return (
    <Fold id="webhooks" summary={<h2 class="fold-title">The request to a webhook endpoint</h2>}>
      <p>
        Each event is sent to the account's <a href="/dashboard/webhooks">webhook endpoints</a> by POST, as a{" "}
        <a href="#object-Webhook">Webhook</a> in JSON.
      </p>
      <Table label="Types of events" head={["Event type", "When it occurs"]} class="stacked">
        {Object.entries(webhooks).map(([type, { post }]) => (
          <tr key={type}>
            <th scope="row">
              <code>{type}</code>
            </th>
            <td class="wide-cell">{post.summary}</td>
          </tr>
        ))}
      </Table>
      <Parameters label="Header fields of webhooks" parameters={first?.post.parameters ?? []} />
      <Table label="Responses of endpoints" head={["Status", "Meaning"]} class="stacked">
        {Object.entries(first?.post.responses ?? {}).map(([status, { description }]) => (
          <tr key={status}>
            <th scope="row">
              <code>{status}</code>
            </th>
            <td class="wide-cell">
              <Prose text={description} />
            </td>
          </tr>
        ))}
      </Table>
      {objects.map((name) => (
        <ApiObject key={name} api={api} name={name} />
      ))}
    </Fold>
  );
}

/** The header fields of the responses of a group. */
function HeaderFields({ api, group }: { api: ApiDocument; group: ApiGroup }) {
  const fields = group.operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap((response) => Object.entries(response.headers)),
  );
  const texts = new Map(fields.map(([name, { $ref }]) => [name, api.components.headers[nameOf($ref)]?.description]));
  return (
    <Fold id="header-fields" summary={<h2 class="fold-title">Response header fields</h2>}>
      <dl class="facts">
        {[...texts].map(([name, text]) => (
          <Fragment key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <Prose text={text} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </Fold>
  );
}
