/**
 * Persons' requests for a probe of a closed destination before its time, in the key-value store: they are made in any process of
 * the spool, and the one that delivers reads them. delivery/throttle/ decides whether a request is served, and by which message. Losing
 * one costs time only: the destination is probed by its schedule. Two requests made at the same moment are therefore not reconciled.
 */
import { type KeyValueStore, SHARED_ENTRIES } from "./key-value.ts";

const { probeRequests: ENTRY } = SHARED_ENTRIES;

/** After this time a request expires: no waiting message could serve it. */
const VALID_MS = 60_000;

const REQUESTS_MAX = 50;

/** Requests of one account, so that no account displaces the requests of all others. */
const REQUESTS_OF_ACCOUNT_MAX = 10;

export interface ProbeRequest {
  id: string;
  /** The account of the message; null for an operator's request. */
  accountId: string | null;
  /** The recipient domain whose destination is to be probed. */
  domain: string;
  /** The message to probe it with, if possible; null for any at the domain. */
  messageId: string | null;
  atMs: number;
}

/** The requests that are not over, the oldest first, one for each recipient domain and account. */
export async function readProbeRequests(
  store: Pick<KeyValueStore, "readValue">,
  nowMs: number,
): Promise<ProbeRequest[]> {
  return parse(await store.readValue(ENTRY)).filter(({ atMs }) => Math.abs(nowMs - atMs) < VALID_MS);
}

/** Adds requests of one account, instead of its older ones for the same recipient domains. */
export async function addProbeRequests(
  store: Pick<KeyValueStore, "readValue" | "writeValue">,
  added: readonly ProbeRequest[],
  nowMs: number,
): Promise<void> {
  const [{ accountId } = { accountId: null }] = added;
  const domains = new Set(added.map(({ domain }) => domain));
  const stored = await readProbeRequests(store, nowMs);
  const others = stored.filter((request) => request.accountId !== accountId);
  const own = [
    ...stored.filter((request) => request.accountId === accountId && !domains.has(request.domain)),
    ...added,
  ];
  const kept = accountId === null ? own : own.slice(-REQUESTS_OF_ACCOUNT_MAX);
  await store.writeValue(ENTRY, JSON.stringify([...others, ...kept].slice(-REQUESTS_MAX)));
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
