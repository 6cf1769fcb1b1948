/** An account's usage: today's quota, and the number of each thing that is limited. */
import { rfc3339 } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/units.ts";
import { isActive } from "../../spool/port/api-keys.ts";
import type { ManageRequest, Operation } from "./operation.ts";

async function usage({ parts, account, nowMs }: ManageRequest): Promise<unknown> {
  const { store, limits, sending } = parts;
  const [used, domains, keys, webhooks, users] = await Promise.all([
    store.quotaUsed(account.id, nowMs),
    store.domains(account.id),
    store.keys(account.id),
    parts.webhooks.list(account.id),
    store.people.users(account.id),
  ]);
  const limit = account.quotaDaily ?? sending.quotaDaily;
  return {
    account: account.name,
    quota: {
      recipients_today: used,
      daily: limit === 0 ? null : limit,
      resets_at: rfc3339(nowMs - (nowMs % DAY_MS) + DAY_MS),
    },
    domains: { count: domains.length, max: limits.domainsMax },
    keys: { count: keys.filter((key) => isActive(key, nowMs)).length, max: limits.keysMax },
    webhooks: { count: webhooks.length, max: limits.webhooksMax },
    users: { count: users.length, max: limits.usersMax },
  };
}

const EXAMPLE = {
  account: "shop",
  quota: { recipients_today: 1204, daily: 50_000, resets_at: "2026-03-03T00:00:00.000Z" },
  domains: { count: 2, max: 100 },
  keys: { count: 3, max: 100 },
  webhooks: { count: 1, max: 10 },
  users: { count: 4, max: 50 },
};

export const USAGE_OPERATIONS: readonly Operation[] = [
  {
    id: "getUsage",
    permission: "manage",
    tag: "account",
    method: "GET",
    path: "/usage",
    summary: "Get what the account uses, and its limits",
    status: 200,
    response: { schema: "Usage", example: EXAMPLE },
    run: usage,
  },
];
