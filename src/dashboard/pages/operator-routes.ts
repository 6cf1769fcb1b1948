/**
 * The operator's routes: the queue of all accounts, receivers, sending addresses, accounts and users, nodes, the host. For other users they are not found.
 */
import type { Credentials } from "../auth/credentials.ts";
import { field } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type HostPageState, hostPage, hostVersion } from "./host-page.tsx";
import { createOperatorAccounts } from "./operator-accounts.ts";
import { createOperatorAddresses } from "./operator-addresses.ts";
import { createOperatorNodes } from "./operator-nodes.ts";
import { createOperatorQueue } from "./operator-queue.ts";
import { createOperatorReceivers } from "./operator-receivers.ts";
import { createOperatorUsers } from "./operator-users.ts";
import { domainsOf } from "./problem-domains.tsx";
import type { Pages } from "./routes.ts";

export function createOperatorRoutes(parts: DashboardParts, credentials: Credentials): Pages {
  return {
    ...createOperatorQueue(parts),
    ...createOperatorReceivers(parts),
    ...createOperatorAddresses(parts),
    ...createOperatorAccounts(parts),
    ...createOperatorUsers(parts, credentials),
    ...createOperatorNodes(parts),
    ...hostRoutes(parts),
  };
}

function hostRoutes({ host, registry, clock }: DashboardParts): Pages {
  const state = async (): Promise<HostPageState> => ({
    host: host.look(),
    hostname: host.hostname,
    domains: await domainsOf(registry, null),
    nowMs: clock.now(),
  });
  return {
    "GET /operator/host": async (_ctx, auth) => hostPage(auth, await state()),
    "GET /operator/host/state": async (ctx) => {
      ctx.body = { version: hostVersion(await state()) };
    },
    "POST /operator/host": async (ctx) => {
      void host.examine();
      ctx.redirect(field(ctx, "from") === "start" ? "/dashboard/start" : "/dashboard/operator/host");
    },
  };
}
