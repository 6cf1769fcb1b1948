/** Who may sign in with a password, and as whom: PASSWORD_SIGN_IN, and how the user came to the accounts. */
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

/**
 * Operators always may, for the days on which the identity provider fails. Users who have their accounts only by groups there may not: with a password
 * they would keep their access after they have left the group.
 */
export function mayUsePassword(
  { passwordSignIn, provider }: Pick<DashboardParts, "passwordSignIn" | "provider">,
  user: Pick<User, "operator" | "memberships">,
): boolean {
  if (user.operator) return true;
  return passwordSignIn !== "operators" && withPassword({ provider }, user).length > 0;
}

/**
 * The user in a session. With a password, the memberships by groups at the identity provider do not count: it is there that the groups are
 * read. Returns null for a user who may not use a password.
 */
export function userInSession<Found extends Pick<User, "operator" | "memberships">>(
  parts: Pick<DashboardParts, "passwordSignIn" | "provider">,
  user: Found,
  by: "password" | "provider",
): Found | null {
  if (by === "provider") return user;
  if (!mayUsePassword(parts, user)) return null;
  const [own, ...further] = withPassword(parts, user);
  return own === undefined ? user : { ...user, memberships: [own, ...further] };
}

const withPassword = ({ provider }: Pick<DashboardParts, "provider">, { memberships }: Pick<User, "memberships">) =>
  memberships.filter(({ byGroup }) => provider === null || !byGroup);
