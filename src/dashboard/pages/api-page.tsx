/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The API's own document as a page: for each operation what it takes, what it answers and a curl line that works with a
 * key of one's own. The page says nothing that the document does not say. It is open to visitors without a session, who
 * see nothing of any account.
 */
import type { Context } from "koa";
import { type ComponentChildren, Fragment } from "preact";
import { visitOf } from "../auth/sessions.ts";
import { Copyable, Table } from "../views/components.tsx";
import { curlOf, KEY_PLACEHOLDER, KEY_VARIABLE, type Target } from "../views/curl-line.ts";
import { type PageProps, publicPage, signedInPage } from "../views/layout.tsx";
import {
  type Answer,
  type ApiDocument,
  type FieldRow,
  fieldsOf,
  limitsOf,
  longEnumOf,
  nameOf,
  operationsOf,
  type Parameter,
  type PlacedOperation,
  type Schema,
  typeOf,
} from "../web/api-document.ts";
import type { DashboardParts } from "../web/parts.ts";

/** The page in the dashboard for a session, else the one for visitors, which is rendered once. */
export function createApiPages(parts: DashboardParts): Record<string, (ctx: Context) => Promise<unknown>> {
  const { api, publicUrl: url } = parts;
  let forVisitors: Buffer | undefined;
  return {
    "GET /api": async (ctx) => {
      const visit = await visitOf(ctx, parts);
      if (visit !== null) {
        ctx.state.visit = visit;
        return signedInPage(visit, "/api", apiPage(api, { url, key: KEY_VARIABLE }));
      }
      forVisitors ??= Buffer.from(publicPage(apiPage(api, { url, key: KEY_PLACEHOLDER })));
      ctx.type = "html";
      ctx.body = forVisitors;
    },
  };
}

function apiPage(api: ApiDocument, target: Target): PageProps {
  const groups = api.tags.map((tag) => ({ ...tag, operations: operationsOf(api, tag.name) }));
  return {
    title: "API reference",
    children: (
      <>
        <h1>API reference</h1>
        <p class="lead">
          JSON over HTTP at <code>{target.url}</code>. An <a href="/dashboard/keys">API key</a> goes into{" "}
          <code>Authorization: Bearer …</code>. For programs, the same is at <a href="/openapi.json">/openapi.json</a>{" "}
          (OpenAPI 3.1).
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
          </ul>
        </nav>
        {groups.map(({ name, description, operations }) => (
          <section key={name} class="stack" aria-labelledby={`tag-${name}`}>
            <h2 id={`tag-${name}`}>{description}</h2>
            {operations.map((operation) => (
              <OperationCard key={operation.operationId} api={api} operation={operation} target={target} />
            ))}
          </section>
        ))}
        <AnswerObjects api={api} />
      </>
    ),
  };
}

