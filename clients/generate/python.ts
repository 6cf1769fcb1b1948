/** The generated files of the Python client: types.py and _operations.py. */
import {
  type ApiDocument,
  bodyName,
  capitalize,
  iteratorName,
  nameOfRef,
  type OperationModel,
  operationsOf,
  resolve,
  type Schema,
} from "./model.ts";

const HEADER = "# Generated from the OpenAPI document by `npm run clients`. Do not edit.\n";

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/** `lookUpMessage` becomes `look_up_message`. */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string => name.split(/[_.]/).map(capitalize).join("");
/** A name that is a keyword gets an underscore, as is usual in Python. */
const argument = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);
const quoted = (text: string): string => JSON.stringify(text);

interface Declarations {
  /** The text of each type, by its name, with those that it consists of before it. */
  texts: Map<string, string>;
}

export function pythonTypes(document: ApiDocument): string {
  const declarations: Declarations = { texts: new Map() };
  for (const [name, schema] of Object.entries(document.components.schemas)) declare(declarations, name, schema);
  for (const operation of operationsOf(document)) {
    const { body } = operation;
    if (body === null || body.schema.$ref !== undefined || body.schema.type === "string") continue;
    declare(declarations, bodyName(operation), body.schema);
  }
  return `${HEADER}"""The types of requests and responses."""

from typing import Any, Literal, NotRequired, TypedDict, Union

${[...declarations.texts.values()].join("\n")}`;
}

function declare(declarations: Declarations, name: string, schema: Schema): void {
  const text =
    schema.properties === undefined ? aliasOf(declarations, name, schema) : typedDict(declarations, name, schema);
  declarations.texts.set(name, text);
}

const aliasOf = (declarations: Declarations, name: string, schema: Schema): string =>
  `${note(schema.description, "")}${name} = ${typeOf(declarations, name, schema)}\n`;

/** Properties that are no identifiers, or keywords, need the other form of the declaration. */
function typedDict(
  declarations: Declarations,
  name: string,
  { properties = {}, required = [], description }: Schema,
): string {
  const fields = Object.entries(properties).map(([key, schema]) => {
    const type = typeOf(declarations, name + camel(key), schema);
    const text = required.includes(key) ? type : `NotRequired[${type}]`;
    return { key, text, description: schema.description };
  });
  const isClass = fields.every(({ key }) => /^[A-Za-z_]\w*$/.test(key) && !KEYWORDS.has(key));
  const indent = "    ";
  const lines = fields.map(
    ({ key, text, description }) =>
      `${note(description, indent)}${indent}${isClass ? `${key}: ${text}` : `${quoted(key)}: ${text},`}\n`,
  );
  if (isClass) return `\nclass ${name}(TypedDict):\n${docstring(description)}${lines.join("") || `${indent}pass\n`}`;
  return `${note(description, "")}${name} = TypedDict(${quoted(name)}, {\n${lines.join("")}})\n`;
}

const note = (text: string | undefined, indent: string): string => (text === undefined ? "" : `${indent}# ${text}\n`);
const docstring = (text: string | undefined): string => (text === undefined ? "" : `    """${text}"""\n\n`);

/** The type of a value. An object within another one is declared by the name given. */
function typeOf(declarations: Declarations, name: string, schema: Schema): string {
  if (schema.$ref !== undefined) return quoted(nameOfRef(schema.$ref));
  if (schema.anyOf !== undefined)
    return unionOf(
      schema.anyOf.map((each, i) => typeOf(declarations, schema.anyOf?.[0] === each ? name : `${name}${i}`, each)),
    );
  const literals = schema.const === undefined ? schema.enum : [schema.const];
  if (literals !== undefined) return unionOf(literals.map(literalOf));
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return types.length === 0 ? "Any" : unionOf(types.map((type) => typeNamed(declarations, { name, type, schema })));
}

function literalOf(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return `Literal[${value ? "True" : "False"}]`;
  return `Literal[${JSON.stringify(value)}]`;
}

/** Joins literals into one. */
function unionOf(types: readonly string[]): string {
  const literals = types.filter((type) => type.startsWith("Literal[")).map((type) => type.slice("Literal[".length, -1));
  const others = types.filter((type) => !type.startsWith("Literal["));
  const all = [...new Set([...(literals.length === 0 ? [] : [`Literal[${literals.join(", ")}]`]), ...others])];
  return all.length === 1 ? (all[0] ?? "Any") : `Union[${all.join(", ")}]`;
}

