/** Who sends a request to the dashboard, for the audit trail. */
import type { Context } from "koa";
import type { Actor } from "../../app/audit/actor.ts";
import { clientAddress } from "../../lib/client-address.ts";
import type { Account } from "../../spool/port/accounts.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "./parts.ts";

/** `auth`: the signed-in user, in the current account; absent without a session. */
export function actorOf(
  ctx: Context,
  { trustedProxies }: Pick<DashboardParts, "trustedProxies">,
  auth?: { user: User; account: Account },
): Actor {
  const ip = clientAddress(ctx.req, trustedProxies);
  if (auth === undefined) return { type: "visitor", ip, accountId: null };
  const { user, account } = auth;
  return { type: "user", id: user.id, email: user.email, ip, accountId: account.id };
}
