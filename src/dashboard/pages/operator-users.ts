/**
 * The operator's actions on users. Those that decide who can sign in, and with what, ask the operator for a confirmation:
 * whoever has stolen an operator's session must not get more than that session.
 */
import type { Context } from "koa";
import type { User } from "../../spool/port/people.ts";
import type { Credentials } from "../auth/credentials.ts";
import type { Visit } from "../auth/sessions.ts";
import { plural } from "../views/labels.ts";
import { newUserFault } from "../views/new-user-form.tsx";
import { field, rawField } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { accountPage } from "./account-pages.tsx";
import { type AccountForm, accountState } from "./account-state.ts";
import { confirmUser } from "./confirmation.tsx";
import type { Page, Pages } from "./routes.ts";
import { removeUserPage, secondFactorOffPage } from "./user-pages.tsx";

export function createOperatorUsers(parts: DashboardParts, credentials: Credentials): Pages {
  return {
    "POST /operator/accounts/:id/users": createUser(parts, credentials),
    ...sessionRoutes(parts),
    ...secondFactorRoutes(parts, credentials),
    ...removalRoutes(parts, credentials),
  };
}

const back = (ctx: Context, { accountId }: Pick<User, "accountId">, done?: string): void =>
  ctx.redirect(`/dashboard/operator/accounts/${accountId}${done === undefined ? "" : `?done=${done}`}`);

async function userOf({ people }: DashboardParts, ctx: Context): Promise<User> {
  const user = await people.user(ctx.params.id ?? "");
  if (user === null) throw notFound();
  return user;
}

/**
 * Never oneself: one's own sign-in changes under /you alone, and whoever removes users stays to let others in.
 */
async function otherUserOf(parts: DashboardParts, ctx: Context, visit: Visit): Promise<User> {
  const user = await userOf(parts, ctx);
  if (user.id === visit.user.id) throw notFound();
  return user;
}

function createUser(parts: DashboardParts, credentials: Credentials): Page {
  const { registry, clock } = parts;
  return async (ctx, visit) => {
    const account = (await registry.accounts()).find(({ id }) => id === ctx.params.id);
    if (account === undefined) throw notFound();
    const email = field(ctx, "email");
    const password = rawField(ctx, "password");
    const operator = field(ctx, "operator") === "yes";
    const again = async (form: AccountForm): Promise<string> =>
      accountPage(visit, await accountState(parts, account, { ...form, typed: email, typedOperator: operator }));
    const refuse = (userError: string): Promise<string> => {
      ctx.status = 400;
      return again({ userError });
    };
    const fault = newUserFault(email, password);
    if (fault !== null) return refuse(fault);
    if (operator) {
      const confirmed = await confirmUser(ctx, visit, credentials);
      if (confirmed.type === "refused") return again({ error: confirmed.error });
      confirmed.settle();
    }
    const passwordHash = await credentials.hash(password, visit.user.id);
    const { usersMax } = parts.limits;
    const user = { email, accountId: account.id, passwordHash, operator, createdAtMs: clock.now(), usersMax };
    const made = await registry.createUser(user);
    if (made === "exists") return refuse("A user with this email address exists already.");
    if (made === "too_many") return refuse(tooManyUsers(usersMax));
    back(ctx, user, "user");
  };
}

const tooManyUsers = (usersMax: number): string =>
  `This account has reached its limit of ${plural(usersMax, "user")} (USERS_MAX). Remove one first.`;

/** Without a confirmation: ending sessions weakens nothing. */
function sessionRoutes(parts: DashboardParts): Pages {
  return {
    "POST /operator/users/:id/end-sessions": async (ctx, visit) => {
      const user = await userOf(parts, ctx);
      await parts.people.endSessions(user.id, user.id === visit.user.id ? visit.session.hash : null);
      back(ctx, user, "sessions");
    },
  };
}

function secondFactorRoutes(parts: DashboardParts, credentials: Credentials): Pages {
  const path = "/operator/users/:id/second-factor-off";
  return {
    [`GET ${path}`]: async (ctx, visit) => {
      const user = await otherUserOf(parts, ctx, visit);
      return user.sealedTotp === null ? back(ctx, user) : secondFactorOffPage(visit, user);
    },

    [`POST ${path}`]: async (ctx, visit) => {
      const user = await otherUserOf(parts, ctx, visit);
      if (user.sealedTotp === null) return back(ctx, user);
      const confirmed = await confirmUser(ctx, visit, credentials);
      if (confirmed.type === "refused") return secondFactorOffPage(visit, user, confirmed.error);
      confirmed.settle();
      await parts.people.setTotp(user.id, null);
      await parts.people.endSessions(user.id, null);
      back(ctx, user, "second-factor");
    },
  };
}

function removalRoutes(parts: DashboardParts, credentials: Credentials): Pages {
  const path = "/operator/users/:id/remove";
  return {
    [`GET ${path}`]: async (ctx, visit) => removeUserPage(visit, await otherUserOf(parts, ctx, visit)),

    [`POST ${path}`]: async (ctx, visit) => {
      const user = await otherUserOf(parts, ctx, visit);
      const confirmed = await confirmUser(ctx, visit, credentials);
      if (confirmed.type === "refused") return removeUserPage(visit, user, confirmed.error);
      confirmed.settle();
      await parts.people.removeUser(user.id);
      back(ctx, user, "removed");
    },
  };
}
