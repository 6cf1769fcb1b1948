/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The API reference, rendered from the OpenAPI document: for each operation its parameters, body and responses with examples, and
 * the request in several languages; and the webhooks. All its content comes from the document. It is public; without a session it
 * contains no account data.
 */
import type { Context } from "koa";
import { type ComponentChildren, Fragment } from "preact";
import type { Domain } from "../../spool/port/domains.ts";
import { authenticate } from "../auth/sessions.ts";
import { Copyable, Table } from "../views/components.tsx";
import { exampleRequest, ownExample, type Target } from "../views/example-request.ts";
import { type PageProps, publicPage, signedInPage } from "../views/layout.tsx";
import { LANGUAGES, requestExample } from "../views/request-examples.ts";
import {
  type ApiDocument,
  type ApiResponse,
  type FieldRow,
  fieldsOf,
  limitsOf,
  longEnumOf,
  nameOf,
  operationsOf,
  type Parameter,
  type RoutedOperation,
  resolve,
  type Schema,
  typeOf,
} from "../web/api-document.ts";
import type { DashboardParts } from "../web/parts.ts";

/** The reference with the dashboard's navigation for a session; else the public page, which is rendered once. */
export function createApiPages(parts: DashboardParts): Record<string, (ctx: Context) => Promise<unknown>> {
  const { api, registry, publicUrl: url } = parts;
  let publicHtml: Buffer | undefined;
  return {
    "GET /api": async (ctx) => {
      const auth = await authenticate(ctx, parts);
      if (auth !== null) {
        ctx.state.auth = auth;
        const domain = ownDomain(await registry.domains(auth.account.id));
        return signedInPage(auth, "/api", apiPage(api, { url, domain }));
      }
      publicHtml ??= Buffer.from(publicPage(apiPage(api, { url, domain: null })));
      ctx.type = "html";
      ctx.body = publicHtml;
    },
  };
}

/** The first verified domain, else the first one; null without any. */
const ownDomain = (domains: readonly Domain[]): string | null =>
  (domains.find(({ verified }) => verified) ?? domains[0])?.name ?? null;

