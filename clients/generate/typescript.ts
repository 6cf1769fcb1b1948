/** The generated files of the TypeScript client: types.ts and operations.ts. */
import {
  type ApiDocument,
  bodyName,
  iteratorName,
  nameOfRef,
  type OperationModel,
  operationsOf,
  type Parameter,
  type Schema,
} from "./model.ts";

const HEADER = "// Generated from the OpenAPI document by `npm run clients`. Do not edit.\n";

export function typescriptTypes(document: ApiDocument): string {
  const schemas = Object.entries(document.components.schemas);
  const bodies = operationsOf(document).flatMap((operation) =>
    operation.body === null || operation.body.schema.$ref !== undefined || operation.body.schema.type === "string"
      ? []
      : [[bodyName(operation), operation.body.schema] as const],
  );
  const declared = [...schemas, ...bodies].map(
    ([name, schema]) => `${comment(schema.description, "")}export type ${name} = ${typeOf(schema, "")};\n`,
  );
  return [HEADER, ...declared].join("\n");
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameOfRef(schema.$ref);
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((each) => typeOf(each, indent)))].join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return types.length === 0 ? "unknown" : types.map((type) => typeNamed(type, schema, indent)).join(" | ");
}

function typeNamed(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `Array<${typeOf(schema.items ?? {}, indent)}>`;
    case "object":
      return objectType(schema, indent);
    default:
      throw new Error(`no type for ${type}`);
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (properties === undefined) {
    const values = typeof additionalProperties === "object" ? typeOf(additionalProperties, indent) : "unknown";
    return `{ [name: string]: ${values} }`;
  }
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const type = typeOf(schema, inner);
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${comment(schema.description, inner)}${inner}${key}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | undefined"};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

const comment = (text: string | undefined, indent: string): string =>
  text === undefined || text === "" ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;

const CLASS = "/** One method for each operation. */\nexport abstract class Operations {";

export function typescriptOperations(document: ApiDocument): string {
  const methods = operationsOf(document).flatMap((operation) => [
    methodOf(operation),
    ...(operation.paging === null ? [] : [iteratorOf(operation, operation.paging)]),
  ]);
  return `${HEADER}
import type { Call, ChangeOptions, IterationOptions, RequestOptions } from "../call.js";
import { iterate } from "../pages.js";
import type * as T from "./types.js";

${CLASS}
  protected abstract call<R>(call: Call): Promise<R>;
${methods.map((method) => `\n${method}`).join("")}}
`;
}

function methodOf(operation: OperationModel): string {
  const { id, result, body } = operation;
  const returned = resultType(result);
  const options = optionsType(operation);
  const parameters = [
    ...operation.pathParameters.map(({ name }) => `${name}: string`),
    ...(body === null ? [] : [`body: ${bodyType(operation)}${body.isRequired ? "" : " = {}"}`]),
    `options: ${options} = {}`,
  ];
  return `${documentation(operation)}  ${id}(${parameters.join(", ")}): Promise<${returned}> {
    return this.call<${returned}>({
${callFields(operation)
  .map((field) => `      ${field},\n`)
  .join("")}    });
  }
`;
}

function callFields({
  method,
  path,
  pathParameters,
  query,
  body,
  result,
  needsKey,
  isRetried,
}: OperationModel): string[] {
  return [
    `method: "${method}"`,
    `path: "${path}"`,
    ...(pathParameters.length === 0 ? [] : [`parameters: { ${pathParameters.map(({ name }) => name).join(", ")} }`]),
    ...(query.length === 0 ? [] : [`query: [${query.map(({ name }) => JSON.stringify(name)).join(", ")}]`]),
    ...(body === null ? [] : ["body"]),
    ...(body === null || isJson(body) ? [] : [`type: options.type ?? ${JSON.stringify(body.types[0])}`]),
    `result: "${result.kind}"`,
    ...(needsKey ? [] : ["needsKey: false"]),
    ...(isRetried ? [] : ["isRetried: false"]),
    "options",
  ];
}

const isJson = ({ types }: { types: readonly string[] }): boolean => types.length === 1;

function resultType(result: OperationModel["result"]): string {
  if (result.kind === "json") return qualified(result.schema);
  return result.kind === "text" ? "string" : "undefined";
}

const qualified = (schema: Schema): string =>
  schema.$ref === undefined ? typeOf(schema, "  ") : `T.${nameOfRef(schema.$ref)}`;

function bodyType(operation: OperationModel): string {
  const schema = operation.body?.schema ?? {};
  if (schema.type === "string") return "string";
  return schema.$ref === undefined ? `T.${bodyName(operation)}` : qualified(schema);
}

function optionsType({ query, hasIfMatch, body }: OperationModel): string {
  const types =
    body !== null && !isJson(body) ? `type?: ${body.types.map((type) => JSON.stringify(type)).join(" | ")}` : "";
  const fields = [...query.map(optionOf), ...(types === "" ? [] : [types])];
  const base = hasIfMatch ? "ChangeOptions" : "RequestOptions";
  return fields.length === 0 ? base : `${base} & { ${fields.join("; ")} }`;
}

const optionOf = ({ name, schema }: Parameter): string => `${name}?: ${typeOf(schema, "")} | undefined`;

function iteratorOf(
  operation: OperationModel,
  { parameter, next, items, itemSchema }: NonNullable<OperationModel["paging"]>,
): string {
  const { id, summary } = operation;
  const names = operation.pathParameters.map(({ name }) => name);
  const item = qualified(itemSchema);
  const parameters = [
    ...names.map((name) => `${name}: string`),
    `options: ${optionsType(operation)} & IterationOptions = {}`,
  ];
  const passed = [...names, `{ ...options, ${parameter}: cursor }`];
  return `  /** ${summary}: every item, page by page. */
  ${iteratorName(id)}(${parameters.join(", ")}): AsyncGenerator<${item}, void, undefined> {
    return iterate((cursor) => this.${id}(${passed.join(", ")}), {
      first: options.${parameter},
      isFollowed: ${operation.query.some(({ name }) => name === "wait") ? "(options.wait ?? 0) > 0" : "false"},
      itemsOf: (page) => page.${items},
      nextOf: (page) => page.${next},
      onPage: options.onPage,
    });
  }
`;
}

function documentation({ summary, description, query, method, path }: OperationModel): string {
  const lines = [
    summary.endsWith(".") ? summary : `${summary}.`,
    ...(description === "" ? [] : [description]),
    `\`${method} ${path}\``,
    ...query.map(({ name, description }) => `@param options.${name} ${description}`),
  ];
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll("*/", "*\\/")}\n`).join("")}   */\n`;
}
