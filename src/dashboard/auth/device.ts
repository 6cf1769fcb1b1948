/**
 * Recognises browsers that a user has signed in with before. Their failures are counted separately, so guesses by others
 * do not keep the user out. A device cookie does not sign anyone in.
 */

import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import { DAY_MS } from "../../lib/units.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

export const DEVICE_COOKIE = "postrider_device";
export const DEVICE_COOKIE_MS = 400 * DAY_MS;

const sealName = (user: User): string => `device of ${user.id}`;

/** Makes the cookie value for a new device of the user. */
export function newDevice({ secrets }: Pick<DashboardParts, "secrets">, user: User): string {
  return secrets.seal(sealName(user), randomBytes(16).toString("hex")).toString("base64url");
}

/** Reads the user's device id from the request's cookie; null without a valid one. */
export function deviceOf(ctx: Context, { secrets }: Pick<DashboardParts, "secrets">, user: User): string | null {
  const sealed = ctx.cookies.get(DEVICE_COOKIE);
  if (sealed === undefined) return null;
  try {
    return secrets.open(sealName(user), Buffer.from(sealed, "base64url"));
  } catch {
    // It belongs to another user, or is forged.
    return null;
  }
}