function apiPage(api: ApiDocument, target: Target): PageProps {
  const groups = api.tags.map((tag) => ({ ...tag, operations: operationsOf(api, tag.name) }));
  return {
    title: "API reference",
    scripts: ["api.js"],
    children: (
      <div class="api stack">
        <h1>API reference</h1>
        <p class="lead">
          The API uses JSON over HTTP at <code>{target.url}</code>. Send an <a href="/dashboard/keys">API key</a> in the
          header <code>Authorization: Bearer …</code>. The same reference for programs is at{" "}
          <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
        </p>
        <nav aria-label="Operations" class="card">
          <ul class="api-contents">
            {groups
              .flatMap(({ operations }) => operations)
              .map(({ operationId, method, path, summary }) => (
                <li key={operationId}>
                  <a href={`#${operationId}`}>{summary}</a>{" "}
                  <code>
                    {method} {path}
                  </code>
                </li>
              ))}
            <li>
              <a href="#webhooks">Webhooks</a>
            </li>
          </ul>
        </nav>
        <Languages />
        {groups.map(({ name, description, operations }) => (
          <section key={name} class="stack" aria-labelledby={`tag-${name}`}>
            <h2 id={`tag-${name}`}>{description.replace(/\.$/, "")}</h2>
            {operations.map((operation) => (
              <OperationCard key={operation.operationId} api={api} operation={operation} target={target} />
            ))}
          </section>
        ))}
        <Webhooks api={api} />
        <Objects api={api} />
      </div>
    ),
  };
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

interface FoldProps {
  /** The anchor. A link to it opens the part. */
  id: string;
  summary: ComponentChildren;
  children: ComponentChildren;
}

/** A part of the page that is closed at first. The anchor is within it: browsers open what a link leads into. */
function Fold({ id, summary, children }: FoldProps) {
  return (
    <details class="card fold">
      <summary>{summary}</summary>
      <div class="stack" id={id}>
        {children}
      </div>
    </details>
  );
}

function Webhooks({ api: { webhooks } }: { api: ApiDocument }) {
  const [first] = Object.values(webhooks);
  return (
    <Fold id="webhooks" summary={<h2>Webhooks</h2>}>
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
    </Fold>
  );
}

function Objects({ api }: { api: ApiDocument }) {
  return (
    <section class="stack" aria-labelledby="objects">
      <h2 id="objects">Objects and response header fields</h2>
      {nonBodySchemas(api).map(([name, schema]) => (
        <Fold key={name} id={`object-${name}`} summary={<h3>{name}</h3>}>
          <Prose text={schema.description} />
          <Values schema={schema} />
          <ObjectFields label={`Fields of ${name}`} schema={resolve(api, schema)} />
        </Fold>
      ))}
      <section class="card">
        <dl class="facts">
          {Object.entries(headerFieldsOf(api)).map(([name, text]) => (
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
      </section>
    </section>
  );
}

/** Returns the schemas that are not a request body; bodies are shown with their operation. */
function nonBodySchemas(api: ApiDocument): [string, Schema][] {
  const operations = api.tags.flatMap(({ name }) => operationsOf(api, name));
  const contents = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
  const bodies = new Set(contents.map(({ schema }) => nameOf(schema.$ref ?? "")));
  return Object.entries(api.components.schemas).filter(([name]) => !bodies.has(name));
}

/** Returns the description of each response header field by its name. */
function headerFieldsOf(api: ApiDocument): Record<string, string> {
  const operations = api.tags.flatMap(({ name }) => operationsOf(api, name));
  const fields = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap((response) => Object.entries(response.headers)),
  );
  return Object.fromEntries(
    fields.map(([name, { $ref }]) => [name, api.components.headers[nameOf($ref)]?.description ?? ""]),
  );
}

interface OperationProps {
  api: ApiDocument;
  operation: RoutedOperation;
  target: Target;
}

function OperationCard({ api, operation, target }: OperationProps) {
  const { operationId, summary, description, method, path, parameters = [], requestBody, security } = operation;
  const types = Object.keys(requestBody?.content ?? {});
  const [body] = Object.values(requestBody?.content ?? {});
  return (
    <Fold
      id={operationId}
      summary={
        <>
          <h3>{summary}</h3>{" "}
          <code>
            {method} {path}
          </code>
        </>
      }
    >
      {security?.length === 0 ? <p class="hint">No API key required.</p> : null}
      <Prose text={description} />
      <Examples operation={operation} target={target} />
      {parameters.length === 0 ? null : <Parameters label={`Parameters: ${summary}`} parameters={parameters} />}
      {body === undefined ? null : (
        <div class="stack" id={body.schema.$ref === undefined ? undefined : `object-${nameOf(body.schema.$ref)}`}>
          <p class="api-path">
            <strong>Body</strong> <Codes values={types} />
          </p>
          <Body label={`Body: ${summary}`} schema={resolve(api, body.schema)} />
        </div>
      )}
      <Responses label={`Responses: ${summary}`} operation={operation} target={target} />
    </Fold>
  );
}

/** The fields of an object; of any other value what it is. */
function Body({ label, schema }: { label: string; schema: Schema }) {
  const choices = schema.anyOf ?? [];
  return (
    <>
      <Prose text={schema.description} />
      {choices.map(({ description = "" }) => (
        <Prose key={description} text={description} />
      ))}
      {schema.properties === undefined ? (
        <p>
          <TypeText schema={schema} />
        </p>
      ) : (
        <Fields label={label} schema={schema} />
      )}
    </>
  );
}

function Examples({ operation, target }: Omit<OperationProps, "api">) {
  const request = exampleRequest(operation, target);
  return (
    <>
      {LANGUAGES.map(({ id, text }) => (
        <div key={id} class="example" data-language={id}>
          <p class="example-language">{text}</p>
          <Copyable text={requestExample(id, request)} label={`${text}: ${operation.summary}`} block />
        </div>
      ))}
    </>
  );
}

function Parameters({ label, parameters }: { label: string; parameters: readonly Parameter[] }) {
  const rows = parameters.map(({ name, required = false, description, schema, in: location }) => ({
    name,
    required,
    schema: { ...schema, description },
    location,
  }));
  return (
    <Table label={label} head={["Parameter", "In", "Type", "Description"]} class="stacked">
      {rows.map((row) => (
        <tr key={row.name}>
          <FieldName row={row} />
          <td data-label="In">{row.location}</td>
          <FieldDescription schema={row.schema} />
        </tr>
      ))}
    </Table>
  );
}

/** Nothing for a value that is no object. */
function ObjectFields({ label, schema }: { label: string; schema: Schema }) {
  return schema.properties === undefined ? null : <Fields label={label} schema={schema} />;
}

function Fields({ label, schema }: { label: string; schema: Schema }) {
  return (
    <Table label={label} head={["Field", "Type", "Description"]} class="stacked">
      {fieldsOf(schema).map((row) => (
        <tr key={row.name}>
          <FieldName row={row} />
          <FieldDescription schema={row.schema} />
        </tr>
      ))}
    </Table>
  );
}

function FieldName({ row }: { row: FieldRow }) {
  return (
    <th scope="row">
      <code>{row.name}</code>
      {row.required ? <p class="hint">required</p> : null}
    </th>
  );
}

function FieldDescription({ schema }: { schema: Schema }) {
  const limits = limitsOf(schema);
  return (
    <>
      <td data-label="Type">
        <TypeText schema={schema} />
        {limits.length === 0 ? null : <p class="hint">{limits.join(", ")}</p>}
      </td>
      <td class="wide-cell">
        <Prose text={schema.description} />
        <Prose text={schema.items?.description} />
        <Values schema={schema} />
      </td>
    </>
  );
}

function Values({ schema }: { schema: Schema }) {
  const values = longEnumOf(schema);
  if (values.length === 0) return null;
  return (
    <p>
      <Codes values={values} />
    </p>
  );
}

function Codes({ values }: { values: readonly string[] }) {
  return (
    <>
      {values.map((value, i) => (
        <Fragment key={value}>
          {i === 0 ? null : ", "}
          <code>{value}</code>
        </Fragment>
      ))}
    </>
  );
}

function TypeText({ schema }: { schema: Schema }) {
  return (
    <>
      {typeOf(schema).map((label) =>
        "ref" in label ? (
          <a key={label.ref} href={`#object-${label.ref}`}>
            {label.ref}
          </a>
        ) : (
          label.text
        ),
      )}
    </>
  );
}

function Responses({ label, operation, target }: { label: string; operation: RoutedOperation; target: Target }) {
  return (
    <Table label={label} head={["Status", "Body", "Description"]} class="stacked">
      {Object.entries(operation.responses).map(([status, response]) => (
        <tr key={status}>
          <th scope="row">
            <code>{status}</code>
          </th>
          <td class="nowrap" data-label="Body">
            <ResponseBody response={response} />
          </td>
          <td class="wide-cell">
            <Prose text={response.description} />
            <p class="hint">Header fields: {Object.keys(response.headers).join(", ")}</p>
            <ResponseExamples response={response} of={`${operation.summary}, ${status}`} target={target} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function ResponseBody({ response }: { response: ApiResponse }) {
  const [[type, { schema }] = ["", { schema: {} as Schema }]] = Object.entries(response.content ?? {});
  // The first schema of allOf is the common one; the others only narrow it.
  const [common = schema] = schema.allOf ?? [];
  return (
    <>
      {common.$ref === undefined ? null : <TypeText schema={common} />} <code>{type}</code>
    </>
  );
}

function ResponseExamples({ response, of, target }: { response: ApiResponse; of: string; target: Target }) {
  const [content] = Object.values(response.content ?? {});
  const { example, examples = example === undefined ? {} : { "": { value: example } } } = content ?? {};
  const values = Object.entries(examples);
  if (values.length === 0) return null;
  return (
    <details>
      <summary>
        Example<span class="unseen">: {of}</span>
      </summary>
      {values.map(([name, { value }]) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <pre key={name} tabIndex={0} class="response-example">
          {exampleText(ownExample(value, target))}
        </pre>
      ))}
    </details>
  );
}

const exampleText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** A paragraph of text in which backticks mark code. */
function Prose({ text }: { text?: string | undefined }) {
  if (text === undefined || text === "") return null;
  const parts: ComponentChildren[] = text
    .split("`")
    .map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : part));
  return <p>{parts}</p>;
}
