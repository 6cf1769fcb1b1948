/** What preflights have found: the shape that the command line prints and each node stores, and what has become worse. */
import {
  type AddressPreflight,
  closedPortText,
  type PreflightStep,
  type PreflightVerdict,
  preflightLimits,
  preflightSummary,
} from "../../doctor/preflight.ts";
import { rfc3339 } from "../../lib/clock.ts";
import { type KeyValueStore, NODE_ENTRIES } from "../../spool/port/key-value.ts";

/** As JSON. */
export interface PreflightReport {
  addresses: PreflightAddress[];
  /** One sentence. */
  summary: string;
  /** What a preflight cannot tell. */
  limits: string;
}

export interface PreflightAddress {
  address: string | null;
  /** Whether sessions left from it; else from what the system chooses. Absent in what earlier versions have stored. */
  bound?: boolean;
  ptr: string | null;
  ptr_detail: string;
  port_25: AddressPreflight["port25"];
  blocklists: AddressPreflight["blocklists"];
  receivers: PreflightReceiver[];
}

export interface PreflightReceiver {
  name: string;
  verdict: PreflightVerdict;
  step: PreflightStep | null;
  reply: string | null;
  advice: string | null;
  url: string | null;
  /** Of a result of an earlier run: when it was found, RFC 3339. Absent from others. */
  at?: string;
}

export interface StoredPreflight extends PreflightReport {
  atMs: number;
}

export function preflightReport(results: AddressPreflight[]): PreflightReport {
  const addresses = results.map(({ address, isBound, ptr, ptrDetail, port25, blocklists, receivers }) => ({
    address,
    bound: isBound,
    ptr,
    ptr_detail: ptrDetail,
    port_25: port25,
    blocklists,
    receivers: receivers.map(({ profile: { name }, verdict, step, reply, advice, url, earlierAtMs }) => {
      const at = earlierAtMs === undefined ? {} : { at: rfc3339(earlierAtMs) };
      return { name, verdict, step, reply, advice, url, ...at };
    }),
  }));
  return { addresses, summary: preflightSummary(results), limits: preflightLimits(results) };
}

/** This node's last one; null without one. */
export async function readOwnPreflight(store: Pick<KeyValueStore, "readNodeValue">): Promise<StoredPreflight | null> {
  return parsePreflight(await store.readNodeValue(NODE_ENTRIES.preflight));
}

/** The last ones of all live nodes. */
export async function readPreflights(store: Pick<KeyValueStore, "readLiveNodeValues">): Promise<StoredPreflight[]> {
  return (await store.readLiveNodeValues(NODE_ENTRIES.preflight)).flatMap((text) => parsePreflight(text) ?? []);
}

export async function storePreflight(
  store: Pick<KeyValueStore, "writeNodeValue">,
  preflight: StoredPreflight,
): Promise<void> {
  await store.writeNodeValue(NODE_ENTRIES.preflight, JSON.stringify(preflight));
}

function parsePreflight(text: string | null): StoredPreflight | null {
  try {
    const stored = JSON.parse(text ?? "null") as StoredPreflight | null;
    const isWhole =
      Number.isFinite(stored?.atMs) && stored?.addresses.every(({ receivers }) => Array.isArray(receivers));
    return isWhole === true ? stored : null;
  } catch {
    return null;
  }
}

/** What is worse than before, one sentence each; `before` is null for the first preflight. */
export function worsened(before: PreflightReport | null, now: PreflightReport): string[] {
  const known = new Map(before?.addresses.map((each) => [each.address, each]));
  return now.addresses.flatMap((each) => worseOf(known.get(each.address), each));
}

function worseOf(before: PreflightAddress | undefined, now: PreflightAddress): string[] {
  const from = now.address ?? "this server";
  const worse: string[] = [];
  if (now.port_25 === "closed" && before?.port_25 !== "closed") worse.push(closedPortText(now.address));
  if (now.ptr === null && before !== undefined && before.ptr !== null) worse.push(now.ptr_detail);
  for (const { list, listed, detail } of now.blocklists)
    if (listed === true && before?.blocklists.find((each) => each.list === list)?.listed !== true) worse.push(detail);
  for (const receiver of now.receivers) {
    const was = before?.receivers.find(({ name }) => name === receiver.name);
    if (receiver.verdict === "refused" && was?.verdict !== "refused") worse.push(refusalText(from, receiver));
  }
  return worse;
}

function refusalText(from: string, { name, step, reply, advice, url }: PreflightReceiver): string {
  const what = `${name} rejects the session from ${from} at the step "${step ?? "connect"}": ${reply ?? ""}`;
  return [what, advice, url].filter((part) => part !== null).join(" ");
}
