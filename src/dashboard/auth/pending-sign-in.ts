/**
 * A sign-in whose password was right and whose code is not checked yet. The browser has all of it, sealed in a cookie, so that any
 * node can go on with it.
 */

import { createHash, randomBytes } from "node:crypto";
import type { Context } from "koa";
import { MINUTE_MS } from "../../lib/units.ts";
import type { CounterName } from "../../spool/port/attempt-limiter.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";
import { setCookie } from "./sessions.ts";

const COOKIE = "postrider_half";
const SEAL_NAME = "pending sign-in";

/** Time between the password and the code. */
export const PENDING_MS = 5 * MINUTE_MS;

/** Browsers store cookies up to 4096 bytes. */
const NEXT_LENGTH_MAX = 1000;

export interface PendingSignIn {
  /** Its attempts at a code are counted by it. */
  id: string;
  userId: string;
  /** Of the hash that the password matched: the sign-in is void once the password has changed. */
  passwordDigest: string;
  /** The password's counted failures, which are undone once the code is right. */
  counted: CounterName[];
  untilMs: number;
  /** The page to go to. */
  next: string;
  /** The current account of the session that is to begin. */
  accountId: string;
}

type PendingParts = Pick<DashboardParts, "secrets" | "secure" | "clock">;

/** Sets the cookie of a sign-in that waits for a code. */
export function beginPending(
  ctx: Context,
  parts: PendingParts,
  { user, counted, next, accountId }: { user: User } & Pick<PendingSignIn, "counted" | "next" | "accountId">,
): void {
  const pending: PendingSignIn = {
    id: randomBytes(16).toString("base64url"),
    userId: user.id,
    passwordDigest: digestOf(user),
    counted,
    untilMs: parts.clock.now() + PENDING_MS,
    next: next.length > NEXT_LENGTH_MAX ? "/dashboard" : next,
    accountId,
  };
  const value = parts.secrets.seal(SEAL_NAME, JSON.stringify(pending)).toString("base64url");
  setCookie(ctx, parts, { name: COOKIE, value, maxAgeMs: PENDING_MS });
}

/** Reads the sign-in of the request's cookie; null without a valid one. */
export function pendingOf(ctx: Context, { secrets, clock }: PendingParts): PendingSignIn | null {
  const pending = opened(ctx.cookies.get(COOKIE), secrets);
  if (pending === null) return null;
  // Absolute, so that a sign-in that began while the clock was ahead ends as well.
  return Math.abs(pending.untilMs - PENDING_MS - clock.now()) < PENDING_MS ? pending : null;
}

export function endPending(ctx: Context, parts: PendingParts): void {
  setCookie(ctx, parts, { name: COOKIE, value: null, maxAgeMs: 0 });
}

/** Whether the user's password is still the one that was right. */
export const isCurrent = ({ passwordDigest }: PendingSignIn, user: User): boolean => passwordDigest === digestOf(user);

function opened(sealed: string | undefined, secrets: PendingParts["secrets"]): PendingSignIn | null {
  if (sealed === undefined) return null;
  try {
    return JSON.parse(secrets.open(SEAL_NAME, Buffer.from(sealed, "base64url")));
  } catch {
    // It is forged, or sealed with a former master key.
    return null;
  }
}

const digestOf = ({ passwordHash }: User): string => createHash("sha256").update(passwordHash).digest("base64url");
