/**
 * The operator's actions on users. Those that change who can sign in, or how, require re-authentication, so a stolen
 * operator session does not give more than itself.
 */
import type { Context } from "koa";
import type { User } from "../../spool/port/people.ts";
import type { Credentials } from "../auth/credentials.ts";
import type { AuthContext } from "../auth/sessions.ts";
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

const redirectBack = (ctx: Context, { accountId }: Pick<User, "accountId">, done?: string): void =>
  ctx.redirect(`/dashboard/operator/accounts/${accountId}${done === undefined ? "" : `?done=${done}`}`);

async function userOf({ people }: DashboardParts, ctx: Context): Promise<User> {
  const user = await people.user(ctx.params.id ?? "");
  if (user === null) throw notFound();
  return user;
}

/** Throws `not_found` for the operator's own user, whose sign-in is changed under /you only and who cannot be removed. */
async function otherUserOf(parts: DashboardParts, ctx: Context, auth: AuthContext): Promise<User> {
  const user = await userOf(parts, ctx);
  if (user.id === auth.user.id) throw notFound();
  return user;
}

function createUser(parts: DashboardParts, credentials: Credentials): Page {
  const { registry, clock } = parts;
  return async (ctx, auth) => {
    const account = (await registry.accounts()).find(({ id }) => id === ctx.params.id);
    if (account === undefined) throw notFound();
    const email = field(ctx, "email");
    const password = rawField(ctx, "password");
    const operator = field(ctx, "operator") === "yes";
    const again = async (form: AccountForm): Promise<string> =>
      accountPage(auth, await accountState(parts, account, { ...form, typed: email, typedOperator: operator }));
    const rejectForm = (userError: string): Promise<string> => {
      ctx.status = 400;
      return again({ userError });
    };
    const fault = newUserFault(email, password);
    if (fault !== null) return rejectForm(fault);
    if (operator) {
      const confirmed = await confirmUser(ctx, auth, credentials);
      if (confirmed.type === "rejected") return again({ error: confirmed.error });
      await confirmed.clearFailures();
    }
    const passwordHash = await credentials.hashPassword(password, auth.user.id);
    const { usersMax } = parts.limits;
    const user = { email, accountId: account.id, passwordHash, operator, createdAtMs: clock.now(), usersMax };
    const made = await registry.createUser(user);
    if (made === "exists") return rejectForm("A user with this email address already exists.");
    if (made === "too_many") return rejectForm(tooManyUsers(usersMax));
    redirectBack(ctx, user, "user");
  };
}

const tooManyUsers = (usersMax: number): string =>
  `This account has reached its limit of ${plural(usersMax, "user")} (USERS_MAX). Remove one first.`;

/** No re-authentication: ending sessions does not weaken a sign-in. */
function sessionRoutes(parts: DashboardParts): Pages {
  return {
    "POST /operator/users/:id/end-sessions": async (ctx, auth) => {
      const user = await userOf(parts, ctx);
      await parts.people.endSessions(user.id, user.id === auth.user.id ? auth.session.hash : null);
      redirectBack(ctx, user, "sessions");
    },
  };
}

function secondFactorRoutes(parts: DashboardParts, credentials: Credentials): Pages {
  const path = "/operator/users/:id/second-factor-off";
  return {
    [`GET ${path}`]: async (ctx, auth) => {
      const user = await otherUserOf(parts, ctx, auth);
      return user.sealedTotp === null ? redirectBack(ctx, user) : secondFactorOffPage(auth, user);
    },

    [`POST ${path}`]: async (ctx, auth) => {
      const user = await otherUserOf(parts, ctx, auth);
      if (user.sealedTotp === null) return redirectBack(ctx, user);
      const confirmed = await confirmUser(ctx, auth, credentials);
      if (confirmed.type === "rejected") return secondFactorOffPage(auth, user, confirmed.error);
      await confirmed.clearFailures();
      await parts.people.setTotp(user.id, null);
      await parts.people.endSessions(user.id, null);
      redirectBack(ctx, user, "second-factor");
    },
  };
}

function removalRoutes(parts: DashboardParts, credentials: Credentials): Pages {
  const path = "/operator/users/:id/remove";
  return {
    [`GET ${path}`]: async (ctx, auth) => removeUserPage(auth, await otherUserOf(parts, ctx, auth)),

    [`POST ${path}`]: async (ctx, auth) => {
      const user = await otherUserOf(parts, ctx, auth);
      const confirmed = await confirmUser(ctx, auth, credentials);
      if (confirmed.type === "rejected") return removeUserPage(auth, user, confirmed.error);
      await confirmed.clearFailures();
      await parts.people.removeUser(user.id);
      redirectBack(ctx, user, "removed");
    },
  };
}
