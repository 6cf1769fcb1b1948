/**
 * The operator's routes for users: add one, and the actions of user-actions.ts on those of all accounts.
 */
import type { Context } from "koa";
import { ownAccountId } from "../../spool/port/memberships.ts";
import type { Credentials } from "../auth/credentials.ts";
import { plural } from "../views/labels.ts";
import { newUserFault } from "../views/new-user-form.tsx";
import { parseRole } from "../views/role-labels.ts";
import { field, rawField } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { accountPage } from "./account-pages.tsx";
import { type AccountForm, accountState } from "./account-state.ts";
import { confirmUser } from "./confirmation.tsx";
import type { Page, Pages } from "./routes.ts";
import { createUserActions } from "./user-actions.ts";
import type { UserPlace } from "./user-pages.tsx";

const PLACE: UserPlace = {
  path: "/operator/users",
  isOfOperators: true,
  listOf: (accountId) => `/operator/accounts/${accountId}`,
  at: "/operator/accounts/one",
};

export function createOperatorUsers(parts: DashboardParts, credentials: Credentials): Pages {
  return {
    "POST /operator/accounts/:id/users": createUser(parts, credentials),
    ...createUserActions({
      parts,
      credentials,
      place: PLACE,
      accountOf: (ctx, _auth, user) => namedAccount(ctx) ?? ownAccountId(user),
      isInPlace: () => true,
    }),
  };
}

/** The account of the request, of a form or of the link to its page; null if none is named. */
function namedAccount(ctx: Context): string | null {
  const named = ctx.method === "POST" ? field(ctx, "account") : String(ctx.query.account ?? "");
  return named === "" ? null : named;
}

function createUser(parts: DashboardParts, credentials: Credentials): Page {
  const { registry, clock } = parts;
  return async (ctx, auth) => {
    const account = (await registry.accounts()).find(({ id, isEmptied }) => id === ctx.params.id && !isEmptied);
    if (account === undefined) throw notFound();
    const email = field(ctx, "email");
    const password = rawField(ctx, "password");
    const operator = field(ctx, "operator") === "yes";
    const role = parseRole(field(ctx, "role")) ?? "owner";
    const typed = { typed: email, typedOperator: operator, typedRole: role };
    const again = async (form: AccountForm): Promise<string> =>
      accountPage(auth, await accountState(parts, account, { ...form, ...typed }));
    const rejectForm = (userError: string): Promise<string> => {
      ctx.status = 400;
      return again({ userError });
    };
    const fault = newUserFault(email, password);
    if (fault !== null) return rejectForm(fault);
    const error = await confirmUser(ctx, auth, credentials);
    if (error !== null) return again({ error });
    const passwordHash = await credentials.hashPassword(password, auth.user.id);
    const { usersMax } = parts.limits;
    const user = { email, accountId: account.id, passwordHash, operator, role, createdAtMs: clock.now(), usersMax };
    const made = await registry.createUser(user);
    if (made === "exists") return rejectForm(EXISTS);
    if (made === "too_many") return rejectForm(tooManyUsers(usersMax));
    ctx.redirect(`/dashboard${PLACE.listOf(account.id)}?done=user`);
  };
}

const EXISTS =
  "A user with this email address already exists. To add it to this account, switch to the account and invite it.";

export const tooManyUsers = (usersMax: number): string =>
  `This account has reached its limit of ${plural(usersMax, "user")} (USERS_MAX). Remove one first.`;
