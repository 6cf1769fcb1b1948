/** Who may sign in with a password: PASSWORD_SIGN_IN, and how the user came to be. */
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

/**
 * Operators always may, for the days on which the identity provider fails. Users who have their accounts by groups there alone may not: with a password
 * they would keep their access after they have left the group.
 */
export function mayUsePassword(
  { passwordSignIn, provider }: Pick<DashboardParts, "passwordSignIn" | "provider">,
  { operator, memberships }: Pick<User, "operator" | "memberships">,
): boolean {
  if (operator) return true;
  return passwordSignIn !== "operators" && (provider === null || memberships.some(({ byGroup }) => !byGroup));
}
