/**
 * Persons' requests for a probe of a closed destination before its time, in the key-value store: they are made in any process of
 * the spool, and the one that delivers reads them. delivery/throttle/ decides whether a request is served, and by which message. Losing
 * one costs time only: the destination is probed by its schedule. So nothing is done about two that are made at one moment.
 */
import type { KeyValueStore } from "./key-value.ts";

/** Stored, so it does not change. */
const ENTRY = "probe-requests";

/** After this time a request is over: nothing that it could be served by was waiting. */
const VALID_MS = 60_000;

const REQUESTS_MAX = 50;

export interface ProbeRequest {
  id: string;
  /** The recipient domain whose destination is to be probed. */
  domain: string;
  /** The message to probe it with, if possible; null for any at the domain. */
  messageId: string | null;
  atMs: number;
}

/** The requests that are not over, the oldest first, one for each recipient domain. */
export async function readProbeRequests(
  store: Pick<KeyValueStore, "readValue">,
  nowMs: number,
): Promise<ProbeRequest[]> {
  return parse(await store.readValue(ENTRY)).filter(({ atMs }) => Math.abs(nowMs - atMs) < VALID_MS);
}

/** Adds requests, instead of older ones for the same recipient domains. */
export async function addProbeRequests(
  store: Pick<KeyValueStore, "readValue" | "writeValue">,
  added: readonly ProbeRequest[],
  nowMs: number,
): Promise<void> {
  const domains = new Set(added.map(({ domain }) => domain));
  const others = (await readProbeRequests(store, nowMs)).filter(({ domain }) => !domains.has(domain));
  await store.writeValue(ENTRY, JSON.stringify([...others, ...added].slice(-REQUESTS_MAX)));
}

function parse(text: string | null): ProbeRequest[] {
  try {
    const requests: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(requests) ? requests.filter(isRequest) : [];
  } catch {
    return [];
  }
}

const isRequest = (value: unknown): value is ProbeRequest => {
  const { id, domain, atMs } = (value ?? {}) as Partial<ProbeRequest>;
  return typeof id === "string" && typeof domain === "string" && typeof atMs === "number";
};
