/**
 * Requests to a running service. Responses are bounded in octets and in time. No error repeats the key, or a body that is no problem
 * document.
 */
import packageJson from "../../package.json" with { type: "json" };
import type { Remote } from "../config.ts";
import { systemReason } from "../lib/error-text.ts";

/** Octets of a response. A lookup with thousands of recipients and their histories has more than 1 MiB. */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** The doctor takes up to 30 seconds. */
const TIMEOUT_MS = 60_000;
/** Requests that run at once. */
const REQUESTS_MAX = 8;

export interface ServiceRequest {
  method: string;
  /** Such as `/api/manage/domains/{name}`. */
  path: string;
  /** The values of the path's parameters. */
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

export interface ServiceResponse {
  /** Empty for a response without a body. */
  body: Record<string, unknown>;
  headers: Headers;
}

/** Why a request has failed, in sentences. */
export class ServiceError extends Error {
  /** `code` of the problem; null if the service has not responded with one. */
  readonly code: string | null;

  constructor(detail: string, code: string | null = null) {
    super(detail);
    this.code = code;
  }
}

export class ServiceClient {
  readonly #remote: Remote;
  #running = 0;

  constructor(remote: Remote) {
    this.#remote = remote;
  }

  get url(): string {
    return this.#remote.url;
  }

  /** Rejects with a ServiceError, or with the reason of the signal. */
  async request(request: ServiceRequest, signal: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<ServiceResponse> {
    if (this.#running >= REQUESTS_MAX)
      throw new ServiceError(`${REQUESTS_MAX} calls are running. Call again when one has ended.`);
    this.#running += 1;
    try {
      return await this.#exchange(request, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ServiceError ? error : this.#unreachable(error);
    } finally {
      this.#running -= 1;
    }
  }

  async #exchange({ method, path, params, query, body, headers }: ServiceRequest, signal: AbortSignal) {
    const response = await fetch(this.#remote.url + filled(path, params) + queryText(query), {
      method,
      headers: {
        Authorization: `Bearer ${this.#remote.key}`,
        Accept: "application/json, application/problem+json",
        "User-Agent": `postrider-mcp/${packageJson.version}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Elsewhere, the key is not for.
      redirect: "manual",
      signal,
    });
    const read = parsed(await readText(response));
    if (response.ok && read !== null) return { body: read, headers: response.headers };
    throw problemOf(response, read);
  }

  #unreachable(error: unknown): ServiceError {
    const { name, cause } = error as { name?: string; cause?: unknown };
    const why = name === "TimeoutError" ? "it has not responded in time" : systemReason(cause ?? error);
    return new ServiceError(`The service at ${this.#remote.url} cannot be reached: ${why}.`);
  }
}

/** A dot segment would make another path. */
function filled(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? "";
    if (/^\.*$/.test(value)) throw new ServiceError(`${name}: This is no ${name}.`);
    return encodeURIComponent(value);
  });
}

function queryText(query: ServiceRequest["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > RESPONSE_BYTES_MAX)
      throw new ServiceError(`The response is larger than ${RESPONSE_BYTES_MAX} bytes. Ask for less.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Null for what is no JSON object. */
function parsed(text: string): Record<string, unknown> | null {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function problemOf({ status }: Response, body: Record<string, unknown> | null): ServiceError {
  const { code, detail, request_id: requestId, retry_after: retryAfterS } = body ?? {};
  if (typeof code !== "string" || typeof detail !== "string")
    return new ServiceError(`POSTRIDER_URL responds with status ${status}, and not as Postrider does. Check the URL.`);
  const retry = typeof retryAfterS === "number" ? ` Call again in ${retryAfterS} s.` : "";
  return new ServiceError(`${detail}${retry} (${status} ${code}, request ${requestId})`, code);
}
