/**
 * The requests of acme-client, bounded in octets and time. A reply that is an error becomes an AcmeError with what it says: the
 * library keeps only its sentence, and would wait for as long as Retry-After demands.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { axios } from "acme-client";
import { readBody } from "../lib/bounded-body.ts";
import { connectionErrorText } from "../lib/error-text.ts";
import { sanitizeLine } from "../lib/terminal-text.ts";
import { DAY_MS } from "../lib/units.ts";

/** A certificate with its chain, an order or a directory has a few kilobytes. */
const OCTETS_MAX = 256 * 1024;
/** For a request with its reply. */
const REQUEST_MS = 30_000;
/** Characters of a text of the authority. */
const DETAIL_MAX = 500;
const SUBPROBLEMS_MAX = 10;
const RETRY_AFTER_MAX_MS = 7 * DAY_MS;
/** The library repeats a request with another nonce. */
const BAD_NONCE = "urn:ietf:params:acme:error:badNonce";

/** The authority has refused a request (RFC 8555 §6.7), or could not be asked. */
export class AcmeError extends Error {
  override name = "AcmeError";
  /** The last part of the problem's type, such as `rateLimited`; null without one. */
  readonly type: string | null;
  /** How long to wait; null if the reply does not say. */
  readonly retryAfterMs: number | null;
  /** The names that the problem is about, with its sentence for each. */
  readonly refused: ReadonlyMap<string, string>;

  constructor(message: string, parts: Partial<Pick<AcmeError, "type" | "retryAfterMs" | "refused">> = {}) {
    super(message);
    this.type = parts.type ?? null;
    this.retryAfterMs = parts.retryAfterMs ?? null;
    this.refused = parts.refused ?? new Map();
  }
}

/** What the library's HTTP client sends, as its adapters get it. */
interface Sent {
  url: string;
  method: string;
  headers: { toJSON(): Record<string, string> };
  data?: string;
}

interface Reply {
  status: number;
  statusText: string;
  headers: Record<string, string | string[] | undefined>;
  /** An object of JSON, else text. */
  data: unknown;
  config: Sent;
}

const connections = new AsyncLocalStorage<Connection>();
/** The wait that a reply demands before its object is asked for again, by the object. */
const waits = new WeakMap<object, number>();

export interface Connection {
  /** Ends the requests. */
  signal: AbortSignal;
  /** PEM: trusted in place of the authorities that Node trusts, for tests. */
  ca?: string | undefined;
}

/** Runs requests of the library. */
export function withConnection<T>(connection: Connection, run: () => Promise<T>): Promise<T> {
  // The library has one HTTP client for all.
  (axios.defaults as unknown as { adapter: typeof send }).adapter = send;
  return connections.run(connection, run);
}

/** How long the authority wants a client to wait before it asks for this object again; null if it has not said. */
export const waitOf = (data: object): number | null => waits.get(data) ?? null;

async function send(config: Sent): Promise<Reply> {
  const reply = await exchange(config).catch((error: Error) => {
    if (error instanceof AcmeError) throw error;
    throw new AcmeError(`no reply from ${hostOf(config.url)}: ${connectionErrorText(error)}`);
  });
  const retryAfterMs = retryAfterOf(reply.headers["retry-after"]);
  const { data } = reply;
  // Redirects are not followed.
  if (reply.status >= 300 && problemOf(data).type !== BAD_NONCE) throw refusalOf(reply, retryAfterMs);
  if (typeof data === "object" && data !== null && retryAfterMs !== null) waits.set(data, retryAfterMs);
  return reply;
}

async function exchange(config: Sent): Promise<Reply> {
  const { url, method, headers, data: body } = config;
  if (!URL.canParse(url) || new URL(url).protocol !== "https:")
    throw new AcmeError(`the authority has sent an invalid URL: ${shorten(String(url))}`);
  const { signal, ca } = connections.getStore() ?? {};
  const signals = [AbortSignal.timeout(REQUEST_MS), signal].filter((each) => each !== undefined);
  const options = {
    method: method.toUpperCase(),
    headers: headers.toJSON(),
    signal: AbortSignal.any(signals),
    agent: false,
    ...(ca === undefined ? {} : { ca }),
  } as const;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on("error", reject).end(body);
  });
  const read = await readBody(response, { bytesMax: OCTETS_MAX });
  if (read.type !== "read") throw new AcmeError(`the reply of ${hostOf(url)} cannot be read: ${read.type}`);
  const { statusCode: status = 0, statusMessage: statusText = "", headers: received } = response;
  const data = parsed(read.bytes.toString("utf8"), received["content-type"] ?? "");
  return { status, statusText, headers: received, data, config };
}

function parsed(text: string, type: string): unknown {
  if (!/^application\/(problem\+)?json\b/i.test(type)) return text;
  const data: unknown = text === "" ? {} : JSON.parse(text);
  if (typeof data !== "object" || data === null) throw new AcmeError("the authority has sent JSON without an object");
  return data;
}

interface Problem {
  type: string | null;
  detail: string | null;
  /** With the name that each is about. */
  subproblems: { name: string | null; detail: string | null }[];
}

/** The parts of a problem document that are of their type. */
export function problemOf(data: unknown): Problem {
  const { type, detail, subproblems } = recordOf(data);
  const subs = Array.isArray(subproblems) ? subproblems.slice(0, SUBPROBLEMS_MAX) : [];
  return {
    type: textOf(type),
    detail: textOf(detail),
    subproblems: subs.map((sub) => ({
      name: textOf(recordOf(recordOf(sub).identifier).value),
      detail: textOf(recordOf(sub).detail),
    })),
  };
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const textOf = (value: unknown): string | null => (typeof value === "string" ? shorten(value) : null);
const shorten = (text: string): string => sanitizeLine(text.slice(0, DETAIL_MAX));

function refusalOf({ status, data, config: { url } }: Reply, retryAfterMs: number | null): AcmeError {
  const { type, detail, subproblems } = problemOf(data);
  const refused = new Map(
    subproblems.flatMap(({ name, detail: reason }) => (name === null ? [] : [[name, reason ?? "refused"]])),
  );
  const words = detail ?? (typeof data === "string" ? shorten(data) : "");
  return new AcmeError(`${hostOf(url)} has replied ${status}: ${words}`, {
    type: type?.split(":").at(-1) ?? null,
    retryAfterMs,
    refused,
  });
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function retryAfterOf(value: string | string[] | undefined): number | null {
  if (typeof value !== "string") return null;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}

const hostOf = (url: string): string => new URL(url).host;
