/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * An operation of the API reference: what it does, its parameters, body, responses and the objects in them, and beside that examples of the
 * request in several languages and of the response. All content comes from the OpenAPI document.
 */
import { type ComponentChildren, Fragment } from "preact";
import {
  type ApiDocument,
  type ApiResponse,
  fieldsBeyond,
  nameOf,
  type RoutedOperation,
  resolve,
  type Schema,
} from "../web/api-document.ts";
import { Codes, Fields, ObjectFields, Parameters, Prose, TypeText, Values } from "./api-fields.tsx";
import { Copyable, Table } from "./components.tsx";
import { exampleRequest, ownExample, type Target } from "./example-request.ts";
import { LANGUAGES, requestExample } from "./request-examples.ts";

interface FoldProps {
  /** The anchor. A link to it opens the part. */
  id: string;
  summary: ComponentChildren;
  children: ComponentChildren;
}

/** A part of the page that is closed at first. The anchor is within it: browsers open what a link leads into. */
export function Fold({ id, summary, children }: FoldProps) {
  return (
    <details class="card fold">
      <summary>{summary}</summary>
      <div class="stack" id={id}>
        {children}
      </div>
    </details>
  );
}

interface OperationProps {
  api: ApiDocument;
  operation: RoutedOperation;
  target: Target;
  /** The names of the objects that are described here; links elsewhere on the page lead to them. */
  objects: readonly string[];
  /** Objects above on the page, by the names of those whose fields begin with theirs. */
  bases: ReadonlyMap<string, string>;
}

export function OperationCard({ api, operation, target, objects, bases }: OperationProps) {
  const { operationId, summary, description, method, path, parameters = [], requestBody, security } = operation;
  const types = Object.keys(requestBody?.content ?? {});
  const [body] = Object.values(requestBody?.content ?? {});
  const bodyName = nameOf(body?.schema.$ref ?? "");
  const bodySchema = resolve(api, body?.schema ?? {});
  const shownInBody = [bodyName, ...(bodySchema.anyOf ?? []).map(({ $ref = "" }) => nameOf($ref))];
  return (
    <Fold
      id={operationId}
      summary={
        <>
          <h2 class="fold-title">{summary}</h2>{" "}
          <code>
            {method} {path}
          </code>
        </>
      }
    >
      <div class="api-columns">
        <div class="stack">
          {security?.length === 0 ? <p class="hint">No API key required.</p> : null}
          <Prose text={description} />
          {parameters.length === 0 ? null : <Parameters label={`Parameters: ${summary}`} parameters={parameters} />}
          {body === undefined ? null : (
            <div class="stack" id={objects.includes(bodyName) ? `object-${bodyName}` : undefined}>
              <p class="api-path">
                <strong>Body</strong> <Codes values={types} />
              </p>
              <Body api={api} label={`Body: ${summary}`} schema={bodySchema} objects={objects} />
            </div>
          )}
          <Responses label={`Responses: ${summary}`} operation={operation} />
          {objects
            .filter((name) => !shownInBody.includes(name))
            .map((name) => (
              <ApiObject key={name} api={api} name={name} base={bases.get(name)} />
            ))}
        </div>
        <div class="api-examples stack">
          <Examples operation={operation} target={target} />
          <SuccessExample operation={operation} target={target} />
        </div>
      </div>
    </Fold>
  );
}

interface ApiObjectProps {
  api: ApiDocument;
  name: string;
  /** An object above on the page whose fields this one has too: they are not repeated. */
  base?: string | undefined;
}

/** A named object: its description and fields. */
export function ApiObject({ api, name, base }: ApiObjectProps) {
  const schema = api.components.schemas[name] ?? {};
  const fields = resolve(api, schema);
  return (
    <section class="stack" id={`object-${name}`} aria-labelledby={`name-${name}`}>
      <h3 id={`name-${name}`}>{name}</h3>
      <Prose text={schema.description} />
      <Values schema={schema} />
      {base === undefined ? null : (
        <p>
          The fields of <a href={`#object-${base}`}>{base}</a>, and:
        </p>
      )}
      <ObjectFields
        label={`Fields of ${name}`}
        schema={base === undefined ? fields : fieldsBeyond(fields, api.components.schemas[base] ?? {})}
      />
    </section>
  );
}

