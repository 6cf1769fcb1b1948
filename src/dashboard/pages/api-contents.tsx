/** @jsxRuntime automatic @jsxImportSource preact */
/** The page of contents of the API reference: all operations and errors, or those that a search finds. */
import type { ComponentChildren } from "preact";
import { Prose } from "../views/api-fields.tsx";
import { ApiFrame } from "../views/api-frame.tsx";
import type { PageProps } from "../views/layout.tsx";
import {
  type ApiDocument,
  type ApiGroup,
  groupsOf,
  PROBLEM,
  type RoutedOperation,
  referencedBy,
} from "../web/api-document.ts";
import type { ShownProblem } from "../web/shown-problem.ts";
import { isProblemFound } from "./api-errors.tsx";

/** The group with the description of webhook requests. */
export const WEBHOOKS = "webhooks";

interface Contents {
  api: ApiDocument;
  problems: readonly ShownProblem[];
  /** Base URL of the service. */
  url: string;
  /** "" shows everything. */
  search: string;
}

export function contentsPage({ api, problems, url, search }: Contents): PageProps {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = groupsOf(api)
    .map((group) => ({ ...group, operations: group.operations.filter((each) => isFound(api, each, words)) }))
    .filter(({ operations }) => operations.length > 0);
  const errors = problems.filter((each) => isProblemFound(each, words));
  return {
    title: "API reference",
    children: (
      <ApiFrame search={search}>
        <p class="lead">
          The API uses JSON over HTTP at <code>{url}</code>. Send an <a href="/dashboard/keys">API key</a> in the header{" "}
          <code>Authorization: Bearer …</code>. The same reference for programs is at{" "}
          <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
        </p>
        {groups.length === 0 && errors.length === 0 ? <p>No operation or error has these words.</p> : null}
        <nav aria-label="Operations" class={`api-groups ${search === "" ? "whole" : ""}`}>
          {groups.map((group) => (
            <Group key={group.name} group={group} isWhole={search === ""} />
          ))}
          {errors.length === 0 ? null : <Errors problems={errors} />}
        </nav>
      </ApiFrame>
    ),
  };
}

function Group({ group, isWhole }: { group: ApiGroup; isWhole: boolean }) {
  const { name, title, note, operations } = group;
  const address = `/dashboard/api/${name}`;
  return (
    <Card name={name} address={address} title={title}>
      <Prose text={note} />
      <ul class="api-contents">
        {operations.map(({ operationId, method, path, summary }) => (
          <li key={operationId}>
            <a href={`${address}#${operationId}`}>{summary}</a>{" "}
            <code>
              {method} {path}
            </code>
          </li>
        ))}
        {name === WEBHOOKS && isWhole ? (
          <li>
            <a href={`${address}#${WEBHOOKS}`}>The request to a webhook endpoint</a>
          </li>
        ) : null}
      </ul>
    </Card>
  );
}

function Errors({ problems }: { problems: readonly ShownProblem[] }) {
  return (
    <Card name="errors" address="/dashboard/api/errors" title="Errors">
      <p>The cause of each error, and what to do.</p>
      <ul class="api-codes">
        {problems.map(({ code }) => (
          <li key={code}>
            <a href={`/dashboard/api/errors#${code}`}>
              <code>{code}</code>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Card({
  name,
  address,
  title,
  children,
}: {
  name: string;
  address: string;
  title: string;
  children: ComponentChildren;
}) {
  return (
    <section class="card" aria-labelledby={`group-${name}`}>
      <h2 class="fold-title" id={`group-${name}`}>
        <a href={address}>{title}</a>
      </h2>
      {children}
    </section>
  );
}

/** Whether every word of the search is in the operation's address, texts, parameters or objects. */
function isFound(api: ApiDocument, operation: RoutedOperation, words: readonly string[]): boolean {
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
