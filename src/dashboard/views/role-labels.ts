/** The names of roles, and what each may do. */
import { membershipIn, ROLES, type Role } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import type { Option } from "./components.tsx";

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: "Owner",
  developer: "Developer",
  viewer: "Viewer",
};

export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  owner: "can change everything",
  developer: "can change everything except users",
  viewer: "can change nothing",
};

export const ROLE_OPTIONS: Option[] = ROLES.map((role) => ({
  value: role,
  text: `${ROLE_NAMES[role]}: ${ROLE_TEXTS[role]}`,
}));

/** The role of a user of the account. */
export function roleText(user: Pick<User, "memberships" | "operator">, accountId: string): string {
  const role = membershipIn(user, accountId)?.role;
  const name = role === undefined ? "" : ROLE_NAMES[role];
  return user.operator ? `${name}, operator` : name;
}

/** Returns the role of a form's field; null for anything else. */
export const parseRole = (text: string): Role | null => ROLES.find((role) => role === text) ?? null;
