/**
 * What an operator may decide about sending addresses and their pools, from texts. Details are clauses without the names of options and
 * commands, which the command line adds.
 */
import { isIP, isIPv6 } from "node:net";
import { isHostName } from "../../lib/host-name.ts";
import { TAG_LENGTH_MAX } from "../../message/send-request/send-request-schema.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import {
  ADDRESSES_MAX,
  DEFAULT_POOL,
  POOLS_MAX,
  readSendingPlan,
  type SendingAddress,
  type SendingPool,
  type WarmUpSetting,
  writeSendingAddress,
  writeSendingPool,
} from "../../spool/port/sending-addresses.ts";
import type { WarmUps } from "../../spool/port/warm-ups.ts";

type Store = Pick<KeyValueStore, "readValue" | "writeValue">;

/** What a text was given as. `pool`: also the name of a new one. */
export type SendingField =
  | "address"
  | "name"
  | "bind"
  | "pool"
  | "domain"
  | "tag"
  | "receiver"
  | "day"
  | "schedule"
  | "off";

export interface Invalid {
  type: "invalid";
  field: SendingField;
  /** As given. */
  text: string;
  detail: string;
}

export interface Refused {
  type: "refused";
  reason: "unknown_address" | "unknown_pool" | "exists" | "too_many" | "in_use";
  detail: string;
}

export type Decided<T> = { type: "done"; value: T } | Invalid | Refused;

export const invalid = (field: SendingField, text: string, detail: string): Invalid => ({
  type: "invalid",
  field,
  text,
  detail,
});
const refused = (reason: Refused["reason"], detail: string): Refused => ({ type: "refused", reason, detail });
const done = <T>(value: T) => ({ type: "done", value }) as const;

/** As a new address has it. */
export const NEW_WARM_UP: WarmUpSetting = { schedule: null, firstPlace: 0 };

export interface TypedAddress {
  ip: string;
  name: string;
  bind?: string;
  pool?: string;
  /** Whether it begins with few messages a day. */
  isWarmingUp?: boolean;
}

export async function addSendingAddress(store: Store, typed: TypedAddress): Promise<Decided<SendingAddress>> {
  const { addresses, pools } = await readSendingPlan(store);
  const ip = canonicalIp(typed.ip);
  if (ip === null) return invalid("address", typed.ip, "it must be an IP address");
  const name = typed.name.trim().toLowerCase();
  if (!name.includes(".") || !isHostName(name))
    return invalid("name", typed.name, "it must be a host name, such as mail1.example.com");
  const bind = typed.bind === undefined ? null : canonicalIp(typed.bind);
  if (typed.bind !== undefined && (bind === null || isIPv6(bind) !== isIPv6(ip)))
    return invalid("bind", typed.bind, `it must be an IP address of this server, of the same family as ${ip}`);
  const pool = typed.pool ?? DEFAULT_POOL;
  if (pool !== DEFAULT_POOL && !pools.some((each) => each.name === pool)) return refused("unknown_pool", noPool(pool));
  if (addresses.some((each) => each.ip === ip)) return refused("exists", `${ip} has been added already`);
  const warmUp = typed.isWarmingUp === true ? NEW_WARM_UP : null;
  const address = { name, bind: bind === ip ? null : bind, pool, isPaused: false, warmUp };
  if (!(await writeSendingAddress(store, ip, address)))
    return refused("too_many", `there are ${ADDRESSES_MAX} addresses already`);
  return done({ ip, ...address });
}

/** Pauses or resumes an address: nothing more leaves from a paused one. */
export async function pauseSendingAddress(
  store: Store,
  typed: string,
  isPaused: boolean,
): Promise<Decided<SendingAddress>> {
  const found = await findSendingAddress(store, typed);
  if (found.type !== "done") return found;
  const { ip, ...address } = { ...found.value, isPaused };
  await writeSendingAddress(store, ip, address);
  return done({ ip, ...address });
}

/** Removes a sending address. Attempts in progress from it complete. */
export async function dropSendingAddress(
  store: Store & Pick<WarmUps, "forgetWarmUps">,
  typed: string,
): Promise<Decided<SendingAddress>> {
  const found = await findSendingAddress(store, typed);
  if (found.type !== "done") return found;
  await writeSendingAddress(store, found.value.ip, null);
  await store.forgetWarmUps(found.value.ip);
  return found;
}

export async function findSendingAddress(
  store: Pick<Store, "readValue">,
  typed: string,
): Promise<Decided<SendingAddress>> {
  const ip = canonicalIp(typed);
  const found = (await readSendingPlan(store)).addresses.find((address) => address.ip === ip);
  return found === undefined ? refused("unknown_address", `${typed} is no sending address`) : done(found);
}

