/** The addresses that mail leaves from, and their pools, as values of the spool: nodes and the command line share them. */
import { isIP } from "node:net";
import type { KeyValueStore } from "./key-value.ts";
import { replaceStored } from "./stored-map.ts";

export interface SendingAddress {
  /** As receivers see it, in canonical form. */
  ip: string;
  /** For EHLO. */
  name: string;
  /** What the socket is bound to, where a provider translates it to `ip`; null if that is `ip` itself. */
  bind: string | null;
  pool: string;
  /** Whether nothing more may leave from it. */
  isPaused: boolean;
  /** Null if it has no limits of a day. */
  warmUp: WarmUpSetting | null;
}

/** As receivers/warm-up.ts has it. */
export interface WarmUpSetting {
  /** Null for the default one. */
  schedule: number[] | null;
  /** Where it begins at a receiver that it has not sent to before. */
  firstPlace: number;
}

/** Whose mail leaves from the addresses of a pool. */
export interface SendingPool {
  name: string;
  /** Ids. */
  accounts: string[];
  /** Sender domains. */
  domains: string[];
}

export interface SendingPlan {
  /** By address, as text. */
  addresses: readonly SendingAddress[];
  /** By name. */
  pools: readonly SendingPool[];
}

/** That of mail which no pool is assigned to, and of addresses without another one. */
export const DEFAULT_POOL = "default";

/** All of them are read at once. */
export const ADDRESSES_MAX = 256;
export const POOLS_MAX = 100;

/** Stored, so they do not change. */
const ADDRESSES = "sending-addresses";
const POOLS = "sending-pools";

type Store = Pick<KeyValueStore, "readValue" | "writeValue">;

/** Throws if what is stored cannot be read: mail might leave from an address that it must not leave from. */
export async function readSendingPlan(store: Pick<KeyValueStore, "readValue">): Promise<SendingPlan> {
  const [addresses, pools] = await Promise.all([readAddresses(store), readPools(store)]);
  return {
    addresses: [...addresses].sort(byName).map(([ip, each]) => ({ ...each, ip })),
    pools: [...pools].sort(byName).map(([name, each]) => ({ ...each, name })),
  };
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

type StoredAddress = Omit<SendingAddress, "ip">;
type StoredPool = Omit<SendingPool, "name">;

async function readAddresses(store: Pick<KeyValueStore, "readValue">): Promise<Map<string, StoredAddress>> {
  const stored = await readEntry<StoredAddress>(store, ADDRESSES);
  const known = [...stored].filter(([ip]) => isIP(ip) !== 0);
  // Another version may have stored fewer fields.
  return new Map(known.map(([ip, address]) => [ip, { ...address, warmUp: address.warmUp ?? null }]));
}

const readPools = (store: Pick<KeyValueStore, "readValue">): Promise<Map<string, StoredPool>> =>
  readEntry(store, POOLS);

async function readEntry<Value>(store: Pick<KeyValueStore, "readValue">, entry: string): Promise<Map<string, Value>> {
  return new Map(Object.entries(JSON.parse((await store.readValue(entry)) ?? "{}") as Record<string, Value>));
}

/** Adds or replaces an address; with null, removes it. Returns false beyond ADDRESSES_MAX. */
export async function writeSendingAddress(store: Store, ip: string, address: StoredAddress | null): Promise<boolean> {
  const stored = { entry: ADDRESSES, max: ADDRESSES_MAX, values: await readAddresses(store) };
  return replaceStored(store, stored, [ip, address]);
}

/** Adds or replaces a pool; with null, removes it. Returns false beyond POOLS_MAX. */
export async function writeSendingPool(store: Store, name: string, pool: StoredPool | null): Promise<boolean> {
  const stored = { entry: POOLS, max: POOLS_MAX, values: await readPools(store) };
  return replaceStored(store, stored, [name, pool]);
}