function AnswerObjects({ api }: { api: ApiDocument }) {
  return (
    <section class="stack" aria-labelledby="objects">
      <h2 id="objects">Objects in answers, and header fields.</h2>
      {otherObjects(api).map(([name, schema]) => (
        <section key={name} class="card stack" id={`object-${name}`}>
          <h3>{name}</h3>
          <Prose text={schema.description} />
          <Values schema={schema} />
          {schema.properties === undefined ? null : <Fields label={`Fields of ${name}`} schema={schema} />}
        </section>
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

/** Those that no request has for a body: these stand with their operation. */
function otherObjects(api: ApiDocument): [string, Schema][] {
  const operations = api.tags.flatMap(({ name }) => operationsOf(api, name));
  const contents = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
  const bodies = new Set(contents.map(({ schema }) => nameOf(schema.$ref ?? "")));
  return Object.entries(api.components.schemas).filter(([name]) => !bodies.has(name));
}

/** What each header field of an answer means. */
function headerFieldsOf(api: ApiDocument): Record<string, string> {
  const operations = api.tags.flatMap(({ name }) => operationsOf(api, name));
  const fields = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap((a) => Object.entries(a.headers)),
  );
  return Object.fromEntries(
    fields.map(([name, { $ref }]) => [name, api.components.headers[nameOf($ref)]?.description ?? ""]),
  );
}

interface OperationProps {
  api: ApiDocument;
  operation: PlacedOperation;
  target: Target;
}

function OperationCard({ api, operation, target }: OperationProps) {
  const { operationId, summary, description, method, path, parameters = [], requestBody, security } = operation;
  const [type = "", body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return (
    <section class="card stack" id={operationId}>
      <h3>{summary}</h3>
      <p class="api-path">
        <code>
          {method} {path}
        </code>
        {security?.length === 0 ? <span class="hint">Asks for no key.</span> : null}
      </p>
      <Prose text={description} />
      <Copyable text={curlOf(operation, target)} label={`curl line: ${summary}`} block />
      {parameters.length === 0 ? null : <Parameters label={`Parameters: ${summary}`} parameters={parameters} />}
      {body === undefined ? null : (
        <div class="stack" id={`object-${nameOf(body.schema.$ref ?? "")}`}>
          <p class="api-path">
            <strong>Body</strong> <code>{type}</code>
          </p>
          <Fields label={`Body: ${summary}`} schema={named(api, body.schema)} />
        </div>
      )}
      <Answers label={`Answers: ${summary}`} operation={operation} />
    </section>
  );
}

/** The schema that a reference stands for. */
function named({ components }: ApiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[nameOf(schema.$ref)] ?? {});
}

function Parameters({ label, parameters }: { label: string; parameters: readonly Parameter[] }) {
  const rows = parameters.map(({ name, required = false, description, schema, in: place }) => ({
    name,
    required,
    schema: { ...schema, description },
    place,
  }));
  return (
    <Table label={label} head={["Parameter", "In", "Type", "Meaning"]} class="stacked">
      {rows.map((row) => (
        <tr key={row.name}>
          <FieldName row={row} />
          <td data-label="In">{row.place}</td>
          <FieldMeaning schema={row.schema} />
        </tr>
      ))}
    </Table>
  );
}

function Fields({ label, schema }: { label: string; schema: Schema }) {
  return (
    <Table label={label} head={["Field", "Type", "Meaning"]} class="stacked">
      {fieldsOf(schema).map((row) => (
        <tr key={row.name}>
          <FieldName row={row} />
          <FieldMeaning schema={row.schema} />
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

function FieldMeaning({ schema }: { schema: Schema }) {
  const limits = limitsOf(schema);
  return (
    <>
      <td data-label="Type">
        <SchemaName schema={schema} />
        {limits.length === 0 ? null : <p class="hint">{limits.join(", ")}</p>}
      </td>
      <td class="wide-cell">
        <Prose text={schema.description} />
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
      {values.map((value, i) => (
        <Fragment key={value}>
          {i === 0 ? null : ", "}
          <code>{value}</code>
        </Fragment>
      ))}
    </p>
  );
}

function SchemaName({ schema }: { schema: Schema }) {
  return (
    <>
      {typeOf(schema).map((word) =>
        "ref" in word ? (
          <a key={word.ref} href={`#object-${word.ref}`}>
            {word.ref}
          </a>
        ) : (
          word.text
        ),
      )}
    </>
  );
}

function Answers({ label, operation }: { label: string; operation: PlacedOperation }) {
  return (
    <Table label={label} head={["Answer", "Body", "Meaning"]} class="stacked">
      {Object.entries(operation.responses).map(([status, answer]) => (
        <tr key={status}>
          <th scope="row">
            <code>{status === "default" ? "else" : status}</code>
          </th>
          <td class="nowrap" data-label="Body">
            <AnswerBody answer={answer} />
          </td>
          <td class="wide-cell">
            <Prose text={answer.description} />
            <p class="hint">with {Object.keys(answer.headers).join(", ")}</p>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function AnswerBody({ answer }: { answer: Answer }) {
  const [[type, { schema }] = ["", { schema: {} as Schema }]] = Object.entries(answer.content);
  // A problem's own schema only narrows what the common one says.
  const [common = schema] = schema.allOf ?? [];
  return (
    <>
      {common.$ref === undefined ? null : <SchemaName schema={common} />} <code>{type}</code>
    </>
  );
}

/** Text in which backticks mark code. */
function Prose({ text }: { text?: string | undefined }) {
  if (text === undefined || text === "") return null;
  const parts: ComponentChildren[] = text
    .split("`")
    .map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : part));
  return <p>{parts}</p>;
}
