/** What a tool is, and tools made of operations of the management interface, whose schemas they share. */
import type { ManagePermission, Operation } from "../http/manage/operation.ts";
import { OPERATIONS } from "../http/manage/operations.ts";
import { MANAGE_PATH } from "../http/manage/routes.ts";
import type { Schema } from "../http/response/schema.ts";
import type { ServiceRequest, ServiceResponse } from "./service-client.ts";

/** A result of the service, as far as a tool reads it. A service of another version may leave anything out. */
// biome-ignore lint/suspicious/noExplicitAny: the service's document describes it.
export type Data = Record<string, any>;

export interface ToolCall {
  /** Valid by the tool's schema. */
  input: Data;
  request: (request: ServiceRequest) => Promise<ServiceResponse>;
}

export interface ToolResult {
  data: Data;
  /** The main facts in a few lines. */
  text: string;
}

export interface Tool {
  name: string;
  title: string;
  /** What it does, in sentences. */
  description: string;
  /** The permission that the key needs, as part of a sentence, such as "`read`". */
  needs: string;
  /** Whether it changes something: it is offered only with --allow-writes. */
  writes?: true;
  /** Whether what it does cannot be undone. */
  destructive?: true;
  /** JSON Schema of each field of the input. */
  fields: Readonly<Record<string, object>>;
  required?: readonly string[];
  /** Rejects with a ServiceError. */
  run: (call: ToolCall) => Promise<ToolResult>;
}

/** The input of a tool as a JSON Schema. */
export const inputSchema = ({ fields, required = [] }: Tool) => ({
  type: "object" as const,
  additionalProperties: false,
  properties: { ...fields },
  required: [...required],
});

/** An operation of the management interface by its id. */
export function operationNamed(id: string): Operation {
  const operation = OPERATIONS.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

const NEEDS: Readonly<Record<ManagePermission, string>> = { manage: "`manage`", operate: "`operate`" };

/** The permission that an operation needs, for `needs`. */
export const neededBy = (id: string): string => NEEDS[operationNamed(id).permission];

interface OperationTool extends Omit<Tool, "needs" | "fields" | "required" | "run"> {
  /** The `operationId`. */
  operation: string;
  /** The schemas of the path's parameters. */
  params?: Readonly<Record<string, Schema>>;
  /** The main facts of a result. */
  text: (data: Data, input: Data) => string;
}

/** A tool that does what one operation does, with the fields of its path, query and body. */
export function toolOf({ operation: id, params = {}, text, ...tool }: OperationTool): Tool {
  const { query = {}, body } = operationNamed(id);
  const properties = (body?.properties ?? {}) as Readonly<Record<string, Schema>>;
  return {
    ...tool,
    needs: neededBy(id),
    fields: { ...params, ...query, ...properties },
    required: [...Object.keys(params), ...((body?.required ?? []) as string[])],
    async run({ input, request }) {
      const { body: data } = await request(requestOf(id, input));
      return { data, text: text(data, input) };
    },
  };
}

/** The request of an operation, with each field of the input in its place. */
export function requestOf(id: string, input: Data): ServiceRequest {
  const { method, path, query = {}, body } = operationNamed(id);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const properties = Object.keys((body?.properties ?? {}) as object);
  const pick = (wanted: readonly string[]): Data =>
    Object.fromEntries(wanted.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]));
  return {
    method,
    path: MANAGE_PATH + path,
    params: pick(names),
    query: pick(Object.keys(query)),
    ...(body === undefined ? {} : { body: pick(properties) }),
  };
}

export const MESSAGE_ID: Schema = {
  type: "string",
  pattern: "^msg_[-0-9A-Z_a-z]{1,60}$",
  description: "The id of the message, `msg_…`.",
};

const LINES_MAX = 20;

/** A heading and its lines, of which the first are shown. */
export function listText(heading: string, lines: readonly string[]): string {
  const left = lines.length - LINES_MAX;
  const more = left > 0 ? [`… and ${left} more, in the structured content.`] : [];
  return [heading, ...lines.slice(0, LINES_MAX), ...more].join("\n");
}

/** What is there of a list in a result. */
export const listIn = (value: unknown): Data[] => (Array.isArray(value) ? value : []);
