/** What the generators read of the OpenAPI document: its schemas, and each operation as a method of a client. */

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
}

export interface Parameter {
  name: string;
  description: string;
  schema: Schema;
}

/** How a list is read to its end. */
export interface Paging {
  /** The query parameter that takes the cursor. */
  parameter: string;
  /** The property of a page that has the next cursor. */
  next: string;
  /** The property of a page that has its items. */
  items: string;
  itemSchema: Schema;
}

export interface OperationModel {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  pathParameters: readonly Parameter[];
  query: readonly Parameter[];
  hasIfMatch: boolean;
  needsKey: boolean;
  /** A 503 is a result, which is not retried. */
  isRetried: boolean;
  body: { schema: Schema; isRequired: boolean; types: readonly string[] } | null;
  result: { kind: "json"; schema: Schema } | { kind: "text" } | { kind: "none" };
  paging: Paging | null;
}

interface Content {
  [type: string]: { schema: Schema };
}

interface Described {
  operationId: string;
  summary?: string;
  description?: string;
  security?: readonly unknown[];
  parameters?: readonly (Parameter & { in: string })[];
  requestBody?: { required?: boolean; content: Content };
  responses: Readonly<Record<string, { content?: Content }>>;
}

export interface ApiDocument {
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

export function operationsOf(document: ApiDocument): OperationModel[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) =>
      operationOf(document, { path, method: method.toUpperCase(), described }),
    ),
  );
}

function operationOf(
  document: ApiDocument,
  { path, method, described }: { path: string; method: string; described: Described },
): OperationModel {
  const { operationId: id, summary = "", description = "", parameters = [], requestBody, responses } = described;
  const inPlace = (place: string): Parameter[] => parameters.filter((parameter) => parameter.in === place);
  const content = Object.entries(requestBody?.content ?? {});
  const result = resultOf(responses);
  const query = inPlace("query");
  return {
    id,
    method,
    path,
    summary,
    description,
    pathParameters: inPlace("path"),
    query,
    hasIfMatch: inPlace("header").some(({ name }) => name === "If-Match"),
    needsKey: described.security === undefined,
    isRetried: responses["503"]?.content?.["application/json"] === undefined,
    body:
      content[0] === undefined
        ? null
        : {
            schema: content[0][1].schema,
            isRequired: requestBody?.required === true,
            types: content.map(([type]) => type),
          },
    result,
    paging: pagingOf(document, query, result),
  };
}

function resultOf(responses: Described["responses"]): OperationModel["result"] {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const content = success?.content;
  if (content === undefined) return { kind: "none" };
  const json = content["application/json"];
  return json === undefined ? { kind: "text" } : { kind: "json", schema: json.schema };
}

function pagingOf(document: ApiDocument, query: readonly Parameter[], result: OperationModel["result"]): Paging | null {
  const parameter = query.find(({ name }) => name === "after" || name === "cursor")?.name;
  if (parameter === undefined || result.kind !== "json") return null;
  const { properties = {} } = resolve(document, result.schema);
  const next = ["next", "next_cursor"].find((name) => name in properties);
  const [items, list] = Object.entries(properties).find(([, { type }]) => type === "array") ?? [];
  if (next === undefined || items === undefined || list?.items === undefined) return null;
  return { parameter, next, items, itemSchema: list.items };
}

export const nameOfRef = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);

export function resolve({ components }: ApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = components.schemas[nameOfRef(schema.$ref)];
  if (found === undefined) throw new Error(`${schema.$ref} is not in the document`);
  return found;
}

/** `listMessages` becomes `iterateMessages`. */
export function iteratorName(id: string): string {
  if (!id.startsWith("list")) throw new Error(`${id} returns pages, so its name must begin with "list"`);
  return `iterate${id.slice("list".length)}`;
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The name of a body that has none in the document. */
export const bodyName = ({ id }: Pick<OperationModel, "id">): string => `${capitalize(id)}Body`;