function typeNamed(
  declarations: Declarations,
  { name, type, schema }: { name: string; type: string; schema: Schema },
): string {
  switch (type) {
    case "string":
      return "str";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "array":
      return `list[${typeOf(declarations, `${name}Item`, schema.items ?? {})}]`;
    case "object":
      return objectType(declarations, name, schema);
    default:
      throw new Error(`no type for ${type}`);
  }
}

function objectType(declarations: Declarations, name: string, schema: Schema): string {
  const { properties, additionalProperties } = schema;
  if (properties === undefined)
    return typeof additionalProperties === "object"
      ? `dict[str, ${typeOf(declarations, `${name}Value`, additionalProperties)}]`
      : "dict[str, Any]";
  if (declarations.texts.has(name)) throw new Error(`two types are called ${name}`);
  declare(declarations, name, schema);
  return quoted(name);
}

export function pythonOperations(document: ApiDocument): string {
  const methods = operationsOf(document).flatMap((operation) => [
    methodOf(document, operation),
    ...(operation.paging === null ? [] : [iteratorOf(operation, operation.paging)]),
  ]);
  return `${HEADER}"""One method for each operation."""

from collections.abc import Callable, Iterator
from typing import Any, Literal, Optional, Union, cast

from . import types as t
from ._call import UNSET, Call, Unset, given, iterate


class Operations:
    def _call(self, call: Call) -> Any:
        raise NotImplementedError

${methods.join("\n")}`;
}

interface Argument {
  /** As the document names it. */
  key: string;
  type: string;
  isRequired: boolean;
  description?: string | undefined;
}

/** The properties of a body that is an object, or one of several objects; null if it is text. */
function bodyArguments(document: ApiDocument, { body }: OperationModel): Argument[] | null {
  if (body === null) return [];
  if (body.schema.type === "string") return null;
  const whole = resolve(document, body.schema);
  const forms = (whole.anyOf ?? [whole]).map((form) => resolve(document, form));
  const keys = [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))];
  return keys.map((key) => {
    const schemas = forms.flatMap(({ properties = {} }) => properties[key] ?? []);
    const isRequired = forms.every(({ required = [] }) => required.includes(key));
    return { key, type: argumentType(schemas), isRequired, description: schemas[0]?.description };
  });
}

/** Arguments have simple types alone: objects within them are dictionaries. */
function argumentType(schemas: readonly Schema[]): string {
  const simple = (schema: Schema): Schema =>
    schema.properties === undefined
      ? { ...schema, ...(schema.items === undefined ? {} : { items: simple(schema.items) }) }
      : { type: "object" };
  const noReferences = (text: string): string => text.replace(/"([A-Z]\w+)"/g, '"t.$1"');
  return noReferences(unionOf(schemas.map((schema) => typeOf({ texts: new Map() }, "Argument", simple(schema)))));
}

function queryArguments({ query }: OperationModel, left: readonly string[] = []): Argument[] {
  return query
    .filter(({ name }) => !left.includes(name))
    .map(({ name, schema, description }) => ({
      key: name,
      type: argumentType([schema]),
      isRequired: false,
      description,
    }));
}

const parameterOf = ({ key, type, isRequired }: Argument): string =>
  isRequired ? `${argument(key)}: ${type}` : `${argument(key)}: ${optional(type)} = UNSET`;
const optional = (type: string): string => `Union[${type}, Unset]`;

const OPTIONS = ["timeout: Optional[float] = None", "retries_max: Optional[int] = None"];