interface BodyProps extends Pick<OperationProps, "api" | "objects"> {
  label: string;
  schema: Schema;
}

/** The fields of an object, or of the objects of which it is one; of any other value what it is. */
function Body({ api, label, schema, objects }: BodyProps) {
  const choices = schema.anyOf ?? [];
  return (
    <>
      <Prose text={schema.description} />
      {choices.map(({ $ref = "" }) => (
        <Choice key={$ref} api={api} name={nameOf($ref)} isDescribedHere={objects.includes(nameOf($ref))} />
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

/** One of the objects that a body may be. Its fields are in the table of the body. */
function Choice({ api, name, isDescribedHere }: { api: ApiDocument; name: string; isDescribedHere: boolean }) {
  const { description, required = [] } = api.components.schemas[name] ?? {};
  return (
    <div id={isDescribedHere ? `object-${name}` : undefined}>
      <p>
        <strong>{name}</strong> requires <Codes values={required} />.
      </p>
      <Prose text={description} />
    </div>
  );
}

function Examples({ operation, target }: ExampleProps) {
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

interface ExampleProps {
  operation: RoutedOperation;
  target: Target;
}

/** The first example of the first response with a body that is no error. */
function SuccessExample({ operation, target }: ExampleProps) {
  const [status, response] = Object.entries(operation.responses).find(isSuccess) ?? [];
  const [example] = response === undefined ? [] : examplesOf(response);
  if (example === undefined) return null;
  return (
    <div class="example-response">
      <p class="hint">Response, {status}</p>
      <ExampleText value={ownExample(example[1].value, target)} />
    </div>
  );
}

/** Errors have one example on the page. */
export const isError = (status: string): boolean => /^[45]/.test(status);

const isSuccess = ([status, { content }]: [string, ApiResponse]): boolean => /^2/.test(status) && content !== undefined;

export function examplesOf({ content = {} }: ApiResponse): [name: string, example: { value: unknown }][] {
  const [first] = Object.values(content);
  const { example, examples = example === undefined ? {} : { "": { value: example } } } = first ?? {};
  return Object.entries(examples);
}

export function ExampleText({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre tabIndex={0} class="response-example">
      {exampleText(value)}
    </pre>
  );
}

/** Errors are described on a separate page, and named here by their codes. */
function Responses({ label, operation }: { label: string; operation: RoutedOperation }) {
  const all = Object.entries(operation.responses);
  const coded = all.filter(([, response]) => codesOf(response).length > 0);
  return (
    <>
      <Table label={label} head={["Status", "Body", "Description"]} class="stacked">
        {all
          .filter(([, response]) => codesOf(response).length === 0)
          .map(([status, response]) => (
            <tr key={status}>
              <th scope="row">
                <code>{status}</code>
              </th>
              <td data-label="Body">
                <ResponseBody response={response} />
              </td>
              <td class="wide-cell">
                <Prose text={response.description} />
              </td>
            </tr>
          ))}
      </Table>
      {coded.length === 0 ? null : (
        <div>
          <strong>Errors</strong>
          <ul class="api-codes">
            {coded.map(([status, response]) => (
              <li key={status}>
                <code>{status}</code>
                {codesOf(response).map((code) => (
                  <Fragment key={code}>
                    {" "}
                    <a href={`/dashboard/api/errors#${code}`}>{code}</a>
                  </Fragment>
                ))}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** The codes of a response that is a problem; empty for any other response. */
function codesOf({ content = {} }: ApiResponse): readonly string[] {
  const [problem] = Object.values(content);
  return problem?.schema.allOf === undefined ? [] : (problem.schema.properties?.code?.enum ?? []);
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

const exampleText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
