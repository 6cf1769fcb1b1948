/** Who may sign in with a password: PASSWORD_SIGN_IN, and how the user came to be. */
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

/**
 * Operators always may, for the days on which the identity provider fails. Users whom a group there has created may not: with a password
 * they would keep their access after they have left the group.
 */
export function mayUsePassword(
  { passwordSignIn, provider }: Pick<DashboardParts, "passwordSignIn" | "provider">,
  { operator, byGroup = false }: Pick<User, "operator" | "byGroup">,
): boolean {
  if (operator) return true;
  return passwordSignIn !== "operators" && !(byGroup && provider !== null);
}