function methodOf(document: ApiDocument, operation: OperationModel): string {
  const { id, method, body, hasIfMatch, pathParameters, query } = operation;
  const ofBody = bodyArguments(document, operation);
  const keywords = [...(ofBody ?? []), ...queryArguments(operation)];
  requireDistinct(id, [...pathParameters.map(({ name }) => name), ...keywords.map(({ key }) => key)]);
  const ordered = [
    ...keywords.filter(({ isRequired }) => isRequired),
    ...keywords.filter(({ isRequired }) => !isRequired),
  ];
  const types = body !== null && ofBody === null ? body.types : [];
  const parameters = [
    "self",
    ...pathParameters.map(({ name }) => `${argument(name)}: str`),
    ...(ofBody === null ? ["body: Union[str, bytes]"] : []),
    "*",
    ...ordered.map(parameterOf),
    ...(types.length === 0 ? [] : [`type: Literal[${types.map(quoted).join(", ")}] = ${quoted(types[0] ?? "")}`]),
    ...(method === "POST" ? ["idempotency_key: Optional[str] = None"] : []),
    ...(hasIfMatch ? ["if_match: Optional[str] = None"] : []),
    ...OPTIONS,
  ];
  const fields = [
    `method=${quoted(method)}`,
    `path=${quoted(operation.path)}`,
    ...(pathParameters.length === 0 ? [] : [`parameters=${dictOf(pathParameters.map(({ name }) => name))}`]),
    ...(query.length === 0 ? [] : [`query=given(${dictOf(query.map(({ name }) => name))})`]),
    ...(body === null ? [] : [ofBody === null ? "body=body" : `body=given(${dictOf(ofBody.map(({ key }) => key))})`]),
    ...(types.length === 0 ? [] : ["type=type"]),
    `result=${quoted(operation.result.kind)}`,
    ...(operation.needsKey ? [] : ["needs_key=False"]),
    ...(operation.isRetried ? [] : ["is_retried=False"]),
    ...(method === "POST" ? ["idempotency_key=idempotency_key"] : []),
    ...(hasIfMatch ? ["if_match=if_match"] : []),
    "timeout=timeout",
    "retries_max=retries_max",
  ];
  const returned = resultType(operation.result);
  return `${signature(snake(id), parameters, returned)}${documentation(operation, ordered)}        return cast(
            ${quoted(returned)},
            self._call(Call(
${fields.map((field) => `                ${field},\n`).join("")}            )),
        )
`;
}

const dictOf = (names: readonly string[]): string =>
  `{${names.map((name) => `${quoted(name)}: ${argument(name)}`).join(", ")}}`;

function signature(name: string, parameters: readonly string[], returned: string): string {
  const lines = parameters.map((parameter) => `        ${parameter},\n`).join("");
  return `    def ${name}(\n${lines}    ) -> ${quoted(returned)}:\n`;
}

function requireDistinct(id: string, names: readonly string[]): void {
  if (new Set(names).size < names.length) throw new Error(`${id} has two arguments of one name: ${names.join(", ")}`);
}

function resultType(result: OperationModel["result"]): string {
  if (result.kind === "json") return result.schema.$ref === undefined ? "Any" : `t.${nameOfRef(result.schema.$ref)}`;
  return result.kind === "text" ? "str" : "None";
}

function documentation({ summary, description, method, path }: OperationModel, args: readonly Argument[]): string {
  const indent = "        ";
  const lines = [
    summary.endsWith(".") ? summary : `${summary}.`,
    "",
    ...(description === "" ? [] : [description, ""]),
    `${method} ${path}`,
    ...(args.length === 0 ? [] : [""]),
    ...args.map(({ key, description = "" }) => `${argument(key)}: ${description}`),
  ];
  const text = lines.map((line) => (line === "" ? "\n" : `${indent}${line.replaceAll("\\", "\\\\")}\n`)).join("");
  return `${indent}"""\n${text}${indent}"""\n`;
}

function iteratorOf(
  operation: OperationModel,
  { parameter, next, items, itemSchema }: NonNullable<OperationModel["paging"]>,
): string {
  const { id, summary, pathParameters, query } = operation;
  const names = pathParameters.map(({ name }) => argument(name));
  const keywords = queryArguments(operation);
  const item = itemSchema.$ref === undefined ? "Any" : `t.${nameOfRef(itemSchema.$ref)}`;
  const parameters = [
    "self",
    ...names.map((name) => `${name}: str`),
    "*",
    ...keywords.map(parameterOf),
    "on_page: Optional[Callable[[Optional[str]], None]] = None",
    ...OPTIONS,
  ];
  const passed = [
    ...names,
    `${argument(parameter)}=cursor`,
    ...queryArguments(operation, [parameter]).map(({ key }) => `${argument(key)}=${argument(key)}`),
    "timeout=timeout",
    "retries_max=retries_max",
  ];
  const isFollowed = query.some(({ name }) => name === "wait") ? "isinstance(wait, int) and wait > 0" : "False";
  return `${signature(snake(iteratorName(id)), parameters, `Iterator[${item}]`)}        """${summary}: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.${snake(id)}(${passed.join(", ")})),
            first=${argument(parameter)}, items=${quoted(items)}, next_=${quoted(next)}, is_followed=${isFollowed}, on_page=on_page,
        )
`;
}
