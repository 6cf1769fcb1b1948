/** Sending addresses and their pools as the command line and the management interface show them. */
import { DEFAULT_SCHEDULE } from "../../receivers/warm-up.ts";
import {
  DEFAULT_POOL,
  readSendingPlan,
  type SendingAddress,
  type SendingPool,
} from "../../spool/port/sending-addresses.ts";
import type { Store } from "../../spool/port/store.ts";
import type { AddressReport, ShownWarmUp } from "./sending-addresses.ts";

export const addressView = (address: AddressReport) => ({
  address: address.ip,
  name: address.name,
  bind: address.bind,
  pool: address.pool,
  warm_up: address.warmUp !== null,
  nodes: address.nodes,
  state: address.state,
});

/** With its warm-up at each receiver. `warmUps`: null for an address that is not warmed up. */
export const addressDetailView = (address: AddressReport, warmUps: readonly ShownWarmUp[] | null) => ({
  ...addressView(address),
  schedule: warmUps === null ? null : (address.warmUp?.schedule ?? DEFAULT_SCHEDULE),
  receivers: (warmUps ?? []).map(warmUpView),
});

export const warmUpView = (each: ShownWarmUp) => ({
  receiver: each.receiver,
  day: each.day,
  limit: each.limit,
  sent_today: each.sentToday,
  accepted_today: each.acceptedToday,
  blocked_today: each.isBlocked,
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
