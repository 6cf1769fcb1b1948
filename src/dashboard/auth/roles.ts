/**
 * Roles: what a request to the dashboard needs, decided only by its method and path. The router enforces it, and pages leave out
 * the forms and buttons that would be rejected, both by this file. Without a rule below, reading needs a viewer and a change needs
 * a developer.
 */
import { ROLES, type Role } from "../../spool/port/memberships.ts";
import type { AuthContext } from "./sessions.ts";

/** Operators act as owners of every account, and have their own pages. */
export type Access = Role | "operator";

/** The one that may do most first. */
const RANKS: readonly Access[] = ["operator", ...ROLES];

/** Patterns of `METHOD path`, the path below /dashboard. The first match counts. */
const RULES: readonly [RegExp, Access][] = [
  [/^\w+ \/operator(\/|$)/, "operator"],
  // The user's own password, second factor, notices, sessions and accounts.
  [/^\w+ \/(you|sign-out|invitation)(\/|$)/, "viewer"],
  [/^POST \/(users|account)(\/|$)/, "owner"],
  [/^GET \/(users|account)\/./, "owner"],
  // Who signed in, and from which address.
  [/^GET \/audit$/, "owner"],
  // Pages that show a secret, or have nothing but a form for a change.
  [/^GET \/keys\/(created\/[^/]+|[^/]+\/revoke)$/, "developer"],
  [/^GET \/webhooks\/(secret\/[^/]+|[^/]+\/(edit|rotate|remove))$/, "developer"],
  [/^GET \/domains\/[^/]+\/remove$/, "developer"],
  [/^GET \/messages\/[^/]+\/(send-again|resolve|cancel)$/, "developer"],
  [/^GET \/bulk\//, "developer"],
  [/^GET \/suppressed\/forget$/, "developer"],
  [/^GET /, "viewer"],
];

/** What remains possible in an account that is deleted, besides reading. */
const IN_GRACE = /^POST \/(you|sign-out|invitation|operator)(\/|$)/;
const RESTORE = "POST /account/restore";

/** Returns what a route such as `POST /keys/:id/revoke`, or a request to it, needs. */
export function requiredAccess(request: string): Access {
  return RULES.find(([pattern]) => pattern.test(request))?.[1] ?? "developer";
}

type Actor = Pick<AuthContext, "user" | "role" | "account" | "isDeletedByOwner">;

export function hasAccess({ user, role }: Pick<Actor, "user" | "role">, access: Access): boolean {
  return RANKS.indexOf(user.operator ? "operator" : role) <= RANKS.indexOf(access);
}

/** Whether the account is deleted, so that the request would be rejected. */
export function isStopped({ user, account, isDeletedByOwner }: Omit<Actor, "role">, request: string): boolean {
  if (account.deletedAtMs === null || request.startsWith("GET ")) return false;
  return request === RESTORE ? !(user.operator || isDeletedByOwner) : !IN_GRACE.test(request);
}

/** Whether the user may make the request now. `request` is as for requiredAccess; its path may begin with /dashboard. */
export function mayRequest(actor: Actor, request: string): boolean {
  const short = request.replace(" /dashboard", " ").split(/[?#]/, 1)[0] ?? "";
  return hasAccess(actor, requiredAccess(short)) && !isStopped(actor, short);
}
