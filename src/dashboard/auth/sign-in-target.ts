/** Where a sign-in leads to: the form that was sent after the session had ended, if it is this user's, else the page that was asked for. */
import { ownAccountId, roleIn } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";
import { KeptForms, openedForm } from "./kept-form.ts";
import type { PendingSignIn } from "./pending-sign-in.ts";

export type SignInTarget = Pick<PendingSignIn, "next" | "accountId">;

/** `kept`: the form, sealed, or "". */
export async function signInTarget(
  parts: DashboardParts,
  user: User,
  { next, kept }: { next: string; kept: string },
): Promise<SignInTarget> {
  const form = openedForm(parts, kept, user);
  if (form === null) return { next, accountId: ownAccountId(user) };
  const accounts = roleIn(user, form.accountId) === null ? [] : await parts.registry.accounts();
  const account = accounts.find(({ id, isEmptied }) => id === form.accountId && !isEmptied);
  const accountId = account?.id ?? ownAccountId(user);
  return { next: await new KeptForms(parts).hold(accountId, form), accountId };
}
