/** Sending addresses and their pools as the command line and the management interface show them. */
import {
  DEFAULT_POOL,
  readSendingPlan,
  type SendingAddress,
  type SendingPool,
} from "../../spool/port/sending-addresses.ts";
import type { Store } from "../../spool/port/store.ts";
import type { AddressReport } from "./sending-addresses.ts";

export const addressView = (address: AddressReport) => ({
  address: address.ip,
  name: address.name,
  bind: address.bind,
  pool: address.pool,
  warm_up: address.warmUp !== null,
  nodes: address.nodes,
  state: address.state,
});

export const poolView = ({ name, accounts, domains, tags }: SendingPool, addresses: readonly SendingAddress[]) => ({
  name,
  addresses: addresses.filter(({ pool }) => pool === name).map(({ ip }) => ip),
  accounts,
  domains,
  tags,
});

/** The default pool first. Accounts are shown by name. */
export async function poolViews(store: Pick<Store, "accounts" | "readValue">) {
  const { addresses, pools } = await readSendingPlan(store);
  const names = new Map((await store.accounts()).map(({ id, name }) => [id, name]));
  const others = pools.map((pool) => ({
    ...pool,
    accounts: pool.accounts.map((id) => names.get(id) ?? id),
    tags: pool.tags.map(({ account: id, tag }) => ({ account: names.get(id) ?? id, tag })),
  }));
  return [{ name: DEFAULT_POOL, accounts: [], domains: [], tags: [] }, ...others].map((pool) =>
    poolView(pool, addresses),
  );
}
