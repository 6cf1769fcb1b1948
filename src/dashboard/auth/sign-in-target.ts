/**
 * Where a sign-in leads to: the form that was sent after the session had ended, if it is this user's and the user may still enter its account,
 * else the page that was asked for.
 */
import { ownAccountId, roleIn } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";
import { KeptForms, openedForm } from "./kept-form.ts";
import type { PendingSignIn } from "./pending-sign-in.ts";

export type SignInTarget = Pick<PendingSignIn, "next" | "accountId">;

/** `kept`: the form, sealed, or "". `accountId`: the account without a form. */
export async function signInTarget(
  parts: DashboardParts,
  user: User,
  { next, kept, accountId = ownAccountId(user) }: { next: string; kept: string; accountId?: string },
): Promise<SignInTarget> {
  const form = openedForm(parts, kept, user);
  if (form === null || roleIn(user, form.accountId) === null) return { next, accountId };
  const isThere = (await parts.registry.accounts()).some(({ id, isEmptied }) => id === form.accountId && !isEmptied);
  if (!isThere) return { next, accountId };
  return { next: await new KeptForms(parts).hold(form), accountId: form.accountId };
}