export async function createSendingPool(store: Store, name: string): Promise<Decided<SendingPool>> {
  if (!/^[a-z][a-z0-9-]{0,31}$/u.test(name))
    return invalid(
      "pool",
      name,
      "a pool's name has 1 to 32 lower-case letters, digits and hyphens, and begins with a letter",
    );
  const { pools } = await readSendingPlan(store);
  if (name === DEFAULT_POOL || pools.some((pool) => pool.name === name))
    return refused("exists", `a pool is named ${name} already`);
  const pool = { accounts: [], domains: [], tags: [] };
  if (!(await writeSendingPool(store, name, pool))) return refused("too_many", `there are ${POOLS_MAX} pools already`);
  return done({ name, ...pool });
}

/** Refuses while the pool has addresses: their mail would leave from others. */
export async function removeSendingPool(store: Store, name: string): Promise<Decided<string>> {
  const { addresses, pools } = await readSendingPlan(store);
  if (name === DEFAULT_POOL)
    return refused("in_use", `${DEFAULT_POOL} is the pool of all other mail, and cannot be removed`);
  if (!pools.some((pool) => pool.name === name)) return refused("unknown_pool", noPool(name));
  const of = addresses.filter((address) => address.pool === name).map(({ ip }) => ip);
  if (of.length > 0) return refused("in_use", `${name} has the addresses ${of.join(", ")}: remove them first`);
  await writeSendingPool(store, name, null);
  return done(name);
}

export interface PoolAssignment {
  /** An id. */
  account?: string;
  domain?: string;
  /** Of messages of the account, which is to be given too. */
  tag?: string;
}

/** The most tags of all pools: they are read at once. */
const TAGS_MAX = 1000;

/** Assigns an account, a sender domain or a tag of an account to a pool, and to no other. `default` ends an assignment. */
export async function assignSendingPool(
  store: Store,
  name: string,
  { account, domain, tag }: PoolAssignment,
): Promise<Decided<PoolAssignment>> {
  const { pools } = await readSendingPlan(store);
  if (name !== DEFAULT_POOL && !pools.some((pool) => pool.name === name)) return refused("unknown_pool", noPool(name));
  const assigned = {
    ...(account === undefined ? {} : { account }),
    ...(domain === undefined ? {} : { domain: domain.trim().toLowerCase() }),
  };
  if (assigned.domain !== undefined && !isHostName(assigned.domain))
    return invalid("domain", domain ?? "", "it must be a domain, such as example.com");
  if (tag !== undefined) return assignTag(store, pools, { name, account, tag });
  for (const pool of pools) {
    const accounts = pool.accounts.filter((each) => each !== assigned.account);
    const domains = pool.domains.filter((each) => each !== assigned.domain);
    if (pool.name === name && assigned.account !== undefined) accounts.push(assigned.account);
    if (pool.name === name && assigned.domain !== undefined) domains.push(assigned.domain);
    const changed = { accounts, domains };
    if (JSON.stringify(changed) !== JSON.stringify({ accounts: pool.accounts, domains: pool.domains }))
      await writeSendingPool(store, pool.name, { ...changed, tags: pool.tags });
  }
  return done(assigned);
}

async function assignTag(
  store: Store,
  pools: readonly SendingPool[],
  { name, account = "", tag }: { name: string; account: string | undefined; tag: string },
): Promise<Decided<PoolAssignment>> {
  if (tag === "" || tag.length > TAG_LENGTH_MAX)
    return invalid("tag", tag, `it must have 1 to ${TAG_LENGTH_MAX} characters`);
  if (pools.reduce((sum, { tags }) => sum + tags.length, 0) >= TAGS_MAX && name !== DEFAULT_POOL)
    return refused("too_many", `${TAGS_MAX} tags are assigned already`);
  for (const { name: each, accounts, domains, tags } of pools) {
    const others = tags.filter((of) => of.account !== account || of.tag !== tag);
    if (each === name) others.push({ account, tag });
    if (others.length !== tags.length || each === name)
      await writeSendingPool(store, each, { accounts, domains, tags: others });
  }
  return done({ account, tag });
}

const noPool = (name: string): string => `no pool is named ${name}`;

/** Returns null if the text is not an IP address. */
function canonicalIp(typed: string): string | null {
  const text = typed.trim();
  if (isIP(text) === 0 || text.includes("%")) return null;
  // The URL standard has one form of each address.
  return isIPv6(text) ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text;
}
