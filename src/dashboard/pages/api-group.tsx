/** @jsxRuntime automatic @jsxImportSource preact */
/** The page of a group of operations in the API reference. It describes each object where it first uses it. */
import { Fragment } from "preact";
import { Parameters, Prose } from "../views/api-fields.tsx";
import { ApiFrame } from "../views/api-frame.tsx";
import { ApiObject, Fold, OperationCard } from "../views/api-operation.tsx";
import { Table } from "../views/components.tsx";
import type { Target } from "../views/example-request.ts";
import type { PageProps } from "../views/layout.tsx";
import { LANGUAGES } from "../views/request-examples.ts";
import { type ApiDocument, type ApiGroup, includesFields, nameOf, PROBLEM, referencedBy } from "../web/api-document.ts";
import { WEBHOOKS } from "./api-contents.tsx";

export function groupPage(api: ApiDocument, target: Target, group: ApiGroup): PageProps {
  const { described, ofWebhooks, bases } = placesOf(api, group);
  return {
    title: `${group.title} (API reference)`,
    scripts: ["api.js"],
    children: (
      <ApiFrame>
        <h1>{group.title}</h1>
        <Prose text={group.note} />
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
            bases={bases}
          />
        ))}
        {group.name === WEBHOOKS ? <Webhooks api={api} objects={ofWebhooks} /> : null}
        <HeaderFields api={api} group={group} />
      </ApiFrame>
    ),
  };
}

/** The objects of a page, each by the operation that uses it first, and those that only webhook requests use. */
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
  const ofWebhooks = name === WEBHOOKS ? unknownIn(api.webhooks) : [];
  return { described, ofWebhooks, bases: basesOf(api, [...known]) };
}

/** Returns, for each object that has all fields of one before it, the name of that one. */
function basesOf({ components: { schemas } }: ApiDocument, names: readonly string[]): Map<string, string> {
  const bases = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    const base = names.slice(0, i).find((each) => includesFields(schemas[name] ?? {}, schemas[each] ?? {}));
    if (base !== undefined) bases.set(name, base);
  }
  return bases;
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

/** The header fields of the responses of a group, each with the statuses of the responses that have it. */
function HeaderFields({ api, group }: { api: ApiDocument; group: ApiGroup }) {
  const texts = new Map<string, string | undefined>();
  const statuses = new Map<string, Set<string>>();
  const responses = group.operations.flatMap((operation) => Object.entries(operation.responses));
  for (const [status, response] of responses) {
    for (const [name, { $ref }] of Object.entries(response.headers)) {
      texts.set(name, api.components.headers[nameOf($ref)]?.description);
      statuses.set(name, (statuses.get(name) ?? new Set()).add(status));
    }
  }
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
              <p class="hint">In {[...(statuses.get(name) ?? [])].sort().join(", ")}</p>
            </dd>
          </Fragment>
        ))}
      </dl>
    </Fold>
  );
}
