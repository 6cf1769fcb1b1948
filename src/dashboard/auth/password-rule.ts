/** PASSWORD_SIGN_IN: who may sign in with a password. */
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

/** Operators always may, for the days on which the identity provider fails. */
export const mayUsePassword = (
  { passwordSignIn }: Pick<DashboardParts, "passwordSignIn">,
  { operator }: Pick<User, "operator">,
): boolean => operator || passwordSignIn !== "operators";
