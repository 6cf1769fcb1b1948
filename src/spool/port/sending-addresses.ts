/** The addresses that mail leaves from, and their pools, as values of the spool: nodes and the command line share them. */
import { isIP } from "node:net";
import { isSameAddress } from "../../lib/ip-address.ts";
import { type KeyValueStore, SHARED_ENTRIES } from "./key-value.ts";
import { replaceStored } from "./stored-map.ts";

export interface SendingAddress {
  /** As receivers see it, in canonical form. */
  ip: string;
  /** For EHLO. */
  name: string;
  /** What the socket is bound to, where a provider translates it to `ip`; null if that is `ip` itself. */
  bind: string | null;
  pool: string;
  /** Whether no more mail may leave from it. */
  isPaused: boolean;
  /** Null if it has no daily limits. */
  warmUp: WarmUpSetting | null;
}

/** As receivers/warm-up.ts has it. */
export interface WarmUpSetting {
  /** Null for the default one. */
  schedule: number[] | null;
  /** Where it begins at a receiver that it has not sent to before. */
  firstPlace: number;
  /** When an operator changed it, or moved the address in it; absent if never. */
  changedAtMs?: number;
}

/** Whose mail leaves from the addresses of a pool. */
export interface SendingPool {
  name: string;
  /** Ids. */
  accounts: string[];
  /** Sender domains. */
  domains: string[];
  /** Tags of messages, each of one account. */
  tags: TaggedMail[];
}

export interface TaggedMail {
  /** An id. */
  account: string;
  tag: string;
}

export interface SendingPlan {
  /** By address, as text. */
  addresses: readonly SendingAddress[];
  /** By name. */
  pools: readonly SendingPool[];
}

/** The pool of mail without an assigned pool, and of addresses without another one. */
export const DEFAULT_POOL = "default";

/** All of them are read at once. */
export const ADDRESSES_MAX = 256;
export const POOLS_MAX = 100;

const { sendingAddresses: ADDRESSES, sendingPools: POOLS } = SHARED_ENTRIES;

export interface PooledMail {
  /** The sender domain. */
  domain: string;
  accountId: string | undefined;
  /** Of the message. */
  tags?: readonly string[] | undefined;
}

/**
 * The name of the pool that mail leaves from: that of the first tag with one, else that of the sender domain or of a domain above, else that of
 * the account.
 */
export function poolOf(pools: readonly SendingPool[], { domain, accountId, tags = [] }: PooledMail): string {
  for (const tag of tags) {
    const tagged = pools.find((pool) => pool.tags.some((each) => each.account === accountId && each.tag === tag));
    if (tagged !== undefined) return tagged.name;
  }
  let above = domain.toLowerCase();
  while (above !== "") {
    const name = above;
    const found = pools.find(({ domains }) => domains.includes(name));
    if (found !== undefined) return found.name;
    const dot = above.indexOf(".");
    above = dot === -1 ? "" : above.slice(dot + 1);
  }
  const ofAccount = accountId === undefined ? undefined : pools.find(({ accounts }) => accounts.includes(accountId));
  return ofAccount?.name ?? DEFAULT_POOL;
}

/** The addresses of the plan that a host with these addresses has. Every address of 127.0.0.0/8 belongs to every host. */
export const addressesOn = (host: readonly string[], { addresses }: SendingPlan): SendingAddress[] =>
  addresses.filter(({ ip, bind }) => {
    const bound = bind ?? ip;
    return bound.startsWith("127.") || host.some((each) => isSameAddress(each, bound));
  });

/** The addresses that SPF records of a sender domain authorize: those of its pool, and of its account's tags; null if there are none. */
export function addressesOfDomain({ addresses, pools }: SendingPlan, of: PooledMail): string[] | null {
  const tagged = pools.filter(({ tags }) => tags.some(({ account }) => account === of.accountId));
  const names = new Set([poolOf(pools, of), ...tagged.map(({ name }) => name)]);
  const ips = addresses.filter(({ pool }) => names.has(pool)).map(({ ip }) => ip);
  return ips.length === 0 ? null : ips;
}

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

async function readPools(store: Pick<KeyValueStore, "readValue">): Promise<Map<string, StoredPool>> {
  const stored = await readEntry<StoredPool>(store, POOLS);
  return new Map([...stored].map(([name, pool]) => [name, { ...pool, tags: pool.tags ?? [] }]));
}

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
