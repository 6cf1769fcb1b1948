/**
 * The operator's routes: the queue of all accounts, accounts and users, the host. To everybody else they are not there.
 */
import { parseMailbox } from "../../message/address.ts";
import type { Account } from "../../spool/port/accounts.ts";
import type { Credentials } from "../auth/credentials.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { accountPage, accountsPage } from "./account-pages.tsx";
import { accountState } from "./account-state.ts";
import { type HostPageState, hostPage, hostVersion } from "./host-page.tsx";
import { createOperatorUsers } from "./operator-users.ts";
import { type QueueState, queuePage } from "./queue-page.tsx";
import { queueVersion } from "./queue-version.ts";
import type { Pages } from "./routes.ts";
import { domainsOf } from "./troubled-domains.tsx";

const QUEUE_SHOWN = 200;
/** Recipients made due in one transaction, and in all for one click. */
const RETRY_AT_ONCE = 2000;
const RETRY_MAX = 200_000;
const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export function createOperatorPages(parts: DashboardParts, credentials: Credentials): Pages {
  return {
    ...queueRoutes(parts),
    ...accountRoutes(parts),
    ...createOperatorUsers(parts, credentials),
    ...hostRoutes(parts),
  };
}

function queueRoutes({ spool, registry, reports, clock }: DashboardParts): Pages {
  async function shown(said: Pick<QueueState, "done" | "typed" | "error">): Promise<QueueState> {
    const nowMs = clock.now();
    return { waiting: await reports.waiting({ accountId: null, nowMs, limit: QUEUE_SHOWN }), nowMs, ...said };
  }

  const isPaused = async (domain: string): Promise<boolean> =>
    (await spool.pausedDomains()).some((paused) => paused.domain === domain);

  /** In steps, so that no transaction holds up the others for long. */
  async function retryEverywhere(domain: string): Promise<number> {
    let total = 0;
    for (const { id: accountId } of await registry.accounts()) {
      for (let last = RETRY_AT_ONCE; last === RETRY_AT_ONCE && total < RETRY_MAX; total += last) {
        last = await spool.retryDomain({ accountId, domain, nowMs: clock.now(), limit: RETRY_AT_ONCE });
      }
    }
    return total;
  }

  return {
    "GET /operator/queue": async (ctx, visit) => queuePage(visit, await shown({ done: String(ctx.query.done) })),
    "GET /operator/queue/state": async (ctx) => {
      const waiting = await reports.waiting({ accountId: null, nowMs: clock.now(), limit: QUEUE_SHOWN });
      ctx.body = { version: queueVersion(waiting) };
    },
    "POST /operator/queue/pause": async (ctx, visit) => {
      const typed = field(ctx, "domain").slice(0, 1000);
      // As recipients' domains are stored.
      const read = parseMailbox(`postmaster@${typed}`);
      if (read.type === "invalid" || read.name !== null) {
        ctx.status = 400;
        const error = "This is no domain of recipients. Write what stands after the @, such as example.org.";
        return queuePage(visit, await shown({ typed, error }));
      }
      await spool.pauseDomain(read.domain, clock.now());
      ctx.redirect("/dashboard/operator/queue?done=paused");
    },
    "POST /operator/queue/resume": async (ctx) => {
      await spool.resumeDomain(field(ctx, "domain"));
      ctx.redirect("/dashboard/operator/queue?done=resumed");
    },
    "POST /operator/queue/try-now": async (ctx) => {
      const domain = field(ctx, "domain");
      const count = await retryEverywhere(domain);
      const due = count === 0 ? "none-due" : "due";
      ctx.redirect(`/dashboard/operator/queue?done=${(await isPaused(domain)) ? "due-paused" : due}`);
    },
  };
}

function accountRoutes(parts: DashboardParts): Pages {
  const { registry, people, clock, sending } = parts;

  const accountOf = async (id: string | undefined): Promise<Account> => {
    const account = (await registry.accounts()).find((each) => each.id === id);
    if (account === undefined) throw notFound();
    return account;
  };

  const rows = async () => {
    const accounts = await registry.accounts();
    const users = await people.users(null);
    const used = await Promise.all(accounts.map(({ id }) => registry.quotaUsed(id, clock.now())));
    return accounts.map((account, i) => ({
      account,
      users: users.filter(({ accountId }) => accountId === account.id).length,
      used: used[i] ?? 0,
    }));
  };

  return {
    "GET /operator/accounts": async (_ctx, visit) =>
      accountsPage(visit, { rows: await rows(), quotaDaily: sending.quotaDaily, nowMs: clock.now() }),

    "POST /operator/accounts": async (ctx, visit) => {
      const name = field(ctx, "name");
      const fault = ACCOUNT_NAME.test(name) ? null : "A name is 1 to 63 of a-z, 0-9, - and _.";
      const account = fault === null ? await registry.createAccount(name, clock.now()) : null;
      if (account !== null && account !== "exists") return ctx.redirect(`/dashboard/operator/accounts/${account.id}`);
      ctx.status = 400;
      const error = fault ?? "There is an account of this name already.";
      const state = { rows: await rows(), quotaDaily: sending.quotaDaily, nowMs: clock.now(), typed: name, error };
      return accountsPage(visit, state);
    },

    "GET /operator/accounts/:id": async (ctx, visit) => {
      const account = await accountOf(ctx.params.id);
      return accountPage(visit, await accountState(parts, account, { done: String(ctx.query.done ?? "") }));
    },

    "POST /operator/accounts/:id/quota": async (ctx, visit) => {
      const account = await accountOf(ctx.params.id);
      const typed = field(ctx, "quota");
      if (!/^\d{0,12}$/.test(typed)) {
        ctx.status = 400;
        const quotaError = "A whole number of recipients a day; 0 for no limit, nothing for the installation's.";
        return accountPage(visit, await accountState(parts, account, { quotaError }));
      }
      await registry.setQuota(account.id, typed === "" ? null : Number(typed));
      ctx.redirect(`/dashboard/operator/accounts/${account.id}?done=quota`);
    },

    "POST /operator/look": async (ctx, visit) => {
      const account = await accountOf(field(ctx, "account"));
      await people.switchAccount(visit.session.hash, account.id);
      ctx.redirect("/dashboard");
    },
  };
}

function hostRoutes(parts: DashboardParts): Pages {
  const state = async (): Promise<HostPageState> => ({
    host: parts.host.look(),
    hostname: parts.host.hostname,
    domains: await domainsOf(parts.registry, null),
    nowMs: parts.clock.now(),
  });
  return {
    "GET /operator/host": async (_ctx, visit) => hostPage(visit, await state()),
    "GET /operator/host/state": async (ctx) => {
      ctx.body = { version: hostVersion(await state()) };
    },
    "POST /operator/host": async (ctx) => {
      void parts.host.examine();
      ctx.redirect("/dashboard/operator/host");
    },
  };
}
