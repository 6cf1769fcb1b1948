/** The names of roles, and what each may do. */
import { ROLES, type Role, type User } from "../../spool/port/people.ts";
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

export const roleText = ({ role, operator }: Pick<User, "role" | "operator">): string =>
  operator ? `${ROLE_NAMES[role]}, operator` : ROLE_NAMES[role];

/** Returns the role of a form's field; null for anything else. */
export const parseRole = (text: string): Role | null => ROLES.find((role) => role === text) ?? null;
