/**
 * Browsers that a user has signed in with before. Failures of a browser that is known for the user are counted by
 * themselves, so that strangers who guess at the user's password do not keep the user out. It signs nobody in.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

export const DEVICE_COOKIE = "postrider_device";
export const DEVICE_COOKIE_MS = 400 * 86_400_000;

const sealName = (user: User): string => `device of ${user.id}`;

/** A cookie's value that names a new device of the user. */
export function newDevice({ secrets }: Pick<DashboardParts, "secrets">, user: User): string {
  return secrets.seal(sealName(user), randomBytes(16).toString("hex")).toString("base64url");
}

/** The device that the request's cookie names for this user; null when it names none. */
export function deviceOf(ctx: Context, { secrets }: Pick<DashboardParts, "secrets">, user: User): string | null {
  const sealed = ctx.cookies.get(DEVICE_COOKIE);
  if (sealed === undefined) return null;
  try {
    return secrets.open(sealName(user), Buffer.from(sealed, "base64url"));
  } catch {
    // Another user's, or made up.
    return null;
  }
}
