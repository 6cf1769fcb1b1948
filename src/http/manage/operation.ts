/**
 * An operation of the management interface: its request and its response as OpenAPI shows them, and what runs it. Routing, permissions,
 * validation, idempotency and the document all follow from the declaration.
 */
import type { Account } from "../../spool/port/accounts.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { QuerySchema } from "../request/query.ts";
import type { ProblemCode } from "../response/problems.ts";
import type { Schema } from "../response/schema.ts";
import type { OperationParts } from "./parts.ts";
import type { SlotKind } from "./streamed.ts";

/** `operate` allows what `manage` does, in all accounts. */
export type ManagePermission = "manage" | "operate";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The input of an operation. `body` and `query` are valid by its schemas; null in an optional field of a body is absent. */
export interface ManageRequest {
  parts: OperationParts;
  key: ApiKey;
  /** Whether the key has the permission to operate. */
  isOperator: boolean;
  /** Who makes the change, as the audit trail records it. */
  by: string;
  /** The account of the key or, for a key that may operate, the one that the request names. */
  account: Account;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | number | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: the schema decides on its type, and the operation knows it.
  body: any;
  /** The body of an operation that reads it in parts; empty for any other. */
  stream: AsyncIterable<Uint8Array>;
  nowMs: number;
  /** The request's id, as X-Request-Id. */
  requestId: string;
}

export interface Operation {
  /** `operationId` of the document. */
  id: string;
  method: Method;
  /** Below /api/manage, such as `/domains/{name}`. */
  path: string;
  permission: ManagePermission;
  tag: string;
  summary: string;
  description?: string;
  query?: QuerySchema;
  /** The JSON Schema of the request's body, an object. */
  body?: Schema;
  /** Octets of the body; BODY_BYTES_MAX if absent. */
  bodyBytesMax?: number;
  /** Whether a request may leave its body out. */
  isBodyOptional?: true;
  bodyExample?: unknown;
  /** The media types of a body that is read in parts; of one with a schema it is JSON. */
  accepts?: readonly string[];
  status: 200 | 201 | 204;
  /** The response's schema and an example; absent for 204. A schema of the sending interface has its own example. */
  response?: { schema: string; example?: unknown };
  /** The kind of request, if only a few of its kind may run at a time. */
  slot?: SlotKind;
  /** The forms of a response of parts, in place of `response`; `run` resolves with a Streamed. */
  streams?: readonly { type: string; example: string }[];
  /** Problems besides those that every operation can have. */
  problems?: readonly ProblemCode[];
  /**
   * The state that the thing's entity tag is computed from. The response has the tag, and a change may name it in If-Match.
   * Throws a Problem where the thing does not exist.
   */
  version?(request: ManageRequest): Promise<unknown>;
  /** Throws a Problem. What it resolves with is the response's body. */
  run(request: ManageRequest): Promise<unknown>;
}

/** A page of a list. */
export interface Page<T> {
  data: T[];
  next: string | null;
}
