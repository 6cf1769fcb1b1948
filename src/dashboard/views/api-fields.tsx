/** @jsxRuntime automatic @jsxImportSource preact */
/** Tables of the API reference: the fields of an object, with their types, limits and values, and the parameters of a request. */
import { type ComponentChildren, Fragment } from "preact";
import {
  type FieldRow,
  fieldsOf,
  limitsOf,
  longEnumOf,
  type Parameter,
  PROBLEM,
  type Schema,
  typeOf,
} from "../web/api-document.ts";
import { Table } from "./components.tsx";
import { LinkedText } from "./linked-text.tsx";

export function Parameters({ label, parameters }: { label: string; parameters: readonly Parameter[] }) {
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
export function ObjectFields({ label, schema }: { label: string; schema: Schema }) {
  return schema.properties === undefined ? null : <Fields label={label} schema={schema} />;
}

export function Fields({ label, schema }: { label: string; schema: Schema }) {
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

export function Values({ schema }: { schema: Schema }) {
  const values = longEnumOf(schema);
  if (values.length === 0) return null;
  return (
    <p>
      <Codes values={values} />
    </p>
  );
}

export function Codes({ values }: { values: readonly string[] }) {
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

/** Every page refers to it. */
const PROBLEM_ADDRESS = `/dashboard/api/errors#object-${PROBLEM}`;

export function TypeText({ schema }: { schema: Schema }) {
  return (
    <>
      {typeOf(schema).map((label) =>
        "ref" in label ? (
          <a key={label.ref} href={label.ref === PROBLEM ? PROBLEM_ADDRESS : `#object-${label.ref}`}>
            {label.ref}
          </a>
        ) : (
          label.text
        ),
      )}
    </>
  );
}

/** A text in which backticks mark code. */
export function ProseText({ text }: { text: string }) {
  const parts: ComponentChildren[] = text
    .split("`")
    .map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : <LinkedText key={part} text={part} />));
  return <>{parts}</>;
}

/** The same as a paragraph. */
export function Prose({ text }: { text?: string | undefined }) {
  return text === undefined || text === "" ? null : (
    <p>
      <ProseText text={text} />
    </p>
  );
}
