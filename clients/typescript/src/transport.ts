/** Sends a call, with its retries, and reads its result. */
import type { Call } from "./call.js";
import { errorOf, PostriderError } from "./errors.js";
import { rememberResponse } from "./response-info.js";
import { retryDelayMs, sleep } from "./retry.js";

/** What is used of `fetch`. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal: AbortSignal;
    redirect: "manual";
  },
) => Promise<{
  ok: boolean;
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

export interface Settings {
  /** Without a slash at its end. */
  url: string;
  key: string;
  fetch: Fetch;
  timeoutMs: number;
  retriesMax: number;
}

type Init = Omit<Parameters<Fetch>[1], "signal">;

/** Resolves with the result of a call. Rejects with a PostriderError, or with the reason of the caller's signal. */
export async function send(settings: Settings, call: Call): Promise<unknown> {
  const { signal, retriesMax = settings.retriesMax } = call.options;
  const url = settings.url + pathOf(call);
  const init = initOf(settings, call);
  const max = call.isRetried === false ? 0 : retriesMax;
  for (let count = 0; ; count += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt(settings, call, { url, init });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof PostriderError)) throw error;
      const delayMs = retryDelayMs(error, { count, max, random: Math.random });
      if (delayMs === null) throw error;
      await sleep(delayMs, signal);
    }
  }
}

function pathOf({ path, parameters = {}, query = [], options }: Call): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, parameters[name]));
  const search = new URLSearchParams();
  for (const name of query) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? filled : `${filled}?${text}`;
}

/** A URL parser would take "." and ".." as steps to another path. */
function segmentOf(name: string, value: string | undefined): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw new TypeError(`${name} must be a text other than "", "." and ".."`);
  return encodeURIComponent(value);
}

function initOf({ key }: Settings, { method, body, type, needsKey, result, options }: Call): Init {
  const { idempotencyKey, ifMatch } = options;
  const headers: Record<string, string> = {
    Accept: result === "json" ? "application/json" : "*/*",
    ...(needsKey === false ? {} : { Authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { "Content-Type": type ?? "application/json" }),
    ...(method === "POST" ? { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() } : {}),
    ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }),
  };
  const text = body === undefined ? {} : { body: type === undefined ? JSON.stringify(body) : String(body) };
  // A redirect would carry the key to another address.
  return { method, headers, redirect: "manual", ...text };
}

async function attempt(settings: Settings, call: Call, { url, init }: { url: string; init: Init }): Promise<unknown> {
  const { signal } = call.options;
  const timeout = AbortSignal.timeout(limitMs(settings, call));
  try {
    const response = await settings.fetch(url, {
      ...init,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const text = await response.text();
    if (!response.ok) throw errorOf(response, text, Date.now());
    const value = resultOf(call, response.status, text);
    rememberResponse(value, { get: (name) => response.headers.get(name) });
    return value;
  } catch (error) {
    if (error instanceof PostriderError) throw error;
    const fields = timeout.aborted
      ? ({ status: 0, code: "timeout", detail: "No response within the time limit." } as const)
      : ({ status: 0, code: "network_error", detail: `The request failed: ${String(error)}` } as const);
    throw new PostriderError(fields, { cause: error });
  }
}

/** A request with `wait` is held by the service for that time. */
function limitMs({ timeoutMs }: Settings, { options }: Call): number {
  const { wait } = options as { wait?: number };
  return (options.timeoutMs ?? timeoutMs) + (wait ?? 0) * 1000;
}

function resultOf({ result }: Call, status: number, text: string): unknown {
  if (result === "none") return undefined;
  if (result === "text") return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = "The response is not JSON. Is the URL that of Postrider?";
    throw new PostriderError({ status, code: "unexpected_response", detail }, { cause: error });
  }
}
